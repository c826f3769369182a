package show

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"dplay4/wire"
)

// What games say in their own octets is often text, in 8 bits or UTF-16, between numbers. Which it is can only be guessed.

// Text returns octets as characters as far as they seem to be text, in 8 bits (Windows-1252) or UTF-16; the others, and
// control characters, as in \x00.
func Text(p []byte) string { return string(appendReadable(nil, p, false, false)) }

// least is how many letters make octets text, rather than numbers that happen to be letters.
const least = 4

// readable reports whether there is text in octets, of which more may follow: letters in a row, a few at least.
func readable(p []byte, more bool) bool {
	if !promising(p, more) {
		return false
	}
	r := reader{p: p, more: more}
	for r.at < len(p) {
		from := r.at
		switch wide, end := r.next(); {
		case wide && wideLetters(p[from:end]) >= leastWide, !wide && hasLetters(p[from:end], 1, least):
			return true
		case end == from:
			r.at++
		}
	}
	return false
}

// wideLetters counts the letters of text in UTF-16.
func wideLetters(p []byte) (n int) {
	for i := 0; i < len(p); i += 2 {
		if unicode.IsLetter(unit(p[i:])) {
			n++
		}
	}
	return n
}

// hasLetters reports whether so many letters of ASCII stand in a row, each of them so many octets wide, 1 or 2. Letters above ASCII do not
// count: in 8 bits, nearly every such octet is one.
func hasLetters(p []byte, wide, least int) bool {
	n := 0
	for ; len(p) >= wide; p = p[wide:] {
		if n++; kinds[p[0]] != ascii|letter || wide == 2 && p[1] != 0 {
			n = 0
		} else if n == least {
			return true
		}
	}
	return false
}

// promising reports whether there may be text in octets. It is quick, because each payload in a line is looked at: of two
// zeros one is at an odd place, and of four letters one is at every fourth.
func promising(p []byte, more bool) bool {
	for i := 1; i < len(p); i += 2 {
		switch {
		case p[i] == 0:
			if wordAt(p, i-1, 2, leastWide) || p[i-1] == 0 && foreignBefore(p[:i-1]) ||
				i+1 < len(p) && p[i+1] == 0 && foreignBefore(p[:i]) {
				return true
			}
		case i%least == least-1 && (wordAt(p, i, 1, least) || wordAt(p, i, 2, leastWide)):
			return true
		}
	}
	return !more && foreignBefore(p)
}

// wordAt reports whether a letter stands among so many, each of them so many octets wide.
func wordAt(p []byte, i, wide, least int) bool {
	from, to := max(i-(least-1)*wide, i%wide), min(i+least*wide, len(p))
	return hasLetters(p[from:to], wide, least)
}

// foreignBefore reports whether octets may end with text in UTF-16 in another script.
func foreignBefore(p []byte) bool {
	n := len(p)
	if n < 2*leastWide || p[n-1]|p[n-3]|p[n-5] == 0 {
		return false
	}
	last, middle, first := blocks[p[n-1]], blocks[p[n-3]], blocks[p[n-5]]
	return last&middle != 0 && middle&first != 0
}

// appendReadable appends what Text returns; with quoted, such that it can stand in quotes. More octets may follow.
func appendReadable(b, p []byte, quoted, more bool) []byte {
	r := reader{p: p, more: more}
	for r.at < len(p) {
		from := r.at
		wide, end := r.next()
		switch {
		case wide:
			for i := from; i < end; i += 2 {
				c := unit(p[i:])
				if utf16.IsSurrogate(c) {
					i += 2
					c = utf16.DecodeRune(c, unit(p[i:]))
				}
				b = appendCharacter(b, c, quoted)
			}
		case end > from:
			for _, c := range p[from:end] {
				b = appendCharacter(b, windows1252[c], quoted)
			}
		default:
			b = appendEscaped(b, p[from])
			r.at++
		}
	}
	return b
}

func appendCharacter(b []byte, c rune, quoted bool) []byte {
	if quoted && (c == '"' || c == '\\') {
		b = append(b, '\\')
	}
	return utf8.AppendRune(b, c)
}

func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return appendOctets(append(b, '\\', 'x'), []byte{c})
}

// A reader splits octets into runs of text and what is none.
type reader struct {
	p      []byte
	more   bool // p goes on elsewhere
	at     int
	behind [2]int // text in other scripts does not begin before, at even and odd places; nor do
	high   int    // letters above ASCII: so no octet is looked at too often
}

// next moves behind the run of text that begins here, and returns its end, and whether it is in UTF-16. It stays where none
// begins.
func (r *reader) next() (wide bool, end int) {
	if end = r.wide(); end > r.at {
		wide = true
	} else {
		end = r.narrow()
	}
	r.at = end
	return wide, end
}

// narrow returns the end of text in 8 bits. Octets above ASCII are letters only among others.
func (r *reader) narrow() int {
	i, high, plain := r.at, 0, -1
	for ; i < len(r.p); i++ {
		k := kinds[r.p[i]]
		if k&ascii == 0 {
			if k&letter == 0 || i < r.high {
				break
			}
			if high++; plain < 0 {
				plain = i
			}
		}
		if i > r.at && latin(r.p[i:min(i+2*leastWide, len(r.p))]) == leastWide {
			break // the rest is UTF-16
		}
	}
	if n := i - r.at; high > 0 && (n < least || 2*high > n) {
		r.high = i
		return plain
	}
	return i
}

// wide returns the end of text in UTF-16: some Latin letters, or what goes on to a zero or the end in another script.
func (r *reader) wide() int {
	if n := r.foreign(); n > 0 {
		return r.at + 2*n
	}
	if n := latin(r.p[r.at:]); n >= leastWide {
		return r.at + 2*n
	}
	return r.at
}

// leastWide is how many characters make text in UTF-16: numbers of 16 bits look like one alone.
const leastWide = 3

// latin counts the Latin characters in UTF-16 with which octets begin.
func latin(p []byte) (n int) {
	for ; len(p) >= 2 && p[1] == 0 && (kinds[p[0]]&ascii != 0 || p[0] >= 0xC0); p = p[2:] {
		n++
	}
	return n
}

// foreign counts the code units of text in UTF-16 that is not Latin alone: letters of one other script, to a zero or the
// end. It is 0 where there is none.
func (r *reader) foreign() int {
	if r.at < r.behind[r.at&1] || r.p[r.at] == 0 {
		return 0
	}
	p := r.p[r.at:]
	units, foreign, script := 0, uint8(0), anyScript
	for ; len(p) >= 2*units+2; units++ {
		low, high := p[2*units], p[2*units+1]
		script &= blocks[high]
		if script == 0 || high == 0 && kinds[low] == 0 {
			break
		}
		foreign |= high
	}
	text, rest := p[:2*units], p[2*units:]
	ends := bytes.HasPrefix(rest, []byte{0, 0}) || len(rest) < 2 && !r.more
	if ends && foreign != 0 && units >= leastWide && plausible(text) {
		return units
	}
	r.behind[r.at&1] = r.at + len(text)
	return 0
}

// plausible reports whether text in UTF-16 can be printed, and is not more likely something else: a few ideographs, and
// those that are ASCII as well, can be anything.
func plausible(text []byte) bool {
	others, ideographs := 0, 0
	for i := 0; i < len(text); i += 2 {
		c := unit(text[i:])
		if utf16.IsSurrogate(c) && i+3 < len(text) {
			i += 2
			c = utf16.DecodeRune(c, unit(text[i:]))
		}
		if c == utf8.RuneError || !strconv.IsPrint(c) {
			return false
		}
		if c > 0xFF {
			others++
		}
		if unicode.Is(unicode.Han, c) {
			ideographs++
		}
	}
	if ideographs == others && (len(text) < 2*least || mostlyASCII(text)) {
		return false
	}
	return wire.Text(text).Encoding() == wire.UTF16
}

// mostlyASCII reports whether more than half of the octets are printable ASCII, two of which can be an ideograph.
func mostlyASCII(p []byte) bool {
	n := 0
	for _, c := range p {
		if c >= 0x20 && c <= 0x7E {
			n++
		}
	}
	return 2*n > len(p)
}

// A script is a set of scripts that a code unit of UTF-16 can be of, by its upper octet. Text is taken to have one script alone, beside
// Latin-1. An empty set is of no script that games of the time had.
type script uint8

const (
	latinExtended script = 1 << iota
	greek
	cyrillic
	hebrew
	arabic
	thai
	ideographic
	hangul
	anyScript script = 1<<iota - 1 // Latin-1, signs, and what lies beyond 16 bits
)

var blocks = func() (list [256]script) {
	for _, b := range []struct {
		from, to uint8
		is       script
	}{
		{0x00, 0x00, anyScript}, {0x01, 0x02, latinExtended}, {0x03, 0x03, greek}, {0x04, 0x04, cyrillic}, {0x05, 0x05, hebrew},
		{0x06, 0x06, arabic}, {0x0E, 0x0E, thai}, {0x20, 0x22, anyScript}, {0x25, 0x26, anyScript}, {0x30, 0x30, ideographic},
		{0x4E, 0x9F, ideographic}, {0xAC, 0xD7, hangul}, {0xD8, 0xDF, anyScript}, {0xFF, 0xFF, ideographic},
	} {
		for c := int(b.from); c <= int(b.to); c++ {
			list[c] = b.is
		}
	}
	return list
}()

// What an octet can be in text of 8 bits.
const (
	ascii  = 1 << iota // a printable character
	letter             // of Windows-1252
)

var kinds = func() (list [256]uint8) {
	for c := range list {
		if c >= 0x20 && c <= 0x7E {
			list[c] |= ascii
		}
		if unicode.IsLetter(windows1252[c]) {
			list[c] |= letter
		}
	}
	return list
}()

func unit(p []byte) rune { return rune(p[0]) | rune(p[1])<<8 }

// windows1252 are the characters of octets.
var windows1252 = func() (list [256]rune) {
	for c := range list {
		list[c] = rune(c)
		if c >= 0x80 {
			list[c], _ = utf8.DecodeRuneInString(wire.Text{byte(c), 0}.As(wire.EightBit))
		}
	}
	return list
}()
