package benchtshark

import (
	"fmt"
	"net/netip"

	"dplay4/internal/madeup"
	"dplay4/wire"
)

// Ports of DirectPlay 4 (facts, 1.14 and 2.1).
const (
	tcpPort = 2300
	udpPort = 2350
)

// A game is one session of a few machines, from the first enumeration to the last leaving player.
type game struct {
	*mix
	desc     wire.SessionDesc
	name     wire.Text
	machines []*machine // the first one is the host
	index    uint32     // of the next id
}

// A machine is one member of a session with its one player.
type machine struct {
	addr   netip.Addr
	system wire.PlayerID
	player wire.PlayerID
	name   wire.Text
	conns  map[*machine]*madeup.Conn // connections are one-way (facts, 2.10): those that it opened
	ports  uint16
	tick   uint32
}

// newGame makes up a session of two to five machines.
func newGame(m *mix) *game {
	m.games++
	g := &game{mix: m, name: wire.NewText(fmt.Sprintf("Game %d", m.games)), index: uint32(m.rng.IntN(100))}
	g.desc = wire.SessionDesc{Flags: wire.SessionMigrateHost | wire.SessionKeepAlive, MaxPlayers: 8, Reserved1: m.rng.Uint32()}
	for i := range g.desc.Instance {
		g.desc.Instance[i] = byte(m.rng.Uint32())
		g.desc.Application[i] = byte(i * 17)
	}
	for i := range 2 + m.rng.IntN(4) {
		g.machines = append(g.machines, &machine{
			addr: netip.AddrFrom4([4]byte{10, byte(1 + m.games/200), byte(m.games % 200), byte(1 + i)}),
			name: wire.NewText(fmt.Sprintf("Player %c", 'A'+i)), ports: firstPort + uint16(m.rng.IntN(2000)),
			conns: map[*machine]*madeup.Conn{}, tick: m.rng.Uint32(),
		})
	}
	host := g.machines[0]
	host.system, host.player = g.newID(), g.newID()
	return g
}

// newID makes ids as hosts do (3.2.5.4).
func (g *game) newID() wire.PlayerID {
	g.index++
	return wire.PlayerID((g.index | 1<<16) ^ g.desc.Reserved1)
}

// play writes the whole session, or as much of its middle as is needed for the packets wanted.
func (g *game) play(packets int) {
	for i := 1; i < len(g.machines); i++ {
		g.join(i)
	}
	for t := 1; t <= ticks && g.c.Frames < packets; t++ {
		for i, m := range g.machines {
			g.move(m)
			if g.rng.IntN(ordersIn) == 0 {
				g.orders(m, g.machines[(i+1)%len(g.machines)])
			}
			if t%pingEvery == 0 && i > 0 {
				g.ping(m, g.machines[0])
			}
			m.tick += uint32(tick.Milliseconds())
		}
		g.c.Wait(tick)
	}
	for i := len(g.machines) - 1; i >= 0; i-- {
		g.leave(g.machines[i])
	}
}

// envelope puts the sender's header around a message.
func (g *game) envelope(from *machine, m wire.Message) wire.Envelope {
	return wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: tcpPort}},
		Version: wire.DX9, Message: m}
}

// conn returns the connection from one machine to another, opened at its first use.
func (g *game) conn(from, to *machine) *madeup.Conn {
	if from.conns[to] == nil {
		from.ports++
		from.conns[to] = g.c.Dial(at(from.addr, from.ports), at(to.addr, tcpPort))
	}
	return from.conns[to]
}

// send sends messages over TCP, all in one write.
func (g *game) send(from, to *machine, messages ...wire.Message) {
	g.buf = g.buf[:0]
	for _, m := range messages {
		g.buf = g.encode(g.buf, g.envelope(from, m))
	}
	g.stream(g.conn(from, to), g.buf)
}

// join writes how machine i comes into the session (facts, 3.1 to 3.11).
func (g *game) join(i int) {
	host, m := g.machines[0], g.machines[i]
	g.buf = g.encode(g.buf[:0], g.envelope(m, &wire.EnumSessions{Application: g.desc.Application, Flags: wire.EnumAvailable}))
	g.datagram(netip.AddrPortFrom(m.addr, udpPort), netip.AddrPortFrom(host.addr, wire.EnumPort), g.buf)
	g.desc.CurrentPlayers = uint32(i)
	g.send(host, m, &wire.EnumSessionsReply{Desc: g.desc, Name: g.name})
	m.system, m.player = g.newID(), g.newID()
	g.send(m, host, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
	g.send(host, m, &wire.RequestPlayerReply{ID: m.system})
	info := wire.PackedPlayer{Flags: wire.PlayerSystem | wire.PlayerLocal, ID: m.system, System: m.system, Version: uint32(wire.DX9),
		SPData: spData(netip.IPv4Unspecified())}
	g.send(m, host, &wire.AddForwardRequest{Player: m.system, Info: info, Password: wire.NewText(""), Reserved1: g.desc.Reserved1})
	info.SPData = spData(m.addr)
	for _, other := range g.machines[1:i] {
		g.send(host, other, &wire.AddForward{Player: m.system, Info: info})
		g.send(other, host, &wire.AddForwardAck{ID: m.system})
	}
	g.send(host, m, g.everybody(i))
	g.send(m, host, &wire.RequestPlayerID{Flags: wire.PlayerLocal})
	g.send(host, m, &wire.RequestPlayerReply{ID: m.player})
	for _, other := range g.machines[:i] {
		g.send(m, other, &wire.CreatePlayer{Player: m.player, Info: wire.PackedPlayer{Flags: wire.PlayerLocal, ID: m.player,
			System: m.system, Version: uint32(wire.DX9), ShortName: m.name, SPData: spData(netip.IPv4Unspecified())}})
	}
}

// everybody is the list that ends a join: the newcomer's own system player first, as Windows sends it.
func (g *game) everybody(i int) *wire.SuperEnumPlayersReply {
	m := g.machines[i]
	l := &wire.SuperEnumPlayersReply{Desc: g.desc, Name: g.name, Players: []wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerInGroup, ID: m.system, Owner: uint32(wire.DX9), SPData: spData(m.addr)}}}
	for n, other := range g.machines[:i] {
		addr, flags := other.addr, wire.PlayerSystem|wire.PlayerInGroup
		if n == 0 {
			addr, flags = netip.IPv4Unspecified(), flags|wire.PlayerNameServer|wire.PlayerLocal
		}
		l.Players = append(l.Players,
			wire.SuperPackedPlayer{Flags: flags, ID: other.system, Owner: uint32(wire.DX9), SPData: spData(addr)},
			wire.SuperPackedPlayer{Flags: wire.PlayerInGroup, ID: other.player, Owner: uint32(other.system), ShortName: other.name,
				SPData: spData(addr)})
	}
	return l
}

// spData is where a machine listens.
func spData(a netip.Addr) []byte {
	s := wire.SockAddr{Family: wire.FamilyINet, Port: tcpPort, Addr: a.As4()}
	d := s
	d.Port = udpPort
	return wire.SPData{Stream: s, Datagram: d}.Append(nil)
}

// move sends one small datagram to every other machine. Game datagrams have no header (facts, 2.14).
func (g *game) move(m *machine) {
	payload := g.octets(12, maxDatagram)
	for _, other := range g.machines {
		if other != m {
			e := wire.Envelope{Message: &wire.PlayerMessage{From: m.player, To: other.player, Payload: payload}}
			g.buf = g.encode(g.buf[:0], e)
			g.datagram(netip.AddrPortFrom(m.addr, udpPort), netip.AddrPortFrom(other.addr, udpPort), g.buf)
		}
	}
}

// orders sends game messages over TCP: several in one segment, or a big one over several segments.
func (g *game) orders(from, to *machine) {
	if g.rng.IntN(bigIn) == 0 {
		g.send(from, to, &wire.PlayerMessage{From: from.player, To: to.player, Payload: g.octets(madeup.MaxSegment, maxBig)})
		return
	}
	messages := make([]wire.Message, 1+g.rng.IntN(maxOrders))
	for i := range messages {
		messages[i] = &wire.PlayerMessage{From: from.player, To: wire.IDAll, Payload: g.octets(8, maxOrder)}
	}
	g.send(from, to, messages...)
}

// ping sends a ping, and the answer.
func (g *game) ping(from, to *machine) {
	a, b := netip.AddrPortFrom(from.addr, udpPort), netip.AddrPortFrom(to.addr, udpPort)
	g.buf = g.encode(g.buf[:0], g.envelope(from, &wire.Ping{From: from.system, Tick: from.tick}))
	g.datagram(a, b, g.buf)
	g.buf = g.encode(g.buf[:0], g.envelope(to, &wire.PingReply{From: to.system, Tick: from.tick}))
	g.datagram(b, a, g.buf)
}

// leave tells all others that a player and its machine are gone, in one segment as Windows does, and closes
// the connections.
func (g *game) leave(m *machine) {
	for _, other := range g.machines {
		if other != m {
			g.send(m, other, &wire.DeletePlayer{Player: m.player}, &wire.DeletePlayer{Player: m.system})
			m.conns[other].Close()
		}
	}
}
