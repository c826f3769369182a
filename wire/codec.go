package wire

import "dplay4/wire/internal/field"

// A codec goes through the fields of one message, or of a message inside it.
type codec struct {
	field.Codec
	cmd   Command
	opts  Options
	depth int // of messages in messages
}

// fail returns the error of which the codec knows, with the message's name; nil if all went well.
func (c *codec) fail() error {
	if c.Err == nil {
		return nil
	}
	return c.failed()
}

func (c *codec) failed() error {
	if c.Err.Message == "" {
		c.Err.Message = c.cmd.String()
	}
	if c.Encoding {
		return &EncodeError{Message: c.Err.Message, Field: c.Err.Field, Err: c.Err.Err}
	}
	return (*DecodeError)(c.Err)
}

// A teller shows fields to a Visitor.
type teller Visitor

func (t teller) See(f *field.Field) { t((*Field)(f)) }

// visitor returns v as the codec wants it.
func visitor(v Visitor) field.Visitor {
	if v == nil {
		return nil
	}
	return teller(v)
}

func (c *codec) id(name string, p *PlayerID) { c.Word(name, (*uint32)(p), field.ID, nil) }

func (c *codec) hresult(name string, p *HResult) {
	c.Word(name, (*uint32)(p), field.HResult, hresultName)
}

func (c *codec) guid(name string, p *GUID) { c.Copied(name, p[:], field.GUID) }

func (c *codec) text(name string, p *Text) { c.Text(name, (*[]byte)(p)) }

func (c *codec) textAt(s field.Slot, name string, p *Text) { c.TextAt(s, name, (*[]byte)(p)) }

// sizedText is a string whose length in octets stands elsewhere; its terminator is not looked for.
func (c *codec) sizedText(name string, p *Text, n int) {
	c.Run(name, (*[]byte)(p), n, field.Text)
}

// ids is a list of n player ids; decoding, the caller has checked that they are there.
func (c *codec) ids(name string, p *[]PlayerID, n int) {
	if c.Encoding {
		for i := range *p {
			c.id(name, &(*p)[i])
		}
		return
	}
	*p = (*p)[:0]
	if n == 0 || c.Err != nil {
		*p = nil
		return
	}
	c.OpenList(name, n)
	for i := range n {
		var id PlayerID
		c.Element(i)
		c.id(name, &id)
		*p = append(*p, id)
	}
	c.Close()
}

// list is a list of n structures without anything between them. Decoding, it holds those before an error.
func list[T any](c *codec, name string, p *[]T, n int, element func(*codec, *T)) {
	if !c.Encoding {
		if *p = (*p)[:0]; n == 0 {
			*p = nil
		} else if cap(*p) < n {
			*p = make([]T, 0, n)
		}
	}
	c.Each(name, n, func(i int) {
		if !c.Encoding {
			*p = append(*p, *new(T))
		}
		element(c, &(*p)[i])
	})
}
