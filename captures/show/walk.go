package show

import (
	"encoding/binary"

	"dplay4/captures"
	"dplay4/wire"
)

// A Walker visits every field of a record. It decodes the record's octets once more: fields are not kept. It must not be
// copied once it was used.
type Walker struct {
	dec   wire.Decoder
	table tableFields

	valueWalk
}

// Walk reports the fields of a record, header first, with offsets from the first octet of the record's Raw;
// nested messages stand between KindMessage and KindEnd. A message that does not decode is reported up to
// where that shows, and what it stands in has no KindEnd then. The fields of a reliable frame come first, in a
// KindStruct "ReliableFrame". The [MC-DPL8CS] message of an EXTENSION TABLE is a KindStruct "Message", or octets where
// it does not decode.
func (w *Walker) Walk(r *captures.Record, visit wire.Visitor) {
	if r.Frame != nil && !r.Joined {
		walkFrame(r.Raw, r.Envelope.Message == nil || r.Err != nil, visit)
		if r.Envelope.Message == nil {
			return
		}
	}
	base := r.Base
	table := carriesTable(r.Envelope.Message)
	w.dec.Options = r.Options
	w.dec.Visitor = func(f *wire.Field) {
		f.Offset += base
		if !table || f.Name != "Message" || !w.table.walk(f, visit) {
			visit(f)
		}
	}
	switch e := &r.Envelope; { // the record has the errors
	case e.HasSP && (e.SP.Size < wire.SPHeaderSize || e.SP.Size > len(r.Raw)):
		w.wrongSize(r.Raw, e.SP)
	case e.HasSP || e.Message == nil && !r.Joined:
		w.dec.DecodeStream(r.Raw)
	case e.System() || e.Message == nil:
		w.dec.DecodeBare(r.Raw[base:])
	default:
		w.dec.DecodePlayerMessage(r.Raw[base:])
	}
}

// wrongSize visits a datagram whose header has a size that cannot be: the header, and as much of the message as
// there is. The decoder, which refuses it, is shown a header of the right size.
func (w *Walker) wrongSize(raw []byte, sp wire.SPHeader) {
	message := w.dec.Visitor
	w.dec.Visitor = func(f *wire.Field) {
		if f.Name == "size" {
			f.Num = uint32(sp.Size)
		}
		message(f)
	}
	header := append(make([]byte, 0, wire.SPHeaderSize), raw[:wire.SPHeaderSize]...)
	binary.LittleEndian.PutUint32(header, uint32(sp.Token)<<20|wire.SPHeaderSize)
	w.dec.DecodeStream(header)
	w.dec.Visitor = message
	w.dec.DecodeMessage(raw[wire.SPHeaderSize:])
}
