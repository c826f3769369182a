package show

import (
	"net/netip"
	"time"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/wire"
)

// A draft is what JSON has to know of a record to write it. What depends on more than the record's own octets, such as
// names of players, is settled. It aliases octets, frames and findings of the record, and nothing else of it.
type draft struct {
	n, conversation int
	frames          []int
	time            time.Time
	since, gap      time.Duration
	transport       captures.Transport
	system          bool // it has a dialect
	dialect         wire.Dialect
	via             wire.Command
	step            links.Step // without Lost
	foreign         bool
	src, dst        netip.AddrPort
	command         string
	from, to        string // names of players; "" where there are none
	source          source
	findings        []captures.Finding
}

// of fills in the draft of a record.
func (d *draft) of(r *captures.Record) {
	d.n, d.conversation, d.frames, d.time, d.transport = r.N, r.Conversation, r.Frames, r.Time, r.Transport
	d.since, d.gap = r.Since, r.Gap
	d.system, d.dialect, d.via = r.Envelope.System(), r.Envelope.Version, r.Via
	d.src, d.dst, d.command, d.findings = r.Src, r.Dst, r.Command(), r.Findings
	d.step, d.foreign = links.Step{}, r.Foreign
	if r.Step != nil {
		d.step = *r.Step
		d.step.Lost = nil
	}
	d.from, d.to = "", ""
	if from, to, ok := r.FromTo(); ok {
		d.from, d.to = r.Session.PlayerName(from), r.Session.PlayerName(to)
	}
	d.source.of(r)
}

// Drafts are records that are to be written later, by JSON.AppendDraft, perhaps on another goroutine: all that this takes
// is copied or settled. The zero Drafts is empty and ready.
type Drafts struct {
	list     []draft
	octets   []byte
	frames   []int
	findings []captures.Finding
}

// Add adds a record.
func (d *Drafts) Add(r *captures.Record) {
	d.list = append(d.list, draft{})
	n := &d.list[len(d.list)-1]
	n.of(r)
	// Where an append moves what is there, earlier drafts keep the old memory.
	n.source.raw = kept(&d.octets, n.source.raw)
	n.frames = kept(&d.frames, n.frames)
	n.findings = kept(&d.findings, n.findings)
}

// kept appends a list to those that are kept, and returns the copy.
func kept[E any](all *[]E, list []E) []E {
	at := len(*all)
	*all = append(*all, list...)
	return (*all)[at:len(*all):len(*all)]
}

// Len returns the number of drafts.
func (d *Drafts) Len() int { return len(d.list) }

// Size returns how many octets of memory the copies take, roughly.
func (d *Drafts) Size() int {
	const frame, finding = 8, 128
	return len(d.octets) + frame*len(d.frames) + finding*len(d.findings)
}

// Reset makes d empty. Its memory is used again.
func (d *Drafts) Reset() {
	clear(d.findings) // their texts
	d.list, d.octets, d.frames, d.findings = d.list[:0], d.octets[:0], d.frames[:0], d.findings[:0]
}
