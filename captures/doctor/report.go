package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/captures/jsonline"
)

// A Code names a kind of finding. Codes are stable: programs may test for them.
type Code string

// A Finding is one fault, in words for people who cannot read a packet.
type Finding struct {
	Code     Code       `json:"code"`
	Severity Severity   `json:"severity"`
	Text     string     `json:"text"`               // what happened, to whom: one sentence without a full stop
	Evidence []Evidence `json:"evidence,omitempty"` // in the order of the file, at most maxEvidence
	More     int        `json:"more,omitempty"`     // pieces of evidence beyond those
	Cause    string     `json:"cause"`              // the likely one
	Advice   string     `json:"advice"`             // what to do

	brief   string   // see Brief; "": made of text and advice
	section string   // the cases of the page that have cause, advice and brief, with spaces between them; "": the page's own
	fill    []string // pairs of a word in braces in these texts and what stands for it
}

// Brief returns a finding in half a line for an error message: the culprit and the next step.
func (f *Finding) Brief() string {
	if f.brief != "" {
		return f.brief
	}
	step, _, _ := strings.Cut(f.Advice, ". ")
	return f.Text + ": " + strings.ToLower(step[:min(len(step), 1)]) + strings.TrimSuffix(step[min(len(step), 1):], ".")
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

// A Report is the result of the examination of a capture or of this machine.
type Report struct {
	File     string            // name of the capture; "" for a live examination
	Start    time.Time         // of the first DirectPlay message; zero if there was none
	Findings []Finding         // the most serious first, information last, then in the order in which they began
	Notes    []string          // what is worth knowing though nothing is wrong with it; the verdict has it too
	Tried    []Check           // what a live examination tried, and saw
	NotTried []string          // what it did not try, and may stand in the way all the same
	Joins    int               // machines that were seen to come into a session
	Sessions int               // sessions that were seen
	Messages int               // messages of the capture
	Summary  *captures.Summary // of the capture; nil for a live examination
}

// Healthy reports whether nothing went wrong: there is no finding but information.
func (r *Report) Healthy() bool { return r.wrong() == 0 }

// wrong returns how many findings are more than information. They are the first ones.
func (r *Report) wrong() int {
	return sort.Search(len(r.Findings), func(i int) bool { return r.Findings[i].Severity == Information })
}

// Verdict returns the report in one line: "healthy: 1 session, 1 machine joined, 13 messages in all", or "3 findings, the
// most serious: ...". The notes stand behind that.
func (r *Report) Verdict() string {
	return strings.Join(append([]string{r.judgement()}, r.Notes...), "; ")
}

// judgement returns the verdict without the notes.
func (r *Report) judgement() string {
	switch n := r.wrong(); {
	case n > 0:
		return count(n, "finding") + pick(n == 1, ": ", ", the most serious: ") + r.Findings[0].Text
	case r.Summary == nil:
		return "healthy: nothing was found that stands in the way of a game"
	}
	return "healthy: " + pick(r.Sessions > 0, count(r.Sessions, "session")+", ", "") + pick(r.Joins > 0, count(r.Joins, "machine")+" joined, ", "") +
		count(r.Messages, "message") + " in all"
}

// A Severity says how much a finding matters. A greater one is more serious.
type Severity uint8

// The severities.
const (
	// Information is about something that is not wrong: how a program reads the specification.
	Information Severity = iota + 1
	// Note is about the evidence rather than the session: a capture that lacks messages.
	Note
	// Warning is about something that did not go right, or that will not everywhere, while the game went on.
	Warning
	// Failure is why somebody could not find, join, or go on with a session.
	Failure
)

// severities are the words for them.
var severities = []string{Information: "information", Note: "note", Warning: "warning", Failure: "failure"}

// String returns the severity in one word: "information", "note", "warning" or "failure".
func (s Severity) String() string {
	return cmp.Or(first(severities[min(int(s), len(severities)):]), "Severity("+itoa(s)+")")
}

// MarshalText returns the word that String gives.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads such a word.
func (s *Severity) UnmarshalText(b []byte) error {
	i := slices.Index(severities, string(b))
	if i <= 0 {
		return fmt.Errorf("severity %q: not information, note, warning or failure", b)
	}
	*s = Severity(i)
	return nil
}

// AppendText appends the report for people: the verdict in the first line, then each finding with its evidence, its
// cause and what to do.
func (r *Report) AppendText(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s%s\n", pick(r.File == "", "", captures.Printable(r.File)+": "), captures.Printable(r.Verdict()))
	for i := range r.Findings {
		f := &r.Findings[i]
		dst = fmt.Appendf(dst, "\n%d. %s: %s [%s]\n", i+1, f.Severity, captures.Printable(f.Text), f.Code)
		for j := range f.Evidence {
			dst = f.Evidence[j].appendText(append(dst, "   "...), r.Start)
		}
		dst = append(dst, pick(f.More > 0, "   and "+itoa(f.More)+" more\n", "")...)
		if f.Severity == Information && first(r.Findings[i+1:]).Code == f.Code {
			continue // it stands under the last of them
		}
		dst = fold(dst, "   Why: ", f.Cause)
		dst = fold(dst, "   Do:  ", f.Advice)
	}
	return r.appendTried(dst)
}

// appendTried appends the tests with their results, and the things that were not tested.
func (r *Report) appendTried(dst []byte) []byte {
	dst = foldAll(dst, "\nTried:\n", mapped(r.Tried, func(c Check) string { return c.What + ": " + c.Seen }))
	return foldAll(dst, "Not tried:\n", r.NotTried)
}

// foldAll appends texts below a heading, nothing if there is no text.
func foldAll(dst []byte, heading string, texts []string) []byte {
	dst = append(dst, pick(len(texts) > 0, heading, "")...)
	for _, t := range texts {
		dst = fold(dst, "   ", t)
	}
	return dst
}

// appendText appends a line for a piece of evidence. Times are counted from start, as decode does.
func (e *Evidence) appendText(dst []byte, start time.Time) []byte {
	if e.Frame > 0 {
		dst = fmt.Appendf(dst, "frame %d", e.Frame)
		if !e.Time.IsZero() && !start.IsZero() {
			dst = fmt.Appendf(dst, " at %.6f s", e.Time.Sub(start).Seconds())
		}
		dst = append(dst, ": "...)
	}
	words := []string{e.Message, e.Field + pick(e.Field != "" && e.Value != "", ":", ""), e.Value}
	return append(append(dst, captures.Printable(strings.Join(strings.Fields(strings.Join(words, " ")), " "))...), '\n')
}

// fold appends text in lines of at most 80 columns, the later ones as far in as the first one's text.
func fold(dst []byte, label, text string) []byte {
	const width = 80
	line := label
	for i, w := range strings.Fields(captures.Printable(text)) {
		switch {
		case i == 0:
			line += w
		case len(line)+1+len(w) > width:
			dst = append(append(dst, line...), '\n')
			line = strings.Repeat(" ", len(label)) + w
		default:
			line += " " + w
		}
	}
	return append(append(dst, line...), '\n')
}

// AppendNDJSON appends the report for programs: a line for each finding, an object with "type": "finding", then one
// with "type": "verdict". The fields of a finding are those of Finding and Evidence.
func (r *Report) AppendNDJSON(dst []byte) (_ []byte, err error) {
	for i := range r.Findings {
		dst, err = jsonline.Append(dst, struct {
			Type string `json:"type"`
			File string `json:"file,omitempty"`
			Finding
		}{"finding", r.File, r.Findings[i]})
		if err != nil {
			return dst, err
		}
	}
	return jsonline.Append(dst, struct {
		Type     string `json:"type"`
		File     string `json:"file,omitempty"`
		Healthy  bool   `json:"healthy"`
		Text     string `json:"text"`
		Findings int    `json:"findings"`
		Sessions int    `json:"sessions"`
		Joins    int    `json:"joins"`
		Messages int    `json:"messages"`

		Tried    []Check  `json:"tried,omitempty"`
		NotTried []string `json:"not_tried,omitempty"`
	}{"verdict", r.File, r.Healthy(), r.Verdict(), r.wrong(), r.Sessions, r.Joins, r.Messages, r.Tried, r.NotTried})
}
