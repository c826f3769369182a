package hexdump

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mark is the byte order mark, with which PowerShell begins files.
var mark = []byte("\ufeff")

// Recognized reports whether a text begins like a hex dump: its first word that is no comment or declaration is octets.
// head may end anywhere.
func Recognized(head []byte) bool {
	var p parser
	for line := range bytes.Lines(bytes.TrimPrefix(head, mark)) {
		err := p.parse(line)
		if whole, cut := bytes.CutSuffix(line, []byte("\n")); err != nil && !cut { // head may end between the digits of an octet
			err = p.parse(whole[:len(whole)-1])
		}
		if begun := len(p.octets)+len(p.messages) > 0; err != nil || begun {
			return begun
		}
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
	before   int    // how many of them stand on the lines before
	line     int
	text     []byte // the line in work
	at       int    // octets of it that were read
}

// end ends the message in work, if there is one.
func (p *parser) end() {
	if len(p.octets) > 0 {
		p.messages = append(p.messages, p.octets)
		p.octets, p.before = nil, 0
	}
}

// fail returns an error about an octet of the line. Lines and columns count from 1, and columns are characters.
func (p *parser) fail(at int, format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: %s", p.line, utf8.RuneCount(p.text[:at])+1, fmt.Sprintf(format, args...))
}

// What a line begins with.
const (
	indent = `^[ \t]*`
	digit  = `[[:xdigit:]]`
	short  = `(?:[^ \t[:^ascii:]][^ [:^ascii:]]?|[\x{80}-\x{7FF}])` // a word of one octet or two
)

var (
	// declaration is the beginning of an array, such as "static const unsigned char pkt1[66] = {", unless its first word has digits alone.
	declaration = regexp.MustCompile(indent + `[A-Za-z][^={]*(?:\{|=(?:[^{]*\{)?)`)
	digits      = regexp.MustCompile(`^` + digit + `+$`)
	// offset is that of a line of a dump. Without a colon behind it, it has four digits at least, and single octets follow.
	offset = regexp.MustCompile(indent + `(?:((?:0[xX])?(` + digit + `+):)(?: |$)|((?:0[xX])?(` + digit + `{4,8})) [ \t]*` + short + `(?: |$))`)
	// total is the last line of a dump, which has nothing but the next offset.
	total = regexp.MustCompile(indent + `(?:0[xX])?(` + digit + `{4,8})$`)
)

// What stands in a line behind its offset.
const (
	prefix     = `(?:0x|0X|x)?`
	octet      = prefix + `(?:` + digit + `{2})+`
	separators = `,:;\-"'\\`
	boundaries = separators + ` \t{}|/`
)

var (
	// ending begins what is not read: a comment to the end of the line, or a column of characters with a sign before it.
	ending = regexp.MustCompile(`^(?:$|#|//|[|>])`)
	// between stands between octets, or around them.
	between = regexp.MustCompile(`^(?:[` + separators + `]+|/\*.*?\*/)`)
	// run is words of octets, with separators and no more than one space between them.
	run = regexp.MustCompile(`^(` + octet + `(?:(?:[` + separators + `]+ ?| )` + octet + `)*)(?:[` + boundaries + `]|$)`)
	// anything is a word of any kind.
	anything = regexp.MustCompile(`^(?:/\*|[^` + boundaries + `]+|.)`)

	// unadorned leaves the digits of a run.
	unadorned = strings.NewReplacer("0x", "", "0X", "", "x", "", " ", "", ",", "", ":", "", ";", "", "-", "", `"`, "", "'", "", `\`, "")
)

// A wrongWord is a kind of word that is no octets.
type wrongWord struct {
	form *regexp.Regexp
	text string // of the error about WORD
}

// wrong has the kinds of them. The first one that fits counts.
var wrong = []wrongWord{
	{regexp.MustCompile(`^/\*`), "a comment that does not end on its line"},
	{regexp.MustCompile(`^\*`), `"*" stands for lines that are left out: write them all ("hexdump -vC", "xxd")`},
	{regexp.MustCompile(`^` + prefix + digit + `{7,}$`),
		`WORD has an odd number of digits; "hexdump" without -C swaps octets: use "hexdump -vC" or "xxd"`},
	{regexp.MustCompile(`^` + prefix + digit + `+$`), "WORD has an odd number of digits: an octet has two"},
	{regexp.MustCompile(``), "WORD is no hexadecimal octet"},
}

// parse reads a line.
func (p *parser) parse(line []byte) error {
	p.text, p.at = bytes.TrimRight(line, " \t\r\n"), 0
	if len(p.text) == 0 {
		p.end()
		return nil
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(p.text, " \t"), []byte(" "))
	if array := declaration.Find(p.text); array != nil && !digits.Match(first) {
		p.end()
		p.at = len(array)
	}
	if err := p.offset(); err != nil {
		return err
	}
	p.before = len(p.octets)
	for {
		gap := p.skip()
		rest := p.text[p.at:]
		if ending.Match(rest) || gap > 1 && shows(rest, p.octets[p.before:]) {
			return nil
		}
		if rest[0] == '{' || rest[0] == '}' {
			p.end()
			p.at++
			continue
		}
		if skipped := between.Find(rest); skipped != nil {
			p.at += len(skipped)
			continue
		}
		words := run.FindSubmatch(rest)
		if words == nil {
			return p.wrong(rest)
		}
		b, _ := hex.DecodeString(unadorned.Replace(string(words[1]))) // run has whole octets alone
		p.octets = append(p.octets, b...)
		p.at += len(words[1])
	}
}

// skip skips white space and returns how many columns it has, with two for a tab.
func (p *parser) skip() (columns int) {
	space := p.text[p.at : len(p.text)-len(bytes.TrimLeft(p.text[p.at:], " \t"))]
	p.at += len(space)
	return len(space) + bytes.Count(space, []byte("\t"))
}

// offset skips the offset that a line of a dump begins with. Offset 0 begins a message.
func (p *parser) offset() error {
	rest := p.text[p.at:]
	have := uint64(len(p.octets))
	if last := total.FindSubmatch(rest); last != nil && have > 0 {
		if v, _ := strconv.ParseUint(string(last[1]), 16, 32); v == have {
			p.at = len(p.text)
		}
		return nil
	}
	m := offset.FindSubmatch(rest)
	if m == nil {
		return nil
	}
	word := string(m[1]) + string(m[3]) // one of them is empty
	begin := p.at + bytes.Index(rest, []byte(word))
	v, err := strconv.ParseUint(string(m[2])+string(m[4]), 16, 32)
	switch {
	case err != nil:
		return p.fail(begin, "offset %s is too large", word)
	case v == 0:
		p.end()
	case v != have:
		return p.fail(begin, "offset 0x%x, but %d (0x%x) octets stand before this line: lines are missing, or it is no offset", v, have, have)
	}
	p.at = begin + len(word)
	return nil
}

// wrong returns the error about a word that is no octets.
func (p *parser) wrong(rest []byte) error {
	word := anything.Find(rest)
	i := slices.IndexFunc(wrong, func(w wrongWord) bool { return w.form.Match(word) })
	return p.fail(p.at, "%s", strings.ReplaceAll(wrong[i].text, "WORD", fmt.Sprintf("%.40q", word)))
}

// maxBeside is how many octets a line with a column of characters has at most.
const maxBeside = 256

// shows reports whether a text is the column of characters beside octets. Spaces at its beginning are skipped already; those at
// its end may be lost.
func shows(text, octets []byte) bool {
	if len(octets) == 0 || len(octets) > maxBeside { // each pair of spaces of a long line asks
		return false
	}
	beside := bytes.TrimLeft(octets, " ")
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case len(beside) == 0:
			return false
		case c == rune(beside[0]) || c == '.' || c == '·' || c >= utf8.RuneSelf && beside[0] >= utf8.RuneSelf:
			beside = beside[1:]
		case c != ' ': // between halves, as old Wireshark has it
			return false
		}
	}
	return len(bytes.Trim(beside, " ")) == 0
}
