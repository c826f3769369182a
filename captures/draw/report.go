package draw

import (
	"io"

	"dplay4/captures"
)

// A Report is a page in the making: a picture, the sessions and who was there, the chat, plots,
// findings, and the list of messages.
type Report struct {
	b     *Builder
	rows  *reportRows
	rates *rates
	trips *trips

	sessions *sessionTable
}

// NewReport makes a Report.
func NewReport(opt Options) *Report {
	r := &Report{b: NewBuilder(opt), rows: newReportRows(), rates: newRates(), trips: newTrips(), sessions: newSessionTable(opt.Game)}
	return r
}

// Builder returns the builder of the report's picture.
func (p *Report) Builder() *Builder { return p.b }

// Add takes a record. It keeps nothing of it but texts.
func (p *Report) Add(r *captures.Record) {
	p.b.Add(r)
	i, j := p.b.ends.add(r.From), p.b.ends.add(r.To)
	at := p.b.since(r.Time)
	class, _ := classOf(r)
	p.rows.add(r, at.Microseconds(), i, j, p.b.command(labelOf(r)), class, p.b.marks.of(r.N, r.Frames))
	octets := len(r.Raw)
	if r.Joined {
		octets = 0 // they were counted with the parts
	}
	p.rates.add(at, i, octets)
	p.trips.add(r, at, i, j)
	p.sessions.add(r, at)
}

// Write writes the page. The Report can take no more after that. About is text for the foot of the page: what the
// capture was like, and what made the page.
func (p *Report) Write(out io.Writer, about []string) error {
	page, err := p.page(p.b.Diagram(), about)
	if err != nil {
		return err
	}
	if err := pageTop.Execute(out, page); err != nil {
		return err
	}
	if err := p.rows.list.write(out, "rows"); err != nil {
		return err
	}
	if err := p.rows.fields.write(out, "fields"); err != nil {
		return err
	}
	return pageEnd.Execute(out, page)
}
