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

// The operators of filters are those of the expression library, for values that can be absent, words or octets: nil
// stands for a field that a message does not have, and comparing it is false rather than an error.

// An operator computes one from two operands. It panics where the library does.
type operator func(a, b any) any

// operators are all but "and", "or", "??", "..", and "matches", which counts the work of searching.
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

// match converts v so that it can be compared with other: a word to its number or its name, text to a number ("0x000384c9",
// as the output has ids) or to octets, octets to their digits or to octets that bytes() made. Text in another form than
// that of digits, such as "DE AD", becomes digits if it is compared with octets.
func match(v, other any) any {
	switch v := v.(type) {
	case *word:
		if v.names != "" && other == v.names {
			return v.names
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
		case octets, searchable:
			if b, err := parseOctets(v); err == nil {
				return match(octets(b), other)
			}
		}
	}
	return v
}

func equal(a, b any) any { return runtime.Equal(match(a, b), match(b, a)) }

// test makes an operator of a comparison. What has no order is not before, behind or equal to anything.
func test(compare func(a, b any) bool) operator {
	return func(a, b any) (holds any) {
		holds = false
		defer func() { _ = recover() }()
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
		return compute(asNumber(a), asNumber(b))
	}
}

// truth converts a value to a condition: a field by itself means that the message has it.
func truth(v any) any { return v != nil && v != false }

// member returns an element of an object or list, nil where there is none. A negative index counts from the end of a list.
func (f *Filter) member(from, key any) (v any) {
	defer func() { _ = recover() }() // because an index may be beyond the list
	name, _ := key.(string)
	switch from := from.(type) {
	case nil:
		return nil
	case map[string]any:
		return f.note(name, from[name])
	case *word:
		return from.object()[name]
	}
	if kind := reflect.TypeOf(from).Kind(); kind == reflect.Map || name == "" && kind == reflect.Slice { // methods are not members
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

// asSequence returns a value that has a length: an absent text is empty, and octets of bytes() stay octets.
func asSequence(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case *word:
		return v.names
	}
	return match(v, nil)
}

// asText returns a text for a function that takes one.
func asText(v any) any {
	if octets, ok := v.(searchable); ok {
		return hex.EncodeToString(octets)
	}
	return asSequence(v)
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

// textOf is text(). It leaves out zeros at the end, because most texts of games end with them.
func textOf(v any) any {
	if octets := reflect.ValueOf(v); octets.Kind() == reflect.Slice && isText(octets) {
		return show.Text(bytes.TrimRight(octets.Bytes(), "\x00"))
	}
	s, _ := asText(v).(string)
	return s
}

// bytesOf is bytes().
func bytesOf(v any) any {
	v = match(v, searchable{})
	if _, ok := v.(searchable); !ok && v != nil {
		panic(fmt.Sprintf(`bytes() takes octets or their digits, such as "de ad", not %.40q`, fmt.Sprint(v)))
	}
	return v
}

// parseOctets decodes digits of octets. Spaces, colons and hyphens may stand between them.
func parseOctets(text string) ([]byte, error) { return hex.DecodeString(separators.Replace(text)) }

var separators = strings.NewReplacer(" ", "", ":", "", "-", "")
