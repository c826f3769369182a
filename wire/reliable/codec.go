package reliable

import (
	"encoding/binary"

	"dplay4/wire"
)

// A codec runs Frame.fields in one of two directions, so that decoder and encoder cannot drift apart. With a
// visitor it also reports every field it decodes.
//
// The first error pins it: later calls do nothing.
type codec struct {
	enc   bool
	buf   []byte // decoding: the frame. Encoding: the destination
	off   int    // decoding: cursor, in octets from the first octet of the frame
	kind  Kind   // KindNone before the flags
	err   error
	visit wire.Visitor
}

// fail is for callers that know of no error yet.
func (c *codec) fail(name string, at int, value uint32, reason error) {
	if c.enc {
		c.err = &wire.EncodeError{Message: c.kind.String(), Field: name, Err: reason}
		return
	}
	c.err = &wire.DecodeError{Message: c.kind.String(), Field: name, Offset: at, Value: value, Err: reason}
}

// take gives the next n octets of a decoded frame, aliased, with no room to append.
func (c *codec) take(name string, n int) []byte {
	if c.err != nil {
		return nil
	}
	if n > len(c.buf)-c.off {
		c.fail(name, c.off, 0, wire.ErrShort)
		return nil
	}
	c.off += n
	return c.buf[c.off-n : c.off : c.off]
}

// number reports a field of n octets that ends at the cursor.
func (c *codec) number(name string, n int, kind wire.Kind, v uint32, names func(uint32) string) {
	if c.visit != nil {
		f := wire.Field{Name: name, Index: -1, Offset: c.off - n, Size: n, Kind: kind, Num: v}.WithNames(names)
		c.visit(&f)
	}
}

// index is a player index. size is zero for one in as few octets as it needs.
func (c *codec) index(name string, p *uint16, size *uint8) {
	if c.err != nil {
		return
	}
	if c.enc {
		n := max(indexSize(*p), int(*size))
		if n > maxIndexSize {
			c.fail(name, 0, 0, wire.ErrValue)
			return
		}
		c.buf = appendIndex(c.buf, *p, n)
		return
	}
	v, n, reason := parseIndex(c.buf[c.off:])
	if reason != nil {
		c.fail(name, c.off, v, reason)
		return
	}
	c.off += n
	*p, *size = uint16(v), 0
	if n > indexSize(*p) {
		*size = uint8(n)
	}
	c.number(name, n, wire.KindNumber, v, nil)
}

// flags decides the kind of the frame.
func (c *codec) flags(p *Flags) {
	c.octet("flags", (*uint8)(p), wire.KindFlags, flagString)
	if c.err != nil {
		return
	}
	kind, bad := p.classify()
	if bad != "" {
		c.fail(bad, c.off-1, uint32(*p), wire.ErrValue)
		return
	}
	c.kind = kind
}

// extended are the extended flags. What must be zero in them is refused: a COMMAND that nobody specified can
// have any layout behind it, and the top bit stands where that of the flags announces one more octet.
func (c *codec) extended(p *Extended) {
	c.octet("extended flags", (*uint8)(p), wire.KindFlags, extendedString)
	switch {
	case c.err != nil:
	case *p&extCommand != 0:
		c.fail("extended flags.COMMAND", c.off-1, uint32(*p), wire.ErrValue)
	case *p&extZero != 0:
		c.fail("extended flags.0", c.off-1, uint32(*p), wire.ErrValue)
	}
}

func (c *codec) octet(name string, p *uint8, kind wire.Kind, names func(uint32) string) {
	if c.enc {
		c.buf = append(c.buf, *p)
		return
	}
	if b := c.take(name, 1); b != nil {
		*p = b[0]
		c.number(name, 1, kind, uint32(*p), names)
	}
}

func (c *codec) u8(name string, p *uint8) { c.octet(name, p, wire.KindNumber, nil) }

func (c *codec) u32(name string, p *uint32) {
	if c.enc {
		c.buf = binary.LittleEndian.AppendUint32(c.buf, *p)
		return
	}
	if b := c.take(name, 4); b != nil {
		*p = binary.LittleEndian.Uint32(b)
		c.number(name, 4, wire.KindNumber, *p, nil)
	}
}

// mask is a NACK MASK of n octets, 0 to MaxMask.
func (c *codec) mask(p *uint32, n int) {
	const name = "NACK MASK"
	if c.enc {
		for i := range n {
			c.buf = append(c.buf, byte(*p>>(8*i)))
		}
		return
	}
	b := c.take(name, n)
	if len(b) == 0 {
		return
	}
	for i, o := range b {
		*p |= uint32(o) << (8 * i)
	}
	c.number(name, n, wire.KindHex, *p, nil)
}

// rest is everything up to the end of the frame, nil if that is nothing.
func (c *codec) rest(name string, p *[]byte, kind wire.Kind) {
	if c.enc {
		c.buf = append(c.buf, *p...)
		return
	}
	at := c.off
	b := c.take(name, len(c.buf)-c.off)
	if len(b) == 0 {
		return
	}
	*p = b
	if c.visit != nil {
		c.visit(&wire.Field{Name: name, Index: -1, Offset: at, Size: len(b), Kind: kind, Raw: b})
	}
}
