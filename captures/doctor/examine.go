package doctor

import (
	"cmp"
	"context"
	"io"
	"maps"

	"dplay4/captures"
	"dplay4/wire"
)

// Options steer an examination. The zero value is a good one.
type Options struct {
	// Options are those of the reading. Their Network and Packet are asked as well.
	captures.Options
	// Game names the game that an application GUID belongs to, "" if it is not known; nil: none is.
	Game func(application wire.GUID) string
	// Record and Finding, if not nil, are called as captures.Read calls its own, so that a caller who needs the messages reads
	// the capture once. An error of Record ends the examination and is returned.
	Record  func(*captures.Record) error
	Finding func(*captures.Finding)
}

// Examine reads a capture from in, as captures.Read does, and judges it. Beside an error, the report is about the part that was read
// before. Memory is bounded by the limits in limits.go and those of package captures.
func Examine(ctx context.Context, in io.Reader, opt Options) (*Report, error) {
	c := newCollector(opt)
	reading := opt.Options
	reading.Network = both(c.event, opt.Network)
	reading.Packet = both(func(p *captures.Packet) {
		c.packet(p)
		if p.Src.IsValid() {
			c.vantage.see(p)
			c.segmentOf(p)
		}
	}, opt.Packet)
	record := c.record
	if opt.Record != nil {
		record = func(r *captures.Record) error { return cmp.Or(c.record(r), opt.Record(r)) }
	}
	sum, err := captures.Read(ctx, in, reading, record, both(c.finding, opt.Finding))
	c.Summary = sum
	return c.report(opt.Name), err
}

// both returns a function that calls two ones. The second one may be nil.
func both[V any](first, second func(V)) func(V) {
	if second == nil {
		return first
	}
	return func(v V) {
		first(v)
		second(v)
	}
}

// report judges the case.
func (c *collector) report(name string) *Report {
	maps.DeleteFunc(c.checks, func(_ way, m mark) bool { return c.late(m) })
	for _, p := range c.pings.list {
		c.over(p, c.late(p.Final)) // the last one may be answered behind the end
	}
	for _, a := range c.Asks.list {
		a.Hidden = cmp.Or(a.Hidden, c.hiding(a)) // the session was met later
	}
	c.settle()
	r := &Report{File: name, Start: c.Begin, Messages: c.Summary.Messages, Summary: c.Summary, Joins: len(where(c.Joins, (*join).joined)),
		Sessions: len(where(c.rooms.list, func(s *room) bool { return s.met })),
		Findings: judge(&c.facts, func(r rule) func(*facts) []*Finding { return r.capture })}
	if c.onlyDirectPlay8() {
		r.Findings = where(r.Findings, func(f Finding) bool { return f.Code == nothing })
	}
	if first(r.Findings).Severity > Note { // it says why there is no message
		r.Findings = where(r.Findings, func(f Finding) bool { return f.Code != nothing })
	}
	return r
}
