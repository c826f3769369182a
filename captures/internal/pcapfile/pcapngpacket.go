package pcapfile

import "time"

// A ngRecord is what the fixed fields of a packet block tell.
type ngRecord struct {
	id       uint32 // of the interface
	ts       uint64
	captured uint32
	length   uint32 // on the wire
	name     string // of the field that tells captured ...
	at       int64  // ... and its offset in the file
}

// enhanced returns the packet of an Enhanced Packet Block or of the obsolete Packet Block, which differ in the field
// that names the interface.
func (f *ngFormat) enhanced(b ngBlock) (Packet, error) {
	f.src.frame++
	h, err := f.hold(b, ngEnhancedSize, "Packet Block")
	if err != nil {
		return Packet{}, err
	}
	r := ngRecord{
		id: f.order.Uint32(h[8:]), ts: uint64(f.order.Uint32(h[12:]))<<32 | uint64(f.order.Uint32(h[16:])),
		captured: f.order.Uint32(h[20:]), length: f.order.Uint32(h[24:]),
		name: "Captured Packet Length", at: b.at + 20,
	}
	if b.typ == ngPacketObsolete {
		r.id = uint32(f.order.Uint16(h[8:])) // a count of drops follows
	}
	return f.packet(b, h[28:len(h)-ngTrailer], r)
}

// simple returns the packet of a Simple Packet Block: of the section's first interface, without a time, and without a
// captured length, which is the smaller of the length on the wire and the snap length.
func (f *ngFormat) simple(b ngBlock) (Packet, error) {
	f.src.frame++
	h, err := f.hold(b, ngSimpleSize, "Simple Packet Block")
	if err != nil {
		return Packet{}, err
	}
	length := f.order.Uint32(h[8:])
	r := ngRecord{captured: length, length: length, name: "Original Packet Length", at: b.at + 8}
	if len(f.interfaces) > 0 && f.interfaces[0].snap > 0 {
		r.captured = min(length, f.interfaces[0].snap)
	}
	p, err := f.packet(b, h[12:len(h)-ngTrailer], r)
	p.Time = time.Time{}
	return p, err
}

// packet checks the fields of a packet block against each other. room is what stands between the fixed fields and
// the block's end: the packet, padding and options.
func (f *ngFormat) packet(b ngBlock, room []byte, r ngRecord) (Packet, error) {
	switch {
	case uint64(r.id) >= uint64(len(f.interfaces)):
		return Packet{}, f.src.fail("Interface ID", b.at+8, uint64(r.id), ErrValue)
	case r.captured > MaxPacket:
		return Packet{}, f.src.fail(r.name, r.at, uint64(r.captured), ErrLimit)
	case int(r.captured) > len(room):
		return Packet{}, f.src.fail(r.name, r.at, uint64(r.captured), ErrValue)
	}
	i := &f.interfaces[r.id]
	return Packet{
		Frame: f.src.frame, Time: i.clock.time(r.ts), Link: i.link, Data: room[:r.captured:r.captured],
		Length: int(max(r.captured, r.length)), Interface: f.before + int(r.id),
	}, nil
}
