package filter

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"

	"dplay4/captures/show"
)

// The operators of filters. They are those of the expression library, for values that can be absent, words or octets: nil
// stands for a field that a message does not have, and comparing it is false rather than an error.

// An operator computes one from two operands. It panics where the library does.
type operator func(a, b any) any

// operators are all but "and", "or", "??", "..", and "matches", which keeps patterns.
var operators = map[string]operator{
	"==": equal,
	"!=": func(a, b any) any { return !equal(a, b).(bool) },
	"<":  test(runtime.Less),
	"<=": test(runtime.LessOrEqual),
	">":  test(runtime.More),
	">=": test(runtime.MoreOrEqual),
	"in": within,

	"contains":   search(strings.Contains, bytes.Contains),
	"startsWith": search(strings.HasPrefix, bytes.HasPrefix),
	"endsWith":   search(strings.HasSuffix, bytes.HasSuffix),

	"+":  arithmetic(runtime.Add),
	"-":  arithmetic(runtime.Subtract),
	"*":  arithmetic(runtime.Multiply),
	"/":  arithmetic(func(a, b any) any { return runtime.Divide(a, b) }),
	"%":  arithmetic(func(a, b any) any { return runtime.Modulo(a, b) }),
	"**": arithmetic(func(a, b any) any { return runtime.Exponent(a, b) }),
	"^":  arithmetic(func(a, b any) any { return runtime.Exponent(a, b) }),
}

// truth converts a value to a condition: a field by itself means that the message has it.
func truth(v any) bool {
	condition, ok := v.(bool)
	return condition || !ok && v != nil
}

// match converts v so that it can be compared with other: a word to its number or its name, text to a number ("0x000384c9",
// as the output has ids) or to octets, octets to their digits or to octets that bytes() made.
func match(v, other any) any {
	switch v := v.(type) {
	case *word:
		if s, ok := other.(string); ok && s == v.names && s != "" {
			return s
		}
		return wireNumber(v.value)
	case octets:
		if _, ok := other.(searchable); ok {
			return searchable(v)
		}
		return v.String()
	case string:
		switch other.(type) {
		case int, int64, float64, *word:
			if n, err := strconv.ParseInt(v, 0, 64); err == nil {
				return n
			}
		case searchable:
			if b, err := parseOctets(v); err == nil {
				return searchable(b)
			}
		}
	}
	return v
}

func equal(a, b any) any {
	if x, ok := a.(octets); ok {
		b = digits(x, b)
	} else if y, ok := b.(octets); ok {
		a = digits(y, a)
	}
	return runtime.Equal(match(a, b), match(b, a))
}

// digits returns a text that is to be compared with octets in the form of their digits, if it is one in another form, such as "DE AD".
func digits(with octets, v any) any {
	if s, ok := v.(string); ok && len(s) <= 4*len(with) {
		if b, err := parseOctets(s); err == nil {
			return hex.EncodeToString(b)
		}
	}
	return v
}

// test makes an operator of a comparison. What has no order is not before, behind or equal to anything.
func test(compare func(a, b any) bool) operator {
	return func(a, b any) (holds any) {
		if a == nil || b == nil {
			return false
		}
		defer func() {
			if recover() != nil {
				holds = false
			}
		}()
		return compare(match(a, b), match(b, a))
	}
}

// within reports whether a list has an element, an object a key, a flag word a name, or octets have others in them.
func within(v, in any) any {
	switch in := in.(type) {
	case *word:
		name, ok := v.(string)
		return ok && slices.ContainsFunc(in.list(), func(n string) bool { return strings.EqualFold(n, name) })
	case octets:
		return within(v, searchable(in))
	case searchable:
		part, ok := match(v, in).(searchable)
		return ok && bytes.Contains(in, part)
	}
	list := reflect.ValueOf(in)
	if list.Kind() != reflect.Slice {
		return test(runtime.In)(v, in)
	}
	for i := range list.Len() {
		if equal(v, list.Index(i).Interface()).(bool) {
			return true
		}
	}
	return false
}

// search makes an operator that looks for a part. Octets are searched as such if bytes() returned either of them, and else
// as their digits.
func search(text func(s, part string) bool, octets func(b, part []byte) bool) operator {
	return func(a, b any) any {
		x, y := match(a, b), match(b, a)
		in, isIn := x.(searchable)
		if part, isPart := y.(searchable); isIn || isPart {
			return isIn && isPart && octets(in, part)
		}
		s, isText := asText(a).(string)
		part, ok := asText(b).(string)
		return isText && ok && text(s, part)
	}
}

// arithmetic makes an operator that returns nil for an absent field.
func arithmetic(compute operator) operator {
	return func(a, b any) any {
		if a == nil || b == nil {
			return nil
		}
		return compute(match(a, nil), match(b, nil))
	}
}

// member returns an element of an object or list, nil where there is none. A negative index counts from the end of a list.
func (c *filterContext) member(from, key any) (v any) {
	defer func() {
		if recover() != nil {
			v = nil
		}
	}()
	name, _ := key.(string)
	switch from := from.(type) {
	case nil, string:
		return nil
	case map[string]any:
		c.note(name, from[name])
		return from[name]
	case *word:
		switch {
		case name == "value":
			return wireNumber(from.value)
		case name == "names" && from.flags:
			return from.list()
		case name == "name" && !from.flags && from.names != "":
			return from.names
		}
		return nil
	}
	kind := reflect.TypeOf(from).Kind()
	if kind == reflect.Map || name == "" && (kind == reflect.Slice || kind == reflect.Array) { // methods are not members
		v = runtime.Fetch(from, key)
	}
	if octet, ok := v.(byte); ok {
		return int(octet)
	}
	return v
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

// asText returns a text for a function that takes one: an absent one is empty.
func asText(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case *word:
		return v.names
	case searchable:
		return hex.EncodeToString(v)
	}
	return match(v, nil)
}

// asTexts converts the elements of a list as asText does.
func asTexts(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	texts := make([]any, len(list))
	for i := range list {
		texts[i] = asText(list[i])
	}
	return texts
}

// asNumber returns a word as a number, and octets as their digits.
func asNumber(v any) any { return match(v, nil) }

func asIs(v any) any { return v }

// asSequence is asText for functions of anything that has a length: octets of bytes() stay octets.
func asSequence(v any) any {
	if _, ok := v.(searchable); ok {
		return v
	}
	return asText(v)
}

// textOf is text(). It leaves out zeros at the end, because most texts of games end with them.
func textOf(v any) string {
	if octets := reflect.ValueOf(v); octets.Kind() == reflect.Slice && isText(octets) {
		return show.Text(bytes.TrimRight(octets.Bytes(), "\x00"))
	}
	s, _ := asText(v).(string)
	return s
}

// bytesOf is bytes().
func bytesOf(v any) (any, error) {
	b, ok := match(v, searchable{}).(searchable)
	if !ok && v != nil {
		return nil, fmt.Errorf(`bytes() takes octets or their digits, such as "de ad", not %.40q`, fmt.Sprint(v))
	} else if !ok {
		return nil, nil
	}
	return b, nil
}

// parseOctets decodes digits of octets. Spaces, colons and hyphens may stand between them.
func parseOctets(text string) ([]byte, error) { return hex.DecodeString(separators.Replace(text)) }

var separators = strings.NewReplacer(" ", "", ":", "", "-", "")
