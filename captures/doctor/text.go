package doctor

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// AppendText appends the report for people: the verdict in the first line, then each finding with its evidence, its
// cause and what to do.
func (r *Report) AppendText(dst []byte) []byte {
	if r.File != "" {
		dst = fmt.Appendf(dst, "%s: ", clean(r.File))
	}
	dst = fmt.Appendf(dst, "%s\n", clean(r.Verdict()))
	for i := range r.Findings {
		f := &r.Findings[i]
		dst = fmt.Appendf(dst, "\n%d. %s: %s [%s]\n", i+1, f.Severity, clean(f.Text), f.Code)
		for j := range f.Evidence {
			dst = f.Evidence[j].appendText(append(dst, "   "...), r.Start)
		}
		if f.More > 0 {
			dst = fmt.Appendf(dst, "   and %d more\n", f.More)
		}
		dst = fold(dst, "   Why: ", f.Cause)
		dst = fold(dst, "   Do:  ", f.Advice)
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
	words := []string{e.Message, e.Field}
	if e.Value != "" {
		if e.Field != "" {
			words[1] += ":"
		}
		words = append(words, e.Value)
	}
	return append(append(dst, clean(strings.Join(strings.Fields(strings.Join(words, " ")), " "))...), '\n')
}

// fold appends text in lines of at most 100 columns, the later ones as far in as the first one's text.
func fold(dst []byte, label, text string) []byte {
	const width = 100
	line := label
	for i, w := range strings.Fields(clean(text)) {
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

// clean replaces what could upset a terminal: names come from the network.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '.'
		}
		return r
	}, s)
}

// AppendNDJSON appends the report for programs: a line for each finding, an object with "type": "finding", then one
// with "type": "verdict". The fields of a finding are those of Finding and Evidence.
func (r *Report) AppendNDJSON(dst []byte) ([]byte, error) {
	for i := range r.Findings {
		line, err := json.Marshal(struct {
			Type string `json:"type"`
			File string `json:"file,omitempty"`
			Finding
		}{"finding", r.File, r.Findings[i]})
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, line...), '\n')
	}
	line, err := json.Marshal(struct {
		Type     string `json:"type"`
		File     string `json:"file,omitempty"`
		Healthy  bool   `json:"healthy"`
		Text     string `json:"text"`
		Findings int    `json:"findings"`
		Sessions int    `json:"sessions"`
		Joins    int    `json:"joins"`
		Messages int    `json:"messages"`
	}{"verdict", r.File, r.Healthy(), r.Verdict(), len(r.Findings), r.Sessions, r.Joins, r.Messages})
	if err != nil {
		return dst, err
	}
	return append(append(dst, line...), '\n'), nil
}
