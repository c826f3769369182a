package reliable

import (
	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// A codec goes through the fields of one frame.
type codec struct {
	field.Cursor
	kind Kind // KindNone before the flags
}

// fail returns the error of which the codec knows, with the kind of the frame; nil if all went well.
func (c *codec) fail() error {
	if c.Err == nil {
		return nil
	}
	c.Err.Message = c.kind.String()
	if c.Encoding {
		return &wire.EncodeError{Message: c.Err.Message, Field: c.Err.Field, Err: c.Err.Err}
	}
	return (*wire.DecodeError)(c.Err)
}

// A teller shows fields to a visitor.
type teller wire.Visitor

func (t teller) See(f *field.Field) { t((*wire.Field)(f)) }

// index is a player index. size is zero for one in as few octets as it needs.
func (c *codec) index(name string, p *uint16, size *uint8) {
	if c.Err != nil {
		return
	}
	if c.Encoding {
		n := max(indexSize(*p), int(*size))
		if n > maxIndexSize {
			c.Fail(name, 0, 0, wire.ErrValue)
			return
		}
		c.Buf, c.Off = appendIndex(c.Buf, *p, n), c.Off+n
		return
	}
	v, n, reason := parseIndex(c.Buf[c.Off:])
	if reason != nil {
		c.Fail(name, c.Off, v, reason)
		return
	}
	c.Off += n
	*p, *size = uint16(v), 0
	if n > indexSize(*p) {
		*size = uint8(n)
	}
	if c.Visit != nil {
		c.Emit(c.Off-n, field.Field{Name: name, Size: n, Kind: field.Number, Num: v})
	}
}

// flags decides the kind of the frame.
func (c *codec) flags(p *Flags) {
	c.Octet("flags", (*uint8)(p), field.Flags, flagString)
	if c.Err != nil {
		return
	}
	kind, bad := p.classify()
	if bad != "" {
		c.Fail(bad, c.Off-1, uint32(*p), wire.ErrValue)
		return
	}
	c.kind = kind
}

// extended are the extended flags. What must be zero in them is refused: a COMMAND that nobody specified can
// have any layout behind it, and the top bit stands where that of the flags announces one more octet.
func (c *codec) extended(p *Extended) {
	c.Octet("extended flags", (*uint8)(p), field.Flags, extendedString)
	switch {
	case c.Err != nil:
	case *p&extCommand != 0:
		c.Fail("extended flags.COMMAND", c.Off-1, uint32(*p), wire.ErrValue)
	case *p&extZero != 0:
		c.Fail("extended flags.0", c.Off-1, uint32(*p), wire.ErrValue)
	}
}

func (c *codec) u8(name string, p *uint8) { c.Octet(name, p, field.Number, nil) }

// mask is a NACK MASK of n octets, 0 to MaxMask.
func (c *codec) mask(p *uint32, n int) {
	const name = "NACK MASK"
	if c.Encoding {
		b := c.Put(name, n)
		for i := range b {
			b[i] = byte(*p >> (8 * i))
		}
		return
	}
	b := c.Take(name, n)
	for i, o := range b {
		*p |= uint32(o) << (8 * i)
	}
	if len(b) > 0 && c.Visit != nil {
		c.Emit(c.Off-n, field.Field{Name: name, Size: n, Kind: field.Hex, Num: *p})
	}
}

// rest is everything up to the end of the frame, nil if that is nothing.
func (c *codec) rest(name string, p *[]byte, kind field.Kind) { c.Run(name, p, c.Left(), kind) }
