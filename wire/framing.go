package wire

import (
	"encoding/binary"
	"io"
)

// FrameSize returns the octets that the first message of a TCP stream takes, SP header included. b is what came so
// far. A size above len(b) says that the message is not whole yet, which is no error, and neither is a size of 0:
// more octets are needed to tell.
//
// An error, a *DecodeError with ErrValue, says that b does not begin with an SP header: its size does not even cover
// the header, or neither its token nor its address family is one of the specification. Nothing tells then where the
// next message begins. How long a message may be is for the caller to say; no header says more than MaxMessage.
func FrameSize(b []byte) (int, error) {
	if len(b) < 4 {
		return 0, nil
	}
	w := binary.LittleEndian.Uint32(b)
	size, token := int(w&MaxMessage), Token(w>>20)
	switch {
	case size < SPHeaderSize:
		return 0, &DecodeError{Message: "SPHEADER", Field: "size", Value: uint32(size), Err: ErrValue}
	case token.Known():
		return size, nil
	case len(b) < SPHeaderSize:
		return 0, nil
	case binary.LittleEndian.Uint16(b[4:]) != FamilyINet:
		return 0, &DecodeError{Message: "SPHEADER", Field: "token", Value: uint32(token), Err: ErrValue}
	}
	return size, nil
}

// SplitStream is a bufio.SplitFunc that cuts a TCP stream into messages, each for [Decoder.DecodeStream]. A stream that
// ends inside a message ends with io.ErrUnexpectedEOF, one that goes on with something else with the error of
// [FrameSize]. Messages can be larger than a bufio.Scanner takes by itself: give it MaxMessage, or a limit of your own,
// with its method Buffer. Its memory grows with what came, not with what a header says.
func SplitStream(b []byte, atEOF bool) (advance int, message []byte, err error) {
	size, err := FrameSize(b)
	switch {
	case err != nil:
		return 0, nil, err
	case size > 0 && size <= len(b):
		return size, b[:size:size], nil
	case atEOF && len(b) > 0:
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}
