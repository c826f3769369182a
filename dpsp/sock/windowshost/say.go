package windowshost

import (
	"context"
	"encoding/binary"
	"net/netip"

	"dplay4/wire"
)

// octets gives a message as the host writes it.
func (h *Host) octets(s *session, m wire.Message) []byte {
	if b, ok := h.manner.Instead[m.Command()]; ok {
		return b
	}
	_, game := m.(*wire.PlayerMessage)
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: h.sockAddr(s)}, Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	if err != nil {
		panic(err) // of our own making
	}
	if !game && len(h.manner.Tail) > 0 {
		b = append(b, h.manner.Tail...)
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^0xFFFFF|uint32(len(b)))
	}
	return b
}

// say says a message to who listens somewhere; under mu.
func (h *Host) say(s *session, to netip.AddrPort, m wire.Message) {
	if other := h.says[m.Command()]; other != nil {
		m = other
	}
	b := h.octets(s, m)
	if h.manner.Together {
		b = append(b, h.octets(s, h.companion(s, m))...)
	}
	h.write(to, b)
}

// companion is what comes behind a message in the same write: after the list a player, otherwise one more answer to the
// search.
func (h *Host) companion(s *session, m wire.Message) wire.Message {
	if _, list := m.(*wire.SuperEnumPlayersReply); !list {
		return &wire.EnumSessionsReply{Desc: s.desc, Name: h.text(s.name)}
	}
	id := h.id()
	return &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: s.host, Version: uint32(wire.DX9),
		ShortName: h.text("Second")}}
}

// write sends octets over the one connection to who listens somewhere, which is opened if there is none. What cannot be
// written is lost, and so is what reaches a system that has closed its end: the next message goes over a new connection.
func (h *Host) write(to netip.AddrPort, b []byte) {
	c := h.conns[to]
	if c == nil {
		at := h.at
		if h.manner.From.IsValid() {
			at = h.manner.From
		}
		s, err := h.manner.Network.DialStream(context.Background(), at, to)
		if err != nil {
			return
		}
		c = s
		h.opened++
		h.conns[to] = c
	}
	for h.manner.Dribbles && len(b) > 0 {
		n := min(len(b), 1)
		if len(b) <= wire.HeaderSize { // the end in one piece
			n = len(b)
		}
		if _, err := c.Write(b[:n]); err != nil {
			h.hangUp(to)
			return
		}
		b = b[n:]
	}
	if _, err := c.Write(b); err != nil || h.manner.Each {
		h.hangUp(to)
	}
}

// hangUp closes the connection to who listens somewhere.
func (h *Host) hangUp(to netip.AddrPort) {
	if c := h.conns[to]; c != nil {
		c.Close()
		delete(h.conns, to)
	}
}
