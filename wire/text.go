package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"dplay4/wire/internal/field"
)

// A Text is a name or password as it is on the wire: its octets with the terminating zero WCHAR. Nil means
// that there is none. Decoded texts alias the message.
//
// The specification says Unicode (UTF-16LE). Some games hand 8-bit text to the wide-character interface
// (Lords of the Realm II, Age of Empires II), so "Nobleman" is 4E 6F 62 6C 65 6D 61 6E 00 00; String tells
// the two apart as far as that can be told.
type Text []byte

// Encoding is how the characters of a Text are written.
type Encoding uint8

// The encodings of texts.
const (
	UTF16     Encoding = iota // UTF-16LE
	EightBit                  // one octet a character, Windows-1252
	OnlyUTF16                 // UTF-16LE for sure: octets that look like 8-bit text are read as UTF-16 as well
)

// String returns "utf-16" or "8-bit".
func (e Encoding) String() string {
	if e == EightBit {
		return "8-bit"
	}
	return "utf-16"
}

// Text returns s in the encoding. What has characters that Windows-1252 lacks is in UTF-16 all the same: it has to stay
// what it says.
func (e Encoding) Text(s string) Text {
	if e == EightBit && !strings.ContainsFunc(s, func(r rune) bool { return r != '?' && toWindows1252(r) == '?' }) {
		return NewText8(s)
	}
	return NewText(s)
}

// NewText encodes s as UTF-16LE with its terminator. An empty string is a terminator alone.
func NewText(s string) Text {
	var room [usualText]uint16
	u := room[:0]
	for _, r := range s {
		u = utf16.AppendRune(u, r)
	}
	t := make(Text, 0, 2*len(u)+2)
	for _, w := range u {
		if w == 0 {
			break // the terminator would end the text here for every reader
		}
		t = binary.LittleEndian.AppendUint16(t, w)
	}
	return append(t, 0, 0)
}

// NewText8 encodes s as 8-bit text in Windows-1252, padded to whole WCHARs and terminated by one, as such
// games send it. Characters that Windows-1252 lacks become '?'.
func NewText8(s string) Text {
	t := Text{}
	for _, r := range s {
		if r == 0 {
			break
		}
		t = append(t, toWindows1252(r))
	}
	if len(t)%2 == 1 {
		t = append(t, 0)
	}
	return append(t, 0, 0)
}

// body is the text up to its terminator, if it has one.
func (t Text) body() []byte {
	if n := field.TextEnd(t); n >= 0 {
		return t[:n-2]
	}
	return t
}

// Encoding tells how the text is written, as far as that can be told. 8-bit text read as UTF-16 has no WCHAR
// below 256 except perhaps its last one, and its octets are printable. Ideographs can look the same: two ASCII
// letters are one. Printable ASCII is taken for 8-bit all the same, since games that send ideographs with only
// such octets are rarer by far than games that send 8-bit ASCII; except for kana, whose every second octet is
// '0'. With letters above ASCII, text that makes sense in UTF-16 is UTF-16, unless it is long and all letters.
func (t Text) Encoding() Encoding {
	b := t.body()
	if len(b)%2 == 1 {
		return EightBit // no whole number of WCHARs
	}
	n := len(b)
	if n > 0 && b[n-1] == 0 {
		n-- // padding of an odd number of characters
	}
	if n <= 1 {
		return UTF16 // nothing, or one WCHAR below 256: the encodings look alike, and so does the text
	}
	ascii, high := 0, 0 // letters
	for _, c := range b[:n] {
		switch {
		case c < 0x20 || c == 0x7F:
			return UTF16
		case c > 0x7F && !letter1252(c):
			return UTF16
		case c > 0x7F:
			high++
		case 'A' <= c&^0x20 && c&^0x20 <= 'Z':
			ascii++
		}
	}
	switch {
	case high == 0 && kana(b):
		return UTF16
	case high > 0 && oneScript(b) && (n < 6 || ascii+high < n || ascii < high):
		return UTF16
	}
	return EightBit
}

// Equal reports whether two texts have the same characters, however each of them is written. Only 8-bit text that says
// otherwise in octets than Windows-1252 would is not recognized.
func (t Text) Equal(u Text) bool {
	a, b := t.body(), u.body()
	return bytes.Equal(a, b) || t.wide(b) || u.wide(a)
}

// wide reports whether b is in UTF-16 what the text is if it is taken for 8-bit text.
func (t Text) wide(b []byte) bool {
	a := t.body()
	if n := len(a); n > 0 && a[n-1] == 0 {
		a = a[:n-1] // padding of an odd number of characters
	}
	if len(b) != 2*len(a) {
		return false
	}
	for i, c := range a {
		if c == 0 || rune(binary.LittleEndian.Uint16(b[2*i:])) != fromWindows1252(c) {
			return false
		}
	}
	return true
}

// String returns the text without its terminator. What is no valid UTF-16 becomes U+FFFD. 8-bit text ends at its
// first zero octet.
func (t Text) String() string {
	var room [usualText]byte
	return string(t.AppendTo(room[:0]))
}

// usualText is room on the stack for what most names take.
const usualText = 64

// As returns the text of somebody who was heard to write in an encoding, or whose game is known to: 8-bit text that alone
// could be either is 8-bit text then. What cannot be is read for what it is.
func (t Text) As(e Encoding) string {
	if e == EightBit && t.narrow() {
		var room [usualText]byte
		return string(append8(room[:0], t.body()))
	}
	if e == OnlyUTF16 {
		var room [usualText]byte
		return string(append16(room[:0], t.body()))
	}
	return t.String()
}

// narrow reports whether the text may be 8-bit text: no octet controls anything, but for white space and the padding at its
// end.
func (t Text) narrow() bool {
	b := t.body()
	if n := len(b); n > 0 && b[n-1] == 0 {
		b = b[:n-1]
	}
	for _, c := range b {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7F {
			return false
		}
	}
	return true
}

// Read8 returns the characters of 8-bit text in Windows-1252, up to its first zero octet.
func Read8(b []byte) string { return string(append8(nil, b)) }

// append8 appends 8-bit text, up to its first zero octet, in UTF-8.
func append8(dst, b []byte) []byte {
	for _, c := range b {
		if c == 0 {
			break
		}
		dst = utf8.AppendRune(dst, fromWindows1252(c))
	}
	return dst
}

// AppendTo appends the text in UTF-8 to dst.
func (t Text) AppendTo(dst []byte) []byte {
	b := t.body()
	if t.Encoding() == EightBit {
		return append8(dst, b)
	}
	return append16(dst, b)
}

// append16 appends text in UTF-16LE in UTF-8.
func append16(dst, b []byte) []byte {
	for i := 0; i+1 < len(b); i += 2 {
		r := rune(binary.LittleEndian.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(b) {
				low = rune(binary.LittleEndian.Uint16(b[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 2
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// oneScript reports whether b, read as UTF-16, keeps to blocks that a name would be written in.
func oneScript(b []byte) bool {
	seen := 0
	for i := 0; i+1 < len(b); i += 2 {
		u := binary.LittleEndian.Uint16(b[i:])
		s := 0
		switch {
		case u >= 0x20 && u <= 0x52F: // Latin, Greek, Cyrillic
			s = 1
		case u >= 0x3000 && u <= 0x30FF, u >= 0x3400 && u <= 0x9FFF, u >= 0xAC00 && u <= 0xD7A3, u >= 0xFF00 && u <= 0xFFEF:
			s = 2 // Chinese, Japanese, Korean
		case u >= 0x0590 && u <= 0x06FF, u >= 0x0E00 && u <= 0x0E7F: // Hebrew, Arabic, Thai
			s = 3
		case u >= 0xD800 && u <= 0xDFFF: // beyond the first plane
			s = 4
		}
		if s == 0 || seen != 0 && seen != s {
			return false
		}
		seen = s
	}
	return true
}

// kana reports whether b, read as UTF-16, is nothing but at least two Japanese syllables.
func kana(b []byte) bool {
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+1] != 0x30 || b[i] < 0x41 {
			return false
		}
	}
	return len(b) >= 4
}

// letter1252 reports whether an octet above ASCII is a letter of Windows-1252.
func letter1252(c byte) bool {
	switch c {
	case 0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F:
		return true
	case 0xD7, 0xF7: // times, divided by
		return false
	}
	return c >= 0xC0
}

// windows1252 holds the characters of the octets 80 to 9F; the five that it leaves out are zero.
var windows1252 = [32]rune{
	0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
	0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
}

func fromWindows1252(c byte) rune {
	if c >= 0x80 && c <= 0x9F && windows1252[c-0x80] != 0 {
		return windows1252[c-0x80]
	}
	return rune(c)
}

func toWindows1252(r rune) byte {
	for i, w := range windows1252 {
		if w == r {
			return byte(0x80 + i)
		}
	}
	if r < 0x100 && fromWindows1252(byte(r)) == r { // U+0080 itself has no octet: 80 is the euro sign
		return byte(r)
	}
	return '?'
}
