package field

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A Layout remembers how a decoded message was laid out where that differs from what an encoder does by itself.
type Layout struct {
	kept   bool
	size   int // of the message
	head   int // of its fixed part
	parts  int // that are there
	places []place
	stray  []Stray
}

// A Stray is a run of octets that belongs to no field.
type Stray struct {
	Offset int
	Octets []byte
}

// Stray returns the octets that no field covers, in order. The slice is the layout's own.
func (l *Layout) Stray() []Stray { return l.stray }

// Regular reports whether an encoder would put every octet where it was without this layout's help.
func (l *Layout) Regular() bool { return !l.kept }

// A place is what an offset field says, and the octets of the part: what the size field beside it says, or as many as were
// read; 0 where there is no part.
type place struct{ offset, size uint32 }

// A part is an offset field and what it leads to.
type part struct {
	place
	name, sizeName string
	at             int
	in             step // the list that the field stands in
}

// A span is where a part is.
type span struct{ from, to, part int }

// A Codec is a Cursor for messages with parts that stand where offset fields say.
type Codec struct {
	Cursor
	layout  *Layout // of the message in work, set by Begin
	regular bool    // decoding: every part so far is where the encoder would have put it
	expect  int     // decoding: where the encoder would put the next part
	head    int     // end of the fixed part; -1 before it is known
	offsets int     // fields seen
	written int     // encoding: parts in their kept places
	parts   []part  // in the order of their fields; encoding, only those of Pair
	spans   []span  // decoding: parts that are there
	stray   []Stray // decoding: of the message in work
}

// Start readies a codec that was used before for another message.
func (c *Codec) Start(b []byte, v Visitor) {
	c.Buf, c.Off, c.Err, c.Visit, c.path = b, 0, nil, v, c.path[:0]
	c.layout, c.stray = nil, nil
}

// Stray returns the octets of the message decoded last that no field of it covers.
func (c *Codec) Stray() []Stray { return c.stray }

// Begin is called before the first field after the header.
func (c *Codec) Begin(l *Layout) {
	c.layout, c.offsets, c.written, c.head, c.expect, c.regular, c.fixed = l, 0, 0, -1, -1, true, false
	c.parts, c.spans = c.parts[:0], c.spans[:0]
	if !c.Encoding || c.Err != nil || !l.kept {
		return
	}
	c.fixed = true
	at := len(c.Buf)
	c.Buf = Grow(c.Buf, l.size-c.Off)
	clear(c.Buf[at:])
}

// offset is an offset field of part c.offsets. Its kept place is looked up when the message is encoded to a layout.
func (c *Codec) offset(name string, p *place) {
	if c.fixed && c.Err == nil {
		if c.offsets >= len(c.layout.places) {
			c.Fail(name, c.Off, 0, ErrLayout)
		} else {
			*p = c.layout.places[c.offsets]
		}
	}
	c.offsets++
	c.U32(name, &p.offset)
}

// Offset is an offset field. Its part is read or written later, with one of the At methods, or after Seek.
func (c *Codec) Offset(name string) Slot {
	s := Slot{Name: name, At: c.Off, part: c.offsets}
	var p place
	c.offset(name, &p)
	s.Value = p.offset
	if !c.Encoding {
		c.parts = append(c.parts, part{place: place{offset: p.offset}, name: name, at: s.At})
	}
	return s
}

// FixedPart says that the fixed part ends at the cursor: the variable parts begin here.
func (c *Codec) FixedPart() {
	c.head, c.expect = c.Off, c.Off
	if c.fixed && (c.head != c.layout.head || c.offsets != len(c.layout.places)) {
		c.Fail("Layout", c.Off, 0, ErrLayout)
	}
}

// Seek moves the cursor to where a part is, and reports whether it is there at all. An absent part is one whose field is
// zero (optional true), or, encoding, one that the message lacks. Decoding, a part must not begin inside another one; that
// is found out here, before its octets are taken for what they are not, and Claim finds out whether it ends inside
// another one.
func (c *Codec) Seek(s Slot, present, optional bool) bool {
	switch {
	case c.Err != nil, c.Encoding && !present, !c.Encoding && s.Value == 0 && optional:
		return false
	case c.Encoding && !c.fixed:
		binary.LittleEndian.PutUint32(c.Buf[c.Base+s.At:], uint32(c.Off))
		return true
	case c.Encoding && uint64(s.Value) > uint64(c.layout.size):
		c.Fail(s.Name, s.At, s.Value, ErrLayout)
		return false
	case !c.Encoding && uint64(s.Value) > uint64(len(c.Buf)):
		c.Fail(s.Name, s.At, s.Value, ErrOffset)
		return false
	}
	c.Off = int(s.Value)
	if c.Encoding {
		return true
	}
	if c.overlaps(c.Off, c.Off+1) {
		c.Fail(s.Name, s.At, s.Value, ErrOverlap)
		return false
	}
	c.regular = c.regular && c.Off == c.expect
	return true
}

// Follows reports whether a part whose offset is zero stands behind what was read or written last, as it does in a
// decoded message.
func (c *Codec) Follows(s Slot) bool {
	if s.Value != 0 || c.Encoding && !c.fixed {
		return false
	}
	c.regular = false
	return true
}

// Claim notes the part between from and the cursor.
func (c *Codec) Claim(s Slot, from int) {
	n := uint32(c.Off - from)
	switch {
	case c.Err != nil:
	case c.fixed && n != c.layout.places[s.part].size:
		c.Fail(s.Name, s.At, s.Value, ErrLayout)
	case !c.Encoding:
		c.parts[s.part].size = n
	}
	c.ClaimBehind(s, from)
}

// ClaimBehind notes what stands behind a part and belongs to no other one, between from and the cursor.
func (c *Codec) ClaimBehind(s Slot, from int) {
	if c.Err != nil || from == c.Off {
		return
	}
	c.written++
	c.expect = c.Off
	if c.Encoding {
		return
	}
	if c.overlaps(from, c.Off) {
		c.Fail(s.Name, s.At, s.Value, ErrOverlap)
	}
	c.spans = append(c.spans, span{from, c.Off, s.part})
}

// overlaps reports whether octets are in a part already. It looks at all parts, of which a message that Seek is used for
// has a handful; for the others there is apart.
func (c *Codec) overlaps(from, to int) bool {
	return from < c.head || slices.ContainsFunc(c.spans, func(s span) bool { return s.from < to && from < s.to })
}

// TextAt is a string at an offset; offset zero means none.
func (c *Codec) TextAt(s Slot, name string, p *[]byte) {
	if !c.Encoding {
		*p = nil
	}
	if c.Seek(s, len(*p) > 0, true) {
		from := c.Off
		c.Text(name, p)
		c.Claim(s, from)
	}
}

// OctetsAt is a run of octets at an offset. Of none, the offset is kept but means nothing.
func (c *Codec) OctetsAt(s Slot, name string, p *[]byte, n Slot) {
	if !c.Encoding {
		*p = nil
	}
	if n.Value == 0 {
		c.NothingAt(s)
	} else if c.Seek(s, true, false) {
		from := c.Off
		c.Octets(name, p, c.Length(n))
		c.Claim(s, from)
	}
}

// NothingAt is the offset of a part that is empty: an encoder points it where the part would begin.
func (c *Codec) NothingAt(s Slot) {
	switch {
	case c.Err != nil:
	case !c.Encoding:
		c.regular = c.regular && int64(s.Value) == int64(c.expect)
	case !c.fixed:
		binary.LittleEndian.PutUint32(c.Buf[c.Base+s.At:], uint32(c.Off))
	}
}

// Apart puts the parts in order of their place and refuses two that overlap, or one that the fixed part overlaps.
func (c *Codec) Apart() {
	if c.Encoding || c.Err != nil {
		return
	}
	if !slices.IsSortedFunc(c.spans, spanOrder) {
		slices.SortStableFunc(c.spans, spanOrder)
	}
	at := c.head
	for _, s := range c.spans {
		if s.from < at {
			p := &c.parts[s.part]
			c.within(p)
			c.Fail(p.name, p.at, p.offset, ErrOverlap)
			return
		}
		at = s.to
	}
}

func spanOrder(a, b span) int { return cmp.Compare(a.from, b.from) }

// End settles the layout after the last field: it finds, or writes, the stray octets.
func (c *Codec) End() {
	l := c.layout
	if l == nil || c.Err != nil {
		return
	}
	if c.head < 0 { // no variable parts: all is one part, and what follows the cursor is stray
		if !c.Encoding && c.Off == len(c.Buf) && !l.kept {
			return // as with most messages
		}
		c.FixedPart()
	}
	c.Apart()
	switch {
	case c.Err != nil:
	case !c.Encoding:
		c.keep(l)
	case c.fixed:
		c.restore(l)
	}
}

// keep notes in l what an encoder would not do by itself.
func (c *Codec) keep(l *Layout) {
	*l = Layout{}
	at := c.head
	for i := 0; i <= len(c.spans); i++ {
		to := len(c.Buf)
		if i < len(c.spans) {
			to = c.spans[i].from
		}
		if to > at {
			c.stray = append(c.stray, Stray{at, c.Buf[at:to:to]})
			c.Emit(at, Field{Name: "Stray", Size: to - at, Kind: StrayOctets, Raw: c.Buf[at:to:to]})
		}
		if i < len(c.spans) {
			at = c.spans[i].to
		}
	}
	if c.stray == nil && c.regular {
		return
	}
	*l = Layout{kept: true, size: len(c.Buf), head: c.head, parts: len(c.spans), stray: c.stray, places: make([]place, len(c.parts))}
	for i := range c.parts {
		l.places[i] = c.parts[i].place
	}
}

// restore writes the stray octets. Every part that was decoded has to be in its place: one that is absent would leave a
// hole, and there is no telling what a receiver would make of it.
func (c *Codec) restore(l *Layout) {
	if c.written != l.parts {
		c.Fail("Layout", c.Off, 0, ErrLayout)
		return
	}
	for _, s := range l.stray {
		copy(c.Buf[c.Base+s.Offset:], s.Octets)
	}
	c.Off = l.size
	c.fixed = false
}
