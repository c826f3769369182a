package draw

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
)

// The parts of a page. uPlot is another project's: see the README in its folder.
var (
	//go:embed page/top.html
	pageTopText string
	//go:embed page/end.html
	pageEndText string
	//go:embed page/report.css
	reportCSS string
	//go:embed page/report.js
	reportJS string
	//go:embed page/list.js
	listJS string
	//go:embed page/plots.js
	plotsJS string
	//go:embed uplot/uPlot.iife.min.js
	uplotJS string
	//go:embed uplot/uPlot.min.css
	uplotCSS string
	//go:embed uplot/LICENSE
	uplotLicense string
)

var pageFuncs = template.FuncMap{
	"seconds": seconds, "grouped": grouped, "counted": counted, "clean": captures.Printable, "quoted": quoted,
	"octets": func(n int64) string { return grouped(int(n)) },
	"add":    func(a, b int) int { return a + b },
}

var (
	pageTop = template.Must(template.New("top").Funcs(pageFuncs).Parse(pageTopText))
	pageEnd = template.Must(template.New("end").Funcs(pageFuncs).Parse(pageEndText))
)

// page is what the templates show.
type page struct {
	*Diagram
	CSP        string
	CSS        []template.CSS
	Scripts    []template.JS
	Head, Body template.HTML // the picture
	Data       pageData
	About      []string
	License    template.HTML
	Folded     bool

	MessageFigures, OctetFigures, TripFigures figures // what the plots show
	Rows, Left                                int

	Sessions  []SessionLine
	Chats     []ChatLine
	ChatsLeft int
}

// pageData is what the scripts read.
type pageData struct {
	Title    string        `json:"title"`
	Start    string        `json:"start"` // RFC 3339
	Lanes    []laneData    `json:"lanes"`
	Ends     []int         `json:"ends"` // lane of each endpoint
	Sockets  []string      `json:"sockets"`
	Commands []string      `json:"commands"`
	Classes  []string      `json:"classes"`
	Findings []findingData `json:"findings"`
	Rates    rateData      `json:"rates"`
	Trips    []tripLine    `json:"trips"`
	Every    int           `json:"every"` // round trips that one point stands for, at most
	Rows     int           `json:"rows"`
	Together int           `json:"together"` // messages in a list of fields
	Machines []int         `json:"machines"` // the endpoint that stands for the machine of each
	Others   int           `json:"others"`   // the lane of machines that have none of their own; -1: there is none
}

type laneData struct {
	Who   string `json:"who"`
	Where string `json:"where"`
	Label string `json:"label"`
}

type findingData struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Text     string `json:"text"`
}

// page gathers what the templates show.
func (p *Report) page(d *Diagram, about []string) *page {
	g := &page{Diagram: d, About: about, Rows: p.rows.count, Left: p.rows.left}
	g.CSS = []template.CSS{template.CSS(uplotCSS), template.CSS(reportCSS + svgStyle)}
	for _, js := range []string{uplotJS, listJS, plotsJS, reportJS} {
		g.Scripts = append(g.Scripts, template.JS(js))
	}
	g.License = template.HTML("<!-- uPlot, in this page:\n" + uplotLicense + "-->")
	g.CSP = g.policy()
	g.Head, g.Body = d.inline()
	g.Folded = slices.ContainsFunc(d.Steps, func(s Step) bool { return s.Kind == Fold || s.Kind == Band })
	g.Data = p.data(d)
	g.Sessions, g.Chats, g.ChatsLeft = p.sessions.table(p.b.ends, d), p.sessions.chats, p.sessions.left
	g.MessageFigures = rateFigures("messages a second, by sender", "Messages", d, &g.Data.Rates, g.Data.Rates.Messages)
	g.OctetFigures = rateFigures("octets a second, by sender", "Octets", d, &g.Data.Rates, g.Data.Rates.Octets)
	g.TripFigures = tripFigures(d, g.Data.Trips)
	return g
}

// policy forbids everything but the styles and scripts of the page itself: it cannot ask the network for anything.
func (g *page) policy() string {
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src"
	for _, s := range g.CSS {
		policy += " " + hash(string(s))
	}
	policy += "; script-src"
	for _, s := range g.Scripts {
		policy += " " + hash(string(s))
	}
	return policy
}

// hash returns a source as a content security policy names it.
func hash(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// data gathers what the scripts read.
func (p *Report) data(d *Diagram) pageData {
	g := pageData{
		Title: d.Title, Start: d.Start.UTC().Format(time.RFC3339Nano), Ends: d.lanes, Commands: append([]string{}, p.rows.commands...), Classes: classes[:],
		Lanes: []laneData{}, Sockets: []string{}, Findings: []findingData{},
		Rates: p.rates.data(d.lanes, len(d.Lanes)), Trips: p.trips.lines(d.lanes), Every: p.trips.every,
		Rows: p.rows.count, Together: fieldsTogether, Machines: d.machines, Others: -1,
	}
	for i := range d.Lanes {
		l := &d.Lanes[i]
		if l.Kind == Others {
			g.Others = i
		}
		who := captures.Printable(l.Who())
		g.Lanes = append(g.Lanes, laneData{who, l.Where(), fit(who, 28) + " " + l.Where()})
	}
	for i := range p.b.ends.list {
		g.Sockets = append(g.Sockets, p.b.ends.name(i))
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		g.Findings = append(g.Findings, findingData{f.Severity.String(), string(f.Code), f.Text})
	}
	return g
}

// NoFindings says why there are no findings.
func (p *page) NoFindings() string {
	if p.Looked {
		return "No findings."
	}
	return "Findings were not looked for."
}

// FindingCount returns how many findings there are; "-" where nobody could tell.
func (p *page) FindingCount() string {
	if n := len(p.Findings) + p.Diagram.Left; n > 0 || p.Looked {
		return grouped(n)
	}
	return "-"
}

// Bar returns where a player's time stands in one of width pixels: its left end and its length.
func (p *page) Bar(q *Player, width int) [2]string {
	whole := max(p.Duration, 1)
	x, to := float64(q.From.Since)/float64(whole)*float64(width), float64(q.Until.Since)/float64(whole)*float64(width)
	x = min(max(x, 0), float64(width)-2)
	return [2]string{fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", max(min(to, float64(width))-x, 2))}
}

// Names returns the names of a player one after the other, with the times of changes.
func (p *page) Names(q *Player) string {
	var parts []string
	for i, n := range q.Names {
		text := quoted(n.Name)
		if i > 0 {
			text = "from " + seconds(n.Since) + " s " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// inline returns the picture for a page, whose styles it uses: the heads, which stay in sight, and the rest.
func (d *Diagram) inline() (head, body template.HTML) {
	s := newSVG(d)
	s.page = true
	var lanes []string
	for i := range d.Lanes {
		lanes = append(lanes, d.Lanes[i].caller())
	}
	s.open(svgHead-8, `role="img" aria-label="machines from left to right: `+escape(strings.Join(lanes, "; "))+`"`)
	s.add(`<rect class="bg" width="%d" height="%d"/>`, s.width, svgHead)
	s.heads(0)
	s.add("</svg>")
	top := s.b
	s.b = nil
	s.rows()
	rows, end := s.b, s.y
	s.b = nil
	s.open(end+svgBottom-20, `role="group" aria-label="messages from top to bottom"`)
	s.add(`<rect class="bg" width="%d" height="%d"/>`, s.width, end+svgBottom)
	s.rails(0, end)
	s.b = append(s.b, rows...)
	s.legend(end + 20)
	s.add("</svg>")
	return template.HTML(top), template.HTML(s.b)
}
