// Package jsonline writes the JSON of dplay that programs read. Names and texts in it come from other machines, and people look at it
// on terminals, too. So no character in it controls a terminal, is invisible or changes the order of others: those are escaped.
package jsonline

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Append appends the JSON of a value and a newline. It fails, and appends nothing, if the value has no JSON, such as NaN.
func Append(dst []byte, v any) ([]byte, error) {
	begin := len(dst)
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	dst = buf.Bytes()
	plain := bytes.IndexFunc(dst[begin:], func(r rune) bool { return r >= 0x7F }) // inside of a string: all that stands outside is ASCII
	if plain < 0 {
		return dst, nil
	}
	text := string(dst[begin+plain : len(dst)-1])
	return append(appendRunes(dst[:begin+plain], text), '\n'), nil
}

// AppendString appends a string. Octets that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if !strings.ContainsFunc(s, unplain) {
		return append(append(dst, s...), '"')
	}
	return append(appendRunes(dst, quotes.Replace(s)), '"')
}

// quotes escapes what ends a string.
var quotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// unplain reports whether a character may not stand in a string as it is, or may be no UTF-8.
func unplain(r rune) bool { return r < 0x20 || r >= 0x7F || strings.ContainsRune(`"\`, r) }

// appendRunes appends characters of a string, as their UTF-16 code units those that must not stand in JSON as they are: control and
// formatting characters, those that end a line or a paragraph, and code points that are private or unassigned. captures.Printable
// replaces the same ones.
func appendRunes(dst []byte, s string) []byte {
	for _, r := range s {
		if unicode.IsGraphic(r) {
			dst = utf8.AppendRune(dst, r)
			continue
		}
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			dst, r = appendUnit(dst, high), low
		}
		dst = appendUnit(dst, r)
	}
	return dst
}

// appendUnit appends the escape of a UTF-16 code unit.
func appendUnit(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
