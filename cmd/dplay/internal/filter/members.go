package filter

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"dplay4/cmd/dplay/internal/cli"
)

// member checks that there is a field where an expression looks for it.
func (w *wordCheck) member(n *ast.MemberNode, element string) {
	in, ok := containerOf(n.Node, element)
	key, isText := n.Property.(*ast.StringNode)
	if id, ok := n.Node.(*ast.IdentifierNode); ok && isText && single[id.Value] {
		w.fail(key, "%s has no fields", id.Value)
	}
	if !ok || !isText || key.Value == "encoding" || key.Value == "stray" { // which any object may have
		return
	}
	keys, known := objectKeys[in]
	if !known {
		keys = messageKeys[:]
	}
	if _, found := slices.BinarySearch(keys, key.Value); !found {
		where := map[string]string{"message": "", "header": " in its header"}[in]
		if _, top := map[string]bool{"message": true, "header": true}[in]; known && !top {
			where = " in " + in
		}
		w.fail(key, "no message has a field %q%s%s", key.Value, where, suggestKey(in, key.Value, keys))
	}
}

// single are the names that stand for one value.
var single = func() map[string]bool {
	names := map[string]bool{}
	for _, l := range lookups {
		names[l.name] = l.name != "message" && l.name != "header"
	}
	return names
}()

// elements checks a predicate over a list: what stands for an element has the keys of that list's elements.
func (w *wordCheck) elements(n *ast.BuiltinNode) {
	if _, over := predicates[n.Name]; !over || len(n.Arguments) < 2 {
		return
	}
	in, ok := containerOf(n.Arguments[0], "")
	if !ok || in == "" {
		return
	}
	inside := elementCheck{check: w, in: in}
	ast.Walk(&n.Arguments[1], &inside)
	for _, m := range inside.members {
		if inside.nested == 0 { // otherwise the element may be one of a list in the element
			w.member(m, in)
		}
	}
}

// An elementCheck collects what a predicate asks of elements.
type elementCheck struct {
	check   *wordCheck
	in      string
	members []*ast.MemberNode
	nested  int
}

// Visit implements ast.Visitor.
func (e *elementCheck) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		if _, ok := containerOf(n.Node, ""); !ok {
			e.members = append(e.members, n)
		}
	case *ast.BuiltinNode:
		if _, over := predicates[n.Name]; over {
			e.nested++
		}
	}
}

// containerOf returns the key of the object, or of the list whose element it is, that a chain of members names; "" where any
// key can be in it. It is not ok for what does not begin at the message or its header, or at an element of a list whose key is
// given.
func containerOf(n ast.Node, element string) (key string, ok bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, n.Value == "message" || n.Value == "header"
	case *ast.PointerNode:
		return element, element != "" && n.Name == ""
	case *ast.ChainNode:
		return containerOf(n.Node, element)
	case *ast.MemberNode:
		in, ok := containerOf(n.Node, element)
		switch p := n.Property.(type) {
		case *ast.StringNode:
			if p.Value == "message" || p.Value == "header" {
				return "", ok // a message in the message
			}
			return p.Value, ok
		case *ast.IntegerNode, *ast.UnaryNode:
			return in, ok
		}
		return "", ok
	}
	return "", false
}

// suggestKey proposes what may have been meant by a key that does not stand in an object.
func suggestKey(in, key string, keys []string) string {
	if in == "message" {
		if e, ok := inLines[key]; ok {
			return fmt.Sprintf(": did you mean %s?", e)
		}
	}
	if s := cli.Nearest(key, keys); s != "" {
		return s
	}
	if e := whereKeyIs(key); e != "" {
		return fmt.Sprintf(": did you mean %s?", e)
	}
	return cli.Nearest(key, messageKeys[:])
}

// whereKeyIs writes an expression with a key, as it is where that stands; "" where it stands in no object that is known.
func whereKeyIs(key string) string {
	has := func(in string) bool {
		_, ok := slices.BinarySearch(objectKeys[in], key)
		return ok
	}
	for _, in := range []string{"message", "header"} {
		if has(in) {
			return in + "." + key
		}
	}
	for _, in := range []string{"session_desc", "player_info", "group_info", "reliable_frame", "sec_desc"} {
		if has(in) {
			return "message." + in + "." + key
		}
	}
	for _, in := range []string{"players", "groups", "shortcuts"} {
		if has(in) {
			return fmt.Sprintf("any(message.%s, .%s == ...)", in, key)
		}
	}
	return ""
}
