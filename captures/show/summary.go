package show

import (
	"fmt"
	"slices"
	"strings"

	"dplay4/captures"
)

// AppendSummary appends one paragraph that accounts for a file: its frames and messages, what became of the
// octets, and how many findings there are. It ends with a newline and does not name the file.
func AppendSummary(b []byte, s *captures.Summary) []byte {
	b = fmt.Appendf(b, "%s, %d of them with DirectPlay 4; %s.", counted(s.Frames, "frame"), s.FramesWith, counted(s.Messages, "message"))
	if s.TCP.Octets > 0 || s.TCP.Lost > 0 {
		b = appendAccount(fmt.Appendf(b, " TCP, %s: ", counted(s.Streams, "stream")), &s.TCP)
	}
	if s.UDP.Octets > 0 || s.UDP.Lost > 0 {
		b = appendAccount(append(b, " UDP: "...), &s.UDP)
	}
	if s.Duplicate > 0 {
		b = fmt.Appendf(b, " %s came again.", counted(s.Duplicate, "octet"))
	}
	if s.Stray > 0 {
		b = fmt.Appendf(b, " %s of these streams belong nowhere in them.", counted(s.Stray, "octet"))
	}
	switch {
	case s.TCP.Octets+s.UDP.Octets == 0:
	case s.TCP.Balanced() && s.UDP.Balanced():
		b = append(b, " Every octet is accounted for."...)
	default:
		b = append(b, " NOT every octet is accounted for: this is an error of this program, please report it."...)
	}
	if s.Findings == 0 {
		return append(b, " No findings.\n"...)
	}
	var parts []string
	for code, n := range s.ByCode {
		parts = append(parts, fmt.Sprintf("%s %d", code, n))
	}
	slices.Sort(parts) // a map has no order
	return fmt.Appendf(b, " %s: %s.\n", counted(s.Findings, "finding"), strings.Join(parts, ", "))
}

// counted returns a number with its noun.
func counted[T int | int64](n T, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// appendAccount appends what became of octets: decoded, skipped for which reasons, lost.
func appendAccount(b []byte, a *captures.Account) []byte {
	b = append(b, counted(a.Octets, "octet")...)
	if a.Decoded == a.Octets && a.Octets > 0 {
		b = append(b, ", all decoded"...)
	} else {
		b = fmt.Appendf(b, ", %d decoded", a.Decoded)
		for _, r := range captures.Reasons() {
			if n := a.Skipped[r]; n > 0 {
				b = fmt.Appendf(b, ", %d skipped (%s)", n, r)
			}
		}
	}
	if a.Lost > 0 {
		b = fmt.Appendf(b, "; %d more are missing from the file", a.Lost)
	}
	return append(b, '.')
}
