package wire

// An Inner is a message inside a message. It begins with its signature; without one it is a game message.
// Decoded, Message is a new value, not one that the [Decoder] uses again.
type Inner struct {
	Version Dialect // of the header of Message; none for a game message
	Message Message // nil when the octets were not decoded: encrypted, or a fragment
	Octets  []byte  // as they were on the wire (aliased); what is encoded when Message is nil, else ignored
}

// inner is a message of n octets inside the message. It is decoded if open says so.
func (c *codec) inner(name string, p *Inner, n int, open bool) {
	if c.enc {
		b := c.innerOctets(name, p)
		c.octets(name, &b, 0)
		return
	}
	p.Message, p.Version = nil, 0
	if !open {
		c.octets(name, &p.Octets, n)
		return
	}
	at := c.off
	p.Octets = c.take(name, n)
	if c.err != nil {
		return
	}
	if c.depth >= MaxNesting {
		c.fail(name, at, 0, ErrNesting)
		return
	}
	sub := codec{buf: p.Octets, base: c.base + at, opts: c.opts, depth: c.depth + 1, visit: c.visit}
	var h Header
	h, p.Message = sub.message(name)
	p.Version = h.Version
	if e, ok := sub.err.(*DecodeError); ok {
		p.Message = nil
		c.err = &DecodeError{Message: c.cmd.String(), Field: pathString(c.path, name) + "." + e.Message + "." + e.Field,
			Offset: e.Offset, Value: e.Value, Err: e.Err}
	}
}

// innerOctets encodes a message inside the message.
func (c *codec) innerOctets(name string, p *Inner) []byte {
	if p.Message == nil || c.err != nil {
		return p.Octets
	}
	if c.depth >= MaxNesting {
		c.fail(name, c.off, 0, ErrNesting)
		return nil
	}
	sub := codec{enc: true, cmd: p.Message.Command(), depth: c.depth + 1}
	if _, game := p.Message.(*PlayerMessage); !game {
		sub.putHeader(p.Version)
	}
	p.Message.fields(&sub)
	b, err := sub.encoded(nil)
	if e, ok := err.(*EncodeError); ok {
		c.err = &EncodeError{Message: c.cmd.String(), Field: pathString(c.path, name) + "." + e.Message + "." + e.Field, Err: e.Err}
	}
	return b
}

// message decodes a message inside a message, the field name, and puts brackets around it for the visitor.
func (c *codec) message(name string) (Header, Message) {
	var h Header
	var m Message = new(PlayerMessage)
	c.cmd = CmdPlayerMessage
	system := HasSignature(c.buf)
	if system {
		if h = c.header(); c.err != nil {
			return h, nil
		}
		m = New(h.Command)
	}
	if c.visit != nil {
		c.visit(&Field{Name: name, Index: -1, Offset: c.base, Kind: KindMessage, Num: uint32(c.cmd)})
	}
	if system {
		c.headerFields(h)
	}
	m.fields(c)
	c.end()
	c.bracket(Field{Index: -1, Kind: KindEnd})
	return h, m
}
