package dpl8

import (
	"encoding/binary"
	"slices"
	"strconv"

	"dplay4/wire"
)

// A codec runs a message's fields method in one of two directions, so that decoder and encoder cannot drift apart:
// each field is named once. With a visitor it also reports every field it decodes.
//
// The first error pins it: later calls do nothing and leave their field zero.
type codec struct {
	enc   bool
	buf   []byte // decoding: what follows the packet type. Encoding: the destination
	base  int    // where offsets count from: encoding, in buf; decoding, in the outermost message
	off   int    // cursor, in octets from base
	typ   Type
	err   error
	visit wire.Visitor
	list  string // that the field in work stands in, for errors; "" for none
	index int    // in that list

	layout  *Layout // of the message in work; nil where it needs none
	fixed   bool    // encoding: every part goes where the layout says
	regular bool    // decoding: every part so far is where the encoder would have put it
	expect  int     // decoding: where the encoder would put the next part
	head    int     // end of the fixed part; -1 before it is known
	parts   []part  // in the order of their fields
	spans   []span  // decoding: parts that are there
}

// path is a field's name with the list that it stands in.
func (c *codec) path(name string) string {
	if c.list == "" {
		return name
	}
	return c.list + "[" + strconv.Itoa(c.index) + "]." + name
}

func (c *codec) fail(name string, at int, value uint32, reason error) {
	if c.err != nil {
		return
	}
	if c.enc {
		c.err = &wire.EncodeError{Message: c.typ.String(), Field: c.path(name), Err: reason}
		return
	}
	c.err = &wire.DecodeError{Message: c.typ.String(), Field: c.path(name), Offset: c.base + at, Value: value, Err: reason}
}

// left is the number of octets after the cursor.
func (c *codec) left() int { return len(c.buf) - c.off }

// take gives the next n octets of a decoded message, aliased, with no room to append.
func (c *codec) take(name string, n int) []byte {
	if c.err != nil {
		return nil
	}
	if n > c.left() {
		c.fail(name, c.off, 0, wire.ErrShort)
		return nil
	}
	c.off += n
	return c.buf[c.off-n : c.off : c.off]
}

// put gives room for the next n octets of an encoded message.
func (c *codec) put(name string, n int) []byte {
	if c.err != nil {
		return nil
	}
	at := c.base + c.off
	if c.fixed {
		if at+n > len(c.buf) {
			c.fail(name, c.off, 0, wire.ErrLayout)
			return nil
		}
	} else {
		if c.off+n > MaxMessage-typeSize {
			c.fail(name, c.off, 0, wire.ErrLimit)
			return nil
		}
		c.buf = slices.Grow(c.buf, n)[:at+n]
	}
	c.off += n
	return c.buf[at : at+n]
}

// word is the one place where a DWORD crosses the wire.
func (c *codec) word(name string, p *uint32, kind wire.Kind, names func(uint32) string) {
	if c.enc {
		if b := c.put(name, 4); b != nil {
			binary.LittleEndian.PutUint32(b, *p)
		}
		return
	}
	if b := c.take(name, 4); b != nil {
		*p = binary.LittleEndian.Uint32(b)
		if c.visit != nil {
			c.emit(c.off-4, wire.Field{Name: name, Size: 4, Kind: kind, Num: *p}.WithNames(names))
		}
	}
}

func (c *codec) u32(name string, p *uint32)   { c.word(name, p, wire.KindNumber, nil) }
func (c *codec) hex32(name string, p *uint32) { c.word(name, p, wire.KindHex, nil) }
func (c *codec) id(name string, p *DPNID)     { c.word(name, (*uint32)(p), wire.KindID, nil) }

func (c *codec) flags(name string, p *uint32, names func(uint32) string) {
	c.word(name, p, wire.KindFlags, names)
}

func (c *codec) named(name string, p *uint32, names func(uint32) string) {
	c.word(name, p, wire.KindNamed, names)
}

// version is dwVersion and the DWORD after it, which is not used.
func (c *codec) version(version, notUsed *uint32) {
	c.u32("dwVersion", version)
	c.hex32("dwVersionNotUsed", notUsed)
}

// implied is a DWORD whose value follows from the rest of the message. What was on the wire is kept only if it
// differs.
func (c *codec) implied(name string, p *override, want uint32) {
	v := want
	if c.enc && p.set {
		v = p.value
	}
	c.u32(name, &v)
	if !c.enc && c.err == nil && v != want {
		*p = override{set: true, value: v}
	}
}

// An override keeps a value of the wire that differs from the one an encoder computes.
type override struct {
	set   bool
	value uint32
}

func (c *codec) guid(name string, p *wire.GUID) {
	if c.enc {
		copy(c.put(name, len(p)), p[:])
		return
	}
	if b := c.take(name, len(p)); b != nil {
		copy(p[:], b)
		c.emit(c.off-len(p), wire.Field{Name: name, Size: len(p), Kind: wire.KindGUID, Raw: b})
	}
}

// rest is everything up to the end of the message; decoding, p aliases it and is nil for nothing.
func (c *codec) rest(name string, p *[]byte) {
	if c.enc {
		copy(c.put(name, len(*p)), *p)
		return
	}
	if n := c.left(); n > 0 && c.err == nil {
		*p = c.take(name, n)
		c.emit(c.off-n, wire.Field{Name: name, Size: n, Kind: wire.KindOctets, Raw: *p})
	}
}

// A counter is a DWORD that says how many elements a list has that begins further on.
type counter struct {
	name  string
	at    int
	value uint32
}

// counter reads or writes the number of elements of a list, n of them when encoding.
func (c *codec) counter(name string, n int) counter {
	k := counter{name: name, at: c.off, value: uint32(n)}
	c.u32(name, &k.value)
	return k
}

// count checks a count of elements of size octets each before anything is allocated for them. The cursor is where
// the list begins. Encoding, it keeps to the limit that decoders have.
func (c *codec) count(k counter, size int) int {
	switch {
	case c.err != nil:
		return 0
	case k.value > MaxList:
		c.fail(k.name, k.at, k.value, wire.ErrLimit)
		return 0
	case !c.enc && int(k.value)*size > c.left():
		c.fail(k.name, k.at, k.value, wire.ErrShort)
		return 0
	}
	return int(k.value)
}

// each calls f for each of n elements of a list, with the path and the brackets that go with it.
func (c *codec) each(name string, n int, f func(i int)) {
	if n == 0 || c.err != nil {
		return
	}
	c.bracket(wire.Field{Name: name, Index: -1, Kind: wire.KindList, Num: uint32(n)})
	for i := 0; i < n && c.err == nil; i++ {
		c.list, c.index = name, i
		c.bracket(wire.Field{Name: name, Index: i, Kind: wire.KindStruct})
		f(i)
		c.bracket(wire.Field{Index: -1, Kind: wire.KindEnd})
	}
	c.list = ""
	c.bracket(wire.Field{Index: -1, Kind: wire.KindEnd})
}

// resize gives a list of n zero elements, nil for none, when decoding; encoding, the list itself.
func resize[T any](c *codec, list []T, n int) []T {
	switch {
	case c.enc:
		return list
	case n == 0:
		return nil
	}
	return make([]T, n)
}

// emit reports a field of the message that begins at octet at.
func (c *codec) emit(at int, f wire.Field) {
	if c.visit != nil && c.err == nil {
		seen := f // f itself must not escape: without a visitor nothing is allocated
		seen.Index, seen.Offset = -1, c.base+at
		c.visit(&seen)
	}
}

// bracket reports what stands around fields.
func (c *codec) bracket(f wire.Field) {
	if c.visit != nil && c.err == nil {
		seen := f // as in emit
		seen.Offset = c.base + c.off
		c.visit(&seen)
	}
}
