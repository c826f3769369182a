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

// maxReach is how many methods of this package can reach the whole engine. It may only fall: what needs less gets what it needs as
// arguments, in a package below internal or in a type without a pointer to the engine. The 36 of views come on top until the rules that
// they replace are deleted.
const maxReach = 403 + 36

// TestReach counts the methods of Engine, and of the structs that have a pointer to one.
func TestReach(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	reaches, methods := map[string]bool{"Engine": true}, map[string]int{}
	base := func(x ast.Expr) (name string, pointer bool) {
		star, pointer := x.(*ast.StarExpr)
		if pointer {
			x = star.X
		}
		id, _ := x.(*ast.Ident)
		if id == nil {
			return "", pointer
		}
		return id.Name, pointer
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					of, _ := base(n.Recv.List[0].Type)
					methods[of]++
				}
			case *ast.TypeSpec:
				s, _ := n.Type.(*ast.StructType)
				if s == nil {
					break
				}
				for _, field := range s.Fields.List {
					if of, pointer := base(field.Type); of == "Engine" && pointer {
						reaches[n.Name.Name] = true
					}
				}
			}
			return true
		})
	}
	all := 0
	for of := range reaches {
		all += methods[of]
	}
	t.Logf("%d methods of %d types can reach the whole engine", all, len(reaches))
	require.Greater(t, len(reaches), 1)
	assert.LessOrEqual(t, all, maxReach)
}
