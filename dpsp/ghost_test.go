package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// lostYoung makes a session of a host and a member, which the host lost while it was too young to have said hello, or had
// not answered one often enough to count as a legacy machine. It gives the host and the member.
func lostYoung(t *testing.T, legacy bool) (*world, *node, *node) {
	t.Helper()
	cfg := Config{Period: 2 * time.Second, Probes: 3}
	w := newWorld(t)
	h := w.add("host", cfg)
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
	cfg.Legacy = legacy
	p := w.add("member", cfg)
	w.cut = func(from, to *node, out Outgoing) bool { // no hello of its gets through
		var d wire.Decoder
		env, err := d.DecodeStream(out.Data)
		_, extension := env.Message.(*wire.Extension)
		return from == p && err == nil && extension
	}
	w.join(p, h, "")
	w.cut = nil
	w.step(h, Input{Kind: StreamClosed, From: p.stream()})
	assert.Empty(t, h.peers.all, "the host lost it")
	w.queue, p.events = nil, nil
	return w, h, p
}

// 3.2.5.10: who pings and is not in the session MUST be told YOUAREDEAD. A legacy machine is told with the first ping,
// also if the host had no time to find out that it is one.
func TestYoungLegacyMemberIsTold(t *testing.T) {
	w, h, p := lostYoung(t, true)
	w.step(h, Input{Kind: Datagram, From: p.datagram(), Data: datagramOf(t, p, &wire.Ping{From: p.self, Tick: 7})})
	w.settle()
	assert.Equal(t, []SessionLost{{Cause: CauseRemoved, Reason: "the host says that we are not in the session"}}, eventsOf[SessionLost](p.events))
}

// One of ours is told the same, and comes back: what is said first is that the host is there.
func TestYoungMemberComesBack(t *testing.T) {
	w, h, p := lostYoung(t, false)
	self := p.self
	w.step(h, Input{Kind: Datagram, From: p.datagram(), Data: datagramOf(t, p, &wire.Ping{From: p.self, Tick: 7})})
	w.settle()
	w.run(w.now + 30*time.Second)
	assert.Empty(t, eventsOf[SessionLost](p.events))
	assert.Equal(t, self, p.self)
	agree(t, []*node{h, p}, 0)
	w.run(w.now + time.Minute)
	agree(t, []*node{h, p}, 0)
}

// datagramOf returns a message as a machine would send it in a datagram.
func datagramOf(t *testing.T, n *node, m wire.Message) []byte {
	t.Helper()
	n.out.buf = n.out.buf[:0]
	n.out.Sends = n.out.Sends[:0]
	n.send(UDP, n.datagram(), m)
	assert.Len(t, n.out.Sends, 1)
	return append([]byte(nil), n.out.Sends[0].Data...)
}
