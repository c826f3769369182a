package filter

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"
)

// The operators of filters where the type of an operand is not known before: a field that a message does not
// have is nil, and comparing it is false rather than an error.

// truth reports whether a value counts as true: a field by itself means that the message has it.
func truth(v any) bool {
	if b, ok := v.(bool); ok {
		return b
	}
	return !runtime.IsNil(v)
}

// member returns an element of an object or list, nil where there is none.
func member(from, key any) any {
	switch from := from.(type) {
	case map[string]any:
		k, ok := key.(string)
		if !ok {
			return nil
		}
		return from[k]
	case *word:
		return from.member(key)
	case []any:
		return element(from, key)
	case []string:
		return element(from, key)
	case []int:
		return element(from, key)
	case octets:
		return number8(element(from, key))
	case searchable:
		return number8(element(from, key))
	}
	return nil
}

// number8 returns an octet as the number that constants of filters are.
func number8(v any) any {
	if b, ok := v.(byte); ok {
		return int(b)
	}
	return v
}

func (w *word) member(key any) any {
	switch key {
	case "value":
		return wireNumber(w.value)
	case "name":
		if w.names == "" || w.flags {
			return nil
		}
		return w.names
	case "names":
		if w.flags {
			return w.list()
		}
	}
	return nil
}

// element returns an element of a list; negative indexes count from its end.
func element[T any](list []T, key any) any {
	i, ok := key.(int)
	if !ok {
		return nil
	}
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// number returns a value as a number. Text counts that is written like one: ids in the output are "0x000384c9".
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case *word:
		return float64(v.value), true
	case string:
		n, err := strconv.ParseInt(v, 0, 64)
		return float64(n), err == nil
	}
	return 0, false
}

// equal compares two values: words with numbers by value, and with text by name.
func equal(a, b any) bool {
	if runtime.IsNil(a) || runtime.IsNil(b) {
		return runtime.IsNil(a) && runtime.IsNil(b)
	}
	if isOctets(a) || isOctets(b) {
		return equalOctets(a, b)
	}
	switch x := a.(type) {
	case string:
		switch y := b.(type) {
		case string:
			return x == y
		case *word:
			return equal(y, x)
		}
	case *word:
		if y, ok := b.(string); ok && y != "" && x.names == y {
			return true
		}
	}
	x, isNumber := number(a)
	if y, ok := number(b); ok && isNumber {
		return x == y
	}
	return runtime.Equal(a, b)
}

// compare orders two values; ok is false where they have no order.
func compare(a, b any) (order int, ok bool) {
	a, b = readable(a), readable(b)
	x, isText := a.(string)
	if y, ok := b.(string); ok && isText {
		return cmp.Compare(x, y), true
	}
	m, ok := number(a)
	n, ok2 := number(b)
	return cmp.Compare(m, n), ok && ok2
}

// within reports whether a list has an element, an object a key, or a flag word a name.
func within(v, in any) bool {
	switch in := in.(type) {
	case []any:
		return slices.ContainsFunc(in, func(e any) bool { return equal(v, e) })
	case []string:
		return slices.ContainsFunc(in, func(e string) bool { return equal(v, e) })
	case []int:
		return slices.ContainsFunc(in, func(e int) bool { return equal(v, e) })
	case map[string]any:
		key, ok := v.(string)
		_, found := in[key]
		return ok && found
	case *word:
		name, ok := v.(string)
		return ok && in.has(name)
	case octets, searchable:
		part, ok := raw(v)
		b, _ := raw(in)
		return ok && bytes.Contains(b, part)
	}
	return false
}

// has reports whether a flag word has a flag, or a list or object an element; nothing has nothing.
func has(v any, name string) bool { return within(name, v) }

// A binary operator of a filter, for operands of types that are not known.
type operator func(a, b any) any

// ordered makes an operator of a test for an order.
func ordered(test func(order int) bool) operator {
	return func(a, b any) any {
		order, ok := compare(a, b)
		return ok && test(order)
	}
}

// arithmetic makes an operator of one that fails on nil: with an absent field it gives nil.
func arithmetic(f operator) operator {
	return func(a, b any) any {
		a, b = plain(a), plain(b)
		if runtime.IsNil(a) || runtime.IsNil(b) {
			return nil
		}
		return f(a, b)
	}
}

// plain returns a word as its number.
func plain(v any) any {
	if w, ok := v.(*word); ok {
		return wireNumber(w.value)
	}
	return readable(v)
}

// tests are the operators that give true or false.
var tests = map[string]operator{
	"==": func(a, b any) any { return equal(a, b) },
	"!=": func(a, b any) any { return !equal(a, b) },
	"<":  ordered(func(o int) bool { return o < 0 }),
	"<=": ordered(func(o int) bool { return o <= 0 }),
	">":  ordered(func(o int) bool { return o > 0 }),
	">=": ordered(func(o int) bool { return o >= 0 }),
	"in": func(a, b any) any { return within(a, b) },

	"contains":   contains(strings.Contains, bytes.Contains),
	"startsWith": contains(strings.HasPrefix, bytes.HasPrefix),
	"endsWith":   contains(strings.HasSuffix, bytes.HasSuffix),
}

// sums are the operators that give a value.
var sums = map[string]operator{
	"+":  arithmetic(runtime.Add),
	"-":  arithmetic(runtime.Subtract),
	"*":  arithmetic(runtime.Multiply),
	"/":  arithmetic(func(a, b any) any { return runtime.Divide(a, b) }),
	"%":  arithmetic(func(a, b any) any { return runtime.Modulo(a, b) }),
	"**": arithmetic(func(a, b any) any { return runtime.Exponent(a, b) }),
	"^":  arithmetic(func(a, b any) any { return runtime.Exponent(a, b) }),
}
