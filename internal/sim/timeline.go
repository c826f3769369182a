package sim

import (
	"fmt"
	"io"
	"time"
)

// A Moment is something that happened.
type Moment struct {
	At   time.Duration
	Lane int    // -1 for the whole world
	Kind string // a stable name
	Text string
}

// A Span is what a machine was for a while: "host", "member", "up" for a program in no session, "down" for no
// program, "off", "asleep", "frozen".
type Span struct {
	Lane     int
	State    string
	From, To time.Duration
}

// A Cut is a time in which nothing goes from some machines to others.
type Cut struct {
	From, To time.Duration
	Senders  []int  // whose packets do not come through
	Others   []int  // to these
	Both     bool   // nor theirs back
	Only     string // "TCP" or "UDP": of that protocol alone; "": of both
}

// maxTimeline bounds the timeline: with Options.Trace it holds every message.
const maxTimeline = 200_000

// moment notes what happened; l is nil for the whole world.
func (w *World) moment(l *lane, kind, format string, args ...any) {
	if len(w.res.Timeline) >= maxTimeline && kind != "violation" {
		return
	}
	m := Moment{At: w.now, Lane: -1, Kind: kind, Text: fmt.Sprintf(format, args...)}
	if l != nil {
		m.Lane = l.i
	}
	w.res.Timeline = append(w.res.Timeline, m)
}

// span begins what a machine is from now on; "" ends the last one.
func (l *lane) span(state string) {
	w := l.w
	if l.state == state {
		return
	}
	if l.state != "" {
		for i := len(w.res.Spans) - 1; i >= 0; i-- {
			if s := &w.res.Spans[i]; s.Lane == l.i {
				s.To = w.now
				break
			}
		}
	}
	if l.state = state; state != "" {
		w.res.Spans = append(w.res.Spans, Span{Lane: l.i, State: state, From: w.now, To: w.now})
	}
}

// Name returns the name of a lane.
func (r *Result) Name(lane int) string {
	if lane < 0 || lane >= len(r.Names) {
		return "*"
	}
	return r.Names[lane]
}

// WriteText writes the timeline for people: one line a moment. Moments that repeat are folded.
func (r *Result) WriteText(out io.Writer) error {
	for i := 0; i < len(r.Timeline); {
		m, n := r.Timeline[i], 1
		for i+n < len(r.Timeline) && r.Timeline[i+n].same(&m) {
			n++
		}
		times := ""
		if n > 1 {
			times = fmt.Sprintf(" (%d times, until %.3fs)", n, r.Timeline[i+n-1].At.Seconds())
		}
		if _, err := fmt.Fprintf(out, "%11.3fs  %-3s %-10s %s%s\n", m.At.Seconds(), r.Name(m.Lane), m.Kind, m.Text, times); err != nil {
			return err
		}
		i += n
	}
	return nil
}

func (m *Moment) same(o *Moment) bool {
	return m.Lane == o.Lane && m.Kind == o.Kind && m.Text == o.Text
}
