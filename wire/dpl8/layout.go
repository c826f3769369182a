package dpl8

import (
	"cmp"
	"encoding/binary"
	"slices"

	"dplay4/wire"
)

// A Layout remembers how a decoded message was laid out where that differs from what Append does by itself: other
// offsets, sizes of parts that are not there, octets between parts or after the last one. The zero Layout means that
// there is nothing to remember.
//
// A message with such a layout encodes to the octets it came from. Fields of fixed size may be changed, and variable
// parts (a name, data) to something of the same length; another length or number of parts fails with wire.ErrLayout.
// Call Reset before: offsets are then computed, stray octets dropped, and wire.ErrLayout cannot happen.
type Layout struct {
	kept  bool
	size  int // of the message without its packet type
	head  int // of its fixed part
	parts []place
	stray []Stray
}

// A place is what an offset field and the size field after it say.
type place struct{ offset, size uint32 }

// absent says whether there is nothing at the place. Offset zero is the specification's sign for it; of no octets the
// offset means nothing.
func (p place) absent() bool { return p.offset == 0 || p.size == 0 }

// A Stray is a run of octets that belongs to no field. Octets aliases the decoded buffer.
type Stray struct {
	Offset int // counted as offset fields are: from behind dwPacketType
	Octets []byte
}

// Stray gives the octets that no field covers, in order.
func (l *Layout) Stray() []Stray { return slices.Clone(l.stray) }

// Regular says whether Append would put every octet where it was without this layout's help.
func (l *Layout) Regular() bool { return !l.kept }

// Reset forgets the layout.
func (l *Layout) Reset() { *l = Layout{} }

// A part is an offset field and its size field, and where they stand.
type part struct {
	place
	name, sizeName string
	at             int
	list           string // as in codec
	index          int
}

// A span is where a part is.
type span struct{ from, to, part int }

// begin is called before the first field.
func (c *codec) begin(l *Layout) {
	c.layout = l
	if !c.enc || !l.kept {
		return
	}
	c.fixed = true
	at := len(c.buf)
	c.buf = slices.Grow(c.buf, l.size)[:at+l.size] // fixed part, parts and stray octets cover it
}

// partFields are an offset field and the size field after it, for a part that has n octets when encoding. It gives the
// number of the part.
func (c *codec) partFields(name, sizeName string, n int) int {
	i := len(c.parts)
	p := part{name: name, sizeName: sizeName, at: c.off, list: c.list, index: c.index}
	if c.enc {
		p.size = uint32(n) // the offset is filled in when the part is written
		if c.fixed && c.err == nil {
			p.place = c.keptPlace(name, i, n)
		}
	}
	c.u32(name, &p.offset)
	c.u32(sizeName, &p.size)
	c.parts = append(c.parts, p)
	return i
}

// keptPlace gives part i its place in the layout that was decoded, where its n octets must fit exactly.
func (c *codec) keptPlace(name string, i, n int) place {
	if i < len(c.layout.parts) {
		p := c.layout.parts[i]
		if p.absent() && n == 0 || !p.absent() && int(p.size) == n {
			return p
		}
	}
	c.fail(name, c.off, 0, wire.ErrLayout)
	return place{}
}

// fixedPart says that the fixed part ends at the cursor: the variable parts begin here.
func (c *codec) fixedPart() {
	c.head, c.expect = c.off, c.off
	if c.fixed && (c.head != c.layout.head || len(c.parts) != len(c.layout.parts)) {
		c.fail("Layout", c.off, 0, wire.ErrLayout)
	}
	if !c.enc && c.err == nil {
		c.spans = make([]span, 0, len(c.parts))
	}
}

// partAt reads part i, nil if it is absent, or writes b as that part.
func (c *codec) partAt(i int, b []byte) []byte {
	if c.err != nil {
		return nil
	}
	p := &c.parts[i]
	c.list, c.index = p.list, p.index
	if c.enc {
		c.putPart(p, b)
	} else {
		b = c.takePart(p, i)
	}
	return b
}

func (c *codec) takePart(p *part, i int) []byte {
	if p.absent() {
		c.regular = c.regular && p.place == place{}
		return nil
	}
	switch {
	case uint64(p.offset) > uint64(len(c.buf)):
		c.fail(p.name, p.at, p.offset, wire.ErrOffset)
		return nil
	case uint64(p.size) > uint64(len(c.buf))-uint64(p.offset):
		c.fail(p.sizeName, p.at+4, p.size, wire.ErrShort)
		return nil
	}
	from, to := int(p.offset), int(p.offset)+int(p.size)
	c.regular = c.regular && from == c.expect
	c.expect = to
	c.spans = append(c.spans, span{from, to, i})
	return c.buf[from:to:to]
}

func (c *codec) putPart(p *part, b []byte) {
	if len(b) == 0 {
		return
	}
	if c.fixed {
		c.off = int(p.offset)
	} else {
		binary.LittleEndian.PutUint32(c.buf[c.base+p.at:], uint32(c.off))
	}
	copy(c.put(p.name, len(b)), b)
}

// octetsAt is part i, octets or a text as kind says.
func (c *codec) octetsAt(i int, name string, p *[]byte, kind wire.Kind) {
	if b := c.partAt(i, *p); !c.enc {
		*p = b
		c.emitPart(i, wire.Field{Name: name, Size: len(b), Kind: kind, Raw: b})
	}
}

// emitPart reports part i, if it is there. Of a part that an element of a list has, Index is the element's.
func (c *codec) emitPart(i int, f wire.Field) {
	if c.visit == nil || c.err != nil || c.parts[i].absent() {
		return
	}
	seen := f // as in emit
	seen.Index, seen.Offset = -1, c.base+int(c.parts[i].offset)
	if c.parts[i].list != "" {
		seen.Index = c.parts[i].index
	}
	c.visit(&seen)
}

func (c *codec) dataAt(i int, name string, p *[]byte) { c.octetsAt(i, name, p, wire.KindOctets) }

// urlAt is a URL, which fields show as octets: wire has no kind for 8-bit text.
func (c *codec) urlAt(i int, p *URL) { c.octetsAt(i, "url", (*[]byte)(p), wire.KindOctets) }

func (c *codec) textAt(i int, name string, p *wire.Text) {
	c.octetsAt(i, name, (*[]byte)(p), wire.KindText)
}

// apart puts the parts in order of their place and refuses two that overlap, or one that the fixed part overlaps.
func (c *codec) apart() {
	if c.enc || c.err != nil {
		return
	}
	slices.SortStableFunc(c.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	at := c.head
	for _, s := range c.spans {
		if s.from < at {
			p := &c.parts[s.part]
			c.list, c.index = p.list, p.index
			c.fail(p.name, p.at, p.offset, wire.ErrOverlap)
			return
		}
		at = s.to
	}
}

// end settles the layout after the last field: it finds, or writes, the stray octets.
func (c *codec) end() {
	if c.layout == nil || c.err != nil {
		return
	}
	if c.head < 0 {
		c.fixedPart()
	}
	c.apart()
	switch {
	case c.err != nil:
	case !c.enc:
		c.keep()
	case c.fixed: // parts have their places and sizes, so stray octets still have theirs
		for _, s := range c.layout.stray {
			copy(c.buf[c.base+s.Offset:], s.Octets)
		}
	}
}

// keep notes in the layout what Append would not do by itself.
func (c *codec) keep() {
	var stray []Stray
	at := c.head
	for i := 0; i <= len(c.spans); i++ {
		to := len(c.buf)
		if i < len(c.spans) {
			to = c.spans[i].from
		}
		if to > at {
			stray = append(stray, Stray{Offset: at, Octets: c.buf[at:to:to]})
			c.emit(at, wire.Field{Name: "Stray", Size: to - at, Kind: wire.KindStray, Raw: c.buf[at:to:to]})
		}
		if i < len(c.spans) {
			at = c.spans[i].to
		}
	}
	if stray == nil && c.regular {
		return
	}
	*c.layout = Layout{kept: true, size: len(c.buf), head: c.head, stray: stray}
	c.layout.parts = slices.Grow(c.layout.parts, len(c.parts))
	for _, p := range c.parts {
		c.layout.parts = append(c.layout.parts, p.place)
	}
}
