package filter

import "dplay4/wire"

// A Session is what is known of the session that our game is in: whether its datagrams are frames of the reliable protocol. That is
// our game's own word, if it hosts, and otherwise that of the host which it has asked to be let in; nobody else's. The zero value is
// that of none.
type Session struct {
	host   uint16 // the TCP port of the slot that was asked; 0: none
	framed bool
}

// Framed reports whether datagrams are frames.
func (s *Session) Framed() bool { return s.framed }

// Says takes note of a message that our game says to the machine in a slot.
func (s *Session) Says(to Ports, m wire.Message) {
	switch m := unwrapped(m).(type) {
	case *wire.AddForwardRequest:
		*s = Session{host: to.TCP}
	case *wire.EnumSessionsReply:
		*s = Session{framed: framed(m.Desc)}
	}
}

// Hears takes note of a message that the machine in a slot says to our game.
func (s *Session) Hears(from Ports, m wire.Message) {
	if s.host != from.TCP {
		return
	}
	switch m := unwrapped(m).(type) {
	case *wire.SuperEnumPlayersReply:
		s.framed = framed(m.Desc)
	case *wire.EnumPlayersReply:
		s.framed = framed(m.Desc)
	}
}

// framed reports whether a session has the reliable protocol.
func framed(d wire.SessionDesc) bool { return d.Flags&wire.SessionDirectPlayProtocol != 0 }

// unwrapped returns a message, or the one that is whole in it: Windows puts some into a PACKET.
func unwrapped(m wire.Message) wire.Message {
	for p := packetOf(m); p != nil && p.Data.Message != nil; p = packetOf(m) {
		m = p.Data.Message
	}
	return m
}

// packetOf returns a PACKET, or a PACKET2_DATA as the PACKET with the same fields. It returns nil for other messages.
func packetOf(m wire.Message) *wire.Packet {
	if p, ok := m.(*wire.Packet2Data); ok {
		return (*wire.Packet)(p)
	}
	p, _ := m.(*wire.Packet)
	return p
}

// Watch returns the stream of a connection of which nothing is checked or changed, and a function is shown the system messages
// that can be read.
func Watch(see func(wire.Message)) *Stream {
	var d wire.Decoder
	return &Stream{treat: func(b []byte) *Violation {
		if isSystem(b) {
			if _, m, err := d.DecodeMessage(b[wire.SPHeaderSize:]); err == nil {
				see(m)
			}
		}
		return nil
	}}
}
