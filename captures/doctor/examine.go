package doctor

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// Options steer an examination. The zero value is a good one.
type Options struct {
	// Options are those of the reading. Their Network and Packet are asked as well.
	captures.Options
	// Game names the game that an application GUID belongs to, "" if it is not known; nil: none is.
	Game func(application wire.GUID) string
	// Record and Finding, if not nil, are handed what captures.Read hands out: for who wants the messages as well, and to read
	// the capture once. An error of Record ends the examination and is returned.
	Record  func(*captures.Record) error
	Finding func(*captures.Finding)
}

// Examine reads a capture from in, as captures.Read does, and judges it. The report is there beside an error too,
// for what was read up to there. Memory is bounded by the limits in limits.go and those of package captures.
func Examine(ctx context.Context, in io.Reader, opt Options) (*Report, error) {
	c := newCollector(opt)
	reading := opt.Options
	reading.Network = func(e *captures.Event) {
		c.event(e)
		if opt.Network != nil {
			opt.Network(e)
		}
	}
	reading.Packet = func(p *captures.Packet) {
		c.packet(p)
		c.vantage.see(p)
		c.segmentOf(p)
		if opt.Packet != nil {
			opt.Packet(p)
		}
	}
	record, finding := c.record, c.finding
	if opt.Record != nil {
		record = func(r *captures.Record) error { return cmp.Or(c.record(r), opt.Record(r)) }
	}
	if opt.Finding != nil {
		finding = func(f *captures.Finding) { c.finding(f); opt.Finding(f) }
	}
	sum, err := captures.Read(ctx, in, reading, record, finding)
	c.Summary = sum
	return c.report(opt.Name), err
}

// report judges the case.
func (c *collector) report(name string) *Report {
	r := &Report{File: name, Start: c.Begin, Messages: c.Summary.Messages, Summary: c.Summary}
	maps.DeleteFunc(c.checks, func(_ way, m mark) bool { return c.late(m) })
	for _, p := range c.pings.list {
		c.over(p, c.late(p.Final)) // the last one may be answered behind the end
	}
	r.Joins = len(where(c.Joins, (*join).joined))
	r.Sessions = len(where(c.rooms.list, func(s *room) bool { return s.met }))
	for _, a := range c.Asks.list {
		if a.Hidden == nil {
			a.Hidden = c.hiding(a) // the session was met later
		}
	}
	r.Findings = judge(func(r rule, out *findings) {
		if c.onlyDirectPlay8() && r.code != nothing {
			return
		}
		if r.capture != nil {
			r.capture(&c.facts, out)
		}
		if r.watch != nil {
			c.tells[r.code](out)
		}
	})
	if len(r.Findings) > 0 && r.Findings[0].Severity > Note { // it says why there is no message
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.Code == nothing })
	}
	return r
}
