package field

import "encoding/binary"

// A Cursor runs a message's fields method in one of two directions, so that decoder and encoder cannot drift apart: each
// field is named once. With a visitor it also reports every field it decodes.
//
// The first error pins it: later calls do nothing and leave their field zero.
type Cursor struct {
	Buf      []byte // decoding: the message from where its offsets count. Encoding: the destination
	Off      int    // octets from where offsets count
	Err      *Error // the first one; Message is not filled in
	Base     int    // encoding: where in Buf offsets count from. Decoding: where in the outermost message Buf begins
	Encoding bool
	fixed    bool // encoding: every octet has its place already, see Codec
	Visit    Visitor
	Most     int // encoding: how large Off may become
	path     []step
	shown    *Field // what the visitor is shown; nil: nothing yet
}

// Fail pins the cursor, for the field of a name, which begins at an octet and has a value that is refused.
func (c *Cursor) Fail(name string, at int, value uint32, reason error) {
	if c.Err == nil {
		c.Err = &Error{Field: pathString(c.path, name), Offset: c.Base + at, Value: value, Err: reason}
	}
}

// Adopt pins the cursor by the error of a message inside the message, the field of a name.
func (c *Cursor) Adopt(name string, inner *Error) {
	if c.Err == nil {
		c.Err = &Error{Field: pathString(c.path, name) + "." + inner.Message + "." + inner.Field,
			Offset: inner.Offset, Value: inner.Value, Err: inner.Err}
	}
}

// Left returns the number of octets after the cursor.
func (c *Cursor) Left() int { return len(c.Buf) - c.Off }

// Take returns the next n octets of a decoded message, aliased, with no room to append.
func (c *Cursor) Take(name string, n int) []byte {
	if c.Err != nil {
		return nil
	}
	if n < 0 || n > len(c.Buf)-c.Off {
		c.Fail(name, c.Off, 0, ErrShort)
		return nil
	}
	c.Off += n
	return c.Buf[c.Off-n : c.Off : c.Off]
}

// Put returns room for the next n octets of an encoded message.
func (c *Cursor) Put(name string, n int) []byte {
	if c.Err != nil {
		return nil
	}
	at := c.Base + c.Off
	switch {
	case c.fixed:
		if at+n > len(c.Buf) {
			c.Fail(name, c.Off, 0, ErrLayout)
			return nil
		}
	case c.Off+n > c.Most:
		c.Fail(name, c.Off, 0, ErrLimit)
		return nil
	default:
		c.Buf = Grow(c.Buf, n)
	}
	c.Off += n
	return c.Buf[at : at+n]
}

// free reports whether n octets can be appended just so, which is quicker than Put.
func (c *Cursor) free(n int) bool { return !c.fixed && c.Err == nil && c.Off+n <= c.Most }

// Grow makes b n octets longer; what the new octets hold is for the caller to write.
func Grow(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	return append(b, make([]byte, n)...)
}

// Octet is one octet.
func (c *Cursor) Octet(name string, p *uint8, kind Kind, names func(uint32) string) {
	if c.Encoding {
		if c.free(1) {
			c.Buf, c.Off = append(c.Buf, *p), c.Off+1
		} else if b := c.Put(name, 1); b != nil {
			b[0] = *p
		}
		return
	}
	if b := c.Take(name, 1); b != nil {
		*p = b[0]
		if c.Visit != nil {
			c.Emit(c.Off-1, Field{Name: name, Size: 1, Kind: kind, Num: uint32(*p), NameOf: names})
		}
	}
}

// Half is a WORD.
func (c *Cursor) Half(name string, p *uint16, kind Kind, names func(uint32) string) {
	if c.Encoding {
		if b := c.Put(name, 2); b != nil {
			binary.LittleEndian.PutUint16(b, *p)
		}
		return
	}
	if b := c.Take(name, 2); b != nil {
		*p = binary.LittleEndian.Uint16(b)
		if c.Visit != nil {
			c.Emit(c.Off-2, Field{Name: name, Size: 2, Kind: kind, Num: uint32(*p), NameOf: names})
		}
	}
}

// Word is the one place where a DWORD crosses the wire.
func (c *Cursor) Word(name string, p *uint32, kind Kind, names func(uint32) string) {
	if c.Encoding {
		if c.free(4) {
			c.Buf, c.Off = binary.LittleEndian.AppendUint32(c.Buf, *p), c.Off+4
		} else if b := c.Put(name, 4); b != nil {
			binary.LittleEndian.PutUint32(b, *p)
		}
		return
	}
	if b := c.Take(name, 4); b != nil {
		*p = binary.LittleEndian.Uint32(b)
		if c.Visit != nil {
			c.Emit(c.Off-4, Field{Name: name, Size: 4, Kind: kind, Num: *p, NameOf: names})
		}
	}
}

// U32 is a number.
func (c *Cursor) U32(name string, p *uint32) { c.Word(name, p, Number, nil) }

// Hex32 is a value without magnitude.
func (c *Cursor) Hex32(name string, p *uint32) { c.Word(name, p, Hex, nil) }

// Flags is a flag word.
func (c *Cursor) Flags(name string, p *uint32, names func(uint32) string) {
	c.Word(name, p, Flags, names)
}

// Named is one of a list of values with names.
func (c *Cursor) Named(name string, p *uint32, names func(uint32) string) {
	c.Word(name, p, Named, names)
}

// An Override keeps a value of the wire that differs from the one an encoder computes.
type Override struct {
	Set   bool
	Value uint32
}

// Implied is a DWORD whose value follows from the rest of the message. What was on the wire is kept only if it differs.
func (c *Cursor) Implied(name string, p *Override, want uint32) {
	v := want
	if c.Encoding && p.Set {
		v = p.Value
	}
	c.U32(name, &v)
	if !c.Encoding {
		*p = Override{}
		if v != want && c.Err == nil {
			*p = Override{true, v}
		}
	}
}

// Run is n octets, shown as a kind; decoding, p aliases the message and is nil for none.
func (c *Cursor) Run(name string, p *[]byte, n int, kind Kind) {
	if c.Encoding {
		if b := c.Put(name, len(*p)); b != nil {
			copy(b, *p)
		}
		return
	}
	*p = nil
	if n == 0 || c.Err != nil {
		return
	}
	*p = c.Take(name, n)
	if c.Visit != nil {
		c.Emit(c.Off-n, Field{Name: name, Size: n, Kind: kind, Raw: *p})
	}
}

// Octets is n octets.
func (c *Cursor) Octets(name string, p *[]byte, n int) { c.Run(name, p, n, Octets) }

// Rest is everything up to the end of the message.
func (c *Cursor) Rest(name string, p *[]byte) { c.Run(name, p, c.Left(), Octets) }

// Copied is octets of a structure of fixed size: decoding they are read into p.
func (c *Cursor) Copied(name string, p []byte, kind Kind) {
	if c.Encoding {
		if b := c.Put(name, len(p)); b != nil {
			copy(b, p)
		}
		return
	}
	if b := c.Take(name, len(p)); b != nil {
		copy(p, b)
		if c.Visit != nil {
			c.Emit(c.Off-len(p), Field{Name: name, Size: len(p), Kind: kind, Raw: b})
		}
	}
}

// Text is a Unicode string with its terminator. Nil means absent, which only the caller knows. Its end is where the
// terminator is, so one without it, or with something after it, cannot be encoded.
func (c *Cursor) Text(name string, p *[]byte) {
	if c.Encoding && TextEnd(*p) != len(*p) {
		c.Fail(name, c.Off, 0, ErrTerminator)
		return
	}
	n := 0
	if !c.Encoding && c.Err == nil {
		if n = TextEnd(c.Buf[c.Off:]); n < 0 {
			c.Fail(name, c.Off, 0, ErrTerminator)
			return
		}
	}
	c.Run(name, p, n, Text)
}

// TextEnd returns the length of the text at the start of b with its terminator, or -1 if it has none.
func TextEnd(b []byte) int {
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i + 2
		}
	}
	return -1
}
