package dpl8

import (
	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// A codec goes through the fields of one message. Offsets count from behind its packet type.
type codec struct {
	field.Codec
	typ Type
}

// fail returns the error of which the codec knows, with the message's name; nil if all went well.
func (c *codec) fail() error {
	if c.Err == nil {
		return nil
	}
	c.Err.Message = c.typ.String()
	if c.Encoding {
		return &wire.EncodeError{Message: c.Err.Message, Field: c.Err.Field, Err: c.Err.Err}
	}
	return (*wire.DecodeError)(c.Err)
}

// A teller shows fields to a visitor.
type teller wire.Visitor

func (t teller) See(f *field.Field) { t((*wire.Field)(f)) }

// begin is called before the first field of messages that can have a layout.
func (c *codec) begin(l *wire.Layout) { c.Begin((*field.Layout)(l)) }

func (c *codec) id(name string, p *DPNID) { c.Word(name, (*uint32)(p), field.ID, nil) }

func (c *codec) guid(name string, p *wire.GUID) { c.Copied(name, p[:], field.GUID) }

// version is dwVersion and the DWORD after it, which is not used.
func (c *codec) version(version, notUsed *uint32) {
	c.U32("dwVersion", version)
	c.Hex32("dwVersionNotUsed", notUsed)
}

func (c *codec) dataAt(part int, name string, p *[]byte) { c.OctetsPair(part, name, p, field.Octets) }

// urlAt is a URL, which fields show as octets: wire has no kind for 8-bit text.
func (c *codec) urlAt(part int, p *URL) { c.OctetsPair(part, "url", (*[]byte)(p), field.Octets) }

func (c *codec) textAt(part int, name string, p *wire.Text) {
	c.OctetsPair(part, name, (*[]byte)(p), field.Text)
}

// resize returns a list of n zero elements, nil for none, when decoding; encoding, the list itself.
func resize[T any](c *codec, list []T, n int) []T {
	switch {
	case c.Encoding:
		return list
	case n == 0:
		return nil
	}
	return make([]T, n)
}
