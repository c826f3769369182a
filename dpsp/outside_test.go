package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// On the way into a session nobody is believed but the host that was asked, by its address: not who is elsewhere and
// writes the host's listener into its header, nor a datagram that seems to be from the host's address.
func TestStrangersWhileJoining(t *testing.T) {
	for _, r := range trustTable() {
		t.Run(r.message, func(t *testing.T) {
			t.Parallel()
			for _, s := range speakers()[:5] {
				for _, admitted := range []bool{false, true} {
					strangerWhileJoining(t, &r, s, admitted)
				}
			}
		})
	}
}

func strangerWhileJoining(t *testing.T, r *trustRow, s speaker, admitted bool) {
	x := newTrustWorld(t, r.message, false)
	j := x.add("joiner", Config{Reply: 20 * time.Second})
	x.must(j, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	found := take[SessionFound](j)
	require.NotEmpty(t, found)
	// The host's answer waits: to the request for an id, or the list.
	waits := map[bool]wire.Command{false: wire.CmdRequestPlayerReply, true: wire.CmdSuperEnumPlayersReply}[admitted]
	var late *packet
	x.cut = func(from, to *node, out Outgoing) bool {
		env, err := x.outside.dec.DecodeStream(out.Data)
		if late == nil && out.Transport == TCP && to == j && err == nil && env.Message.Command() == waits {
			late = &packet{from, out.To, false, append([]byte(nil), out.Data...)}
			return true
		}
		if from == j && late != nil && r.believed.joining.word == "-" && s.who == "stranger" {
			assert.Equal(t, x.outside.addr, out.To.Addr(), "%s: an answer", s.name)
		}
		return false
	}
	x.step(j, Input{Kind: Request, Command: Join{Host: found[0].Host, From: found[0].From, Desc: found[0].Desc, Name: found[0].Name}, Token: 77})
	x.settle()
	require.NotNil(t, late)
	self := j.self
	j.events = nil
	s.say(x, j, r.message)
	assert.Equal(t, joinState, j.Engine.state, "%s, admitted %v", s.name, admitted)
	assert.Equal(t, self, j.self)
	if r.believed.joining.word == "held" && admitted && !s.udp {
		assert.Len(t, j.join.held, 1, s.name)
	} else if r.believed.joining.word != "anybody" || s.udp {
		assert.Empty(t, j.join.held, s.name)
		assert.Empty(t, eventsOf[SessionFound](j.events))
	}
	x.cut = nil
	x.queue = append(x.queue, *late)
	x.settle()
	x.run(x.now + DefaultPopulate + time.Second)
	require.Equal(t, member, j.Engine.state, "%s, admitted %v", s.name, admitted)
	x.agreeWithHost(t, j)
}

// agreeWithHost checks that a machine's list is the host's.
func (x *trustWorld) agreeWithHost(t *testing.T, p *node) {
	t.Helper()
	assert.Equal(t, x.n[0].self, p.host)
	names := func(n *node) (all []string) {
		for _, e := range append(n.list.Players(), n.list.Groups()...) {
			all = append(all, e.ID.String()+e.ShortName.String()+string(e.Data))
		}
		return all
	}
	assert.Equal(t, names(x.n[0]), names(p), p.name)
}

// A host that was found at one address and answers from another one of its own is known by where its answer to the search
// came from. Another machine that writes the same header is not.
func TestHostAnswersFromAnotherAddress(t *testing.T) {
	other := netip.MustParseAddrPort("10.0.0.77:999")
	for _, from := range []netip.Addr{{}, other.Addr()} {
		b := newBench(t, Config{Legacy: true})
		j := mockJoin("")
		j.From = from
		b.request(j)
		named := func(message string) []byte { // it has the address in its headers that it was found at
			m := octets(t, message)
			ip := mockHost.Addr().As4()
			copy(m[8:], ip[:])
			return m
		}
		b.out = b.Step(b.now, Input{Kind: Stream, From: other, Data: named(hexRequestPlayerReply)})
		if !from.IsValid() {
			assert.Len(t, eventsOf[Dropped](b.out.Events), 1)
			assert.Empty(t, b.out.Sends)
			continue
		}
		b.one(b.out.Sends, TCP, mockHost.String(), hexForwardPlain)
		list := superEnum(t)
		copy(list[8:], named(hexRequestPlayerReply)[8:12])
		b.out = b.Step(b.now, Input{Kind: Stream, From: other, Data: list})
		assert.Equal(t, member, b.state)
		b.out = b.Step(b.now, Input{Kind: Stream, From: other, Data: named(hexAddForward)})
		b.one(b.out.Sends, TCP, mockHost.String(), hexAddForwardAck)
	}
}

// Who asks for an id by datagram is given none, and who names another address in its header is answered at its own, by
// the host and by all that it says after it was let in.
func TestAnswersGoToTheSource(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	s := w.add("newcomer", Config{})
	victim := netip.MustParseAddrPort("10.9.9.9:80")
	sp := s.cfg.header()
	sp.SockAddr = sockAddr(victim)
	var sends []Outgoing
	w.cut = func(from, _ *node, out Outgoing) bool {
		assert.NotEqual(t, victim.Addr(), out.To.Addr())
		sends = append(sends, out)
		return false
	}
	for range 1105 {
		w.raw(s, n[0], sp, &wire.RequestPlayerID{Flags: wire.PlayerSystem}, true)
	}
	assert.Empty(t, sends)
	assert.Empty(t, n[0].admission.Newcomers)
	assert.Len(t, take[Dropped](n[0]), 1105)
	at := netip.AddrPortFrom(s.addr, victim.Port())
	w.raw(s, n[0], sp, &wire.RequestPlayerID{Flags: wire.PlayerSystem}, false)
	require.Len(t, sends, 1)
	assert.Equal(t, at, sends[0].To)
	id := n[0].admission.Newcomers[0].ID
	info := wire.PackedPlayer{ID: id, System: id, Flags: wire.PlayerSystem, SPData: wire.SPData{Stream: sp.SockAddr, Datagram: sp.SockAddr}.Append(nil)}
	w.cut = func(from, _ *node, out Outgoing) bool {
		if from == n[0] {
			assert.NotEqual(t, victim, out.To)
		}
		return from == n[1] // members have to go by what it advertises
	}
	w.raw(s, n[0], sp, &wire.AddForwardRequest{Player: id, Info: info}, false)
	require.NotNil(t, n[0].peerByID(id))
	assert.Equal(t, at, n[0].peerByID(id).stream)
	n[0].events = nil
	w.raw(s, n[0], sp, &wire.RequestPlayerID{}, false)
	assert.Len(t, n[0].admission.Promises, 1, "it is known by the header that it writes, too")
}

// A newcomer that says it listens where a member does throws nobody out: it gets the address that it asks from.
func TestNewcomerTakesNoListener(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{})
	s := w.add("newcomer", Config{})
	w.raw(s, n[0], s.cfg.header(), &wire.RequestPlayerID{Flags: wire.PlayerSystem}, false)
	id := n[0].admission.Newcomers[0].ID
	sp := wire.SPData{Stream: sockAddr(n[2].stream()), Datagram: sockAddr(n[2].datagram())}
	w.raw(s, n[0], s.cfg.header(), &wire.AddForwardRequest{Player: id, Info: wire.PackedPlayer{ID: id, System: id, SPData: sp.Append(nil)}}, false)
	for _, p := range n[:2] {
		require.NotNil(t, p.peerByID(id), p.name)
		assert.NotNil(t, p.peerByID(n[2].self), p.name)
		assert.Equal(t, s.stream(), p.peerByID(id).stream, p.name)
	}
}

// A ping with the address of a member forged has the host tell nobody that it is dead.
func TestForgedPingEndsNothing(t *testing.T) {
	for _, seen := range []bool{false, true} {
		w, n, _ := session(t, wire.SessionKeepAlive, 1, Config{})
		sp := n[1].cfg.header()
		if seen { // the host knows it at two addresses
			p := n[0].peerByID(n[1].self)
			p.stream, p.alias = netip.MustParseAddrPort("10.0.7.7:2300"), netip.AddrPort{}
		}
		for _, id := range []wire.PlayerID{0x999, n[0].self, 0} {
			w.raw(n[1], n[0], sp, &wire.Ping{From: id}, true)
			w.raw(n[1], n[0], sp, &wire.PingReply{From: id}, true)
		}
		assert.Equal(t, member, n[1].Engine.state)
	}
}
