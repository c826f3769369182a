package relay

import "encoding/binary"

// A kind is what a packet of a client is.
type kind int

const (
	malformed kind = iota
	unknown        // nothing that we answer
	ignored        // nothing that wants an answer
	binding
	allocate
	request // of who has an allocation
	channelBind
	send
	channelData
)

// The headers of STUN and of ChannelData.
const (
	stunHeader    = 20
	channelHeader = 4
	cookie        = 0x2112A442
)

// The types of messages, of RFC 8656.
var kinds = map[uint16]kind{0x0001: binding, 0x0011: ignored, 0x0003: allocate, 0x0004: request, 0x0008: request,
	0x0009: channelBind, 0x0016: send}

// sizeOf returns how many octets a packet has that begins so, and how many it takes in a stream; 0 if nothing of ours begins so.
// header has channelHeader octets.
func sizeOf(header []byte) (size, inStream int) {
	n := int(binary.BigEndian.Uint16(header[2:]))
	switch header[0] >> 6 {
	case 0:
		return stunHeader + n, stunHeader + n
	case 1:
		return channelHeader + n, channelHeader + (n+3)&^3
	}
	return 0, 0
}

// kindOf looks at a packet's header.
func kindOf(b []byte) kind {
	if len(b) < channelHeader {
		return malformed
	}
	size, _ := sizeOf(b)
	switch {
	case size == 0 || size > len(b):
		return malformed
	case b[0]>>6 == 1:
		return channelData
	case size != len(b) || size%4 != 0 || binary.BigEndian.Uint32(b[4:]) != cookie:
		return malformed
	}
	if k, ok := kinds[binary.BigEndian.Uint16(b)]; ok {
		return k
	}
	return unknown
}
