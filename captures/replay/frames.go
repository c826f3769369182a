package replay

import (
	"encoding/binary"

	"dplay4/dpsp"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// FrameCount counts frames of the reliable protocol that a machine sent, repeated ones included.
type FrameCount struct {
	Data  int `json:"data"`
	ACKs  int `json:"acks"`
	NACKs int `json:"nacks"`
}

func (c *FrameCount) add(f *reliable.Frame) {
	switch f.Kind() {
	case reliable.KindData:
		c.Data++
	case reliable.KindACK:
		c.ACKs++
	case reliable.KindNACK:
		c.NACKs++
	}
}

// framed counts what the engine sends if it is a frame of the reliable protocol, and reports whether it is one. In sessions with that
// protocol, a datagram without an SP header of its own is.
func (p *player) framed(s *dpsp.Outgoing) bool {
	if !p.program.frames || s.Transport != dpsp.UDP || s.To.Port() == dpsp.EnumPort || ownHeader(s.Data) {
		return false
	}
	f, err := reliable.Decode(s.Data)
	if err != nil {
		return false
	}
	p.party.Frames.add(&f)
	return true
}

// ownHeader reports whether a message of ours has an SP header.
func ownHeader(b []byte) bool {
	const size = 1<<20 - 1
	return len(b) > wire.SPHeaderSize && wire.HasSignature(b[wire.SPHeaderSize:]) && binary.LittleEndian.Uint32(b)&size == uint32(len(b))
}
