package captures

import (
	"cmp"
	"errors"
	"fmt"

	"dplay4/wire"
)

// options returns what decoding has to know about a session.
func (r *run) options(s *Session) wire.Options {
	return wire.Options{NoMessageID: !r.opt.MessageIDs.or(!s.has(wire.SessionNoMessageID))}
}

// decode decodes a record's octets, a message with an SP header, and learns from it.
func (r *run) decode(rec *Record, p peerPair, s *Session) {
	rec.Options = r.options(s)
	r.dec.Options = rec.Options
	rec.Envelope, rec.Err = r.dec.DecodeStream(rec.Raw)
	if sp, wrong := wrongSize(rec); wrong {
		h, m, _ := r.dec.DecodeMessage(rec.Raw[wire.SPHeaderSize:]) // what there is of it
		rec.Envelope = wire.Envelope{HasSP: true, SP: sp, Version: h.Version}
		if m != nil {
			rec.Envelope.Message = m
		}
	}
	rec.Session = r.learned(rec, p, s)
	if sp := rec.Envelope.SP; rec.Envelope.HasSP && !sp.Token.Known() {
		r.note(rec, Finding{Code: UnknownToken, Field: "token", Offset: 0,
			Text: "token " + sp.Token.String() + " is not one of the specification's"})
	}
}

// wrongSize returns the SP header of a datagram whose header has a size that cannot be: below its own, or above
// the datagram's. Such a message is decoded as far as it goes, up to the end of the datagram.
func wrongSize(r *Record) (sp wire.SPHeader, wrong bool) {
	if r.Err == nil || len(r.Raw) < wire.SPHeaderSize || !wire.HasSignature(r.Raw[wire.SPHeaderSize:]) {
		return wire.SPHeader{}, false
	}
	sp, err := wire.ParseSPHeader(r.Raw)
	return sp, err != nil || sp.Size > len(r.Raw)
}

// learned learns from a decoded record and gives its session.
func (r *run) learned(rec *Record, p peerPair, s *Session) *Session {
	if rec.Err != nil || rec.Envelope.Message == nil {
		return s
	}
	if !rec.Envelope.System() {
		return r.learn.member(p, nil)
	}
	return r.learn.message(p, rec.Envelope.Message)
}

// settle notes what is odd about a record and accounts for its octets.
func (r *run) settle(rec *Record, a *Account) {
	n := int64(len(rec.Raw))
	switch {
	case rec.Err != nil:
		a.Skipped[SkipMalformed] += n
		r.note(rec, malformed(rec.Err, rec.Base))
		return
	case len(rec.Envelope.Trailing) > 0:
		t := int64(len(rec.Envelope.Trailing))
		a.Skipped[SkipTrailing] += t
		r.note(rec, Finding{Code: TrailingOctets, Offset: n - t, Text: fmt.Sprintf("%d octets after the size in the header", t)})
		n -= t
	}
	a.Decoded += n
	r.oddities(rec)
}

// oddities notes what a message that decodes has and should not have.
func (r *run) oddities(rec *Record) {
	if !rec.Envelope.System() {
		return
	}
	switch m := rec.Envelope.Message.(type) {
	case *wire.Unknown:
		r.note(rec, Finding{Code: UnknownCommand, Field: "Command", Offset: int64(rec.Base + 4),
			Text: fmt.Sprintf("command 0x%04x is not assigned by the specification", uint16(m.Cmd))})
	case *wire.Extension:
		r.extensionOddities(rec, m)
	}
	for _, s := range r.dec.Stray() {
		r.note(rec, strayFinding(rec.Base+s.Offset, len(s.Octets)))
	}
}

// malformed tells where a message of a record does not decode. The offsets of err count from the message's first octet, which is at
// an octet of the record, those of the SP header from the record's first.
func malformed(err error, at int) Finding {
	f := Finding{Code: MessageMalformed, Offset: -1, Text: err.Error()}
	if de, ok := errors.AsType[*wire.DecodeError](err); ok {
		e := *de
		if e.Message != "SPHEADER" {
			e.Offset += at
		}
		f.Field, f.Offset, f.Text = e.Message+"."+e.Field, int64(e.Offset), e.Error()
	}
	return f
}

// fragment passes a PACKET or PACKET2_DATA that holds only part of its message on to be put together.
func (r *run) fragment(rec *Record, p peerPair) {
	if rec.Err != nil || rec.Via != 0 || Inside(rec.Envelope.Message) != nil {
		return // fragments of fragments are shown, not followed
	}
	f := fragment{key: fragmentKey{src: rec.Src.Addr(), dst: rec.Dst.Addr()}, frames: rec.Frames}
	switch m := rec.Envelope.Message.(type) {
	case *wire.Packet:
		f.via, f.Packet = wire.CmdPacket, m
	case *wire.Packet2Data:
		f.via, f.Packet = wire.CmdPacket2Data, (*wire.Packet)(m)
	default:
		return
	}
	f.key.id = f.ID
	whole, err := r.joiner.add(&f)
	if err != nil {
		r.find(Finding{Code: FragmentRefused, Frame: rec.lastFrame(), Offset: -1, Text: f.via.String() + ": " + err.Error()})
	}
	if whole != nil {
		joined := r.follow(rec, whole.octets.bytes(int(whole.size)), whole.frames)
		joined.Via = whole.via
		r.decodeJoined(joined, p, r.options(joined.Session))
	}
}

// decodeJoined decodes and hands out a record that was put together. Its octets are accounted for elsewhere.
func (r *run) decodeJoined(rec *Record, p peerPair, opt wire.Options) {
	if r.decodeBare(rec, p, opt); rec.Err != nil {
		r.note(rec, malformed(rec.Err, rec.Base))
	} else {
		r.oddities(rec)
	}
	r.emit(rec)
}

// decodeBare decodes a record without an SP header, and learns from it.
func (r *run) decodeBare(rec *Record, p peerPair, opt wire.Options) {
	rec.Options, r.dec.Options = opt, opt
	rec.Envelope, rec.Err = r.dec.DecodeBare(rec.Raw[rec.Base:])
	if rec.Err == nil && rec.Envelope.System() {
		rec.Session = cmp.Or(r.learn.message(p, rec.Envelope.Message), rec.Session)
	}
}

// dropped reports a fragmented message that never became whole.
func (r *run) dropped(w *fragmented, why string) {
	r.find(Finding{Code: FragmentsIncomplete, Frame: w.frames[len(w.frames)-1], Offset: -1,
		Text: fmt.Sprintf("%s %s: %d of %d octets in %d of %d fragments, then %s", w.via, w.key.id, w.octets.count, w.size,
			w.count, w.total, why)})
}
