package filter

import (
	"io"

	"dplay4/wire"
)

// headSize is how much of a message tells what it is: its SP header, and the signature behind it.
const headSize = wire.SPHeaderSize + 4

// A Stream takes the octets of a TCP connection, in whatever pieces, and hands on what may pass. It holds no more than one system
// message that is not whole yet; what the game says for itself is handed on as it comes. It is for one goroutine.
type Stream struct {
	treat   func(message []byte) *Violation // a whole system message, or the first headSize octets of another one
	dropped func(error)                     // is told of messages that do not pass alone; may be nil
	held    []byte                          // of a message of which it is not known yet whether it may pass
	left    int                             // octets of a message that still pass
	at      int64                           // where the message begins that is next
	err     error
}

// NewStream returns the stream of a connection from the machine in a slot to our game. What is said on it is checked, and then
// translated; with no Translator it is only checked.
func NewStream(rule Rule, translator *Translator) *Stream {
	c := newChecker(rule)
	return &Stream{dropped: rule.Dropped, treat: func(b []byte) *Violation {
		v := c.header(b)
		if isSystem(b) {
			v = c.system(b)
		}
		if v == nil && translator != nil {
			translator.message(b)
		}
		return v
	}}
}

// isSystem reports whether the octets of a message, from its SP header on, are a system message's.
func isSystem(b []byte) bool { return len(b) >= headSize && wire.HasSignature(b[wire.SPHeaderSize:]) }

// Pass takes the next octets, and appends to dst those that may pass now, which may be of earlier calls. An error, a
// *Violation, is for good: nothing more passes.
func (s *Stream) Pass(dst, in []byte) ([]byte, error) {
	for len(in) > 0 && s.err == nil {
		if s.left > 0 {
			n := min(s.left, len(in))
			dst, in, s.left, s.at = append(dst, in[:n]...), in[n:], s.left-n, s.at+int64(n)
			continue
		}
		_, wanted, _ := s.wanted() // an error ended the stream
		n := min(wanted-len(s.held), len(in))
		s.held, in = append(s.held, in[:n]...), in[n:]
		dst = s.release(dst)
	}
	return dst, s.err
}

// wanted returns the size of the message that is held, 0 if it is not known yet, and how many of its octets are needed to go on.
func (s *Stream) wanted() (size, octets int, err error) {
	size, err = wire.FrameSize(s.held)
	switch {
	case size == 0:
		return 0, wire.SPHeaderSize, err
	case isSystem(s.held):
		return size, size, nil
	}
	return size, min(headSize, size), nil
}

// release appends to dst what is held, if it may pass.
func (s *Stream) release(dst []byte) []byte {
	size, wanted, err := s.wanted()
	switch {
	case err != nil:
		return s.fail(dst, unheaded(err))
	case len(s.held) < wanted:
		return dst
	}
	begin := len(dst)
	dst = append(dst, s.held...)
	if v := s.treat(dst[begin:]); v != nil {
		dst = dst[:begin]
		if !v.alone {
			return s.fail(dst, v)
		}
		if v.At = s.at; s.dropped != nil {
			s.dropped(v)
		}
	}
	s.left, s.at, s.held = size-len(s.held), s.at+int64(len(s.held)), s.held[:0]
	if cap(s.held) > keep {
		s.held = nil
	}
	return dst
}

// keep is how many octets of memory a stream keeps while it holds nothing.
const keep = 4096

// unheaded is the violation of octets that begin no message.
func unheaded(err error) *Violation {
	v := unreadable(err)
	v.Offset = max(0, v.Offset-wire.SPHeaderSize) // it counts from the header already
	return v
}

// fail ends the stream.
func (s *Stream) fail(dst []byte, v *Violation) []byte {
	v.At = s.at
	s.err, s.held = v, nil
	return dst
}

// Held returns how many octets are held.
func (s *Stream) Held() int { return len(s.held) }

// End says whether a stream may end here: not inside a system message, what is held of which never passes.
func (s *Stream) End() error {
	switch {
	case s.err != nil:
		return s.err
	case len(s.held) > 0:
		return io.ErrUnexpectedEOF
	}
	return nil
}
