package filter

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
)

// harmless are the builtin functions whose work and result are no larger than their arguments. An expression that uses no others, no
// ranges, no variables and no "+" of texts is not counted: its work is bounded by its length and by the message. A variable may be
// twice in the list of the next one, so that a few of them make a list which is without end to those who go through it.
var harmless = map[string]bool{
	"len": true, "type": true, "abs": true, "ceil": true, "floor": true, "round": true, "int": true, "float": true,
	"trim": true, "trimPrefix": true, "trimSuffix": true, "upper": true, "lower": true, "indexOf": true, "lastIndexOf": true,
	"hasPrefix": true, "hasSuffix": true, "first": true, "last": true, "get": true, "max": true, "min": true,
	"bitand": true, "bitor": true, "bitxor": true, "bitnand": true, "bitshl": true, "bitshr": true, "bitushr": true, "bitnot": true,
}

// byLength are the functions that look at a list as a whole, not at its elements.
var byLength = map[string]bool{"len": true, "first": true, "last": true, "get": true, "take": true, "type": true}

// factors are the builtin functions that take more work, or make more octets, than their arguments have.
var factors = map[string]int{
	"split": 16, "splitAfter": 16, "string": 2, "toJSON": 16, "fromJSON": 32, "toBase64": 2,
	"sort": 20, "median": 20, "sortBy": 20, "flatten": 8, "keys": 2, "values": 2, "toPairs": 4, "fromPairs": 8,
	"date": 20, "timezone": 1000,
}

// bounded are the builtin functions that a function of ours stands in for, because only it knows how much they make.
var bounded = map[string]string{"repeat": repeatName, "replace": replaceName, "join": joinName}

// operators are the ones that go through their operands.
var operators = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true,
	"in": true, "contains": true, "startsWith": true, "endsWith": true}

// A countCheck finds out whether an expression has to be counted.
type countCheck struct{ counts bool }

// Visit implements ast.Visitor.
func (c *countCheck) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.VariableDeclaratorNode:
		c.counts = true
	case *ast.BuiltinNode:
		c.counts = c.counts || !harmless[n.Name]
	case *ast.BinaryNode:
		c.counts = c.counts || n.Operator == ".." || n.Operator == "matches" || n.Operator == "+" && !(isNumber(n.Left) && isNumber(n.Right))
	}
}

// A budgetPatch has an expression count its work, and replaces the functions that could make more than the budget at once. It comes
// after lenientPatch.
type budgetPatch struct{ err error }

// Visit implements ast.Visitor.
func (p *budgetPatch) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		wrapIn(&n.Node, stepName)
	case *ast.BuiltinNode:
		p.builtin(node, n)
	case *ast.BinaryNode:
		p.binary(node, n)
	case *ast.CallNode:
		p.call(n)
	case *ast.SliceNode:
		count(&n.Node, lengthCostName, 1)
	case *ast.PairNode:
		count(&n.Key, costName, 1)
	}
}

func (p *budgetPatch) builtin(node *ast.Node, n *ast.BuiltinNode) {
	if ours, ok := bounded[n.Name]; ok {
		callInstead(node, ours, n.Arguments...)
		return
	}
	factor := max(factors[n.Name], 1)
	if _, loops := predicates[n.Name]; loops && len(n.Arguments) > 1 {
		wrapIn(&n.Arguments[0], stepName) // also where the list is empty
		if predicate, ok := n.Arguments[1].(*ast.PredicateNode); ok && (n.Name == "sortBy" || n.Name == "groupBy") {
			count(&predicate.Node, costName, factor)
		}
		return
	}
	how := costName
	switch {
	case byLength[n.Name]:
		how = lengthCostName
	case n.Name == "uniq":
		wrapIn(&n.Arguments[0], pairsName)
		return
	}
	for i := range n.Arguments {
		count(&n.Arguments[i], how, factor)
	}
}

func (p *budgetPatch) binary(node *ast.Node, n *ast.BinaryNode) {
	switch {
	case n.Operator == "+" && !(isNumber(n.Left) && isNumber(n.Right)):
		callInstead(node, operatorName("+"), n.Left, n.Right)
	case operators[n.Operator]:
		count(&n.Left, costName, 1)
		count(&n.Right, costName, 1)
	case n.Operator == "matches":
		pattern, ok := n.Right.(*ast.StringNode)
		if !ok {
			callInstead(node, matchesName, n.Left, n.Right)
			return
		}
		instructions, err := patternSize(pattern.Value)
		if err != nil && p.err == nil {
			p.err = err
		}
		count(&n.Left, costName, patternWork(instructions))
	}
}

// call counts the arguments of functions: our own, and those that lenientPatch has put in for operators.
func (p *budgetPatch) call(n *ast.CallNode) {
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return
	}
	switch name.Value {
	case "has", "text", "bytes":
		count(&n.Arguments[0], costName, 2)
	case memberName:
		count(&n.Arguments[1], costName, 1)
	default:
		if len(name.Value) > 2 && operators[name.Value[1:len(name.Value)-1]] {
			count(&n.Arguments[0], costName, 1)
			count(&n.Arguments[1], costName, 1)
		}
	}
}

// count has a value counted, so many times.
func count(node *ast.Node, how string, factor int) {
	if factor > 1 || !isSmall(*node) {
		callInstead(node, how, *node, &ast.IntegerNode{Value: factor})
	}
}

// wrapIn passes a value through a function. Its type stays, where it is that of a condition.
func wrapIn(node *ast.Node, name string) {
	kind := (*node).Type()
	callInstead(node, name, *node)
	if kind == boolType {
		(*node).SetType(boolType)
	}
}

// callInstead replaces a node by a call.
func callInstead(node *ast.Node, name string, args ...ast.Node) {
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args})
}

// isNumber reports whether a node is known to be a number.
func isNumber(n ast.Node) bool {
	t := n.Type()
	return t != nil && (t.Kind() == reflect.Int || t.Kind() == reflect.Float64)
}

// isSmall reports whether a value needs no counting: it is a number, a condition or a constant.
func isSmall(n ast.Node) bool {
	switch n.(type) {
	case *ast.NilNode, *ast.StringNode, *ast.ConstantNode, *ast.PredicateNode:
		return true
	}
	t := n.Type()
	return isNumber(n) || t != nil && t.Kind() == reflect.Bool
}
