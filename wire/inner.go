package wire

import "dplay4/wire/internal/field"

// An Inner is a message inside a message. It begins with its signature; without one it is a game message.
// Decoded, Message is a new value, not one that the [Decoder] uses again.
type Inner struct {
	Version Dialect // of the header of Message; none for a game message
	Message Message // nil when the octets were not decoded: encrypted, or a fragment
	Octets  []byte  // as they were on the wire (aliased); what is encoded when Message is nil, else ignored
}

// inner is a message of n octets inside the message. It is decoded if open says so.
func (c *codec) inner(name string, p *Inner, n int, open bool) {
	if c.Encoding {
		b := c.innerOctets(name, p)
		c.Octets(name, &b, 0)
		return
	}
	p.Message, p.Version = nil, 0
	if !open {
		c.Octets(name, &p.Octets, n)
		return
	}
	at := c.Off
	p.Octets = c.Take(name, n)
	if c.Err != nil {
		return
	}
	if c.depth >= MaxNesting {
		c.Fail(name, at, 0, ErrNesting)
		return
	}
	sub := codec{opts: c.opts, depth: c.depth + 1}
	sub.Buf, sub.Base, sub.Visit = p.Octets, c.Base+at, c.Visit
	var h Header
	h, p.Message = sub.message(name)
	p.Version = h.Version
	if sub.fail() != nil {
		p.Message = nil
		c.Adopt(name, sub.Err)
	}
}

// innerOctets encodes a message inside the message.
func (c *codec) innerOctets(name string, p *Inner) []byte {
	if p.Message == nil || c.Err != nil {
		return p.Octets
	}
	if c.depth >= MaxNesting {
		c.Fail(name, c.Off, 0, ErrNesting)
		return nil
	}
	sub := codec{depth: c.depth + 1}
	sub.append(nil, p.Message.Command())
	if _, game := p.Message.(*PlayerMessage); !game {
		sub.putHeader(p.Version)
	}
	p.Message.fields(&sub)
	b, err := sub.encoded(nil)
	if err != nil {
		c.Adopt(name, sub.Err)
	}
	return b
}

// message decodes a message inside a message, the field name, and puts brackets around it for the visitor.
func (c *codec) message(name string) (Header, Message) {
	var h Header
	var m Message = new(PlayerMessage)
	c.cmd = CmdPlayerMessage
	system := HasSignature(c.Buf)
	if system {
		if h = c.header(); c.Err != nil {
			return h, nil
		}
		m = New(h.Command)
	}
	c.Emit(0, field.Field{Name: name, Kind: field.Message, Num: uint32(c.cmd)})
	if system {
		c.headerFields(h)
	}
	m.fields(c)
	c.End()
	c.Bracket(field.Field{Index: -1, Kind: field.End})
	return h, m
}
