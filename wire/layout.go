package wire

import "encoding/binary"

// A Layout remembers how a decoded message was laid out where that differs from what Append does by
// itself: offset fields with other values, octets between parts or after the last one. The zero Layout
// means that there is nothing to remember.
//
// A message with such a layout encodes to the octets it came from. Fields of fixed size may be changed, and
// variable parts (a name, data) to something of the same length; another length fails with ErrLayout. Call Reset
// before: offsets are then computed, stray octets dropped, and ErrLayout cannot happen.
type Layout struct {
	kept    bool
	size    int // of the message from its signature on
	offsets [maxSlots]uint32
	stray   []Stray
}

// A Stray is a run of octets that belongs to no field. Octets aliases the decoded buffer.
type Stray struct {
	Offset int // from the signature
	Octets []byte
}

// Stray gives the octets that no field covers, in order. The slice is the layout's own.
func (l *Layout) Stray() []Stray { return l.stray }

// Regular says whether Append would put every octet where it was without this layout's help.
func (l *Layout) Regular() bool { return !l.kept }

// Reset forgets the layout.
func (l *Layout) Reset() { *l = Layout{} }

// begin is called before the first field after the header.
func (c *codec) begin(l *Layout) {
	c.layout, c.slots, c.nspans, c.expect, c.regular, c.fixed = l, 0, 0, -1, true, false
	if !c.enc || c.err != nil || !l.kept {
		return
	}
	c.fixed = true
	c.offsets = l.offsets
	n := l.size - c.off
	at := len(c.buf)
	c.buf = grow(c.buf, n)
	clear(c.buf[at:])
}

// offset is an offset field. Its part is read or written later, with one of the *At methods.
func (c *codec) offset(name string) slot {
	s := slot{name: name, at: c.off, index: c.slots}
	c.slots++
	if c.enc && c.fixed {
		s.value = c.offsets[s.index]
	}
	c.word(name, &s.value, KindNumber, nil)
	if !c.enc {
		c.offsets[s.index] = s.value
	}
	return s
}

// fixedPart claims everything up to the cursor: the variable parts begin here.
func (c *codec) fixedPart() {
	c.claim(0, c.off)
	c.expect = c.off
}

// seek moves the cursor to where a part is, and reports whether it is there at all.
// An absent part is one whose field is zero (optional true), or, encoding, one that the message lacks.
// Decoding, a part must not begin inside another one; that is found out here, before its octets are taken for
// what they are not, and claimPart finds out whether it ends inside another one.
func (c *codec) seek(s slot, present, optional bool) bool {
	if c.err != nil {
		return false
	}
	if c.enc {
		if !present {
			return false
		}
		if c.fixed {
			c.off = int(s.value)
			if c.off < 0 || c.base+c.off > len(c.buf) {
				c.fail(s.name, s.at, s.value, ErrLayout)
			}
		} else {
			binary.LittleEndian.PutUint32(c.buf[c.base+s.at:], uint32(c.off))
		}
		return c.err == nil
	}
	if s.value == 0 && optional {
		return false
	}
	if uint64(s.value) > uint64(len(c.buf)) {
		c.fail(s.name, s.at, s.value, ErrOffset)
		return false
	}
	c.off = int(s.value)
	if c.overlaps(c.off, c.off+1) {
		c.fail(s.name, s.at, s.value, ErrOverlap)
		return false
	}
	if c.off != c.expect {
		c.regular = false
	}
	return true
}

// claimPart claims the part between from and the cursor.
func (c *codec) claimPart(s slot, from int) {
	if c.err != nil {
		return
	}
	if !c.claim(from, c.off) {
		reason := ErrOverlap
		if c.enc {
			reason = ErrLayout
		}
		c.fail(s.name, s.at, s.value, reason)
	}
	c.expect = c.off
}

// claim notes a part; false if it overlaps one that was noted before.
func (c *codec) claim(from, to int) bool {
	if c.err != nil || from == to {
		return true
	}
	i := c.nspans
	for i > 0 && c.spans[i-1].from > from {
		i--
	}
	if i > 0 && c.spans[i-1].to > from || i < c.nspans && c.spans[i].from < to {
		return false
	}
	copy(c.spans[i+1:c.nspans+1], c.spans[i:c.nspans])
	c.spans[i] = span{from, to}
	c.nspans++
	return true
}

// end settles the layout after the last field: it finds, or writes, the stray octets.
func (c *codec) end() {
	l := c.layout
	if l == nil || c.err != nil {
		return
	}
	c.layout = nil
	if c.nspans == 0 { // no variable parts: all is one part, and what follows the cursor is stray
		if !c.enc && c.off == len(c.buf) && !l.kept {
			return // as with most messages
		}
		c.claim(0, c.off)
	}
	if !c.enc {
		c.keep(l)
	} else if c.fixed {
		c.restore(l)
	}
}

// keep notes in l what Append would not do by itself.
func (c *codec) keep(l *Layout) {
	*l = Layout{}
	var stray []Stray
	at := 0
	for i := 0; i <= c.nspans; i++ {
		to := len(c.buf)
		if i < c.nspans {
			to = c.spans[i].from
		}
		if to > at {
			stray = append(stray, Stray{Offset: at, Octets: c.buf[at:to:to]})
		}
		if i < c.nspans {
			at = c.spans[i].to
		}
	}
	if c.visit != nil {
		for _, s := range stray {
			c.emit(Field{Name: "Stray", Offset: s.Offset, Size: len(s.Octets), Kind: KindStray, Raw: s.Octets})
		}
	}
	c.stray = stray
	if stray == nil && c.regular {
		return
	}
	*l = Layout{kept: true, size: len(c.buf), stray: stray}
	copy(l.offsets[:c.slots], c.offsets[:c.slots])
}

// restore writes the stray octets. Parts and stray octets must cover the message: a part that shrank would
// leave a hole, and there is no telling what a receiver would make of it.
func (c *codec) restore(l *Layout) {
	covered := 0
	for _, s := range c.spans[:c.nspans] {
		covered += s.to - s.from
	}
	for _, s := range l.stray {
		if c.overlaps(s.Offset, s.Offset+len(s.Octets)) {
			c.fail("Stray", s.Offset, 0, ErrLayout)
			return
		}
		covered += copy(c.buf[c.base+s.Offset:], s.Octets)
	}
	if covered != l.size {
		c.fail("Layout", c.off, 0, ErrLayout)
		return
	}
	c.off = l.size
	c.fixed = false
}

func (c *codec) overlaps(from, to int) bool {
	for _, s := range c.spans[:c.nspans] {
		if s.from < to && from < s.to {
			return true
		}
	}
	return false
}

// textAt is a string at an offset; offset zero means none.
func (c *codec) textAt(s slot, name string, p *Text) {
	if !c.enc {
		*p = nil
	}
	if !c.seek(s, len(*p) > 0, true) {
		return
	}
	from := c.off
	c.text(name, p)
	c.claimPart(s, from)
}

// octetsAt is a run of octets at an offset. Of none, the offset is kept but means nothing.
func (c *codec) octetsAt(s slot, name string, p *[]byte, n slot) {
	if !c.enc {
		*p = nil
	}
	if n.value == 0 {
		c.nothingAt(s)
		return
	}
	if !c.seek(s, true, false) {
		return
	}
	from := c.off
	c.octets(name, p, c.length(n))
	c.claimPart(s, from)
}

// nothingAt is the offset of a part that is empty: Append points it where the part would begin.
func (c *codec) nothingAt(s slot) {
	switch {
	case c.err != nil:
	case !c.enc:
		c.regular = c.regular && int64(s.value) == int64(c.expect)
	case !c.fixed:
		binary.LittleEndian.PutUint32(c.buf[c.base+s.at:], uint32(c.off))
	}
}
