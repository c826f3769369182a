package wire

import "encoding/binary"

// A codec runs a message's fields method in one of two directions, so that decoder and encoder cannot
// drift apart: each field is named once. With a visitor it also reports every field it decodes.
//
// The first error pins it: later calls do nothing and leave their field zero.
type codec struct {
	enc   bool
	buf   []byte // decoding: the message from its signature on. Encoding: the destination
	base  int    // encoding: where in buf the signature is. Decoding: where in the outermost message this one begins
	off   int    // cursor, in octets from the signature
	cmd   Command
	opts  Options
	depth int // of messages in messages
	err   error
	visit Visitor
	path  []step

	layout  *Layout // of the message in work, set by the first call of layout fields
	fixed   bool    // encoding: every part goes where the layout says
	regular bool    // decoding: every part so far is where the encoder would have put it
	expect  int     // decoding: where the encoder would put the next part
	slots   int     // offset fields seen
	offsets [maxSlots]uint32
	spans   [maxSpans]span // parts claimed so far, in order of their start
	nspans  int
	stray   []Stray // decoding: of the message in work
}

const (
	maxSlots = 4 // SUPERENUMPLAYERSREPLY has four offset fields, no message has more
	maxSpans = 7 // the fixed part, up to five variable parts, and a spare one
)

type span struct{ from, to int }

// A step is one part of the path to a field, for errors.
type step struct {
	name  string
	index int // in a list; -1 where there is none
}

// A slot is a field about another part of the message: an offset that was read or left open, a length, a count.
type slot struct {
	name  string
	at    int // where the field is
	value uint32
	index int // an offset's number in the layout
}

func (c *codec) fail(name string, at int, value uint32, reason error) {
	if c.err != nil {
		return
	}
	field := pathString(c.path, name)
	if c.enc {
		c.err = &EncodeError{Message: c.cmd.String(), Field: field, Err: reason}
		return
	}
	c.err = &DecodeError{Message: c.cmd.String(), Field: field, Offset: c.base + at, Value: value, Err: reason}
}

// left is the number of octets after the cursor.
func (c *codec) left() int { return len(c.buf) - c.off }

// take gives the next n octets of a decoded message, aliased, with no room to append.
func (c *codec) take(name string, n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.buf)-c.off {
		c.fail(name, c.off, 0, ErrShort)
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
			c.fail(name, c.off, 0, ErrLayout)
			return nil
		}
	} else {
		if c.off+n > MaxMessage-SPHeaderSize {
			c.fail(name, c.off, 0, ErrLimit)
			return nil
		}
		c.buf = grow(c.buf, n)
	}
	c.off += n
	return c.buf[at : at+n]
}

// grow makes b n octets longer; what the new octets hold is for the caller to write.
func grow(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	return append(b, make([]byte, n)...)
}

func (c *codec) u16(name string, p *uint16) {
	if c.enc {
		if b := c.put(name, 2); b != nil {
			binary.LittleEndian.PutUint16(b, *p)
		}
		return
	}
	if b := c.take(name, 2); b != nil {
		*p = binary.LittleEndian.Uint16(b)
		if c.visit != nil {
			c.emit(Field{Name: name, Size: 2, Kind: KindNumber, Num: uint32(*p)})
		}
	}
}

// word is the one place where a DWORD crosses the wire.
func (c *codec) word(name string, p *uint32, kind Kind, names func(uint32) string) {
	if c.enc {
		if b := c.put(name, 4); b != nil {
			binary.LittleEndian.PutUint32(b, *p)
		}
		return
	}
	if b := c.take(name, 4); b != nil {
		*p = binary.LittleEndian.Uint32(b)
		if c.visit != nil {
			c.emit(Field{Name: name, Size: 4, Kind: kind, Num: *p, names: names})
		}
	}
}

func (c *codec) u32(name string, p *uint32)   { c.word(name, p, KindNumber, nil) }
func (c *codec) hex32(name string, p *uint32) { c.word(name, p, KindHex, nil) }

func (c *codec) id(name string, p *PlayerID) { c.word(name, (*uint32)(p), KindID, nil) }

func (c *codec) flags(name string, p *uint32, names func(uint32) string) {
	c.word(name, p, KindFlags, names)
}

func (c *codec) hresult(name string, p *HResult) {
	c.word(name, (*uint32)(p), KindHResult, hresultName)
}

// implied is a DWORD whose value follows from the rest of the message. What was on the wire is kept
// only if it differs.
func (c *codec) implied(name string, p *override, want uint32) {
	v := want
	if c.enc && p.set {
		v = p.value
	}
	c.u32(name, &v)
	if !c.enc {
		*p = override{}
		if v != want {
			*p = override{set: true, value: v}
		}
	}
}

// An override keeps a value of the wire that differs from the one an encoder computes.
type override struct {
	set   bool
	value uint32
}

// octets is a run of n octets; decoding, p aliases the message and is nil for none.
func (c *codec) octets(name string, p *[]byte, n int) {
	if c.enc {
		if b := c.put(name, len(*p)); b != nil {
			copy(b, *p)
		}
		return
	}
	*p = nil
	if n == 0 {
		return
	}
	at := c.off
	*p = c.take(name, n)
	if c.visit != nil {
		c.emit(Field{Name: name, Offset: at, Size: n, Kind: KindOctets, Raw: *p})
	}
}

// rest is everything up to the end of the message.
func (c *codec) rest(name string, p *[]byte) { c.octets(name, p, c.left()) }

func (c *codec) guid(name string, p *GUID) {
	if c.enc {
		if b := c.put(name, len(p)); b != nil {
			copy(b, p[:])
		}
		return
	}
	if b := c.take(name, len(p)); b != nil {
		copy(p[:], b)
		if c.visit != nil {
			c.emit(Field{Name: name, Size: len(p), Kind: KindGUID, Raw: b})
		}
	}
}

// text is a null-terminated Unicode string at the cursor. Nil means absent, which only the caller knows. Its end
// is where the terminator is, so one without it, or with something after it, cannot be encoded.
func (c *codec) text(name string, p *Text) {
	if c.enc {
		if textEnd(*p) != len(*p) {
			c.fail(name, c.off, 0, ErrTerminator)
			return
		}
		if b := c.put(name, len(*p)); b != nil {
			copy(b, *p)
		}
		return
	}
	if c.err != nil {
		return
	}
	at := c.off
	n := textEnd(c.buf[at:])
	if n < 0 {
		c.fail(name, at, 0, ErrTerminator)
		return
	}
	*p = Text(c.take(name, n))
	if c.visit != nil {
		c.emit(Field{Name: name, Offset: at, Size: n, Kind: KindText, Raw: *p})
	}
}

// sizedText is a string whose length in octets stands elsewhere; its terminator is not looked for.
func (c *codec) sizedText(name string, p *Text, n int) {
	if c.enc {
		if b := c.put(name, len(*p)); b != nil {
			copy(b, *p)
		}
		return
	}
	*p = nil
	if n == 0 || c.err != nil {
		return
	}
	at := c.off
	*p = Text(c.take(name, n))
	if c.visit != nil && c.err == nil {
		c.emit(Field{Name: name, Offset: at, Size: n, Kind: KindText, Raw: *p})
	}
}

// ids is a list of n player ids; decoding, the caller has checked that they are there.
func (c *codec) ids(name string, p *[]PlayerID, n int) {
	if c.enc {
		for i := range *p {
			c.id(name, &(*p)[i])
		}
		return
	}
	*p = (*p)[:0]
	if n == 0 || c.err != nil {
		*p = nil
		return
	}
	c.openList(name, n)
	for i := range n {
		var id PlayerID
		c.at(i)
		c.id(name, &id)
		*p = append(*p, id)
	}
	c.close()
}

// size is a DWORD that says how long another part is, or how many elements it has: n of them, encoding.
// Decoding, length or count checks it when the cursor is where the part begins.
func (c *codec) size(name string, n int) slot {
	s := slot{name: name, at: c.off, value: uint32(n)}
	c.u32(name, &s.value)
	return s
}

// length checks a length in octets against what is left.
func (c *codec) length(s slot) int {
	if c.enc || c.err != nil {
		return 0
	}
	if int64(s.value) > int64(c.left()) {
		c.fail(s.name, s.at, s.value, ErrShort)
		return 0
	}
	return int(s.value)
}

// count checks a count of elements of at least size octets each before anything is allocated for them.
// Encoding, it keeps to the limit that decoders have.
func (c *codec) count(s slot, size int) int {
	switch {
	case c.err != nil:
		return 0
	case s.value > MaxPlayers:
		c.fail(s.name, s.at, s.value, ErrLimit)
		return 0
	case !c.enc && int(s.value)*size > c.left():
		c.fail(s.name, s.at, s.value, ErrShort)
		return 0
	}
	return int(s.value)
}
