package filter

import (
	"fmt"
	"regexp"
	"strings"
)

// What the expression library says of types and tokens, in words of Go and of its own.
var (
	mismatched = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`)
	unexpected = regexp.MustCompile(`unexpected token \w+\((".*")\)`)
)

// plainly returns what the expression library says is wrong in words for who wrote the filter.
func plainly(message string) string {
	if m := mismatched.FindStringSubmatch(message); m != nil {
		left, right := kindName(m[2]), kindName(m[3])
		message = fmt.Sprintf("%s does not go between %s and %s", m[1], left, right)
		if left == listKind && right != listKind && ordering[m[1]] {
			message += ": what is in a list asks in, such as 5 in frames"
		}
		return message
	}
	message = strings.Replace(message, "unexpected token EOF", "it ends too early", 1)
	message = unexpected.ReplaceAllString(message, "unexpected $1")
	if message == `unexpected "="` {
		message += ": did you mean ==?"
	}
	return message
}

const listKind = "a list"

// kindName is what people call a type of Go.
func kindName(t string) string {
	switch {
	case strings.HasPrefix(t, "[]"):
		return listKind
	case strings.HasPrefix(t, "map["):
		return "fields"
	case t == "string":
		return "text"
	case t == "bool":
		return "true or false"
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), strings.HasPrefix(t, "float"):
		return "a number"
	}
	return t
}
