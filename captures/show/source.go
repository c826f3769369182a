package show

import (
	"dplay4/captures"
	"dplay4/wire"
)

// A source is what a walk through the fields of a record has to know of it: its octets, and how they are decoded once
// more. raw aliases those of the record; nothing else of it is needed.
type source struct {
	raw     []byte
	base    int // octets of raw before the message
	body    int // octets of raw before its body
	options wire.Options
	sp      wire.SPHeader // of wrongSize
	way     way
	header  bool // an SP header is shown
	frame   bool // raw is a reliable frame
	data    bool // and its data are shown as such
	table   bool // messages of [MC-DPL8CS] are in the message
}

// A way says which method of the decoder reads a message.
type way uint8

const (
	noMessage way = iota
	asStream
	wrongSize // a datagram whose header has a size that cannot be
	asBare
	asGame
)

// of fills in the source of a record.
func (s *source) of(r *captures.Record) {
	e := &r.Envelope
	system := e.System()
	s.raw, s.base, s.body, s.options, s.sp = r.Raw, r.Base, r.Base, r.Options, e.SP
	if system {
		s.body += wire.HeaderSize
	}
	s.header = r.Frame == nil && r.Base > 0
	s.frame = r.Frame != nil && !r.Joined
	s.data = e.Message == nil || r.Err != nil
	s.table = carriesTable(e.Message)
	switch {
	case s.frame && e.Message == nil:
		s.way = noMessage
	case e.HasSP && (e.SP.Size < wire.SPHeaderSize || e.SP.Size > len(r.Raw)):
		s.way = wrongSize
	case e.HasSP || e.Message == nil && !r.Joined:
		s.way = asStream
	case system || e.Message == nil:
		s.way = asBare
	default:
		s.way = asGame
	}
}
