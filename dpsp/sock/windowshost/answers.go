package windowshost

import (
	"net/netip"

	"dplay4/wire"
)

// take answers a message of who listens somewhere; under mu.
func (h *Host) take(s *session, from netip.AddrPort, m wire.Message) {
	switch m := m.(type) {
	case *wire.RequestPlayerID:
		h.giveID(s, from, m)
	case *wire.AddForwardRequest:
		list := h.list(s, m)
		h.say(s, from, list)
		if h.manner.Twice {
			h.say(s, from, list)
		}
	case *wire.PlayerMessage:
		h.say(s, from, &wire.PlayerMessage{From: s.player, To: m.From, Payload: append([]byte("heard: "), m.Payload...)})
	}
}

// giveID answers a request for an id: each with a new one, also who asks again.
func (h *Host) giveID(s *session, from netip.AddrPort, m *wire.RequestPlayerID) {
	newcomer := m.Flags&wire.PlayerSystem != 0
	first := newcomer && !s.asked
	s.asked = s.asked || newcomer
	if newcomer && h.manner.Deaf > 0 {
		h.manner.Deaf--
		return
	}
	reply := &wire.RequestPlayerReply{ID: h.id()}
	if first && h.manner.Late {
		s.later = append(s.later, h.octets(s, reply))
		return
	}
	for _, b := range s.later {
		h.write(from, b)
	}
	s.later = nil
	h.say(s, from, reply)
}

// list is who is in the session, a newcomer with it.
func (h *Host) list(s *session, m *wire.AddForwardRequest) *wire.SuperEnumPlayersReply {
	own := wire.SPData{Stream: h.sockAddr(s), Datagram: h.sockAddr(s)}
	own.Datagram.Port = 2350
	return &wire.SuperEnumPlayersReply{Desc: s.desc, Name: h.text(s.name), Players: []wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerNameServer, ID: s.host, Owner: uint32(wire.DX9), SPData: own.Append(nil)},
		{ID: s.player, Owner: uint32(s.host), ShortName: h.text("Müller"), LongName: h.text("Müller Lüdenscheidt"),
			SPData: own.Append(nil)},
		{Flags: wire.PlayerSystem, ID: m.Player, Owner: m.Info.Version, SPData: m.Info.SPData},
	}}
}

// text writes a name in the host's encoding.
func (h *Host) text(s string) wire.Text {
	if h.manner.EightBit {
		return wire.NewText8(s)
	}
	return wire.NewText(s)
}

// sockAddr is where a session listens, as the host says: at 0.0.0.0, that is where its packets come from, if that is so.
func (h *Host) sockAddr(s *session) wire.SockAddr {
	a := wire.SockAddr{Family: wire.FamilyINet, Port: s.listener.Addr().(interface{ AddrPort() netip.AddrPort }).AddrPort().Port()}
	if h.manner.From.IsValid() {
		a.Addr = h.at.As4()
	}
	return a
}
