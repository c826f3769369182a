// Package turnstream finds the packets of TURN in a stream: STUN messages and ChannelData, one behind the other (RFC 8656). The
// reader that pion has for it goes round for ever over some lengths (facts, bridge 5).
package turnstream

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

const (
	headerSize     = 4 // of ChannelData, and enough of any packet to know its size
	stunHeaderSize = 20
	cookie         = 0x2112A442
)

// ErrNotTURN says that a stream holds what is no packet of TURN, or a larger one than there is room for. Where the next one would
// begin is not known.
var ErrNotTURN = errors.New("the stream holds what is no packet of TURN")

// Read reads a packet into b and returns its size, without the octets that fill it up in the stream. Other errors than ErrNotTURN
// are the stream's: io.EOF where it ends between packets, io.ErrUnexpectedEOF within one.
func Read(in *bufio.Reader, b []byte) (int, error) {
	header, err := in.Peek(headerSize)
	if err != nil {
		if err == io.EOF && len(header) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	size := sizeOf(header)
	inStream := (size + 3) &^ 3
	if inStream > len(b) {
		return 0, ErrNotTURN
	}
	if _, err := io.ReadFull(in, b[:inStream]); err != nil {
		return 0, err
	}
	if !IsPacket(b[:size]) { // nor is one of no octets
		return 0, ErrNotTURN
	}
	return size, nil
}

// IsPacket reports whether a datagram is a packet of TURN, by its header. Behind ChannelData there may be octets that fill it up.
func IsPacket(b []byte) bool {
	if len(b) < headerSize {
		return false
	}
	size := sizeOf(b)
	if IsChannelData(b) {
		return size <= len(b)
	}
	return size == len(b) && binary.BigEndian.Uint32(b[4:]) == cookie
}

// IsChannelData reports whether a packet is ChannelData, rather than a STUN message.
func IsChannelData(b []byte) bool { return b[0]>>6 == 1 }

// sizeOf returns how many octets a packet has that begins so; 0 if none does.
func sizeOf(header []byte) int {
	n := int(binary.BigEndian.Uint16(header[2:]))
	switch {
	case IsChannelData(header):
		return headerSize + n
	case header[0]>>6 == 0 && n%4 == 0:
		return stunHeaderSize + n
	}
	return 0
}
