// Package jsonline writes the JSON of dplay that programs read. Names and texts in it come from other machines, and people look at it
// on terminals, too. So no character in it controls a terminal, is invisible or changes the order of others: those are escaped.
package jsonline

import (
	"bytes"
	"encoding/json"
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
	for i := begin; i < len(dst); i++ {
		if dst[i] >= 0x7F { // inside of a string: all that stands outside is ASCII
			return appendEscaped(dst[:i], bytes.Clone(dst[i:])), nil
		}
	}
	return dst, nil
}

// AppendString appends a string. Octets that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0
	for plain < len(s) && s[plain] >= 0x20 && s[plain] < 0x7F && s[plain] != '"' && s[plain] != '\\' {
		plain++
	}
	dst = append(dst, s[:plain]...)
	for _, r := range s[plain:] {
		if r == '"' || r == '\\' {
			dst = append(dst, '\\', byte(r))
		} else {
			dst = appendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// appendEscaped appends JSON that encoding/json wrote, but for the newline at its end, which stays.
func appendEscaped(dst, text []byte) []byte {
	line := bytes.TrimSuffix(text, []byte("\n"))
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		dst, line = appendRune(dst, r), line[n:]
	}
	return append(dst, '\n')
}

// appendRune appends a character of a string, as its UTF-16 code units if it must not stand in JSON as it is.
func appendRune(dst []byte, r rune) []byte {
	if !escapes(r) {
		return utf8.AppendRune(dst, r)
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		dst, r = appendUnit(dst, high), low
	}
	return appendUnit(dst, r)
}

// escapes reports whether a character is escaped: control and formatting characters, those that end a line or a paragraph, and code
// points that are private or unassigned. captures.Printable replaces the same ones.
func escapes(r rune) bool {
	if r < 0x7F {
		return r < 0x20
	}
	return !unicode.IsGraphic(r)
}

// appendUnit appends the escape of a UTF-16 code unit.
func appendUnit(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
