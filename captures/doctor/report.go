package doctor

import (
	"fmt"
	"strings"
	"time"

	"dplay4/captures"
)

// A Code names a kind of finding. Codes are stable: programs may test for them.
type Code string

// A Finding is one thing that went wrong, or is going to, in words for somebody who cannot read a packet.
type Finding struct {
	Code     Code       `json:"code"`
	Severity Severity   `json:"severity"`
	Text     string     `json:"text"`               // what happened, to whom: one sentence without a full stop
	Evidence []Evidence `json:"evidence,omitempty"` // in the order of the file, at most maxEvidence
	More     int        `json:"more,omitempty"`     // pieces of evidence beyond those
	Cause    string     `json:"cause"`              // the likely one
	Advice   string     `json:"advice"`             // what to do
}

// Evidence is one thing that can be looked up: in the frame of a capture, or, with Frame 0, on this machine.
type Evidence struct {
	Frame   int       `json:"frame,omitempty"`   // number of the frame in the file, from 1; 0: none
	N       int       `json:"n,omitempty"`       // number of the message in the file, from 1, as captures.Record has it; 0: it is no message
	Time    time.Time `json:"time,omitzero"`     // of the frame
	Message string    `json:"message,omitempty"` // its command, "SYN", "RST", "ICMP", or what was tried
	Field   string    `json:"field,omitempty"`   // of the message
	Value   string    `json:"value,omitempty"`   // of the field; without a field, what there is to see
}

// A Report is what the doctor says of a capture or of this machine.
type Report struct {
	File     string            // name of the capture; "" for a live examination
	Start    time.Time         // of the first DirectPlay message; zero if there was none
	Findings []Finding         // the most serious first, then in the order in which they began
	Notes    []string          // what is worth knowing though nothing is wrong with it; the verdict has it too
	Joins    int               // machines that were seen to come into a session
	Sessions int               // sessions that were seen
	Messages int               // messages of the capture
	Summary  *captures.Summary // of the capture; nil for a live examination
}

// Healthy says whether there is nothing to report.
func (r *Report) Healthy() bool { return len(r.Findings) == 0 }

// Verdict gives the report in one line: "healthy: 1 session, 1 machine joined, 13 messages in all", or "3 findings, the
// most serious: ...". The notes stand behind that.
func (r *Report) Verdict() string {
	return strings.Join(append([]string{r.judgement()}, r.Notes...), "; ")
}

// judgement gives the verdict without the notes.
func (r *Report) judgement() string {
	switch n := len(r.Findings); {
	case n == 1:
		return "1 finding: " + r.Findings[0].Text
	case n > 1:
		return fmt.Sprintf("%d findings, the most serious: %s", n, r.Findings[0].Text)
	case r.Summary == nil:
		return "healthy: nothing was found that stands in the way of a game"
	case r.Messages == 0:
		return "nothing to judge: the capture holds no DirectPlay 4"
	}
	text := "healthy: "
	if r.Sessions > 0 {
		text += count(r.Sessions, "session") + ", "
	}
	if r.Joins > 0 {
		text += count(r.Joins, "machine") + " joined, "
	}
	return text + count(r.Messages, "message") + " in all"
}

// count gives a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
