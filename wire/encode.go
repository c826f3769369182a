package wire

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
		c := newEncoder(dst, version, CmdPing)
		m.fields(&c)
		return c.encoded(dst)
	case *PingReply:
		c := newEncoder(dst, version, CmdPingReply)
		m.fields(&c)
		return c.encoded(dst)
	}
	return appendAny(dst, version, m)
}

func appendAny(dst []byte, version Dialect, m Message) ([]byte, error) {
	c := newEncoder(dst, version, m.Command())
	m.fields(&c)
	return c.encoded(dst)
}

// AppendPlayerMessage appends a game message, without any header, to dst. On an error dst comes back as it was.
func AppendPlayerMessage(dst []byte, m *PlayerMessage) ([]byte, error) {
	c := codec{enc: true, buf: dst, base: len(dst), cmd: CmdPlayerMessage}
	m.fields(&c)
	return c.encoded(dst)
}

func newEncoder(dst []byte, version Dialect, cmd Command) codec {
	c := codec{enc: true, buf: dst, base: len(dst), cmd: cmd}
	c.putHeader(version)
	return c
}

// putHeader writes the 8 octets of a message header.
func (c *codec) putHeader(version Dialect) {
	h := Header{c.cmd, version}
	h.put(c.put("Signature", HeaderSize))
}

// encoded ends encoding.
func (c *codec) encoded(dst []byte) ([]byte, error) {
	c.end()
	if c.err != nil {
		return dst, c.err
	}
	return c.buf, nil
}

// Append appends the message with what stands around it to dst. On an error, an *EncodeError, dst comes back
// as it was. The size of the SP header is computed, and a zero token is filled in; e itself is not changed.
func (e *Envelope) Append(dst []byte) ([]byte, error) {
	out := dst
	if e.HasSP {
		out = grow(out, SPHeaderSize)
	}
	var err error
	if p, ok := e.Message.(*PlayerMessage); ok && !e.System {
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
