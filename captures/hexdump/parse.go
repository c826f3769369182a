package hexdump

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error says where a text is not hexadecimal.
type Error struct {
	Line, Column int // from 1; columns are characters
	Text         string
}

// Error names line and column.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// mark is the byte order mark, with which PowerShell begins files.
var mark = []byte("\ufeff")

// Recognized reports whether a text begins like a hex dump: its first word that is no comment or declaration is octets.
// head may end anywhere.
func Recognized(head []byte) bool {
	p := parser{line: 1}
	for line := range bytes.Lines(bytes.TrimPrefix(head, mark)) {
		err := p.parse(line)
		if err != nil && line[len(line)-1] != '\n' { // head may end between the digits of an octet
			err = p.parse(line[:len(line)-1])
		}
		if err != nil || len(p.octets) > 0 || len(p.messages) > 0 {
			return len(p.octets) > 0 || len(p.messages) > 0
		}
		p.line++
	}
	return false
}

// parse returns the octets of each message in a text.
func parse(text []byte) ([][]byte, error) {
	p := parser{line: 1}
	for line := range bytes.Lines(bytes.TrimPrefix(text, mark)) {
		if err := p.parse(line); err != nil {
			return nil, err
		}
		p.line++
	}
	p.end()
	return p.messages, nil
}

// A parser reads a text line by line.
type parser struct {
	messages [][]byte
	octets   []byte // of the message in work
	line     int
	text     []byte // the line in work
	at       int    // octets of it that were read
}

// end ends the message in work, if there is one.
func (p *parser) end() {
	if len(p.octets) > 0 {
		p.messages = append(p.messages, p.octets)
		p.octets = nil
	}
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &Error{Line: p.line, Column: utf8.RuneCount(p.text[:at]) + 1, Text: fmt.Sprintf(format, args...)}
}

// separators stand between octets, or around them.
const separators = ",:;-\"'\\"

// parse reads a line.
func (p *parser) parse(line []byte) error {
	p.text, p.at = bytes.TrimRight(line, " \t\r\n"), 0
	if len(p.text) == 0 {
		p.end()
		return nil
	}
	p.declaration()
	if err := p.offset(); err != nil {
		return err
	}
	begin := len(p.octets)
	for {
		gap := p.skip()
		switch rest := p.text[p.at:]; {
		case len(rest) == 0 || rest[0] == '#' || bytes.HasPrefix(rest, []byte("//")):
			return nil
		case gap > 1 && shows(rest, p.octets[begin:]), rest[0] == '|' || rest[0] == '>':
			return nil
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return p.fail(p.at, "a comment that does not end on its line")
			}
			p.at += n + 2
		case rest[0] == '{' || rest[0] == '}':
			p.end()
			p.at++
		case strings.IndexByte(separators, rest[0]) >= 0:
			p.at++
		default:
			if err := p.word(); err != nil {
				return err
			}
		}
	}
}

// skip skips white space and returns how many columns it has, with two for a tab.
func (p *parser) skip() (columns int) {
	for ; p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t'); p.at++ {
		columns++
		if p.text[p.at] == '\t' {
			columns++
		}
	}
	return columns
}

// declaration skips the beginning of an array, such as "static const unsigned char pkt1[66] = {".
func (p *parser) declaration() {
	begin := bytes.TrimLeft(p.text, " \t")
	first, _, _ := bytes.Cut(begin, []byte(" "))
	if n := bytes.IndexAny(p.text, "={"); n >= 0 && len(first) > 0 && isLetter(first[0]) && !isHex(first) {
		if brace := bytes.IndexByte(p.text, '{'); brace > n {
			n = brace
		}
		p.end()
		p.at = n + 1
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isHex(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "0123456789abcdefABCDEF")) == 0
}

// leastOffset is how many digits an offset without a colon has at least.
const leastOffset = 4

// offset skips the offset that a line of a dump begins with. Offset 0 begins a message. Without a colon behind it, it is one
// only if single octets follow, or nothing; digits of another kind are left.
func (p *parser) offset() error {
	begin := p.at + len(p.text[p.at:]) - len(bytes.TrimLeft(p.text[p.at:], " \t"))
	word, rest, _ := bytes.Cut(p.text[begin:], []byte(" "))
	digits, colon := bytes.CutSuffix(word, []byte(":"))
	bare := bytes.TrimPrefix(bytes.TrimPrefix(digits, []byte("0x")), []byte("0X"))
	if !isHex(bare) || !colon && len(bare) < leastOffset {
		return nil
	}
	v, err := strconv.ParseUint(string(bare), 16, 32)
	next, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" "))
	if !colon && (len(next) > 2 || len(bare) > 8 || len(next) == 0 && (err != nil || v != uint64(len(p.octets)) || v == 0)) {
		return nil
	}
	switch {
	case err != nil:
		return p.fail(begin, "offset %s is too large", word)
	case v == 0:
		p.end()
	case v != uint64(len(p.octets)):
		return p.fail(begin, "offset 0x%x, but %d (0x%x) octets stand before this line: lines are missing, or it is no offset",
			v, len(p.octets), len(p.octets))
	}
	p.at = begin + len(word)
	return nil
}

// word reads digits up to the next separator.
func (p *parser) word() error {
	rest := p.text[p.at:]
	n := bytes.IndexAny(rest, separators+" \t{}|/")
	if n < 0 {
		n = len(rest)
	}
	word := rest[:max(n, 1)]
	digits := word
	for _, prefix := range [...]string{"0x", "0X", "x"} {
		if after, ok := bytes.CutPrefix(digits, []byte(prefix)); ok {
			digits = after
			break
		}
	}
	switch {
	case word[0] == '*':
		return p.fail(p.at, `"*" stands for lines that are left out: write them all ("hexdump -vC", "xxd")`)
	case !isHex(digits):
		return p.fail(p.at, "%.40q is no hexadecimal octet", word)
	case len(digits)%2 != 0 && len(digits) >= 7:
		return p.fail(p.at, `%.40q has an odd number of digits; "hexdump" without -C swaps octets: use "hexdump -vC" or "xxd"`, word)
	case len(digits)%2 != 0:
		return p.fail(p.at, "%.40q has an odd number of digits: an octet has two", word)
	}
	for i := 0; i < len(digits); i += 2 {
		v, _ := strconv.ParseUint(string(digits[i:i+2]), 16, 8) // isHex
		p.octets = append(p.octets, byte(v))
	}
	p.at += len(word)
	return nil
}

// shows reports whether a text is the column of characters beside octets. Spaces at its beginning are skipped already; those at
// its end may be lost.
func shows(text, octets []byte) bool {
	if len(octets) == 0 {
		return false
	}
	octets = bytes.TrimLeft(octets, " ")
	at := 0
	for _, c := range string(text) {
		switch {
		case at == len(octets):
			return false
		case c == rune(octets[at]) || c == '.' || c == '·' || c >= utf8.RuneSelf && octets[at] >= utf8.RuneSelf:
			at++
		case c == ' ': // between halves, as old Wireshark has it
		default:
			return false
		}
	}
	return len(bytes.Trim(octets[at:], " ")) == 0
}
