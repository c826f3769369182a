package filter

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm/runtime"
)

// The limits of a filter. The expression library has some of its own, but it counts the octets of repeat() only after they were
// allocated, those of other texts never, and no steps at all.
const (
	maxText     = 8 << 10    // octets of an expression
	maxWork     = 10_000_000 // for one message: octets and elements that functions go through and make, and steps
	stepWork    = 100        // of going once through the condition of any, map, reduce, ...
	elementWork = 16         // of an element of a list, which takes as many octets
	maxElements = 250_000    // of the lists, objects and ranges that are made for one message
	maxDepth    = 100        // of lists within lists
	maxPattern  = 10_000     // instructions of a regular expression
)

// libraryBudget is the error of the expression library for lists, objects and ranges beyond maxElements.
const libraryBudget = "memory budget exceeded"

var (
	errWork = fmt.Errorf("it takes more than %d steps, or %d MB of texts and lists, for one message: use fewer loops within loops, "+
		"shorter texts and shorter lists", maxWork/stepWork, maxWork/1_000_000)
	errDepth   = fmt.Errorf("it makes lists within lists that are more than %d deep", maxDepth)
	errPattern = errors.New("a regular expression is too large: it repeats too much")
)

// The names of the functions that a budgetPatch puts into a compiled filter. Arguments of costName and lengthCostName are a value and
// a factor.
const (
	stepName       = "(step)"
	costName       = "(cost)"
	lengthCostName = "(length cost)"
	pairsName      = "(pairs)"
	repeatName     = "(repeat)"
	replaceName    = "(replace)"
	joinName       = "(join)"
	matchesName    = "(matches)"
)

// budgetFunctions are the functions that a budgetPatch puts into an expression, and the bounded form of "+".
func budgetFunctions(c *filterContext) []expr.Option {
	same := func(name string, cost func(a []any) error) expr.Option {
		return expr.Function(name, func(a ...any) (any, error) { return a[0], cost(a) }, new(func(any) any), new(func(any, int) any))
	}
	return []expr.Option{
		same(stepName, func([]any) error { return c.spend(stepWork) }),
		same(costName, func(a []any) error { return c.cost(a[0], a[1].(int)) }),
		same(lengthCostName, func(a []any) error { return c.spend(length(a[0]) * a[1].(int)) }),
		same(pairsName, func(a []any) error { return c.cost(a[0], 1+elements(a[0])/elementWork) }),
		expr.Function(operatorName("+"), func(a ...any) (any, error) { return c.add(a[0], a[1]) }, new(func(any, any) any)),
		expr.Function(repeatName, func(a ...any) (any, error) { return c.repeat(a[0], a[1]) }, new(func(any, any) string)),
		expr.Function(replaceName, func(a ...any) (any, error) { return c.replace(a) },
			new(func(any, any, any) string), new(func(any, any, any, any) string)),
		expr.Function(joinName, func(a ...any) (any, error) { return c.join(a) }, new(func(any) string), new(func(any, any) string)),
		expr.Function(matchesName, func(a ...any) (any, error) { return c.matches(a[0], a[1]) }, new(func(any, any) bool)),
	}
}

// spend takes work off the budget of a message.
func (c *filterContext) spend(work int) error {
	if c.work -= work; c.work < 0 || work < 0 {
		return errWork
	}
	return nil
}

// walk returns the work of going through all fields of the message.
func (c *filterContext) walk() int { return 1 + len(c.rec.Raw)/8 }

// cost spends the size of a value, so many times.
func (c *filterContext) cost(v any, factor int) error {
	n, err := size(v, maxDepth, c.work/factor)
	if err != nil {
		return err
	}
	return c.spend(n * factor)
}

// length returns the work of a function that goes through a text, but not through the elements of a list.
func length(v any) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)
	case octets:
		return 1 + len(v)
	case searchable:
		return 1 + len(v)
	}
	return 1
}

// elements returns how many elements a list has.
func elements(v any) int {
	if l := reflect.ValueOf(v); l.Kind() == reflect.Slice || l.Kind() == reflect.Array {
		return l.Len()
	}
	return 0
}

// size returns the work of going through a value with all that is in it. It stops beyond most, because a list may be in another one
// many times over.
func size(v any, depth, most int) (n int, err error) {
	if depth == 0 {
		return 0, errDepth
	}
	n = length(v)
	add := func(element any) bool {
		var of int
		of, err = size(element, depth-1, most-n)
		n += elementWork + of
		return err == nil && n <= most
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !add(e) {
				break
			}
		}
	case octets, searchable, nil:
	case map[string]any:
		for k, e := range v { // a sum has no order
			if n += length(k); !add(e) {
				break
			}
		}
	default:
		switch l := reflect.ValueOf(v); l.Kind() {
		case reflect.Slice, reflect.Array:
			if k := l.Type().Elem().Kind(); k != reflect.String && k != reflect.Interface && k != reflect.Array {
				return n + l.Len()*elementWork, nil
			}
			for i := 0; i < l.Len() && add(l.Index(i).Interface()); i++ {
			}
		case reflect.Map:
			for e := l.MapRange(); e.Next() && add(e.Key().Interface()) && add(e.Value().Interface()); {
			}
		}
	}
	return n, err
}

// add is "+" for values whose type is not known.
func (c *filterContext) add(a, b any) (any, error) {
	a, b = plain(a), plain(b)
	if runtime.IsNil(a) || runtime.IsNil(b) {
		return nil, nil
	}
	if err := c.spend(length(a) + length(b)); err != nil {
		return nil, err
	}
	return runtime.Add(a, b), nil
}

// repeat is repeat().
func (c *filterContext) repeat(text, times any) (string, error) {
	s, err := textFor("repeat", text)
	n := runtime.ToInt(times)
	switch {
	case err != nil:
		return "", err
	case n < 0:
		return "", fmt.Errorf("repeat() takes a number of times, not %d", n)
	case n > maxWork: // the product might be too large for a number
		return "", errWork
	}
	if err := c.spend(1 + len(s)*n); err != nil {
		return "", err
	}
	return strings.Repeat(s, n), nil
}

// replace is replace().
func (c *filterContext) replace(args []any) (string, error) {
	var text [3]string
	for i := range text {
		var err error
		if text[i], err = textFor("replace", args[i]); err != nil {
			return "", err
		}
	}
	n := strings.Count(text[0], text[1])
	if len(args) == 4 {
		if most := runtime.ToInt(args[3]); most >= 0 {
			n = min(n, most)
		}
	}
	if err := c.spend(1 + len(text[0]) + len(text[1]) + n*len(text[2])); err != nil {
		return "", err
	}
	return strings.Replace(text[0], text[1], text[2], n), nil
}

// join is join().
func (c *filterContext) join(args []any) (string, error) {
	glue := ""
	if len(args) == 2 {
		var err error
		if glue, err = textFor("join", args[1]); err != nil {
			return "", err
		}
	}
	if err := c.cost(args[0], 1); err != nil {
		return "", err
	}
	if err := c.spend(elements(args[0]) * len(glue)); err != nil {
		return "", err
	}
	switch list := args[0].(type) {
	case []string:
		return strings.Join(list, glue), nil
	case []any:
		texts := make([]string, len(list))
		for i := range list {
			var err error
			if texts[i], err = textFor("join", list[i]); err != nil {
				return "", err
			}
		}
		return strings.Join(texts, glue), nil
	}
	return "", fmt.Errorf("join() takes a list of texts, not %T", args[0])
}

// matches is the operator "matches" with an expression that is not known before.
func (c *filterContext) matches(text, pattern any) (bool, error) {
	if runtime.IsNil(text) || runtime.IsNil(pattern) {
		return false, nil
	}
	s, err := textFor("matches", text)
	if err != nil {
		return false, err
	}
	p, err := textFor("matches", pattern)
	if err != nil {
		return false, err
	}
	if len(p) > maxPattern {
		return false, errPattern
	}
	instructions, err := patternSize(p)
	if err != nil {
		return false, err
	}
	if err := c.spend(instructions*stepWork + len(s)*patternWork(instructions)); err != nil {
		return false, err
	}
	return regexp.MatchString(p, s)
}

// textFor returns an argument as a text.
func textFor(function string, v any) (string, error) {
	if s, ok := asText(v).(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("%s takes text, not %T", function, v)
}

// patternSize returns about how many instructions a regular expression has. It fails beyond maxPattern.
func patternSize(pattern string) (int, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := instructions(re)
	if n > maxPattern {
		return 0, errPattern
	}
	return n, nil
}

// instructions returns about how many instructions a regular expression has, or any number beyond maxPattern.
func instructions(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n += len(re.Rune)
	case syntax.OpCharClass:
		n += bits.Len(uint(len(re.Rune))) // it is one instruction, which looks a character up in a table
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxPattern+1)
}

// patternWork returns the work of an octet for a regular expression: in the worst case every instruction looks at it.
func patternWork(instructions int) int { return 1 + instructions/elementWork }
