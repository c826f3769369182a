package show

import (
	"slices"
	"strconv"
	"strings"

	"dplay4/captures"
)

// AppendSummary appends one paragraph that accounts for a file: its frames and messages, what became of the
// octets, and how many findings there are. It ends with a newline and does not name the file.
func AppendSummary(b []byte, s *captures.Summary) []byte {
	p := prose{b: b}
	p.count(int64(s.Frames), "frame")
	p.text(", ")
	p.int(int64(s.FramesWith))
	p.text(" of them with DirectPlay 4; ")
	p.count(int64(s.Messages), "message")
	p.text(".")
	if s.TCP.Octets > 0 || s.TCP.Lost > 0 {
		p.text(" TCP, ")
		p.count(int64(s.Streams), "stream")
		p.text(": ")
		p.account(&s.TCP)
	}
	if s.UDP.Octets > 0 || s.UDP.Lost > 0 {
		p.text(" UDP: ")
		p.account(&s.UDP)
	}
	p.octets(s.Duplicate, " came again.")
	p.octets(s.Stray, " of these streams belong nowhere in them.")
	p.balance(s)
	p.findings(s)
	p.b = append(p.b, '\n')
	return p.b
}

// prose appends words and numbers.
type prose struct{ b []byte }

func (p *prose) text(s string) { p.b = append(p.b, s...) }
func (p *prose) int(n int64)   { p.b = strconv.AppendInt(p.b, n, 10) }

// octets writes a sentence about octets, if there are some.
func (p *prose) octets(n int64, text string) {
	if n > 0 {
		p.text(" ")
		p.count(n, "octet")
		p.text(text)
	}
}

// count writes a number with what is counted.
func (p *prose) count(n int64, what string) {
	p.int(n)
	p.text(" ")
	p.text(what)
	if n != 1 {
		p.text("s")
	}
}

// account says what became of octets: decoded, skipped for which reasons, lost.
func (p *prose) account(a *captures.Account) {
	p.count(a.Octets, "octet")
	switch {
	case a.Decoded == a.Octets && a.Octets > 0:
		p.text(", all decoded")
	default:
		p.text(", ")
		p.int(a.Decoded)
		p.text(" decoded")
		for _, r := range captures.Reasons() {
			if n := a.Skipped[r]; n > 0 {
				p.text(", ")
				p.int(n)
				p.text(" skipped (")
				p.text(r.String())
				p.text(")")
			}
		}
	}
	if a.Lost > 0 {
		p.text("; ")
		p.int(a.Lost)
		p.text(" more are missing from the file")
	}
	p.text(".")
}

// balance reports whether the accounts add up.
func (p *prose) balance(s *captures.Summary) {
	switch {
	case s.TCP.Octets+s.UDP.Octets == 0:
	case s.TCP.Balanced() && s.UDP.Balanced():
		p.text(" Every octet is accounted for.")
	default:
		p.text(" NOT every octet is accounted for: this is an error of this program, please report it.")
	}
}

// findings counts what was found, by code.
func (p *prose) findings(s *captures.Summary) {
	if s.Findings == 0 {
		p.text(" No findings.")
		return
	}
	p.text(" ")
	p.count(int64(s.Findings), "finding")
	p.text(": ")
	var parts []string
	for code, n := range s.ByCode {
		parts = append(parts, string(code)+" "+strconv.Itoa(n))
	}
	slices.Sort(parts) // a map has no order
	p.text(strings.Join(parts, ", "))
	p.text(".")
}
