package doctor

import (
	"fmt"

	"dplay4/internal/madeup"
	"dplay4/wire"
)

// The octets of messages.
var sys, sysOf, game = madeup.System, madeup.SystemOf, madeup.Game

// sysFrom encodes a system message with an address in the header.
func sysFrom(addr string, port uint16, m wire.Message) []byte { return sysOf(wire.DX9, addr, port, m) }

// spData is the service provider data of a machine.
func spData(addr string, tcp, udp uint16) []byte {
	return madeup.SPData(fmt.Sprint(addr, ":", tcp), fmt.Sprint(addr, ":", udp))
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
	s.n.UDP(from+":5000", everyone, sys(2300, &wire.EnumSessions{Application: app}))
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
	n.UDP(from+":2350", to+":2350", sys(2300, &wire.Ping{From: id, Tick: tick}))
}

// pong is the answer.
func (n *network) pong(from, to string, id wire.PlayerID, tick uint32) {
	n.UDP(from+":2350", to+":2350", sys(2300, &wire.PingReply{From: id, Tick: tick}))
}

// position is what a member of a view sends its leader by UDP, or over TCP.
func position(id, leader wire.PlayerID) []byte {
	return sys(2300, wire.NewExtension(id, &wire.ExtensionView{Step: wire.ViewPosition, View: wire.View{Epoch: 1, Leader: leader}}))
}

// check is the question of a view's leader whether a member is there, over TCP; a number makes a candidate's of it.
func (s *session) check(to string, number uint32) {
	s.toldBy(to+":2300", wire.NewExtension(1, &wire.ExtensionView{Step: wire.ViewPrepare, View: wire.View{Epoch: 1, Leader: 1}, Nonce: number}))
}
