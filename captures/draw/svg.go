package draw

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/captures/doctor"
)

// svg is a picture in SVG in the making.
type svg struct {
	d     *Diagram
	b     []byte
	lane  int // pixels between lanes
	width int
	y     int
	told  map[int]bool // findings written in full
	page  bool         // rows lead to messages
}

func newSVG(d *Diagram) *svg {
	s := &svg{d: d, told: map[int]bool{}}
	switch n := len(d.Lanes); {
	case n <= 4:
		s.lane = 200
	case n <= 8:
		s.lane = 176
	default:
		s.lane = 164
	}
	s.width = s.fields() + svgDetails
	return s
}

// fields returns where the fields of messages begin.
func (s *svg) fields() int { return svgTime + len(s.d.Lanes)*s.lane + 8 }

// x returns the middle of a lane.
func (s *svg) x(lane int) int { return svgTime + lane*s.lane + s.lane/2 }

func (s *svg) add(format string, args ...any) { s.b = fmt.Appendf(s.b, format, args...) }

// escape makes a text part of the picture.
func escape(text string) string { return html.EscapeString(captures.Printable(text)) }

// AppendSVG appends the picture as SVG. It needs nothing else, and follows the reader's light or dark scheme.
func (d *Diagram) AppendSVG(b []byte) []byte {
	s := newSVG(d)
	s.y = svgTop + svgHead
	s.rows()
	rows, end := s.b, s.y
	s.b = b
	rest := s.rest()
	height := end + svgBottom + len(rest)*svgLine
	s.open(height, `role="img" aria-label="sequence diagram"`)
	s.add("<title>%s</title>\n<style>%s</style>\n<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n", escape(d.Title), svgStyle, s.width, height)
	s.add(`<text class="title" x="16" y="25">%s</text><text class="sub" x="16" y="44">%s</text>`+"\n",
		escape(fit(d.Title, (s.width-32)/9)), escape(d.Caption()))
	s.rails(svgTop+svgHead, end)
	s.heads(svgTop)
	s.b = append(s.b, rows...)
	s.legend(end + 36)
	for i, line := range rest {
		s.add(`<text class="sub" x="16" y="%d">%s</text>`+"\n", end+svgBottom+12+i*svgLine, escape(line))
	}
	s.add("</svg>\n")
	return s.b
}

// open begins a picture. role is what it is to who does not see it.
func (s *svg) open(height int, role string) {
	s.add(`<svg xmlns="http://www.w3.org/2000/svg" class="dp" viewBox="0 0 %d %d" width="%d" height="%d" %s>`+"\n",
		s.width, height, s.width, height, role)
}

// heads draws who the lanes are.
func (s *svg) heads(top int) {
	for i := range s.d.Lanes {
		l := &s.d.Lanes[i]
		class, where := "head", l.Where()
		if l.Host {
			class, where = "head host", where+" host"
		}
		room := s.lane - 12
		at := l.Where()
		if l.Kind == Others {
			at = l.rest()
		}
		s.add(`<g><title>%s %s; sent %s, %s</title><rect class="%s" x="%d" y="%d" width="%d" height="44" rx="5"/>`,
			escape(l.Who()), escape(at), counted(l.Messages, "message"), counted(int(l.Octets), "octet"), class, s.x(i)-room/2, top+6, room)
		s.add(`<text class="who" x="%d" y="%d" text-anchor="middle">%s</text><text class="sub" x="%d" y="%d" text-anchor="middle">%s</text></g>`+"\n",
			s.x(i), top+25, escape(fit(l.Who(), room/8)), s.x(i), top+42, escape(fit(where, room*2/13)))
	}
}

// rails draws the lanes.
func (s *svg) rails(from, to int) {
	for i := range s.d.Lanes {
		s.add(`<line class="rail" x1="%d" y1="%d" x2="%d" y2="%d"/>`, s.x(i), from-12, s.x(i), to)
	}
	s.add("\n")
}

// rest returns the machines that have no lane of their own, in lines.
func (s *svg) rest() []string {
	if l := s.d.Rest(); l != nil {
		return wrap("others: "+captures.Printable(l.rest()), letters(s.width-32, 6.7))
	}
	return nil
}

// rows draws the steps, and the findings that show at none.
func (s *svg) rows() {
	for i := range s.d.Steps {
		s.step(&s.d.Steps[i])
	}
	for i := range s.d.Findings {
		s.finding(i)
	}
	if s.d.Left > 0 {
		s.add(`<text class="sub" x="16" y="%d">%s more</text>`+"\n", s.y+14, counted(s.d.Left, "finding"))
		s.y += svgLine
	}
}

func (s *svg) step(st *Step) {
	switch st.Kind {
	case Silence:
		s.silence(st)
	case Note:
		s.add(`<text class="time" x="%d" y="%d" text-anchor="end">%s</text><text class="det" x="%d" y="%d">%s</text>`+"\n",
			svgTime-10, s.y+17, seconds(st.At), s.fields(), s.y+17, escape(fit(st.Text, s.room())))
		s.y += svgQuiet
	default:
		s.message(st)
	}
	for _, i := range st.Findings {
		s.finding(i)
	}
}

// letters says how many letters of a font have place.
func letters(pixels int, letter float64) int { return int(float64(pixels) / letter) }

// room is how many letters of fields have place.
func (s *svg) room() int { return letters(svgDetails-16, svgField) }

// silence draws that nothing is said.
func (s *svg) silence(st *Step) {
	for i := range s.d.Lanes {
		for _, class := range []string{"quiet", "dots"} {
			s.add(`<path class="%s" d="M%d %dv%d"/>`, class, s.x(i), s.y+2, svgQuiet-4)
		}
	}
	s.add(`<text class="sub" x="%d" y="%d">%s</text>`+"\n", s.fields(), s.y+17, st.Details())
	s.y += svgQuiet
}

// message draws a message, a fold or a band: time, arrow, command and fields.
func (s *svg) message(st *Step) {
	class := st.Class.String()
	if st.Kind == Fold {
		class += " fold"
	}
	if st.UDP {
		class += " udp"
	}
	full := strings.TrimSpace(st.Command + " " + st.Details())
	link := ""
	if s.page {
		link = ` role="link" tabindex="-1"` // report.js moves among them
	}
	s.add(`<g class="%s go" data-n="%d"%s><title>%s</title>`, class, st.N, link, escape(s.tip(st, full)))
	if worst := s.worst(st.Findings); worst > 0 {
		s.add(`<rect class="%s" x="0" y="%d" width="%d" height="%d"/>`, worst, s.y, s.width, svgRow)
	}
	s.add(`<rect class="hit" x="0" y="%d" width="%d" height="%d"/><text class="time" x="%d" y="%d" text-anchor="end">%s</text>`,
		s.y, s.width, svgRow, svgTime-10, s.y+26, seconds(st.At))
	details := st.Details()
	if st.Kind == Band {
		s.add(`<rect class="band" x="%d" y="%d" width="%d" height="14" rx="7"/>`, s.x(0)-14, s.y+15, s.x(len(s.d.Lanes)-1)-s.x(0)+28)
	} else if !s.arrow(st) {
		details = full
	}
	for _, i := range st.Findings {
		details = fmt.Sprintf("▲%d ", i+1) + details
	}
	s.add(`<text class="det" x="%d" y="%d">%s</text></g>`+"\n", s.fields(), s.y+26, escape(fit(details, s.room())))
	s.y += svgRow
}

// tip returns what is shown when a reader points at a step.
func (s *svg) tip(st *Step, full string) string {
	n := fmt.Sprintf("message %d", st.N)
	if st.LastN > st.N {
		n = fmt.Sprintf("messages %d to %d", st.N, st.LastN)
	}
	tip := fmt.Sprintf("%s s, %s", seconds(st.At), n)
	if st.Kind != Band {
		var names []string
		for _, to := range st.To {
			names = append(names, s.d.Lanes[to].Who())
		}
		tip += " from " + s.d.Lanes[st.From].Who() + " to " + strings.Join(names, ", ")
	}
	tip += ": " + full
	for _, i := range st.Findings {
		tip += "; " + s.d.Findings[i].Text
	}
	return tip
}

// worst returns the greatest severity of some findings, 0 if there are none.
func (s *svg) worst(findings []int) (worst doctor.Severity) {
	for _, i := range findings {
		worst = max(worst, s.d.Findings[i].Severity)
	}
	return worst
}

// arrow draws a message between its lanes, and says whether its command had place on it.
func (s *svg) arrow(st *Step) bool {
	y, from := s.y+22, s.x(st.From)
	low, high := s.x(min(st.From, slices.Min(st.To))), s.x(max(st.From, slices.Max(st.To)))
	label := st.Label()
	if low == high { // to itself, as machines behind one address seem to
		s.add(`<path class="a" d="M%d %dh34v8h-28"/><path class="h" d="M%d %dl9 -4.5v9z"/>`, from, y-4, from+2, y+4)
		s.add(`<text class="cmd" x="%d" y="%d">%s</text>`, from+42, y+4, escape(fit(label, letters(s.lane/2, svgLetter))))
		return false
	}
	ends := st.To
	if st.stopped() { // it does not arrive
		ends = nil
		if from == low {
			high = low + (high-low)*2/3
		} else {
			low = high - (high-low)*2/3
		}
	}
	s.add(`<path class="a" d="M%d %dH%d"/><circle class="h" cx="%d" cy="%d" r="3"/>`, low, y, high, from, y)
	if ends == nil {
		s.add(`<path class="a cross" d="M%d %dl10 10m0 -10l-10 10"/>`, low+high-from-5, y-5)
	}
	for _, to := range ends {
		if x := s.x(to); x > from {
			s.add(`<path class="h" d="M%d %dl-10 -5v10z"/>`, x, y)
		} else if x < from {
			s.add(`<path class="h" d="M%d %dl10 -5v10z"/>`, x, y)
		}
	}
	fits := letters(high-low-16, svgLetter)
	s.add(`<text class="cmd" x="%d" y="%d" text-anchor="middle">%s</text>`, (low+high)/2, y-7, escape(fit(label, fits)))
	return columns(label) <= fits
}

// finding writes a finding over the width of the picture, unless it is there already.
func (s *svg) finding(i int) {
	if s.told[i] {
		return
	}
	f := &s.d.Findings[i]
	s.told[i] = true
	text := fmt.Sprintf("▲%d %s, %s: %s", i+1, f.Severity, f.Code, f.Text)
	lines := wrap(text, (s.width-svgTime-24)/7)
	s.add(`<g data-finding="%d"><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, i, f.Severity, svgTime, s.y+2, s.width-svgTime-8, len(lines)*svgLine+6)
	for n, line := range lines {
		s.add(`<text x="%d" y="%d">%s</text>`, svgTime+10, s.y+17+n*svgLine, escape(line))
	}
	s.add("</g>\n")
	s.y += len(lines)*svgLine + 10
}

// wrap breaks a text into lines of at most n columns, between words where it can.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && columns(line)+1+columns(word) > n {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line = fit(line+word, n)
	}
	return append(lines, line)
}

// An entry of the legend.
type legendEntry struct{ class, text string }

// legend says what is what; in a line of its own what only frames of the reliable protocol have.
func (s *svg) legend(y int) {
	s.legendLine(y, []legendEntry{
		{"system", "system"}, {"game", "game, voice"}, {"ping", "ping"}, {"failed", "does not decode"}, {"system udp", "UDP"},
		{"game fold", "several messages, folded"},
	})
	if slices.ContainsFunc(s.d.Steps, func(st Step) bool { return st.Class >= Answer || st.Lost > 0 }) {
		s.legendLine(y+18, []legendEntry{
			{"answer udp", "ACK"}, {"again udp", "sent again, or after a gap"}, {"missed udp", "NACK"}, {"lost", "no answer"},
		})
	}
}

func (s *svg) legendLine(y int, list []legendEntry) {
	x := 16
	for _, item := range list {
		if item.class == "lost" {
			s.add(`<path class="a cross" d="M%d %dl10 10m0 -10l-10 10"/>`, x+10, y-5)
		} else {
			s.add(`<g class="%s"><path class="a" d="M%d %dh28"/><path class="h" d="M%d %dl-9 -4.5v9z"/></g>`, item.class, x, y, x+30, y)
		}
		s.add(`<text class="sub" x="%d" y="%d">%s</text>`, x+38, y+4, item.text)
		x += 62 + 7*len(item.text)
	}
	s.add("\n")
}
