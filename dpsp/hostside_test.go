package dpsp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// say has a machine send a message as it is, over TCP to another machine, with the header that it would have.
func (w *world) say(from, to *node, m wire.Message) {
	w.t.Helper()
	w.raw(from, to, from.cfg.header(), m, false)
}

// raw is say with a header of choice, over TCP or UDP.
func (w *world) raw(from, to *node, sp wire.SPHeader, m wire.Message, udp bool) {
	w.t.Helper()
	env := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
	b, err := env.Append(nil)
	require.NoError(w.t, err)
	at := to.stream()
	if udp {
		at = to.datagram()
	}
	if p := from.peerAt(at); p != nil && p.link.Counts() && Counted(b) {
		p.link.Put(w.now, b) // it is on the connection like any other message
	}
	w.queue = append(w.queue, packet{from, at, udp, b})
	w.settle()
}

// dropped returns why a machine dropped what came since its events were taken last.
func dropped(n *node) []Reason {
	var all []Reason
	for _, d := range take[Dropped](n) {
		all = append(all, d.Reason)
	}
	return all
}

// tap records what is sent, by name.
func (w *world) tap(log *[]string) {
	w.cut = func(from, to *node, out Outgoing) bool {
		var d wire.Decoder
		name := "GAME"
		if out.Transport == TCP {
			if env, err := d.DecodeStream(out.Data); err == nil && env.System() {
				name = env.Message.Command().String()
			}
		} else if env, err := d.DecodeDatagram(out.Data); err == nil && env.System() {
			name = "udp " + env.Message.Command().String()
		} else {
			name = "udp GAME"
		}
		if to == nil { // a broadcast
			to = &node{name: "all"}
		}
		*log = append(*log, from.name+">"+to.name+" "+name)
		return false
	}
}

// Facts 8.3 number 13 and 3.2.5.3: answers go to the source of the request and the port of its header, whatever
// address that header has: nobody can have us call a third machine.
func TestEnumSessionsReplyAddress(t *testing.T) {
	b := newBench(t, Config{})
	b.request(Host{Application: mockApp, Instance: mockApp, Name: ""})
	ask := octets(t, `34 00 b0 fa 02 00 08 fd 0a 09 08 07 00 00 00 00 00 00 00 00
		70 6c 61 79 02 00 0e 00 3e e0 cf bd ec f0 5b 41 82 11 6f 86 d8 19 7f e1 00 00 00 00 00 00 00 00`)
	for i, sends := range [][]Outgoing{b.udp(40000, ask), b.tcp(ask)} {
		require.Len(t, sends, 1, i)
		assert.Equal(t, TCP, sends[0].Transport)
		assert.Equal(t, "10.0.0.9:2301", sends[0].To.String())
		assert.Equal(t, []netip.AddrPort{sends[0].To}, b.out.Close)
		require.Len(t, sends[0].Data, 114, "an empty name is a terminator (facts, 3.2)")
		assert.Equal(t, make([]byte, 4), sends[0].Data[8:12], "address 0 in the header")
		assert.EqualValues(t, 92, binary.LittleEndian.Uint32(sends[0].Data[108:]))
	}
}

// real-captures.md: the order and flags of SUPERENUMPLAYERSREPLY, the newcomer's address filled in, ids by the
// rule of 3.2.5.4.
func TestListOctets(t *testing.T) {
	w := newWorld(t)
	h := w.add("host", Config{})
	w.must(h, Host{Application: gameGUID, Name: "Game"})
	player := w.must(h, CreatePlayer{ShortName: "Nobleman"})
	p := w.add("peer", Config{})
	var list *wire.SuperEnumPlayersReply
	w.cut = func(_, _ *node, out Outgoing) bool {
		var d wire.Decoder
		if env, err := d.DecodeStream(append([]byte(nil), out.Data...)); err == nil {
			if m, ok := env.Message.(*wire.SuperEnumPlayersReply); ok {
				list = m
			}
		}
		return false
	}
	w.join(p, h, "")
	require.NotNil(t, list)
	require.Len(t, list.Players, 3)
	assert.Equal(t, p.self, list.Players[0].ID)
	assert.EqualValues(t, 0x5, list.Players[0].Flags)
	sp, ok := wire.ParseSPData(list.Players[0].SPData)
	require.True(t, ok)
	assert.Equal(t, [4]byte{10, 0, 0, 2}, sp.Stream.Addr)
	assert.Equal(t, [4]byte{10, 0, 0, 2}, sp.Datagram.Addr)
	assert.EqualValues(t, 2350, sp.Datagram.Port)
	assert.Equal(t, h.self, list.Players[1].ID)
	assert.EqualValues(t, 0xF, list.Players[1].Flags)
	sp, _ = wire.ParseSPData(list.Players[1].SPData)
	assert.Equal(t, [4]byte{}, sp.Stream.Addr)
	assert.Equal(t, player, list.Players[2].ID)
	assert.EqualValues(t, 0xC, list.Players[2].Flags)
	assert.EqualValues(t, h.self, list.Players[2].Owner)
	r := list.Desc.Reserved1
	for i, id := range []wire.PlayerID{h.self, player, p.self} {
		assert.EqualValues(t, i, (uint32(id)^r)&0xFFFF, "index")
	}
}

// A machine that asks once more, for its answer was late, gets the same id: an ADDFORWARDREQUEST that answers the
// first REQUESTPLAYERREPLY must not fail.
func TestRepeatedRequestGetsTheSameID(t *testing.T) {
	b := newBench(t, Config{})
	b.request(Host{Application: mockApp})
	ask := octets(t, hexRequestPlayerID)
	first := append([]byte(nil), b.tcp(ask)[0].Data...)
	again := b.tcp(ask)
	require.Len(t, again, 1)
	assert.Equal(t, first, again[0].Data)
	used, reserved := b.admission.IDs.Len()
	assert.Equal(t, []int{2, 1}, []int{used, reserved})
	req := octets(t, hexForwardPlain)
	for _, at := range []int{32, 56, 80} {
		copy(req[at:at+4], first[28:32])
	}
	require.Len(t, b.tcp(req), 1)
	require.Len(t, b.tcp(req), 1, "the list once more for one that did not get it")
}

// A machine that died unnoticed and joins again from the same listener replaces what it was.
func TestRejoinReplaces(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	w.step(n[2], Input{}) // peer2 dies without a word
	n[2].Engine = New(Config{Stream: n[2].cfg.Stream, Datagram: n[2].cfg.Datagram})
	n[0].events, n[1].events, n[2].events = nil, nil, nil
	w.join(n[2], n[0], "")
	id := w.must(n[2], CreatePlayer{ShortName: "again"})
	for _, p := range n[:2] {
		assert.Empty(t, eventsOf[Dropped](p.events), p.name)
		assert.Equal(t, []PlayerDeleted{{ID: ids[2], Name: "peer2"}}, eventsOf[PlayerDeleted](p.events), p.name)
		require.Len(t, eventsOf[PlayerCreated](p.events), 1, p.name)
		assert.Equal(t, id, eventsOf[PlayerCreated](p.events)[0].ID)
		players, _ := p.list.Len()
		assert.Equal(t, 6, players)
	}
	require.Len(t, n[0].peers.all, 2)
}

// 3.2.5.5, 3.2.6.1: where nobody acknowledges, a newcomer waits for the first packet that a slow line loses, and no more.
func TestMemberThatNeverAcks(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	w.cut = func(from, _ *node, out Outgoing) bool { return from == n[1] }
	p := w.add("late", Config{Reply: 20 * time.Second})
	w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
	w.settle()
	w.run(n[0].cfg.firstAck() - 1)
	assert.Empty(t, take[SessionOpened](p))
	w.run(n[0].cfg.firstAck())
	w.step(n[0], Input{})
	w.settle()
	assert.Len(t, take[SessionOpened](p), 1)
	assert.Empty(t, n[0].admission.Newcomers)
}

// A member that acknowledges no newcomer, but sends acknowledgements that are not due, delays one newcomer by the time that the
// others' acknowledgements allow, and later ones not at all. So does a member whose acknowledgements come when the newcomer is in.
func TestWrongAcks(t *testing.T) {
	w, n, _ := session(t, 0, 3, Config{})
	quiet, host := n[3], n[0]
	late := w.hold(func(from, to *node, out Outgoing) bool { return from == quiet && to == host && out.Transport == TCP })
	assert.InDelta(t, host.cfg.laterAck(), w.slowJoin(w.add("first", Config{}), host), float64(100*time.Millisecond))
	for _, id := range []wire.PlayerID{quiet.self + 1000, 0, host.self, n[1].self} {
		host.events = nil
		w.say(quiet, host, &wire.AddForwardAck{ID: id})
		assert.Equal(t, []Reason{OutOfTurn}, dropped(host))
	}
	assert.Zero(t, w.slowJoin(w.add("second", Config{}), host), "a wrong acknowledgement is none")
	w.say(quiet, host, &wire.AddForwardAck{ID: w.nodes[5].self})
	assert.InDelta(t, host.cfg.laterAck(), w.slowJoin(w.add("third", Config{}), host), float64(100*time.Millisecond), "a late one counts")
	late()
	assert.Zero(t, w.slowJoin(w.add("fourth", Config{}), host))
}

// TestOldAcks: a host that is none any more forgets which acknowledgements are due, as the newcomers may leave without its notice. An
// acknowledgement with the id of its sender stands for the first newcomer that is there.
func TestOldAcks(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{})
	host, m := n[0], n[0].peerByID(n[1].self)
	m.owes = []wire.PlayerID{0x9999, n[2].self}
	w.say(n[1], host, &wire.AddForwardAck{ID: n[1].self})
	assert.Empty(t, m.owes)
	assert.Empty(t, dropped(host))
	m.owes, m.silent = []wire.PlayerID{n[2].self}, true
	host.admission.end()
	assert.Empty(t, m.owes)
	assert.False(t, m.silent)
}

// Each acknowledgement gives the others a little more time, but nobody waits longer than if there is none.
func TestSlowAcks(t *testing.T) {
	w, n, _ := session(t, 0, 6, Config{})
	w.cut = func(from, _ *node, _ Outgoing) bool { return slices.Contains(n[1:], from) }
	p := w.add("late", Config{Reply: 20 * time.Second})
	w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
	w.settle()
	for i := 1; i <= 3; i++ {
		w.run(time.Duration(i) * 3 * n[0].cfg.laterAck() / 4)
		w.say(n[i], n[0], &wire.AddForwardAck{ID: p.self})
	}
	w.run(n[0].cfg.firstAck() - 1)
	assert.Empty(t, take[SessionOpened](p))
	w.run(n[0].cfg.firstAck())
	w.step(n[0], Input{})
	w.settle()
	assert.Len(t, take[SessionOpened](p), 1)
}

// A member that leaves while it is waited for does not delay the newcomer.
func TestAwaitedMemberLeaves(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	w.cut = func(from, _ *node, out Outgoing) bool { return from == n[1] }
	p := w.add("late", Config{})
	w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
	w.settle()
	w.cut = nil
	w.step(n[0], Input{Kind: StreamClosed, From: n[1].stream()})
	w.settle()
	assert.Len(t, take[SessionOpened](p), 1)
}

// Facts 6: a machine that has no list yet drops ADDFORWARD. Two that join at once need no timer all the same: the
// list that the first one gets names the second one.
func TestTwoNewcomersAtOnce(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	var log []string
	w.tap(&log)
	a, b := w.add("a", Config{}), w.add("b", Config{})
	letGo := w.hold(func(from, _ *node, _ Outgoing) bool { return from == n[1] }) // its acknowledgements are late
	for _, p := range []*node{a, b} {
		w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
		w.settle()
	}
	assert.NotContains(t, log, "host>a ADDFORWARD")
	letGo()
	for _, p := range []*node{a, b} {
		assert.Len(t, eventsOf[SessionOpened](p.events), 1, p.name)
	}
	for _, p := range w.nodes {
		assert.Empty(t, eventsOf[Dropped](p.events), p.name)
		assert.Len(t, p.peers.all, 3, p.name)
	}
}

// 3.2.5.4: full, closed and closing sessions refuse with DPERR_NONEWPLAYERS.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]SetDesc{
		"join disabled": {Flags: wire.SessionJoinDisabled}, "full": {MaxPlayers: 2}, "no new players": {Flags: wire.SessionNewPlayersDisabled},
	} {
		w, n, _ := session(t, 0, 1, Config{})
		w.must(n[0], c)
		p := w.add("late", Config{})
		d := w.do(p, Join{Host: n[0].stream()})
		_, err := w.do(n[1], CreatePlayer{}), d.Err
		switch name {
		case "no new players": // nor machines that could make none (facts, 10.5)
			assert.Equal(t, wire.ErrNoNewPlayers, err)
			assert.Equal(t, wire.ErrCantCreatePlayer, w.do(n[1], CreatePlayer{}).Err)
			n[1].events = nil
			w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal})
		case "join disabled": // members go on making players
			assert.Equal(t, wire.ErrNoNewPlayers, err)
			assert.NoError(t, w.do(n[1], CreatePlayer{}).Err)
		default:
			assert.Equal(t, wire.ErrNoNewPlayers, err, name)
			assert.Equal(t, wire.ErrNoNewPlayers, w.do(n[1], CreatePlayer{}).Err)
			assert.Equal(t, wire.ErrCantCreatePlayer, w.do(n[0], CreatePlayer{}).Err)
		}
	}
}

// A program that ended without a goodbye, and begins anew at its listener, gets into a session that is full with its former players.
func TestAnewInFullSession(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	n[1].closed = true
	anew := w.add("anew", Config{})
	anew.addr = n[1].addr
	w.must(n[0], SetDesc{MaxPlayers: uint32(len(ids))})
	w.must(anew, Join{Host: n[0].stream()})
	w.must(anew, CreatePlayer{})
	assert.Equal(t, wire.ErrNoNewPlayers, w.do(w.add("another", Config{}), Join{Host: n[0].stream()}).Err)
	assert.EqualValues(t, len(ids), n[0].list.Desc().CurrentPlayers)
}

// Ids that nobody uses go back, and those of a machine that leaves at once.
func TestUnusedIDs(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	used, _ := n[0].admission.IDs.Len()
	for range 3 {
		w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal})
		w.say(n[1], n[0], &wire.RequestGroupID{})
	}
	now, reserved := n[0].admission.IDs.Len()
	assert.Equal(t, []int{used + 6, 6}, []int{now, reserved})
	w.must(n[1], Leave{})
	now, reserved = n[0].admission.IDs.Len()
	assert.Equal(t, []int{used - 2, 0}, []int{now, reserved})
	assert.Empty(t, n[0].admission.Promises)
	w.run(idLife + time.Second)
	w.step(n[0], Input{})
	assert.Empty(t, n[0].admission.Newcomers)
}

// Facts 5.4.
func TestHostRules(t *testing.T) {
	for _, f := range []wire.SessionFlags{wire.SessionClientServer, wire.SessionMulticastServer, wire.SessionSecureServer} {
		w := newWorld(t)
		assert.Equal(t, ErrFlags, w.do(w.add("h", Config{}), Host{Flags: f | wire.SessionMigrateHost}).Err)
	}
	w := newWorld(t)
	h := w.add("h", Config{})
	assert.Equal(t, ErrSecure, w.do(h, Host{Flags: wire.SessionSecureServer}).Err)
	assert.Equal(t, ErrSecure, w.do(h, Host{Flags: wire.SessionSecureServer | wire.SessionDirectPlayProtocol}).Err)
	assert.Equal(t, ErrNoSession, w.do(h, Leave{}).Err)
	w.must(h, Host{Flags: wire.SessionClientServer, Application: gameGUID})
	assert.Equal(t, ErrInSession, w.do(h, Host{}).Err)
	assert.Equal(t, wire.ErrAccessDenied, w.do(h, CreatePlayer{}).Err)
	id := w.must(h, CreatePlayer{Flags: wire.PlayerServerPlayer})
	assert.Equal(t, wire.IDServer, id)
	assert.Equal(t, wire.ErrCantCreatePlayer, w.do(h, CreatePlayer{Flags: wire.PlayerServerPlayer}).Err)
	w.must(h, DeletePlayer{ID: id})
	assert.Equal(t, wire.IDServer, w.must(h, CreatePlayer{Flags: wire.PlayerServerPlayer}))
	p := w.add("p", Config{})
	w.join(p, h, "")
	assert.Equal(t, wire.ErrInvalidFlags, w.do(p, CreatePlayer{Flags: wire.PlayerServerPlayer}).Err)
	assert.Equal(t, ErrNotHost, w.do(p, SetDesc{}).Err)
	assert.Equal(t, wire.ErrInvalidParams, w.do(h, SetDesc{Flags: wire.SessionSecureServer}).Err)
	assert.Equal(t, ErrFlags, w.do(h, SetDesc{Flags: wire.SessionMigrateHost}).Err)
	p.events = nil
	for range 6 { // six calls, six notifications
		w.must(h, SetDesc{Name: "same"})
	}
	assert.Len(t, take[SessionChanged](p), 6)
	closed := newWorld(t)
	h = closed.add("h", Config{})
	closed.must(h, Host{Flags: wire.SessionNewPlayersDisabled})
	assert.Equal(t, wire.ErrCantCreatePlayer, closed.do(h, CreatePlayer{}).Err)
}

// A strict host lets nobody use an id that it promised to another member.
func TestPromisesAreKept(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal})
	id := n[0].admission.Promises[0].ID
	n[0].events = nil
	w.say(n[2], n[0], &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: n[2].self}})
	w.say(n[2], n[0], &wire.CreateGroup{Player: id, Info: wire.PackedPlayer{ID: id, System: n[2].self}})
	assert.Equal(t, []Reason{NotAllowed, NotAllowed}, dropped(n[0]))
	w.say(n[1], n[0], &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: n[1].self}})
	assert.Len(t, take[PlayerCreated](n[0]), 1)
	assert.Empty(t, n[0].admission.Promises)
}

// A program stands still between the answer and its use: the id takes no place meanwhile, and is its own as long as there is
// room (seed 626158849).
func TestPromisesLapse(t *testing.T) {
	for _, full := range []bool{false, true} {
		w, n, _ := session(t, 0, 2, Config{})
		w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal})
		w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal})
		id, another := n[0].admission.Promises[0].ID, n[0].admission.Promises[1].ID
		if full {
			w.must(n[0], SetDesc{MaxPlayers: uint32(len(n[0].Players()) + 2)})
			assert.ErrorIs(t, w.do(n[0], CreatePlayer{}).Err, wire.ErrCantCreatePlayer)
		}
		w.run(w.now + idLife + time.Second)
		require.Empty(t, n[0].admission.Promises)
		if full {
			w.must(n[0], CreatePlayer{})
			w.must(n[0], CreatePlayer{})
		}
		n[0].events = nil
		w.say(n[2], n[0], &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: n[2].self}})
		assert.Equal(t, []Reason{NotAllowed}, dropped(n[0]))
		w.say(n[1], n[0], &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: n[1].self}})
		assert.Len(t, take[PlayerCreated](n[0]), map[bool]int{false: 1, true: 0}[full])
		w.must(n[1], Leave{})
		assert.Empty(t, n[0].admission.Lapsed)
		assert.False(t, n[0].admission.IDs.Reserved(another))
	}
}

// Ids that lapsed are remembered within bounds.
func TestLapsedBounded(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	for range 2 * admit.MaxPromises / admit.MaxPromisesEach {
		for range admit.MaxPromisesEach {
			w.say(n[1], n[0], &wire.RequestGroupID{})
		}
		w.run(w.now + idLife + time.Second)
	}
	assert.Len(t, n[0].admission.Lapsed, admit.MaxPromises)
}

// A newcomer that goes before it got its list leaves nothing behind.
func TestNewcomerGoes(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	used, _ := n[0].admission.IDs.Len()
	w.cut = func(from, _ *node, _ Outgoing) bool { return from == n[1] }
	p := w.add("late", Config{})
	w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
	w.settle()
	require.Len(t, n[0].admission.Newcomers, 1)
	w.step(n[0], Input{Kind: StreamClosed, From: p.stream()})
	w.settle()
	assert.Empty(t, n[0].admission.Newcomers)
	now, _ := n[0].admission.IDs.Len()
	assert.Equal(t, used, now)
	assert.Len(t, n[0].peers.all, 1)
	assert.Len(t, n[1].peers.all, 1)
	w.run(w.now + 2*DefaultPeriod) // the counts of what arrived
	assert.Equal(t, n[0].views.next(), n[0].wake)
}
