package dpsp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxReach is how many methods of this package can reach the whole engine. It may only fall: what needs less is a method of sessionState or
// sender, a part with a pointer to one of these, or a package below internal.
const maxReach = 91

// TestReach counts the methods of Engine, and of the types that lead to one by their fields.
func TestReach(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	methods, fields := map[string]int{}, map[string]map[string]bool{} // of each type; the types that its fields name
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					for of := range named(d.Recv.List[0].Type) {
						methods[of]++
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						fields[s.Name.Name] = named(s.Type)
					}
				}
			}
		}
	}
	reaches := map[string]bool{"Engine": true}
	for found := true; found; {
		found = false
		for of, has := range fields {
			for name := range has {
				if reaches[name] && !reaches[of] {
					reaches[of], found = true, true
				}
			}
		}
	}
	all := 0
	for of := range reaches {
		all += methods[of]
	}
	t.Logf("%d methods of %v can reach the whole engine", all, reaches)
	require.Greater(t, len(reaches), 1)
	assert.False(t, reaches["sessionState"] || reaches["sender"])
	assert.LessOrEqual(t, all, maxReach)
}

// named returns the types that a type is made of. Who calls a function gives it the engine, so that the types of functions lead nowhere.
func named(x ast.Expr) map[string]bool {
	all := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType, *ast.InterfaceType:
			return false
		case *ast.Field:
			for name := range named(n.Type) { // not the names of the fields
				all[name] = true
			}
			return false
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			all[n.Name] = true
		}
		return true
	})
	return all
}
