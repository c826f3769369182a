package doctor

import (
	"fmt"
	"net/netip"

	"dplay4/wire"
)

// sys encodes a system message of a machine that listens on a TCP port.
func sys(port uint16, m wire.Message) []byte { return sysFrom("0.0.0.0", port, m) }

// sysFrom does so with an address in the header.
func sysFrom(addr string, port uint16, m wire.Message) []byte { return sysOf(wire.DX9, addr, port, m) }

// sysOf does so in a dialect.
func sysOf(v wire.Dialect, addr string, port uint16, m wire.Message) []byte {
	return encode(wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: sockAddr(addr, port)}, System: true, Version: v, Message: m})
}

// game encodes a game message as it travels on TCP.
func game(port uint16, from, to wire.PlayerID, payload string) []byte {
	return encode(wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: sockAddr("0.0.0.0", port)},
		Message: &wire.PlayerMessage{From: from, To: to, Payload: []byte(payload)}})
}

func encode(e wire.Envelope) []byte {
	b, err := e.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

func sockAddr(addr string, port uint16) wire.SockAddr {
	return wire.SockAddr{Family: wire.FamilyINet, Port: port, Addr: netip.MustParseAddr(addr).As4()}
}

// spData is the service provider data of a machine.
func spData(addr string, tcp, udp uint16) []byte {
	return wire.SPData{Stream: sockAddr(addr, tcp), Datagram: sockAddr(addr, udp)}.Append(nil)
}

// A session is one of the tests' host, which listens on port 2300.
type session struct {
	n     *network
	host  string // its address
	desc  wire.SessionDesc
	name  string
	ports map[string]int // the last one that an address connected from
}

func newSession(n *network) *session {
	return &session{n: n, host: hostIP, name: "Test", ports: map[string]int{},
		desc: wire.SessionDesc{Instance: instance, Application: thisGame, MaxPlayers: 8, CurrentPlayers: 1}}
}

// seek is a joiner's question to everybody.
func (s *session) seek(from string, app wire.GUID) {
	s.n.udp(from+":5000", everyone, sys(2300, &wire.EnumSessions{Application: app}))
}

// offer is the host's answer, to a socket.
func (s *session) offer(to string) int {
	return s.toldBy(to, &wire.EnumSessionsReply{Desc: s.desc, Name: wire.NewText(s.name)})
}

// toldBy sends a message of the host to a listener.
func (s *session) toldBy(to string, m wire.Message) int {
	return s.n.conn(s.host+":4000", to).send(sys(2300, m))
}

// tell sends a message of a machine, which listens on 2300, to the host.
func (s *session) tell(from string, m wire.Message) int {
	return s.n.conn(from+":4100", s.host+":2300").send(sys(2300, m))
}

// found is a search with its answer.
func (s *session) found(from string) {
	s.seek(from, thisGame)
	s.offer(from + ":2300")
}

// request is the first half of a join, up to the request to be let in.
func (s *session) request(from string, id wire.PlayerID) {
	s.tell(from, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
	s.toldBy(from+":2300", &wire.RequestPlayerReply{ID: id})
	s.tell(from, s.newcomer(id))
}

func (s *session) newcomer(id wire.PlayerID) *wire.AddForwardRequest {
	return &wire.AddForwardRequest{Player: id, Info: wire.PackedPlayer{Flags: wire.PlayerSystem, ID: id, System: id, SPData: spData("0.0.0.0", 2300, 2350)}}
}

// list is the list that ends a join.
func (s *session) list(more ...wire.SuperPackedPlayer) *wire.SuperEnumPlayersReply {
	return &wire.SuperEnumPlayersReply{Desc: s.desc, Name: wire.NewText(s.name), Players: append([]wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerNameServer, ID: 1, Owner: uint32(wire.DX9), SPData: spData("0.0.0.0", 2300, 2350)},
	}, more...)}
}

// join is a whole join, with a player.
func (s *session) join(from string, id wire.PlayerID) {
	s.found(from)
	s.request(from, id)
	s.toldBy(from+":2300", s.list())
	s.player(from, id)
}

// player makes a player of a machine that is in.
func (s *session) player(from string, id wire.PlayerID) {
	s.tell(from, &wire.RequestPlayerID{})
	s.toldBy(from+":2300", &wire.RequestPlayerReply{ID: id + 1})
	s.tell(from, &wire.CreatePlayer{Player: id + 1, Info: wire.PackedPlayer{ID: id + 1, System: id, ShortName: wire.NewText(fmt.Sprintf("player %d", id+1)),
		SPData: spData("0.0.0.0", 2300, 2350)}})
}

// ping is a ping from one machine to another, by UDP.
func (n *network) ping(from, to string, id wire.PlayerID, tick uint32) {
	n.udp(from+":2350", to+":2350", sys(2300, &wire.Ping{From: id, Tick: tick}))
}

// pong is the answer.
func (n *network) pong(from, to string, id wire.PlayerID, tick uint32) {
	n.udp(from+":2350", to+":2350", sys(2300, &wire.PingReply{From: id, Tick: tick}))
}
