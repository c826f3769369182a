package wire

import "dplay4/wire/internal/field"

// AppendMessage appends a system message, header and body, to dst. On an error, an *EncodeError, dst comes
// back as it was. A *PlayerMessage has no header and is refused with ErrValue, like nil: use
// [AppendPlayerMessage].
func AppendMessage(dst []byte, version Dialect, m Message) ([]byte, error) {
	switch m := m.(type) { // known types let the codec stay on the stack
	case nil:
		return dst, &EncodeError{Message: "MESSAGE", Field: "Body", Err: ErrValue}
	case *PlayerMessage:
		return dst, &EncodeError{Message: "PLAYERMESSAGE", Field: "Command", Err: ErrValue}
	case *Ping:
		var c codec
		c.append(dst, CmdPing)
		c.putHeader(version)
		m.fields(&c)
		return c.encoded(dst)
	case *PingReply:
		var c codec
		c.append(dst, CmdPingReply)
		c.putHeader(version)
		m.fields(&c)
		return c.encoded(dst)
	}
	return appendAny(dst, version, m)
}

func appendAny(dst []byte, version Dialect, m Message) ([]byte, error) {
	var c codec
	c.append(dst, m.Command())
	c.putHeader(version)
	m.fields(&c)
	return c.encoded(dst)
}

// AppendPlayerMessage appends a game message, without any header, to dst. On an error dst comes back as it was.
func AppendPlayerMessage(dst []byte, m *PlayerMessage) ([]byte, error) {
	var c codec
	c.append(dst, CmdPlayerMessage)
	m.fields(&c)
	return c.encoded(dst)
}

// append readies a new codec to append a message to dst.
func (c *codec) append(dst []byte, cmd Command) {
	c.Encoding, c.Buf, c.Base, c.Most, c.cmd = true, dst, len(dst), MaxMessage-SPHeaderSize, cmd
}

// putHeader writes the 8 octets of a message header.
func (c *codec) putHeader(version Dialect) {
	h := Header{c.cmd, version}
	h.put(c.Put("Signature", HeaderSize))
}

// encoded ends encoding.
func (c *codec) encoded(dst []byte) ([]byte, error) {
	c.End()
	if c.Err != nil {
		return dst, c.fail()
	}
	return c.Buf, nil
}

// Append appends the message with what stands around it to dst. On an error, an *EncodeError, dst comes back
// as it was. The size of the SP header is computed, and a zero token is filled in; e itself is not changed.
func (e *Envelope) Append(dst []byte) ([]byte, error) {
	out := dst
	if e.HasSP {
		out = field.Grow(out, SPHeaderSize)
	}
	var err error
	if p, ok := e.Message.(*PlayerMessage); ok {
		out, err = AppendPlayerMessage(out, p)
	} else {
		out, err = AppendMessage(out, e.Version, e.Message)
	}
	if err != nil {
		return dst, err
	}
	if e.HasSP {
		sp := e.SP
		sp.Size = len(out) - len(dst) // at most MaxMessage: no codec goes beyond that
		if sp.Token == 0 && !e.noToken {
			sp.Token = TokenRemote
		}
		sp.put(out[len(dst):])
	}
	return append(out, e.Trailing...), nil
}
