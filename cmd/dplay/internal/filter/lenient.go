package filter

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/vm/runtime"
)

// define adds the functions of a filter, and those that check and lenientPatch put in, whose parentheses keep users from
// calling them. The library's own functions accept absent fields, words, and octets for texts.
func (c *filterContext) define(config *conf.Config) {
	add := func(name string, f func(a ...any) (any, error), types ...any) {
		expr.Function(name, c.paid(name, asIs, f), types...)(config)
	}
	add("player", func(a ...any) (any, error) { return c.player(a[0]), nil }, new(func(int) bool), new(func(string) bool))
	add("address", func(a ...any) (any, error) { return c.address(a[0].(string)), nil }, new(func(string) bool))
	add("has", func(a ...any) (any, error) { return within(a[1], a[0]), nil }, new(func(any, string) bool))
	add("text", func(a ...any) (any, error) { return textOf(a[0]), nil }, new(func(any) string))
	add("bytes", func(a ...any) (any, error) { return bytesOf(a[0]) }, new(func(any) any))
	add("(truth)", func(a ...any) (any, error) { return truth(a[0]), nil }, new(func(any) bool))
	add("(sequence)", func(a ...any) (any, error) { return asSequence(a[0]), nil }, new(func(any) any))
	add("(list)", func(a ...any) (any, error) { return asList(a[0]), nil }, new(func(any) any))
	add("(step)", func(a ...any) (any, error) { return a[0], nil }, new(func(any) any))
	add("(member)", func(a ...any) (any, error) { return c.member(a[0], a[1]), nil }, new(func(any, any) any))
	add("(matches)", func(a ...any) (any, error) { return c.matches(a[0], a[1]) }, new(func(any, any) any))
	for name, f := range operators {
		add("("+name+")", func(a ...any) (any, error) { return f(a[0], a[1]), nil }, new(func(any, any) any))
	}
	for _, f := range builtin.Builtins {
		convert, run := asNumber, f.Func
		if f.Name == "len" {
			convert = asSequence
		} else if len(f.Types) > 0 && f.Types[0].In(0).Kind() == reflect.String {
			convert = asText
		}
		if f.Fast != nil {
			run = func(a ...any) (any, error) { return f.Fast(a[0]), nil }
		} else if f.Safe != nil {
			run = func(a ...any) (any, error) { v, _, err := f.Safe(a...); return v, err }
		}
		if f.Name == "join" {
			run = func(a ...any) (any, error) { return f.Func(append([]any{asTexts(a[0])}, a[1:]...)...) }
		}
		if run != nil {
			own := &builtin.Function{Name: f.Name, Func: c.paid(f.Name, convert, run), Types: f.Types, Validate: f.Validate}
			config.Functions[f.Name] = own
		}
	}
}

// paid returns a function that converts its arguments, and pays for its work before it makes anything.
func (c *filterContext) paid(name string, convert func(v any) any, f func(a ...any) (any, error)) func(a ...any) (any, error) {
	return func(a ...any) (any, error) {
		for i := range a {
			a[i] = convert(a[i])
		}
		if c.counted {
			if err := c.pay(name, a); err != nil {
				return nil, err
			}
		}
		return f(a...)
	}
}

// A lenientPatch replaces operators by functions where the type of an operand is not known before, and everywhere if the
// work of the expression is counted.
//
// In the expression library nil < 1, nil.field, any(nil, ...), len(nil) and lower(nil) are errors, so that
// "not (message.x > 5)" would leave out every message without x. Its own overloading of operators (expr.Operator) reaches
// neither members nor functions over lists, and would take the fast operators from numbers and texts.
type lenientPatch struct{ counted bool }

// Visit implements ast.Visitor.
func (p *lenientPatch) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		call(node, "(member)", n.Node, n.Property)
	case *ast.SliceNode:
		call(&n.Node, "(sequence)", n.Node)
		for _, bound := range []*ast.Node{&n.From, &n.To} { // an error shows it
			if *bound != nil {
				call(bound, "(sequence)", *bound)
			}
		}
	case *ast.PairNode:
		call(&n.Key, "(sequence)", n.Key)
	case *ast.BinaryNode:
		_, ok := operators[n.Operator]
		if (ok || n.Operator == "matches") && (p.counted || canBeAbsent(n.Left) || canBeAbsent(n.Right)) {
			call(node, "("+n.Operator+")", n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		if !builtin.Builtins[builtin.Index[n.Name]].Predicate { // "::len(x)"
			call(node, n.Name, n.Arguments...)
			return
		}
		call(&n.Arguments[0], "(list)", n.Arguments[0])
		if len(n.Arguments) > 1 {
			predicate := n.Arguments[1].(*ast.PredicateNode)
			call(&predicate.Node, "(step)", predicate.Node)
		}
	}
}

// call replaces a node by a call of a function.
func call(node *ast.Node, name string, args ...ast.Node) {
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args})
}

// canBeAbsent reports whether a node can be nil: its type is not known before a message is looked at, or is that of an
// object or list in a message.
func canBeAbsent(n ast.Node) bool {
	t := n.Type()
	return t.Kind() == reflect.Interface || t == reflect.TypeFor[fieldMap]() || t == reflect.TypeFor[fieldList]()
}

// The limits of a filter. The expression library bounds nodes and elements (vm.VM.MemoryBudget). It does not bound steps,
// and counts the octets of repeat() only after they were allocated, those of other texts never.
const (
	maxText     = 8 << 10    // octets of an expression
	maxWork     = 10_000_000 // for one message: octets and elements that functions go through and make, and steps
	stepWork    = 100        // of going once through the condition of any, map, reduce, ...
	elementWork = 16         // of an element of a list, which takes as many octets
	maxElements = 250_000    // of the lists, objects and ranges that are made for one message
	maxDepth    = 100        // of lists within lists
	maxPattern  = 10_000     // instructions of a regular expression
	maxRegexp   = 2 << 10    // octets of a regular expression
	maxPatterns = 100        // that are kept

	libraryBudget = "memory budget exceeded" // the error of the expression library beyond maxElements
)

var (
	errWork = fmt.Errorf("it takes more than %d steps, or %d MB of texts and lists, for one message: use fewer loops within loops, "+
		"shorter texts and shorter lists", maxWork/stepWork, maxWork/1_000_000)
	errDepth   = fmt.Errorf("it makes lists within lists that are more than %d deep", maxDepth)
	errPattern = errors.New("a regular expression is too large: it repeats too much")
)

// factors are the functions whose work, or whose result, is a multiple of their arguments. Those with -1 look at a list as a
// whole, not at its elements.
var factors = map[string]int{
	"(step)": -1, "(list)": -1, "(member)": -1, "len": -1, "first": -1, "last": -1, "get": -1, "take": -1, "type": -1,
	"has": 2, "text": 2, "bytes": 2,
	"split": 16, "splitAfter": 16, "string": 2, "toJSON": 16, "fromJSON": 32, "toBase64": 2, "sort": 20, "median": 20,
	"flatten": 8, "keys": 2, "values": 2, "toPairs": 4, "fromPairs": 8, "date": 20, "timezone": 1000,
}

// spend takes work off the budget of a message.
func (c *filterContext) spend(work int) error {
	if c.work -= work; c.work < 0 || work < 0 {
		return errWork
	}
	return nil
}

// pay spends the work of a function, before the function makes anything.
func (c *filterContext) pay(name string, a []any) error {
	factor, made := factors[name], 0 // made: beyond what factor covers
	switch {
	case name == "trim" && len(a) == 2: // looks each character up in the second text
		made = size(a[0]) * size(a[1])
	case name == "repeat":
		made = size(a[0]) * min(max(runtime.ToInt(a[1]), 0), maxWork)
	case name == "replace":
		made = (1 + strings.Count(a[0].(string), a[1].(string))) * size(a[2])
	case name == "join" && len(a) == 2:
		made = elements(a[0]) * size(a[1])
	case name == "(step)" || name == "(list)":
		made = stepWork
	case name == "player" || name == "address":
		made = len(c.rec.Raw) / 8
	case name == "(in)": // compares with each element
		made = size(a[0]) * elements(a[1])
	case name == "has":
		made = size(a[1]) * elements(a[0])
	case name == "uniq": // compares each element with all others
		factor = elements(a[0]) / elementWork
	}
	err := c.spend(made)
	for i := 0; err == nil && i < len(a); i++ {
		if factor < 0 {
			err = c.spend(size(a[i]))
		} else {
			err = c.cost(reflect.ValueOf(a[i]), max(factor, 1), maxDepth)
		}
	}
	return err
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

// cost spends the work of going through a value with all that is in it, so many times.
func (c *filterContext) cost(v reflect.Value, factor, depth int) error {
	work := 1
	switch k := v.Kind(); {
	case depth == 0:
		return errDepth
	case k == reflect.Interface:
		return c.cost(v.Elem(), factor, depth)
	case isText(v):
		work += v.Len()
	case k == reflect.Map:
		work += v.Len() * elementWork
		for e := v.MapRange(); e.Next(); {
			if err := errors.Join(c.cost(e.Key(), factor, depth-1), c.cost(e.Value(), factor, depth-1)); err != nil {
				return err
			}
		}
	case k == reflect.Slice || k == reflect.Array:
		work += v.Len() * elementWork
		for i := range v.Len() {
			if err := c.cost(v.Index(i), factor, depth-1); err != nil {
				return err
			}
		}
	}
	return c.spend(work * factor)
}

// A pattern is a regular expression that was compiled, with the work of an octet: in the worst case every instruction looks
// at it.
type pattern struct {
	*regexp.Regexp
	work int
	err  error
}

// compile compiles a regular expression. The pattern has an error if it has more than maxPattern instructions.
func compile(text string) pattern {
	if len(text) > maxRegexp {
		return pattern{err: errPattern}
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{err: err}
	}
	if instructions(parsed) > maxPattern {
		return pattern{err: errPattern}
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxPattern {
		return pattern{err: errPattern}
	}
	return pattern{Regexp: regexp.MustCompile(text), work: 1 + len(program.Inst)/elementWork}
}

// instructions estimates how many instructions a regular expression has, so that a large one is refused before it is compiled. It stops
// beyond maxPattern.
func instructions(r *syntax.Regexp) (n int) {
	n = 1 + len(r.Rune)
	for _, sub := range r.Sub {
		if n += instructions(sub); n > maxPattern {
			return n
		}
	}
	if r.Op == syntax.OpRepeat {
		n *= max(r.Min, r.Max, 1)
	}
	return n
}

// matches is the operator "matches". It spends the work of compiling and of searching before it does either.
func (c *filterContext) matches(a, b any) (any, error) {
	s, isText := asText(a).(string)
	text, isPattern := asText(b).(string)
	if !isText || !isPattern {
		return nil, fmt.Errorf("matches takes texts, not %T and %T", a, b)
	}
	p, ok := c.patterns[text]
	if !ok {
		if err := c.spend(stepWork + len(text)*stepWork); err != nil {
			return nil, err
		}
		p = compile(text)
		if len(c.patterns) >= maxPatterns || c.patterns == nil {
			c.patterns = map[string]pattern{}
		}
		c.patterns[text] = p
		if err := c.spend(p.work * elementWork * stepWork); err != nil {
			return nil, err
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := c.spend(len(s) * p.work); err != nil {
		return nil, err
	}
	return p.MatchString(s), nil
}
