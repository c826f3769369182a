package filter

import (
	"reflect"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// The names of the lenient functions in a compiled filter. The parentheses keep users from calling them.
const (
	memberName = "(member)"
	truthName  = "(truth)"
	listName   = "(list)"
	textName   = "(text)"
	anyName    = "(any)"
	lengthName = "(length)"
)

func operatorName(op string) string { return "(" + op + ")" }

// lenientFunctions are what a lenientPatch puts into an expression.
func lenientFunctions(c *filterContext) []expr.Option {
	opts := []expr.Option{
		expr.Function(memberName, func(a ...any) (any, error) { return c.member(a[0], a[1]), nil }, new(func(any, any) any)),
		expr.Function(truthName, func(a ...any) (any, error) { return truth(a[0]), nil }, new(func(any) bool)),
		expr.Function(listName, func(a ...any) (any, error) { return asList(a[0]), nil }, new(func(any) any)),
		expr.Function(textName, func(a ...any) (any, error) { return asText(a[0]), nil }, new(func(any) any)),
		expr.Function(anyName, func(a ...any) (any, error) { return readable(a[0]), nil }, new(func(any) any)),
		expr.Function(lengthName, func(a ...any) (any, error) { return asSequence(a[0]), nil }, new(func(any) any)),
	}
	for name, f := range tests { // functions by name: the order does not matter
		opts = append(opts, expr.Function(operatorName(name),
			func(a ...any) (any, error) { return f(a[0], a[1]), nil }, new(func(any, any) bool)))
	}
	for name, f := range sums {
		opts = append(opts, expr.Function(operatorName(name),
			func(a ...any) (any, error) { return f(a[0], a[1]), nil }, new(func(any, any) any)))
	}
	return opts
}

// asList returns a list to go through: an absent one is empty, and the names of a flag word are one.
func asList(v any) any {
	switch v := v.(type) {
	case nil:
		return []any{}
	case *word:
		return v.list()
	}
	return v
}

// asText returns a text for the functions that take nothing else: an absent one is empty.
func asText(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case *word:
		return v.names
	case searchable:
		return v.String()
	}
	return readable(v)
}

// asSequence is asText for what takes anything that has a length: octets of bytes() stay.
func asSequence(v any) any {
	if _, ok := v.(searchable); ok {
		return v
	}
	return asText(v)
}

// predicates are the builtin functions that go through a list with a condition; true for those whose condition
// has to be true or false.
var predicates = map[string]bool{
	"all": true, "any": true, "none": true, "one": true, "filter": true, "count": true, "find": true,
	"findIndex": true, "findLast": true, "findLastIndex": true,
	"map": false, "sum": false, "groupBy": false, "sortBy": false, "reduce": false,
}

// textFunctions are the builtin functions that take text first.
var textFunctions = map[string]bool{
	"lower": true, "upper": true, "trim": true, "trimPrefix": true, "trimSuffix": true, "split": true,
	"replace": true, "indexOf": true, "lastIndexOf": true, "hasPrefix": true, "hasSuffix": true,
}

// A lenientPatch replaces, where the type of an operand is not known before, operators by functions for which an
// absent field is no error. The expression library visits children before their parents.
//
// The library's plain meaning is not enough for what "dplay help filter" promises: there nil < 1, nil.field, any(nil, ...),
// len(nil) and lower(nil) are errors, so that "not (message.x > 5)" would leave out every message without x, and flag words
// would compare by number or by name but not by both. Its own overloading of operators (expr.Operator) reaches neither
// members nor functions over lists; expr.Patch is what it has for that.
type lenientPatch struct{}

// Visit implements ast.Visitor.
func (p *lenientPatch) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		p.call(node, memberName, nil, n.Node, n.Property)
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			p.truth(&n.Node)
		}
	case *ast.ConditionalNode:
		p.truth(&n.Cond)
	case *ast.SliceNode:
		p.wrap(&n.Node, lengthName)
	case *ast.BinaryNode:
		p.binary(node, n)
	case *ast.BuiltinNode:
		p.builtin(n)
	}
}

var boolType = reflect.TypeFor[bool]()

func (p *lenientPatch) binary(node *ast.Node, n *ast.BinaryNode) {
	switch n.Operator {
	case "and", "&&", "or", "||":
		p.truth(&n.Left)
		p.truth(&n.Right)
		n.SetType(boolType)
		return
	}
	if !unknown(n.Left) && !unknown(n.Right) {
		return
	}
	switch n.Operator {
	case "matches":
		p.wrap(&n.Left, textName)
		p.wrap(&n.Right, textName)
		return
	}
	if _, ok := tests[n.Operator]; ok {
		p.call(node, operatorName(n.Operator), boolType, n.Left, n.Right)
	} else if _, ok := sums[n.Operator]; ok {
		p.call(node, operatorName(n.Operator), nil, n.Left, n.Right)
	}
}

func (p *lenientPatch) builtin(n *ast.BuiltinNode) {
	if len(n.Arguments) == 0 {
		return
	}
	condition, list := predicates[n.Name]
	switch {
	case list:
		p.wrap(&n.Arguments[0], listName)
		if len(n.Arguments) < 2 || !condition {
			return
		}
		if predicate, ok := n.Arguments[1].(*ast.PredicateNode); ok {
			p.truth(&predicate.Node)
		}
	case n.Name == "len":
		p.wrap(&n.Arguments[0], lengthName)
	case textFunctions[n.Name]:
		p.wrap(&n.Arguments[0], textName)
	default:
		for i := range n.Arguments {
			p.wrap(&n.Arguments[i], anyName)
		}
	}
}

// truth makes a condition of a value whose type is not known.
func (p *lenientPatch) truth(node *ast.Node) {
	if unknown(*node) {
		p.call(node, truthName, boolType, *node)
	}
}

// wrap passes a value whose type is not known through a function.
func (p *lenientPatch) wrap(node *ast.Node, name string) {
	if unknown(*node) {
		p.call(node, name, nil, *node)
	}
}

// call replaces a node by a call. Its type is for the patches of the nodes above.
func (p *lenientPatch) call(node *ast.Node, name string, result reflect.Type, args ...ast.Node) {
	call := &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
	if result != nil {
		call.SetType(result)
	}
	ast.Patch(node, call)
}

// unknown reports whether the type of a node is not known before a message is looked at. Constants are known.
func unknown(n ast.Node) bool {
	if _, ok := n.(*ast.NilNode); ok {
		return false
	}
	t := n.Type()
	return t == nil || t.Kind() == reflect.Interface
}
