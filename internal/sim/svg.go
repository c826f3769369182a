package sim

import (
	"fmt"
	"html"
	"io"
	"strings"
	"time"
)

// The measures of a picture, in pixels.
const (
	svgWidth  = 1200
	svgLeft   = 70
	svgRight  = 30
	svgTop    = 104
	svgLane   = 38
	svgBar    = 18
	svgBottom = 80
)

// svgStyle has a light and a dark picture. The lanes' bars are told apart by more than their colours: their heights
// and borders differ too.
const svgStyle = `
.bg{fill:#ffffff}.t{fill:#1b1f24;font:13px system-ui,sans-serif}.s{fill:#57606a;font:11px system-ui,sans-serif}
.title{font-size:16px;font-weight:600}.grid{stroke:#d0d7de;stroke-width:1}.member{fill:#9ec5f0}
.host{fill:#e8590c;stroke:#9c3a05;stroke-width:1}.up{fill:#dfe3e8}.asleep{fill:#b7a6e0}.frozen{fill:#7fd1c7}
.cut{fill:#d6336c;fill-opacity:.45}.oneway{fill:#e0a800;fill-opacity:.6}.mark{stroke:#1b1f24;stroke-width:1.5;fill:none}
.election{fill:#1864ab}.x{stroke:#c92a2a;stroke-width:2;fill:none}.quiet{stroke:#2b8a3e;stroke-width:1.5;stroke-dasharray:5 4;fill:none}
.violation{fill:#c92a2a}.several{fill:#c92a2a}
@media (prefers-color-scheme:dark){
.bg{fill:#0d1117}.t{fill:#e6edf3}.s{fill:#9198a1}.grid{stroke:#30363d}.member{fill:#2f5d92}.host{fill:#ff922b;stroke:#ffd8a8}
.up{fill:#3d444d}.asleep{fill:#6f5bb0}.frozen{fill:#2a837a}.cut{fill:#f06595;fill-opacity:.45}.oneway{fill:#ffd43b;fill-opacity:.4}
.mark{stroke:#e6edf3}.election{fill:#74c0fc}.x{stroke:#ff6b6b}.quiet{stroke:#69db7c}.violation{fill:#ff6b6b}.several{fill:#ff6b6b}}
`

// A picture is an SVG in the making.
type picture struct {
	b strings.Builder
	r *Result
}

// WriteSVG draws a run: one lane a machine, who is host over time, what was cut off, crashes, pauses and elections.
// The picture needs nothing else, and follows the reader's light or dark scheme.
func (r *Result) WriteSVG(out io.Writer) error {
	p := &picture{r: r}
	height := svgTop + len(r.Names)*svgLane + svgBottom
	fmt.Fprintf(&p.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		svgWidth, height, svgWidth, height)
	o := &r.Options
	fmt.Fprintf(&p.b,
		"<title>Seed %d: who is host over time</title>\n<style>%s</style>\n<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n",
		o.Seed, svgStyle, svgWidth, height)
	fmt.Fprintf(&p.b, `<text class="t title" x="%d" y="26">Seed %d, rule %s</text>`+"\n", svgLeft, o.Seed, o.Rule)
	fmt.Fprintf(&p.b, `<text class="s" x="%d" y="46">%d machines, %d legacy; faults: %s; loss %.3g%%</text>`+"\n",
		svgLeft, o.Members, o.Legacy, html.EscapeString(o.Faults.String()), p.loss())
	st := &r.Stats
	fmt.Fprintf(&p.b,
		`<text class="s" x="%d" y="62">hosts gone %d; session with several hosts %d time(s), %s long, %d in the end; violations `+
			`%d</text>`+"\n",
		svgLeft, st.HostsLost, st.Splits, clockText(st.SplitTime), st.SplitAtEnd, len(r.Violations))
	p.grid()
	p.splits()
	for _, s := range r.Spans {
		p.span(&s)
	}
	for _, c := range r.Cuts {
		p.cut(&c)
	}
	for i := range r.Timeline {
		p.moment(&r.Timeline[i])
	}
	p.legend(height - 42)
	p.b.WriteString("</svg>\n")
	_, err := io.WriteString(out, p.b.String())
	return err
}

func (p *picture) loss() float64 {
	if p.r.Options.Faults&Lose == 0 {
		return 0
	}
	return 100 * p.r.Options.Loss
}

// x returns where a time is.
func (p *picture) x(t time.Duration) float64 {
	return svgLeft + float64(t)/float64(max(p.r.End, 1))*(svgWidth-svgLeft-svgRight)
}

func laneTop(lane int) int { return svgTop + lane*svgLane }

// grid draws the lanes' names and the minutes.
func (p *picture) grid() {
	bottom := laneTop(len(p.r.Names))
	steps := []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		10 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}
	step := steps[len(steps)-1]
	for _, s := range steps {
		if p.r.End/s <= 20 {
			step = s
			break
		}
	}
	for t := time.Duration(0); t <= p.r.End; t += step {
		x := p.x(t)
		fmt.Fprintf(&p.b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x, svgTop-9, x, bottom)
		fmt.Fprintf(&p.b, `<text class="s" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, svgTop-14, clockText(t))
	}
	for i, n := range p.r.Names {
		label := n
		if i >= len(p.r.Names)-p.r.Options.Legacy {
			label += " (old)"
		}
		fmt.Fprintf(&p.b, `<text class="t" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", svgLeft-10, laneTop(i)+svgLane/2+5, label)
	}
}

// clockText writes a time as minutes and seconds, or hours and minutes.
func clockText(t time.Duration) string {
	s := int(t / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d h", s/3600, s/60%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// splits draws a bar over the lanes while a session has several hosts.
func (p *picture) splits() {
	var open []time.Duration
	bar := func(from, to time.Duration) {
		fmt.Fprintf(&p.b,
			`<rect class="several" x="%.1f" y="%d" width="%.1f" height="5"><title>several hosts, %.1fs to %.1fs</title></rect>`+"\n",
			p.x(from), svgTop-7, max(p.x(to)-p.x(from), 2), from.Seconds(), to.Seconds())
	}
	for i := range p.r.Timeline {
		switch m := &p.r.Timeline[i]; {
		case m.Lane >= 0:
		case m.Kind == "split":
			open = append(open, m.At)
		case m.Kind == "healed" && len(open) > 0:
			bar(open[0], m.At)
			open = open[1:]
		}
	}
	for _, from := range open {
		bar(from, p.r.End)
	}
}

// cut shades the lanes of those whose packets do not come through.
func (p *picture) cut(c *Cut) {
	class, what := "cut", "cut off"
	if !c.Both {
		class, what = "oneway", "do not reach the others"
	}
	if c.Only != "" {
		class, what = "oneway", "do not reach the others by "+c.Only
	}
	for _, lane := range c.Senders {
		fmt.Fprintf(&p.b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"><title>%s %s, %.1fs to %.1fs</title></rect>`+"\n",
			class, p.x(c.From), laneTop(lane), max(p.x(c.To)-p.x(c.From), 3), svgLane, p.r.Name(lane), what,
			c.From.Seconds(), c.To.Seconds())
	}
}

// span draws what a machine was for a while.
func (p *picture) span(s *Span) {
	if s.State == "down" || s.State == "off" {
		return
	}
	h := svgBar
	switch s.State {
	case "host":
		h += 8
	case "up":
		h -= 12
	}
	fmt.Fprintf(&p.b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"><title>%s: %s, %.1fs to %.1fs</title></rect>`+"\n",
		s.State, p.x(s.From), laneTop(s.Lane)+(svgLane-h)/2, max(p.x(s.To)-p.x(s.From), .6), h, p.r.Name(s.Lane), s.State,
		s.From.Seconds(), s.To.Seconds())
}

// moment marks what happens at one time.
func (p *picture) moment(m *Moment) {
	x, mid := p.x(m.At), laneTop(max(m.Lane, 0))+svgLane/2
	tip := fmt.Sprintf("<title>%.3fs %s: %s</title>", m.At.Seconds(), p.r.Name(m.Lane), html.EscapeString(m.Text))
	bottom := laneTop(len(p.r.Names))
	switch m.Kind {
	case "crash", "power":
		fmt.Fprintf(&p.b, `<path class="x" d="M%.1f %dl10 10m0 -10l-10 10">%s</path>`+"\n", x-5, mid-5, tip)
	case "election":
		fmt.Fprintf(&p.b, `<path class="election" d="M%.1f %dl5 -9h-10z">%s</path>`+"\n", x, mid-svgBar/2+1, tip)
	case "lost":
		fmt.Fprintf(&p.b, `<circle class="mark" cx="%.1f" cy="%d" r="5">%s</circle>`+"\n", x, mid, tip)
	case "violation":
		fmt.Fprintf(&p.b, `<circle class="violation" cx="%.1f" cy="%d" r="6">%s</circle>`+"\n", x, mid, tip)
	case "quiet":
		fmt.Fprintf(&p.b, `<line class="quiet" x1="%.1f" y1="%d" x2="%.1f" y2="%d">%s</line>`+"\n", x, svgTop-4, x, bottom, tip)
	}
}

// legend says what is what, in two rows.
func (p *picture) legend(y int) {
	x := svgLeft
	item := func(text, mark string) { // the mark is drawn around the middle of 18 by 18 pixels
		fmt.Fprintf(&p.b, `<g transform="translate(%d %d)">%s<text class="s" x="24" y="4">%s</text></g>`+"\n", x, y, mark, text)
		x += 46 + 13*len(text)/2
	}
	for _, s := range [][2]string{
		{"host", "host"}, {"member", "member"}, {"in no session", "up"}, {"asleep", "asleep"}, {"stands still", "frozen"},
		{"cut off", "cut"}, {"does not reach others", "oneway"},
	} {
		item(s[0], fmt.Sprintf(`<rect class="%s" y="-6" width="18" height="12"/>`, s[1]))
	}
	x, y = svgLeft, y+22
	item("a session has several hosts", `<rect class="several" y="-2" width="18" height="5"/>`)
	item("crash, power failure", `<path class="x" d="M4 -5l10 10m0 -10l-10 10"/>`)
	item("election", `<path class="election" d="M9 4l5 -9h-10z"/>`)
	item("session lost", `<circle class="mark" cx="9" cy="0" r="5"/>`)
	item("faults end", `<path class="quiet" d="M9 -7v14"/>`)
	if len(p.r.Violations) > 0 {
		item("violation", `<circle class="violation" cx="9" cy="0" r="6"/>`)
	}
}
