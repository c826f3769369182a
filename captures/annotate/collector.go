package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/show"
)

// A collector makes comments of what a capture holds.
type collector struct {
	notes    *Notes
	err      error // of the disk
	text     []byte
	general  []string            // findings that belong to no frame
	more     int                 // of them, beyond maxGeneral
	sessions []*captures.Session // in the order in which they were met
	left     bool                // there are more of them, beyond maxSessions
}

// comment adds a comment to a frame.
func (c *collector) comment(frame int, text string) {
	if c.err == nil {
		c.err = c.notes.sort.add(frame, clean(text, maxText))
	}
}

// clean makes a text that is one line of valid UTF-8, of at most limit octets.
func clean(text string, limit int) string {
	text = captures.Printable(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= limit {
		return text
	}
	const left = "…"
	return strings.ToValidUTF8(text[:limit-len(left)], "") + left // without the beginning of a character
}

// beyond says that there are more comments than are written.
func beyond(n int) string { return fmt.Sprintf("and %d more: dplay decode prints them all", n) }

// record takes a message: its line stands at the frame in which it ends, the others say where it goes on.
func (c *collector) record(r *captures.Record) error {
	c.meet(r.Session)
	earlier, last := r.Frames[:len(r.Frames)-1], r.Frames[len(r.Frames)-1]
	name := "message " + strconv.Itoa(r.N) + ": " + r.Command()
	for i, frame := range earlier {
		text := name + " continues in frame " + strconv.Itoa(r.Frames[i+1])
		if r.Frames[i+1] != last {
			text += ", ends in frame " + strconv.Itoa(last)
		}
		c.comment(frame, text)
	}
	c.text = show.Details(append(c.text[:0], name...), r, show.PayloadHex)
	text := string(c.text)
	if len(earlier) > 0 {
		// Before the fields, which may be cut.
		text = name + " [began in " + frames(earlier) + "]" + text[len(name):]
	}
	c.comment(last, text)
	for i := range r.Findings {
		c.comment(r.Findings[i].Frame, found(&r.Findings[i]))
	}
	return c.err
}

// meet remembers a session, unless it is nil.
func (c *collector) meet(s *captures.Session) {
	switch {
	case s == nil, slices.Contains(c.sessions, s):
	case len(c.sessions) == maxSessions:
		c.left = true
	default:
		c.sessions = append(c.sessions, s)
	}
}

// frames lists frames: "frame 3", "frames 3 to 7", "frames 3, 5 and 9".
func frames(list []int) string {
	const most = 8
	first, last := list[0], list[len(list)-1]
	switch {
	case len(list) == 1:
		return "frame " + strconv.Itoa(first)
	case last-first == len(list)-1 && len(list) > 2:
		return fmt.Sprintf("frames %d to %d", first, last)
	case len(list) > most:
		return fmt.Sprintf("%d frames from %d to %d", len(list), first, last)
	}
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = strconv.Itoa(f)
	}
	return "frames " + strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func found(f *captures.Finding) string { return "finding " + string(f.Code) + ": " + f.Text }

// finding takes a finding that belongs to no message.
func (c *collector) finding(f *captures.Finding) {
	switch {
	case f.Frame > 0:
		c.comment(f.Frame, found(f))
	case len(c.general) < maxGeneral:
		c.general = append(c.general, clean(found(f), maxSection))
	default:
		c.more++
	}
}

// doctor marks the frames that the doctor's findings are about.
func (c *collector) doctor() {
	for _, f := range c.notes.Report.Findings {
		for i := range f.Evidence {
			e := &f.Evidence[i]
			c.comment(e.Frame, fmt.Sprintf("doctor, %s %s: %s; here: %s", f.Severity, f.Code, f.Text, here(e)))
		}
	}
}

// here says what there is to see at a piece of evidence.
func here(e *doctor.Evidence) string {
	words := []string{e.Message, e.Field, e.Value}
	if e.Field != "" && e.Value != "" {
		words = []string{e.Message, e.Field + ":", e.Value}
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
