package filter

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/vm/runtime"
)

// define adds the functions of a filter, and those that check and lenient put in, whose parentheses keep users from calling
// them. The library's own functions accept absent fields, words, and octets for texts.
func (f *Filter) define(config *conf.Config) {
	add := func(name string, run func(a ...any) any, types ...reflect.Type) {
		pay := f.payer(name)
		config.Functions[name] = &builtin.Function{Name: name, Types: types, Func: func(a ...any) (any, error) {
			pay(a)
			return run(a...), nil
		}}
	}
	anyToAny := reflect.TypeFor[func(any) any]()
	pairToAny := reflect.TypeFor[func(any, any) any]()
	add("player", func(a ...any) any { return f.player(a[0]) }, reflect.TypeFor[func(int) bool](), reflect.TypeFor[func(string) bool]())
	add("address", func(a ...any) any { return f.address(a[0].(string)) }, reflect.TypeFor[func(string) bool]())
	add("has", func(a ...any) any { return within(a[1], a[0]) }, reflect.TypeFor[func(any, string) bool]())
	add("text", func(a ...any) any { return textOf(a[0]) }, reflect.TypeFor[func(any) string]())
	add("bytes", func(a ...any) any { return bytesOf(a[0]) }, anyToAny)
	add("(truth)", func(a ...any) any { return truth(a[0]) })
	config.Functions["(truth)"].Validate = condition
	add("(sequence)", func(a ...any) any { return asSequence(a[0]) }, anyToAny)
	add("(list)", func(a ...any) any { return asList(a[0]) }, pairToAny)
	add("(key)", func(a ...any) any { return a[0] }, anyToAny)
	add("(member)", func(a ...any) any { return f.member(a[0], a[1]) }, pairToAny)
	add("(matches)", func(a ...any) any { return f.matches(a[0], a[1]) }, pairToAny)
	for name, run := range operators {
		add("("+name+")", func(a ...any) any { return run(a[0], a[1]) }, pairToAny)
	}
	for _, b := range builtin.Builtins {
		if !b.Predicate {
			config.Functions[b.Name] = f.own(b)
		}
	}
}

// own returns a function of the library that converts its arguments, and pays for its work before it makes anything.
func (f *Filter) own(b *builtin.Function) *builtin.Function {
	convert, run := asNumber, b.Func
	if b.Name == "len" {
		convert = asSequence
	} else if len(b.Types) > 0 && b.Types[0].In(0).Kind() == reflect.String {
		convert = asText
	}
	switch {
	case b.Name == "join":
		run = func(a ...any) (any, error) { a[0] = asTexts(a[0]); return b.Func(a...) }
	case b.Fast != nil:
		run = func(a ...any) (any, error) { return b.Fast(a[0]), nil }
	case b.Safe != nil:
		run = func(a ...any) (any, error) { v, _, err := b.Safe(a...); return v, err }
	}
	pay := f.payer(b.Name)
	return &builtin.Function{Name: b.Name, Types: b.Types, Validate: b.Validate, Func: func(a ...any) (any, error) {
		for i := range a {
			f.spend(size(a[i])) // of the conversion
			a[i] = convert(a[i])
		}
		pay(a)
		return run(a...)
	}}
}

// A lenient visitor replaces operators and functions by those of define, but for operators of words and constants.
//
// In the expression library nil < 1, nil.field, any(nil, ...), len(nil) and lower(nil) are errors, so that
// "not (message.x > 5)" would leave out every message without x. Its own overloading of operators (expr.Operator) reaches
// neither members nor functions over lists.
type lenient struct{}

// Visit implements ast.Visitor.
func (lenient) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		call(node, "(member)", n.Node, n.Property)
	case *ast.SliceNode:
		for _, part := range []*ast.Node{&n.Node, &n.From, &n.To} {
			if *part != nil {
				call(part, "(sequence)", *part)
			}
		}
	case *ast.PairNode:
		call(&n.Key, "(sequence)", n.Key)
	case *ast.CallNode:
		if n.Callee.String() == "(truth)" && n.Arguments[0].Type().Kind() == reflect.Bool {
			*node = n.Arguments[0]
		}
	case *ast.BinaryNode:
		_, ok := operators[n.Operator]
		sides := []ast.Node{n.Left, n.Right}
		plain := arePlain(sides, numbers...) || slices.Contains(textTests, n.Operator) && arePlain(sides, reflect.String)
		if (ok || n.Operator == "matches") && !plain {
			call(node, "("+n.Operator+")", n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		if builtin.Builtins[builtin.Index[n.Name]].Predicate {
			var body nodes
			for i := range n.Arguments[1:] {
				ast.Walk(&n.Arguments[1+i], &body)
			}
			call(&n.Arguments[0], "(list)", n.Arguments[0], &ast.IntegerNode{Value: int(body)})
			if n.Name == "groupBy" || n.Name == "sortBy" { // which look at all of a key
				predicate := n.Arguments[1].(*ast.PredicateNode)
				call(&predicate.Node, "(key)", predicate.Node)
			}
		} else { // "::len(x)"
			call(node, n.Name, n.Arguments...)
		}
	}
}

// nodes counts those of a part of an expression.
type nodes int

// Visit implements ast.Visitor.
func (n *nodes) Visit(*ast.Node) { *n++ }

// The library does its own operators best: those of numbers and conditions, and some of texts.
var (
	numbers   = []reflect.Kind{reflect.Bool, reflect.Int, reflect.Float64}
	textTests = []string{"==", "!=", "in"}
)

// arePlain reports whether all operands are plain.
func arePlain(all []ast.Node, kinds ...reflect.Kind) bool {
	return !slices.ContainsFunc(all, func(n ast.Node) bool { return !isPlain(n, kinds) })
}

// isPlain reports whether every message has an operand: a constant or a word of one of the kinds, a list of constants, or a range of
// numbers, which "in" does not have to make. What find returns has the type of a number, and can be absent.
func isPlain(n ast.Node, kinds []reflect.Kind) bool {
	switch n := n.(type) {
	case *ast.UnaryNode:
		return isPlain(n.Node, kinds)
	case *ast.BinaryNode: // with other operands it is a call by now
		return n.Operator != "??"
	case *ast.ArrayNode:
		return arePlain(n.Nodes, kinds...)
	case *ast.IdentifierNode:
		return environment[n.Value] != nil && slices.Contains(kinds, n.Type().Kind())
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
		return slices.Contains(kinds, n.Type().Kind())
	}
	return false
}

// call replaces a node by a call of a function. A condition stays known as one.
func call(node *ast.Node, name string, args ...ast.Node) {
	n := &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
	if (*node).Type().Kind() == reflect.Bool {
		n.SetType((*node).Type())
	}
	ast.Patch(node, n)
}

// The limits of a filter. The expression library bounds nodes and elements (vm.VM.MemoryBudget). It does not bound steps,
// and counts the octets of repeat() only after they were allocated, those of other texts never.
const (
	maxText     = 8 << 10    // octets of an expression
	maxWork     = 10_000_000 // for one message: octets and elements that functions go through and make, and steps
	stepWork    = 100        // of going once through the condition of any, map, reduce, ..., besides that of its nodes
	elementWork = 16         // of an element of a list, which takes as many octets
	maxElements = 250_000    // of the lists, objects and ranges that are made for one message
	maxDepth    = 100        // of lists within lists
	maxPattern  = 10_000     // instructions of a regular expression
	maxRegexp   = 2 << 10    // octets of a regular expression
)

var (
	errWork = fmt.Errorf("it takes more than %d steps, or %d MB of texts and lists, for one message: use fewer loops within loops, "+
		"shorter texts and shorter lists", maxWork/stepWork, maxWork/1_000_000)
	errDepth   = fmt.Errorf("it makes lists within lists that are more than %d deep", maxDepth)
	errPattern = errors.New("a regular expression is too large: it repeats too much")
)

// factors are the functions whose work, or whose result, is a multiple of their arguments. Those with 0 look at a list as a
// whole, not at its elements.
var factors = map[string]int{
	"(truth)": 0, "(list)": 0, "(member)": 0, "len": 0, "first": 0, "last": 0, "get": 0, "take": 0, "type": 0,
	"has": 2, "text": 2, "bytes": 2,
	"split": 16, "splitAfter": 16, "string": 2, "toJSON": 16, "fromJSON": 32, "toBase64": 2, "sort": 20, "median": 20,
	"flatten": 8, "keys": 2, "values": 2, "toPairs": 4, "fromPairs": 8, "date": 20, "timezone": 1000,
}

// products are the functions whose work, or whose result, is beyond what factors cover. They have as many arguments as
// possible; those that are left out are nil.
var products = map[string]func(f *Filter, a []any) int{
	"trim":    func(_ *Filter, a []any) int { return size(a[0]) * size(a[1]) }, // looks each character up in the second text
	"repeat":  func(_ *Filter, a []any) int { return size(a[0]) * min(max(runtime.ToInt(a[1]), 0), maxWork) },
	"replace": func(_ *Filter, a []any) int { return (1 + strings.Count(a[0].(string), a[1].(string))) * size(a[2]) },
	"join":    func(_ *Filter, a []any) int { return elements(a[0]) * size(a[1]) },
	"(list)":  func(_ *Filter, a []any) int { return (1 + elements(a[0])) * (stepWork + a[1].(int)) }, // of the loop over it
	"player":  func(f *Filter, _ []any) int { return len(f.rec.Raw) / 8 },
	"address": func(f *Filter, _ []any) int { return len(f.rec.Raw) / 8 },
	"(in)":    func(_ *Filter, a []any) int { return size(a[0]) * elements(a[1]) }, // compares with each element
	"has":     func(_ *Filter, a []any) int { return size(a[1]) * elements(a[0]) },
	"uniq": func(f *Filter, a []any) int { // compares each element with all others
		f.traverse(reflect.ValueOf(a[0]), 1+elements(a[0])/elementWork, maxDepth)
		return 0
	},
}

// spend takes work off the budget of a message. It panics if there is too little left, which ends the evaluation.
func (f *Filter) spend(work int) {
	if f.work -= work; f.work < 0 || work < 0 {
		panic(errWork)
	}
}

// payer returns what spends the work of a function, before the function makes anything.
func (f *Filter) payer(name string) func(a []any) {
	product := products[name]
	factor, ok := factors[name]
	whole, factor := ok && factor == 0, max(factor, 1)
	return func(a []any) {
		if product != nil {
			f.spend(product(f, append(a[:len(a):len(a)], nil, nil)))
		}
		for _, v := range a {
			if whole {
				f.spend(size(v))
			} else {
				f.traverse(reflect.ValueOf(v), factor, maxDepth)
			}
		}
	}
}

// size returns the work of going through a text, but not through the elements of a list.
func size(v any) int {
	if text := reflect.ValueOf(v); isText(text) {
		return 1 + text.Len()
	}
	return 1
}

// elements returns how many elements a list has, 1 for other values.
func elements(v any) int {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && !isText(list) {
		return list.Len()
	}
	return 1
}

// isText reports whether a value is text or octets.
func isText(v reflect.Value) bool {
	return v.Kind() == reflect.String || v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8
}

// traverse spends the work of going through a value with all that is in it, times a factor.
func (f *Filter) traverse(v reflect.Value, factor, depth int) {
	if depth == 0 {
		panic(errDepth)
	}
	switch v.Kind() {
	case reflect.Interface:
		f.traverse(v.Elem(), factor, depth)
		return
	case reflect.String, reflect.Slice, reflect.Map:
		if isText(v) {
			f.spend(v.Len() * factor)
			break
		}
		f.spend(v.Len() * elementWork * factor)
		for key, element := range v.Seq2() {
			f.traverse(key, factor, depth-1)
			f.traverse(element, factor, depth-1)
		}
	}
	f.spend(factor)
}

// A pattern is a regular expression that was compiled, with the work of an octet: in the worst case every instruction looks
// at it.
type pattern struct {
	*regexp.Regexp
	work int
}

// compile compiles a regular expression of at most maxPattern instructions.
func compile(text string) (*pattern, error) {
	if len(text) > maxRegexp {
		return nil, errPattern
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxPattern {
		return nil, errPattern
	}
	return &pattern{regexp.MustCompile(text), 1 + len(program.Inst)/elementWork}, nil
}

// matches is the operator "matches". It spends the work of compiling and of searching before it does either.
func (f *Filter) matches(a, b any) any {
	s, isText := asText(a).(string)
	text, isPattern := asText(b).(string)
	if !isText || !isPattern {
		panic(fmt.Errorf("matches takes texts, not %T and %T", a, b))
	}
	p := f.patterns[text]
	if p == nil {
		f.spend(stepWork + min(len(text), maxRegexp)*stepWork*elementWork)
		var err error
		if p, err = compile(text); err != nil {
			panic(err)
		}
		f.spend(p.work * elementWork * stepWork)
	}
	f.spend(len(s) * p.work)
	return p.MatchString(s)
}
