package show

import (
	"cmp"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// walkFrame reports the fields of a reliable frame, its data only if they are not reported as a message.
func walkFrame(raw []byte, data bool, visit wire.Visitor) {
	visit(&wire.Field{Name: "ReliableFrame", Index: -1, Kind: wire.KindStruct})
	end := 0
	reliable.Visit(raw, func(f *wire.Field) { // the record has the error
		if f.Name == "Data" && !data {
			return
		}
		visit(f)
		end = f.Offset + f.Size
	})
	visit(&wire.Field{Index: -1, Offset: end, Kind: wire.KindEnd})
}

// frame writes what matters of a reliable frame in a line: nothing of one that is none. Of several that a message came in,
// flags and numbers are those of the last one.
func (d *detail) frame(r *captures.Record) {
	f := r.Frame
	if f.Kind() == reliable.KindNone || r.Err != nil && r.Base == 0 && !r.Joined {
		return
	}
	if r.Envelope.Message == nil {
		d.index("from", r.Session, f.From)
		d.index("to", r.Session, f.To)
	}
	d.text("frame", f.Flags.String()).num("msg", uint32(f.MessageID)).num("seq", uint32(f.Sequence))
	if f.Kind() == reliable.KindData {
		d.num("serial", uint32(f.Serial)).step(r)
		if r.Envelope.Message == nil {
			d.octets("data", f.Data)
		}
		return
	}
	d.num("received", f.BytesReceived).num("tick", f.Tick)
	separator := " lost="
	for _, s := range f.Lost(nil) { // a NACK has one at least, an ACK none
		d.b = appendDecimal(append(d.b, separator...), uint32(s))
		separator = ","
	}
	d.step(r)
}

// step writes what a frame meant for its link.
func (d *detail) step(r *captures.Record) {
	if r.Foreign {
		d.text("source", "foreign")
	}
	s := cmp.Or(r.Step, &links.Step{})
	d.count("again", s.Again).count("missing", s.Missing).count("answers", s.Answers)
	if s.Trip > 0 {
		d.key("trip")
		d.b = AppendSeconds(d.b, s.Trip)
	}
}

// index writes a player index, with the player's name if it is known.
func (d *detail) index(name string, s *captures.Session, index uint16) {
	d.key(name)
	if p := s.ByIndex(index); p != nil {
		d.b = AppendID(d.b, s, p.ID)
		return
	}
	d.b = append(d.b, '#')
	d.b = appendDecimal(d.b, uint32(index))
}
