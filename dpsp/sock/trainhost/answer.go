package trainhost

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// message takes what came at once, with an SP header: one message, if it is whole, and of version 14.
func (h *Host) message(j *joiner, b []byte) {
	_, whole, _ := wire.SplitStream(b, false) // nil, which cannot be decoded, with an error
	var d wire.Decoder
	if e, err := d.DecodeStream(whole); err == nil && e.Version == wire.DX9 {
		h.answer(j, e.Message)
	}
}

// answer does what a message asks for. Most ask for nothing.
func (h *Host) answer(j *joiner, m wire.Message) {
	switch m := m.(type) {
	case *wire.EnumSessions:
		if m.Application == h.desc.Application {
			h.say(j, &wire.EnumSessionsReply{Desc: h.description(), Name: wire.NewText(h.opt.Name)})
		}
	case *wire.RequestPlayerID:
		h.giveID(j, m.Flags&wire.PlayerSystem)
	case *wire.AddForwardRequest:
		if p := h.players[m.Info.ID]; p != nil {
			p.SPData = append([]byte(nil), m.Info.SPData...)
			h.say(j, h.list())
		}
	case *wire.CreatePlayer:
		if p := h.players[m.Info.ID]; p != nil {
			p.SPData = append([]byte(nil), m.Info.SPData...)
			j.open = true
			h.greet(j)
		}
	case *wire.Packet:
		if m.Total == 1 {
			h.inside(j, m.Data.Octets, true)
		}
	}
}

// inside takes a message without an SP header. The version of one in a frame is not looked at.
func (h *Host) inside(j *joiner, b []byte, strict bool) {
	var d wire.Decoder
	if head, m, err := d.DecodeMessage(b); err == nil && (!strict || head.Version == wire.DX9) {
		h.answer(j, m)
	}
}

// giveID answers a request for an id, but for that of who has a system player and asks for another one.
func (h *Host) giveID(j *joiner, system wire.PlayerFlags) {
	if system != 0 && j.system != 0 {
		return
	}
	id := h.add(j.system, system).ID
	if system != 0 {
		j.system = id
	}
	h.say(j, &wire.RequestPlayerReply{ID: id})
}

// list is who is in the session, without names.
func (h *Host) list() *wire.SuperEnumPlayersReply {
	m := &wire.SuperEnumPlayersReply{Desc: h.description(), Name: wire.NewText(h.opt.Name)}
	for _, id := range slices.Sorted(maps.Keys(h.players)) {
		m.Players = append(m.Players, h.players[id].SuperPackedPlayer)
	}
	return m
}

// description is that of the session as it is.
func (h *Host) description() wire.SessionDesc {
	d := h.desc
	for _, p := range h.players {
		if p.Flags&wire.PlayerSystem == 0 {
			d.CurrentPlayers++
		}
	}
	return d
}

// dialTime is how long the connection to a joiner may take: nothing else happens meanwhile.
const dialTime = 5 * time.Second

// say says a message to a joiner over the one connection to its port, opened if there was none yet. What cannot be said is
// lost.
func (h *Host) say(j *joiner, m wire.Message) {
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: h.sockAddr()}, Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	if err != nil {
		panic(err) // of our own making
	}
	if j.out == nil {
		ctx, cancel := context.WithTimeout(context.Background(), dialTime)
		defer cancel()
		c, err := h.opt.Network.DialStream(ctx, h.at, netip.AddrPortFrom(j.addr, h.opt.Port))
		if err != nil {
			return
		}
		j.out = c
	}
	j.out.Write(b)
}
