package field

import "encoding/binary"

// absent reports whether there is nothing at the place that an offset field and a size field tell. Offset zero is the sign
// for it; of no octets the offset means nothing.
func (p place) absent() bool { return p.offset == 0 || p.size == 0 }

// Pair is an offset field and the size field after it, for a part that has n octets when encoding. It returns the number of
// the part, which is read or written later with PairAt. A message has either Pairs or Offsets.
func (c *Codec) Pair(name, sizeName string, n int) int {
	p := part{name: name, sizeName: sizeName, at: c.Off}
	if i := len(c.path); i > 0 {
		p.in = c.path[i-1]
	}
	if c.fixed && c.offsets < len(c.layout.places) {
		if kept := c.layout.places[c.offsets]; kept.absent() != (n == 0) || n > 0 && int(kept.size) != n {
			c.Fail(name, c.Off, 0, ErrLayout)
		}
	}
	if c.Encoding {
		p.size = uint32(n) // the offset is filled in when the part is written
	}
	c.offset(name, &p.place)
	c.U32(sizeName, &p.size)
	if c.parts == nil {
		c.parts = make([]part, 0, 8) // no message without a list has more
	}
	c.parts = append(c.parts, p)
	return len(c.parts) - 1
}

// within lets errors name the list that the fields of a part stand in.
func (c *Codec) within(p *part) {
	c.path = c.path[:0]
	if p.in.name != "" {
		c.path = append(c.path, p.in)
	}
}

// PairAt reads part i, nil if it is absent, or writes b as that part.
func (c *Codec) PairAt(i int, b []byte) []byte {
	if c.Err != nil {
		return nil
	}
	p := &c.parts[i]
	c.within(p)
	if !c.Encoding {
		return c.takePart(p, i)
	}
	if len(b) > 0 {
		if c.fixed {
			c.Off = int(p.offset)
		} else {
			binary.LittleEndian.PutUint32(c.Buf[c.Base+p.at:], uint32(c.Off))
		}
		c.written++
		copy(c.Put(p.name, len(b)), b)
	}
	return b
}

func (c *Codec) takePart(p *part, i int) []byte {
	if p.absent() {
		c.regular = c.regular && p.place == place{}
		return nil
	}
	switch {
	case uint64(p.offset) > uint64(len(c.Buf)):
		c.Fail(p.name, p.at, p.offset, ErrOffset)
		return nil
	case uint64(p.size) > uint64(len(c.Buf))-uint64(p.offset):
		c.Fail(p.sizeName, p.at+4, p.size, ErrShort)
		return nil
	}
	from, to := int(p.offset), int(p.offset)+int(p.size)
	c.regular = c.regular && from == c.expect
	c.expect = to
	c.spans = append(c.spans, span{from, to, i})
	return c.Buf[from:to:to]
}

// OctetsPair is part i, octets or a text as kind says.
func (c *Codec) OctetsPair(i int, name string, p *[]byte, kind Kind) {
	if b := c.PairAt(i, *p); !c.Encoding {
		*p = b
		c.EmitPair(i, Field{Name: name, Size: len(b), Kind: kind, Raw: b})
	}
}

// EmitPair reports part i, if it is there. Of a part that an element of a list has, Index is the element's.
func (c *Codec) EmitPair(i int, f Field) {
	if c.Visit == nil || c.Err != nil || c.parts[i].absent() {
		return
	}
	seen := c.Show(f)
	seen.Index, seen.Offset = -1, c.PairStart(i)
	if c.parts[i].in.name != "" {
		seen.Index = c.parts[i].in.index
	}
	c.Visit.See(seen)
}

// PairStart returns where part i begins in the outermost message.
func (c *Codec) PairStart(i int) int { return c.Base + int(c.parts[i].offset) }

// Expect makes room for n more pairs and their places.
func (c *Codec) Expect(n int) {
	c.parts = append(make([]part, 0, len(c.parts)+n), c.parts...)
	if !c.Encoding {
		c.spans = make([]span, 0, cap(c.parts))
	}
}
