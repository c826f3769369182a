package show

import (
	"encoding/binary"

	"dplay4/captures"
	"dplay4/wire"
)

// A Walker visits every field of a record. It decodes the record's octets once more: fields are not kept. It must not be
// copied once it was used.
type Walker struct {
	dec    wire.Decoder
	table  tableFields
	source source       // of the record in work
	visit  wire.Visitor // to whom its fields are shown
	each   wire.Visitor // Walker.see: made once
	values valueWalk    // what Values knows on its way
}

// Walk reports the fields of a record, header first, with offsets from the first octet of the record's Raw;
// nested messages stand between KindMessage and KindEnd. A message that does not decode is reported up to
// where that shows, and what it stands in has no KindEnd then. The fields of a reliable frame come first, in a
// KindStruct "ReliableFrame". A [MC-DPL8CS] message in an EXTENSION TABLE or VIEW is a KindStruct "Message", or octets where
// it does not decode.
func (w *Walker) Walk(r *captures.Record, visit wire.Visitor) {
	w.source.of(r)
	w.walk(visit)
}

// walk walks through the octets of the source.
func (w *Walker) walk(visit wire.Visitor) {
	if w.each == nil {
		w.each = w.see
	}
	s := &w.source
	w.visit = visit
	if s.frame {
		walkFrame(s.raw, s.data, visit)
	}
	w.dec.Options, w.dec.Visitor = s.options, w.each
	switch s.way { // the record has the errors
	case asStream:
		w.dec.DecodeStream(s.raw)
	case wrongSize:
		w.wrongSize()
	case asBare:
		w.dec.DecodeBare(s.raw[s.base:])
	case asGame:
		w.dec.DecodePlayerMessage(s.raw[s.base:])
	}
}

// see passes a field on, with its offset in the record.
func (w *Walker) see(f *wire.Field) {
	f.Offset += w.source.base
	if !w.source.table || f.Name != "Message" || !w.table.walk(f, w.visit) {
		w.visit(f)
	}
}

// wrongSize visits a datagram whose header has a size that cannot be: the header, and as much of the message as
// there is. The decoder, which refuses it, is shown a header of the right size.
func (w *Walker) wrongSize() {
	raw, sp := w.source.raw, w.source.sp
	w.dec.Visitor = func(f *wire.Field) {
		if f.Name == "size" {
			f.Num = uint32(sp.Size)
		}
		w.see(f)
	}
	header := append(make([]byte, 0, wire.SPHeaderSize), raw[:wire.SPHeaderSize]...)
	binary.LittleEndian.PutUint32(header, uint32(sp.Token)<<20|wire.SPHeaderSize)
	w.dec.DecodeStream(header)
	w.dec.Visitor = w.each
	w.dec.DecodeMessage(raw[wire.SPHeaderSize:])
}
