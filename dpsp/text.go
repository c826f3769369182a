package dpsp

import "dplay4/wire"

// A Text is a name, a password or chat in a command: a string, which the engine writes in the encoding that those who
// read it use (see [Config].Text), or what [Octets] gives, which goes out as it is.
type Text string

// octetsMark begins a Text of octets. There is no such octet in UTF-8.
const octetsMark = "\xFF"

// Octets returns the Text that goes out as the octets of t, with the terminator that they end with. Of nil nothing goes out,
// not even a terminator.
func Octets(t wire.Text) Text { return octetsMark + Text(t) }

// octets returns the octets that a Text goes out as; ok is false for a string.
func (t Text) octets() (octets wire.Text, ok bool) {
	if len(t) == 0 || t[:1] != octetsMark {
		return nil, false
	}
	if len(t) == 1 {
		return nil, true
	}
	return wire.Text(t[1:]), true
}

// check fails for octets that cannot be sent as a text. Names are held against the list's limits.
func (t Text) check() error {
	b, ok := t.octets()
	if !ok || b == nil {
		return nil
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 && i+2 == len(b) {
			return nil
		} else if b[i] == 0 && b[i+1] == 0 {
			break
		}
	}
	return ErrText
}

// in returns a Text as it goes out to somebody who uses an encoding.
func (t Text) in(e wire.Encoding) wire.Text {
	if b, ok := t.octets(); ok {
		return b
	}
	return e.Text(string(t))
}

// String returns the characters.
func (t Text) String() string {
	if b, ok := t.octets(); ok {
		return b.String()
	}
	return string(t)
}

// empty reports whether a password is none. Some programs send an empty one for that (facts, 3.1).
func (t Text) empty() bool { return !hasText(t.in(wire.UTF16)) }

// hasText reports whether a password or name is there and not empty.
func hasText(t wire.Text) bool { return len(t) > 2 }

// optional returns a password as it goes out where there may be none.
func (t Text) optional(e wire.Encoding) wire.Text {
	if t == "" {
		return nil
	}
	return t.in(e)
}

// bothNames returns the names of a player or group as they go out. There are always both, if only as empty strings, unless
// Octets says otherwise: games copy the long name that they are given without looking whether it is there.
func bothNames(short, long Text, e wire.Encoding) (wire.Text, wire.Text) {
	s := short.in(e)
	switch {
	case long != "":
		return s, long.in(e)
	case s == nil:
		return nil, wire.NewText("")
	}
	return s, s
}

// A heard is what was heard of somebody's encoding.
type heard struct {
	encoding wire.Encoding
	known    bool
}

// hear takes a text that somebody wrote. Some texts could be either, and tell nothing.
func (h *heard) hear(t wire.Text) {
	switch {
	case t.Encoding() == wire.EightBit:
		*h = heard{wire.EightBit, true}
	case len(t) > 4 && t[1] == 0: // with 8 bits it would have ended there
		*h = heard{wire.UTF16, true}
	}
}

// texts says how the texts of the session are written.
type texts struct {
	called  Text  // the session's name, if our program gave it
	session heard // how another machine wrote it
}

// hearText notes in which encoding a member writes, over connections: the source of a datagram can be forged.
func (s *sessionState) hearText(o origin, m wire.Message) {
	p := s.peerOf(o)
	if p == nil || o.udp {
		return
	}
	if text := ruleOf(m).text; text != nil {
		p.text.hear(text(m))
	}
}

// encodingOf returns the encoding that the configuration has for a game.
func (c *Config) encodingOf(application wire.GUID) (enc wire.Encoding, ok bool) {
	if enc, ok = c.Text[wire.GUID{}]; !ok {
		enc, ok = c.Text[application]
	}
	return enc, ok
}

// encoding returns the encoding for what everybody in the session reads: by the configuration, by the name that another
// machine gave the session, or as soon as one member writes 8 bits. What strangers write counts for nothing.
func (s *sessionState) encoding() wire.Encoding {
	application := wire.GUID{}
	switch {
	case s.list != nil:
		application = s.list.Desc().Application
	case s.state == joinState:
		application = s.way.want.Desc.Application
	}
	if enc, ok := s.cfg.encodingOf(application); ok {
		return enc
	}
	if s.text.session.known {
		return s.text.session.encoding
	}
	for _, p := range s.peers.all {
		if p.text.known && p.text.encoding == wire.EightBit {
			return wire.EightBit
		}
	}
	return wire.UTF16
}

// read returns the characters of a name as the others in the session see them.
func (s *sessionState) read(t wire.Text) string { return t.As(s.encoding()) }

// encodingFor returns the encoding for what one reader alone gets, of whom something was heard or not.
func (s *sessionState) encodingFor(h heard) wire.Encoding {
	if _, fixed := s.cfg.encodingOf(s.list.Desc().Application); !fixed && h.known {
		return h.encoding
	}
	return s.encoding()
}

// eachEncoding calls do for the machines that read one encoding, and for those that read the other, if there are any.
func (s *sessionState) eachEncoding(to []*peer, do func(wire.Encoding, []*peer) error) error {
	var of [wire.OnlyUTF16 + 1][]*peer
	for _, p := range to {
		enc := s.encodingFor(p.text)
		of[enc] = append(of[enc], p)
	}
	for enc, peers := range of {
		if len(peers) == 0 {
			continue
		}
		if err := do(wire.Encoding(enc), peers); err != nil {
			return err
		}
	}
	return nil
}

// sessionName returns the session's name for a reader of an encoding. One that our program did not give as a string is as
// it is.
func (s *sessionState) sessionName(enc wire.Encoding) wire.Text {
	name := s.list.Session().Name
	if name != nil && name.String() == string(s.text.called) {
		return s.text.called.in(enc)
	}
	return name
}
