package relay

import (
	"encoding/binary"

	"dplay4/dpsp/bridge/turnstream"
)

// A kind is what a packet of a client is.
type kind int

const (
	unknown kind = iota // nothing that we answer
	malformed
	ignored // nothing that wants an answer
	binding
	allocate
	request // of who has an allocation
	channelBind
	send
	channelData
)

// The sizes of the headers of STUN and of ChannelData.
const (
	stunHeader    = 20
	channelHeader = 4
)

// The types of messages, of RFC 8656.
var kinds = map[uint16]kind{0x0001: binding, 0x0011: ignored, 0x0003: allocate, 0x0004: request, 0x0008: request,
	0x0009: channelBind, 0x0016: send}

// kindOf looks at a packet's header.
func kindOf(b []byte) kind {
	switch {
	case !turnstream.IsPacket(b):
		return malformed
	case turnstream.IsChannelData(b):
		return channelData
	}
	return kinds[binary.BigEndian.Uint16(b)]
}
