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
	return &Report{b: NewBuilder(opt), rows: newReportRows(), rates: newRates(), trips: newTrips(), sessions: newSessionTable(opt.Game)}
}

// Builder returns the builder of the report's picture.
func (p *Report) Builder() *Builder { return p.b }

// Add takes a record. It keeps nothing of it but texts.
func (p *Report) Add(r *captures.Record) {
	it := p.b.add(r)
	p.rows.add(r, &it)
	octets := len(r.Raw)
	if r.Joined {
		octets = 0 // they were counted with the parts
	}
	p.rates.add(it.At, it.From, octets)
	p.trips.add(r, it.At, it.From, it.To[0])
	p.sessions.add(r, it.At)
}

// Write writes the page. The Report can take no more after that. About is text for the foot of the page: what the
// capture was like, and what made the page.
func (p *Report) Write(out io.Writer, about []string) error {
	page := p.page(p.b.Diagram(), about)
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
