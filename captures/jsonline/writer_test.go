package jsonline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elsewhere lists the files that may write JSON without this package, and why.
var elsewhere = map[string]string{
	"captures/jsonline/jsonline.go":          "it is this package",
	"cmd/dplay/internal/bridging/ask.go":     "a question of one dplay to another",
	"cmd/dplay/internal/bridging/control.go": "the answer to it, and a file for it",
	"cmd/dplay/internal/dropin/files.go":     "a file that dplay reads back",
	"cmd/dplay/internal/browse/http.go":      "a script in a page, where HTML's characters are escaped",
}

// writers are the functions of encoding/json that write.
var writers = []string{"Marshal", "MarshalIndent", "NewEncoder", "Encoder", "Compact", "Indent", "HTMLEscape"}

// TestOneWriter holds that all JSON for programs goes through this package.
func TestOneWriter(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	for _, folder := range []string{"captures", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(name)
			for _, writer := range written(file) {
				if found[name] = true; elsewhere[name] == "" {
					t.Errorf("%s uses json.%s: use jsonline.Append or events.AppendJSON", name, writer)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	for name := range elsewhere {
		assert.True(t, found[name], "%s writes no JSON any more: delete its row", name)
	}
}

// written returns the writers of encoding/json that a file names.
func written(file *ast.File) (list []string) {
	name := ""
	for _, i := range file.Imports {
		if i.Path.Value == `"encoding/json"` || i.Path.Value == `"encoding/json/v2"` || i.Path.Value == `"encoding/json/jsontext"` {
			name = "json"
			if i.Name != nil {
				name = i.Name.Name
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := s.X.(*ast.Ident); ok && name != "" && id.Name == name && slices.Contains(writers, s.Sel.Name) {
			list = append(list, s.Sel.Name)
		}
		return true
	})
	return list
}
