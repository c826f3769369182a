package dpsp

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/hostmigrate"
	"dplay4/wire"
)

// breaks has a connection from one machine to another break, and tells whether there is a new one when the time for it is over. It
// returns what was sent to make it.
func (w *world) breaks(from, to *node, anew bool) (sent []Outgoing) {
	out := from.Step(w.now, Input{Kind: StreamEnded, From: to.stream()})
	for _, s := range out.Sends {
		s.Data = append([]byte(nil), s.Data...)
		sent = append(sent, s)
		w.queue = append(w.queue, packet{from, s.To, s.Transport != TCP, s.Data})
	}
	if from.anew == nil {
		from.anew = map[*node]uint16{}
	}
	from.anew[to]++
	w.settle()
	if !anew {
		w.step(from, Input{Kind: StreamEnded, From: to.stream(), Err: errors.New("refused")})
	}
	w.step(from, Input{Kind: StreamClosed, From: to.stream(), Anew: anew})
	w.settle()
	return sent
}

// nobodyLost checks that no program was told that somebody is gone, or that it is itself.
func nobodyLost(t *testing.T, n []*node) {
	t.Helper()
	for _, p := range n {
		assert.Empty(t, eventsOf[PeerLost](p.events), p.name)
		assert.Empty(t, eventsOf[SessionLost](p.events), p.name)
		assert.Empty(t, eventsOf[HostLost](p.events), p.name)
	}
}

// A connection that breaks is made once more, and nobody is accused: between two members, of a member to the host, and of the host
// to a member, with MIGRATEHOST and without, and where machines do not know the extension.
func TestBreakAccusesNobody(t *testing.T) {
	const star = wire.SessionKeepAlive | wire.SessionClientServer
	for _, c := range []struct {
		flags    wire.SessionFlags
		from, to int
	}{
		{migrating, 1, 2}, {migrating, 1, 0}, {migrating, 0, 1}, {wire.SessionKeepAlive, 1, 2}, {wire.SessionKeepAlive, 0, 2}, {0, 2, 0},
		{star, 1, 0}, {star, 0, 1}, {wire.SessionMulticastServer, 0, 1}, {migrating | wire.SessionDirectPlayProtocol, 1, 2},
	} {
		w, n, _ := session(t, c.flags, 2, Config{Period: time.Minute, Probes: 3})
		sent := w.breaks(n[c.from], n[c.to], true)
		require.NotEmpty(t, sent, c)
		assert.Equal(t, TCP, sent[0].Transport, "the connection is made anew: %v", c)
		assert.Equal(t, n[c.to].stream(), sent[0].To)
		w.run(w.now + 2*hostmigrate.DefaultTimeout)
		nobodyLost(t, n)
		assert.Equal(t, []ConnectionRenewed{{System: n[c.to].self}}, eventsOf[ConnectionRenewed](n[c.from].events), c)
	}
}

// A refused connection is an answer: the machine is accused at once, as one that crashed.
func TestBreakRefused(t *testing.T) {
	for _, c := range []struct{ from, to int }{{0, 2}, {1, 0}, {1, 2}} {
		w, n, _ := session(t, migrating, 2, Config{Period: time.Minute, Probes: 3})
		n[c.to].closed = true
		w.breaks(n[c.from], n[c.to], false)
		if c.from != 0 { // another one asks it
			w.run(w.now + 2*hostmigrate.DefaultTimeout)
		}
		assert.Nil(t, n[c.from].peerByID(n[c.to].self), c)
	}
}

// A machine that takes the new connection, and does not answer over it, is accused after a while. What a program says that began
// anew at its address is no answer, nor that it looks for sessions.
func TestBreakUnanswered(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{Period: time.Minute, Probes: 3})
	id := n[2].self
	n[2].Engine = New(n[2].cfg)
	w.breaks(n[0], n[2], true)
	w.must(n[2], Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	w.run(w.now + hungUpGrace - time.Millisecond)
	nobodyLost(t, n[:1])
	w.run(w.now + 2*time.Millisecond)
	assert.Nil(t, n[0].peerByID(id))
	assert.Len(t, n[0].peers.all, 1)
	assert.Len(t, eventsOf[PeerLost](n[0].events), 1)

	// It has its own connection to us, so that it is not said to be gone: then it has longer.
	w, n, _ = session(t, migrating, 2, Config{Period: time.Minute, Probes: 3})
	n[2].closed = true
	w.step(n[0], Input{Kind: StreamEnded, From: n[2].stream()})
	w.run(w.now + hostmigrate.DefaultTimeout - time.Millisecond)
	nobodyLost(t, n[:1])
	w.run(w.now + 2*time.Millisecond)
	assert.Len(t, n[0].peers.all, 1)
}

// A newcomer that waits for its list answers nothing, and is not accused for that.
func TestBreakWhileJoining(t *testing.T) {
	w, n, _ := session(t, migrating, 1, Config{Period: time.Minute, Probes: 3, Populate: 3 * DefaultPopulate})
	h, slow := n[0], n[1]
	p := w.add("newcomer", Config{Reply: time.Minute})
	w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	slow.closed = true
	f := take[SessionFound](p)
	w.step(p, Input{Kind: Request, Token: 5, Command: Join{Host: f[0].Host, Desc: f[0].Desc, Name: f[0].Name}})
	w.settle()
	id := h.MachineAt(p.stream())
	require.True(t, h.admission.Newcomer(id) != nil)
	w.breaks(h, p, true)
	w.run(w.now + DefaultPopulate - time.Second)
	assert.True(t, h.admission.Newcomer(id) != nil)
	w.run(w.now + 2*time.Second)
	assert.Len(t, eventsOf[SessionOpened](p.events), 1)
	assert.NotNil(t, h.peerByID(id))
}

// A ping that is answered is an answer as well: the machine may have no connection to us.
func TestBreakAnsweredByPing(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{Period: time.Minute, Probes: 3})
	cut := func(from, to *node, out Outgoing) bool { return from == n[2] && to == n[1] && out.Transport == TCP }
	w.cut = cut
	w.step(n[1], Input{Kind: StreamEnded, From: n[2].stream(), Lost: true})
	w.settle()
	w.run(w.now + hostmigrate.DefaultTimeout - time.Millisecond)
	w.cut = func(from, _ *node, _ Outgoing) bool { return from == n[2] }
	w.step(n[1], Input{Kind: StreamEnded, From: n[2].stream()})
	w.run(w.now + 2*time.Millisecond)
	assert.NotNil(t, n[1].peerByID(n[2].self), "it has as long for the second answer")
	assert.Empty(t, eventsOf[ConnectionRenewed](n[1].events), "it did not come over the new connection")
	w.cut = cut
	w.breaks(n[1], n[2], true)
	w.run(w.now + 2*hostmigrate.DefaultTimeout)
	nobodyLost(t, n)
	assert.Empty(t, eventsOf[ConnectionRenewed](n[1].events))

	w.cut = nil
	w.breaks(n[1], n[2], true)
	assert.Equal(t, []ConnectionRenewed{{System: n[2].self}}, eventsOf[ConnectionRenewed](n[1].events), "what was lost on the first one was kept")
}

// The answer to another ping, which may be old or forged, is none.
func TestBreakAnsweredByOtherPing(t *testing.T) {
	for _, flags := range []wire.SessionFlags{migrating, wire.SessionMulticastServer} {
		for _, tick := range []uint32{1, 1 << 31} {
			w, n, _ := session(t, flags, 2, Config{Period: time.Minute, Probes: 3})
			h, p := n[0], n[2]
			id := p.self
			w.cut = func(from, to *node, out Outgoing) bool { return from == p }
			w.step(h, Input{Kind: StreamEnded, From: p.stream()})
			w.settle()
			b, err := p.encode(&wire.PingReply{From: id, Tick: tick})
			require.NoError(t, err)
			w.step(h, Input{Kind: Datagram, From: h.peerByID(id).datagram, Data: b})
			w.run(w.now + hostmigrate.DefaultTimeout + time.Millisecond)
			assert.Len(t, h.peers.all, 1)
			assert.Empty(t, eventsOf[ConnectionRenewed](h.events))
		}
	}
}

// A connection that breaks before the machine answered over it is made once more, and what was lost on the one before is told, where it
// was not kept. The machine has no more time for its answer.
func TestBreakBeforeAnswer(t *testing.T) {
	for _, c := range []struct {
		flags   wire.SessionFlags
		answers bool
	}{{migrating, true}, {migrating, false}, {wire.SessionMulticastServer, true}} {
		w, n, _ := session(t, c.flags, 2, Config{Period: time.Minute, Probes: 3})
		answers, lost := c.answers, c.flags != migrating
		n[2].closed = true
		w.step(n[0], Input{Kind: StreamEnded, From: n[2].stream(), Lost: true})
		w.settle()
		began := w.now
		w.run(began + time.Second)
		n[2].closed = !answers
		w.step(n[0], Input{Kind: StreamEnded, From: n[2].stream()})
		w.settle()
		if answers {
			assert.Equal(t, []ConnectionRenewed{{System: n[2].self, Lost: lost}}, eventsOf[ConnectionRenewed](n[0].events))
			w.step(n[0], Input{Kind: StreamEnded, From: n[2].stream()})
			w.settle()
			assert.Equal(t, ConnectionRenewed{System: n[2].self}, eventsOf[ConnectionRenewed](n[0].events)[1], "they were told of")
			continue
		}
		w.run(began + hostmigrate.DefaultTimeout - time.Millisecond)
		nobodyLost(t, n[:1])
		w.run(w.now + 2*time.Millisecond)
		assert.Len(t, n[0].peers.all, 1)
	}
}

// Who resets each connection has us make few, and is accused then, whether it answers in between or not.
func TestBreakAgainAndAgain(t *testing.T) {
	for _, answers := range []bool{false, true} {
		w, n, _ := session(t, migrating, 2, Config{Period: time.Minute, Probes: 3})
		made := 0
		for range 3 * maxRenewals {
			n[2].closed = !answers
			out := n[0].Step(w.now, Input{Kind: StreamEnded, From: n[2].stream()})
			if len(out.Sends) > 0 {
				made++
			}
			for _, s := range out.Sends {
				w.queue = append(w.queue, packet{n[0], s.To, s.Transport != TCP, append([]byte(nil), s.Data...)})
			}
			w.settle()
		}
		assert.Equal(t, maxRenewals, made)
		if answers { // it calls us, so that nobody says that it is gone
			w.step(n[0], Input{})
			w.run(w.now + hungUpGrace - time.Millisecond)
			nobodyLost(t, n)
			w.run(w.now + 2*time.Millisecond)
		} else {
			w.step(n[0], Input{Kind: StreamClosed, From: n[2].stream()})
		}
		assert.Nil(t, n[0].peerByID(n[2].self), "answers %v", answers)
	}
}

// The end of a connection is the goodbye of a machine that is none of ours: nothing is said to it, and it is gone, even if somebody
// listens where it did.
func TestBreakOfLegacy(t *testing.T) {
	for _, anew := range []bool{false, true} {
		w, n, _ := mixed(t, 3, 2)
		assert.Empty(t, w.breaks(n[0], n[2], anew))
		assert.Nil(t, n[0].peerByID(n[2].self))
	}
}

// A player that was announced on the connection that broke is announced again, in a session without MIGRATEHOST.
func TestBreakLosesNoPlayer(t *testing.T) {
	w, n, _ := session(t, wire.SessionKeepAlive, 2, Config{Period: time.Minute, Probes: 3})
	w.cut = func(from, to *node, out Outgoing) bool { return from == n[1] && to == n[2] && out.Transport == TCP }
	id := w.must(n[1], CreatePlayer{ShortName: "new"})
	w.cut = nil
	w.breaks(n[1], n[2], true)
	player, _ := n[2].list.Kind(id)
	assert.True(t, player)
	nobodyLost(t, n)
}
