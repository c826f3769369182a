package filter

import (
	"fmt"
	"time"

	"github.com/expr-lang/expr/ast"
)

// timeLayout is how NDJSON writes times: they sort as text.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// timeExample stands in errors.
const timeExample = `"2006-01-02T15:04:05Z"`

// layouts are how somebody may write a time. Those without a zone are in that of the reader.
var layouts = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05",
	"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

func parseTime(text string, zone *time.Location) (time.Time, error) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as %s", text, timeExample)
}

// A timePatch writes the times that the name "time" is compared with as NDJSON does.
type timePatch struct{ zone *time.Location }

// Visit implements ast.Visitor.
func (p *timePatch) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.BinaryNode)
	if !ok {
		return
	}
	for _, pair := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		if !named(pair[0], "time") {
			continue
		}
		if ordering[n.Operator] {
			p.write(pair[1])
		}
		if list, ok := pair[1].(*ast.ArrayNode); ok && n.Operator == "in" {
			for _, e := range list.Nodes {
				p.write(e)
			}
		}
	}
}

// write writes a time as NDJSON does.
func (p *timePatch) write(n ast.Node) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		return
	}
	if t, err := parseTime(s.Value, p.zone); err == nil { // checkWords has told the others
		s.Value = t.UTC().Format(timeLayout)
	}
}

// ordering are the operators that compare.
var ordering = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

// named reports whether a node is a name.
func named(n ast.Node, name string) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == name
}
