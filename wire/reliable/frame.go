package reliable

import (
	"math"

	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// A Frame is one frame of the protocol. Fields that its kind does not have are zero.
type Frame struct {
	From uint16 // IdFrom: the player index of the sender (2.2.1)
	To   uint16 // IdTo: the player index of the receiver

	// FromSize and ToSize are the octets that an index takes if that is more than it needs, at most 3;
	// otherwise 0.
	FromSize, ToSize uint8

	Flags     Flags
	MessageID uint8 // the message that the frame belongs to or speaks of
	// Sequence is, in a Data frame, the frame's own number, the same in every retry; in an ACK the last one
	// received, which acknowledges all before it; in a NACK the first one not received.
	Sequence uint8
	// Serial tells retries apart (2.2.2): it counts how often a message of one frame was sent before, or
	// the frames sent for a longer message, retries included. A NACK has none.
	Serial uint8

	Extended Extended // with EXT
	Mask     uint32   // NACK MASK of Extended.MaskSize octets, the first in the low 8 bits; Lost reads it

	BytesReceived uint32 // ACK, NACK: octets of Data frames that came on the link so far, without their indexes, modulo 2^32
	Tick          uint32 // ACK, NACK: the sender's clock in milliseconds, from any start; wraps

	Data     []byte // Data frame: the message or a part of it (aliased)
	Trailing []byte // ACK, NACK: octets after the last field (aliased)
}

// Decode reads a frame, which is all of b: the frame has no length of its own. Data and Trailing alias b. It
// allocates nothing but the error, a *wire.DecodeError whose Message is the kind of the frame, or
// "RELIABLEFRAME" up to the flags. Beside an error the frame has the fields before the one that failed.
func Decode(b []byte) (Frame, error) {
	var f Frame
	var c codec
	c.Buf = b
	f.fields(&c)
	return f, c.fail()
}

// Visit is Decode and tells visit every field, those before an error included.
func Visit(b []byte, visit wire.Visitor) (Frame, error) {
	var f Frame
	var c codec
	c.Buf = b
	if visit != nil {
		c.Visit = teller(visit)
	}
	f.fields(&c)
	return f, c.fail()
}

// Append appends the frame to dst. What Decode read it writes with the same octets. On an error, a
// *wire.EncodeError, dst comes back as it was. A field that is set although the frame has no place for it is
// refused with wire.ErrValue, because it would be lost without a word.
func (f *Frame) Append(dst []byte) ([]byte, error) {
	var c codec
	c.Encoding, c.Buf, c.Base, c.Most = true, dst, len(dst), math.MaxInt
	if name := f.misplaced(); name != "" {
		c.kind = f.Kind()
		c.Fail(name, 0, 0, wire.ErrValue)
	}
	f.fields(&c)
	if c.Err != nil {
		return dst, c.fail()
	}
	return c.Buf, nil
}

// fields runs the codec over the frame.
func (f *Frame) fields(c *codec) {
	c.index("IdFrom", &f.From, &f.FromSize)
	c.index("IdTo", &f.To, &f.ToSize)
	c.flags(&f.Flags)
	if c.Err != nil {
		return
	}
	switch c.kind {
	case KindData:
		c.u8("messageid", &f.MessageID)
		c.u8("sequence", &f.Sequence)
		c.u8("serial", &f.Serial)
		if f.Flags&EXT != 0 {
			c.extended(&f.Extended)
			c.mask(&f.Mask, f.Extended.MaskSize())
		}
		c.rest("Data", &f.Data, field.Octets)
	case KindACK:
		c.u8("messageid", &f.MessageID)
		c.u8("sequence", &f.Sequence)
		c.u8("serial", &f.Serial)
		c.U32("bytes received", &f.BytesReceived)
		c.U32("local tick count", &f.Tick)
		c.rest("Trailing", &f.Trailing, field.StrayOctets)
	case KindNACK:
		c.extended(&f.Extended)
		c.u8("messageid", &f.MessageID)
		c.u8("sequence", &f.Sequence)
		c.U32("bytes received", &f.BytesReceived)
		c.U32("local tick count", &f.Tick)
		c.mask(&f.Mask, f.Extended.MaskSize())
		c.rest("Trailing", &f.Trailing, field.StrayOctets)
	}
}

// misplaced names a field that is set and has no place in the frame.
func (f *Frame) misplaced() string {
	kind := f.Kind()
	switch {
	case kind == KindNone: // the flags are what is wrong, and the codec says so
	case f.Flags&EXT == 0 && f.Extended != 0:
		return "extended flags"
	case f.Mask>>(8*f.Extended.MaskSize()) != 0:
		return "NACK MASK"
	case kind == KindNACK && f.Serial != 0:
		return "serial"
	case kind == KindData && f.BytesReceived != 0:
		return "bytes received"
	case kind == KindData && f.Tick != 0:
		return "local tick count"
	case kind == KindData && len(f.Trailing) != 0:
		return "Trailing"
	case kind != KindData && len(f.Data) != 0:
		return "Data"
	}
	return ""
}

// Kind says what kind of frame it is; after Decode without an error never KindNone.
func (f *Frame) Kind() Kind { return f.Flags.Kind() }

// MustIgnore reports whether a receiver must not act on the frame: a Data frame with EXT (2.2.2).
func (f *Frame) MustIgnore() bool { return f.Flags&EXT != 0 && f.Kind() == KindData }

// Counted returns the octets that a Data frame adds to the bytes received: all without the indexes (3.1.5.4).
func (f *Frame) Counted() uint32 {
	n := 4 + len(f.Data)
	if f.Flags&EXT != 0 {
		n += 1 + f.Extended.MaskSize()
	}
	return uint32(n)
}
