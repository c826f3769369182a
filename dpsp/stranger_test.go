package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// What somebody may do with the extension who has only found the session, or who is a member and lies.

var strictly = Config{Period: time.Second, Probes: 3}

// stranger is somebody who found the session.
func (w *world) stranger() (*node, wire.SessionDesc) {
	w.t.Helper()
	s := w.add("stranger", Config{})
	w.must(s, Enumerate{Application: gameGUID, Flags: wire.EnumAll | wire.EnumPasswordRequired})
	f := take[SessionFound](s)
	require.NotEmpty(w.t, f)
	return s, f[0].Desc
}

func (w *world) extend(from, to *node, as wire.PlayerID, b wire.ExtensionBody, udp bool) {
	w.t.Helper()
	w.raw(from, to, from.cfg.header(), wire.NewExtension(as, b), udp)
	w.settle()
}

// What a stranger says of views has nobody call a third machine, and changes nothing.
func TestStrangerAimsNobody(t *testing.T) {
	for _, flags := range []wire.SessionFlags{migrating, 0} {
		w, n, _ := session(t, flags, 2, strictly)
		s, _ := w.stranger()
		spy := netip.MustParseAddrPort("6.6.6.6:666")
		w.cut = func(_, _ *node, out Outgoing) bool {
			assert.NotEqual(t, spy, out.To)
			return false
		}
		for _, to := range n {
			for _, at := range []netip.AddrPort{spy, s.stream()} {
				for _, udp := range []bool{true, false} {
					for _, step := range []wire.ViewStep{wire.ViewClaim, wire.ViewAsk, wire.ViewPrepare, wire.ViewJoin, wire.ViewUnvouched} {
						from := wire.ViewMember{System: 2, Incarnation: 7, Stream: sockAddr(at), Datagram: sockAddr(at)}
						v := wire.View{Epoch: 9, Leader: 2, Incarnation: 7}
						all := []wire.ViewMember{from, {System: n[1].self, Incarnation: 8, Stream: sockAddr(spy)}}
						w.extend(s, to, 2, &wire.ExtensionView{Step: step, From: from, View: v, Nonce: 3, Members: all}, udp)
					}
				}
			}
		}
		for _, p := range n {
			assert.Equal(t, n[0].self, p.host)
			assert.Equal(t, member, p.state)
		}
	}
}

// A modern member makes no players beyond what the session takes.
func TestBringsWithinLimits(t *testing.T) {
	w := newWorld(t)
	h := w.add("host", strictly)
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating, MaxPlayers: 2})
	p := w.add("peer", strictly)
	w.join(p, h, "")
	brings := func(i int) {
		id := wire.PlayerID(0x700 + i)
		w.raw(p, h, p.cfg.header(), &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: p.self}}, false)
	}
	for i := range 10 {
		brings(i)
	}
	assert.Len(t, h.Players(), 2)
	w.raw(p, h, p.cfg.header(), &wire.DeletePlayer{Player: h.Players()[0].ID}, false)
	w.must(h, SetDesc{Name: "Game", MaxPlayers: 2, Flags: migrating | wire.SessionNewPlayersDisabled})
	brings(20)
	assert.Len(t, h.Players(), 1)
}

// A peer that says hello again and again gets the objects a few times in a period.
func TestHelloFlood(t *testing.T) {
	w, n, _ := session(t, migrating, 1, strictly)
	for range 20 {
		w.must(n[0], CreateObject{State: make([]byte, 60000)})
	}
	octets := 0
	w.cut = func(from, _ *node, out Outgoing) bool {
		if from == n[0] {
			octets += len(out.Data)
		}
		return from == n[0]
	}
	for range 100 {
		w.extend(n[1], n[0], n[1].self, &wire.ExtensionHello{Answer: 1, Abilities: wire.HelloViews | wire.HelloObjects}, false)
	}
	assert.Less(t, octets, (maxTold+1)*21*60000)
}

// A machine whose HELLO lacks the ability for views is a legacy machine.
func TestHelloWithoutViews(t *testing.T) {
	w := newWorld(t)
	h := w.add("host", strictly)
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
	legacy := strictly
	legacy.Legacy = true
	p := w.add("peer", legacy)
	w.join(p, h, "")
	w.extend(p, h, p.self, &wire.ExtensionHello{}, false)
	assert.Empty(t, moderns(h))
}

// Without MIGRATEHOST nobody becomes host, whatever he says.
func TestNoNameServerWithoutMigrateHost(t *testing.T) {
	w, n, _ := session(t, 0, 2, strictly)
	w.raw(n[1], n[2], n[1].cfg.header(), &wire.IAmNameServer{Host: n[1].self}, false)
	assert.Equal(t, n[0].self, n[2].host)
}

// What is sent over connections only is not taken from datagrams, whose source anybody can write.
func TestNotByDatagram(t *testing.T) {
	w, n, _ := session(t, migrating, 2, strictly)
	end, err := dpl8.Append(nil, &dpl8.TerminateSession{})
	require.NoError(t, err)
	n[2].events = nil
	for _, b := range []wire.ExtensionBody{
		&wire.ExtensionTable{Message: end}, &wire.ExtensionHello{}, &wire.ExtensionFormers{}, &wire.ExtensionRejoin{},
	} {
		w.extend(n[0], n[2], n[0].self, b, true)
	}
	assert.Equal(t, member, n[2].state)
	assert.Len(t, eventsOf[Dropped](n[2].events), 4)
}

// Who was passed over as a candidate, and is host all the same, is a candidate again later.
func TestPassedForgotten(t *testing.T) {
	_, n, _ := session(t, migrating, 2, strictly)
	p := n[1].peers.all[1]
	p.passed = true
	n[1].newHost(p.system)
	assert.False(t, p.passed)
}

// After a network broke, it comes back for datagrams only (a firewall, NAT): nobody gives up the session that he has for
// one that cannot be joined.
func TestHealHalf(t *testing.T) {
	w, n, _ := session(t, migrating, 5, strictly)
	left, right := n[:3], n[3:]
	w.parts(left, right)
	agree(t, left, 3)
	agree(t, right, 3)
	in := map[*node]int{}
	for _, p := range left {
		in[p] = 1
	}
	w.cut = func(from, to *node, out Outgoing) bool {
		return to != nil && in[from] != in[to] && out.Transport == TCP
	}
	w.run(w.now + 120*time.Second)
	for _, p := range n {
		assert.Empty(t, eventsOf[SessionLost](p.events), p.name)
	}
	agree(t, left, 3)
	agree(t, right, 3)
	w.whole(60 * time.Second)
	agree(t, n, 6)
}
