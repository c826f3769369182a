package dpsp

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// withoutProtocol has a machine join a session with DIRECTPLAYPROTOCOL that does not know the flag, as Wine 10: it is told of
// sessions without the flag, and every frame for it is lost on it.
func (w *world) withoutProtocol(n *node) {
	before := w.cut
	w.cut = func(from, to *node, out Outgoing) bool {
		if to == n {
			size := bytes.Index(out.Data, []byte{wire.SessionDescSize, 0, 0, 0})
			if hasSP(out.Data) && size >= 0 && size+8 <= len(out.Data) {
				flags := out.Data[size+4:]
				binary.LittleEndian.PutUint32(flags, binary.LittleEndian.Uint32(flags)&^uint32(framed))
			}
		}
		return before != nil && before(from, to, out)
	}
}

// plainWorld is a session with the reliable protocol of a host and one member that speak it, and one that does not.
func plainWorld(t *testing.T, flags wire.SessionFlags) (w *world, n []*node, ids []wire.PlayerID) {
	w = newWorld(t)
	for _, name := range []string{"host", "ours"} {
		n = append(n, w.add(name, Config{}))
	}
	n = append(n, w.add("plain", Config{Legacy: true}))
	w.withoutProtocol(n[2])
	w.must(n[0], Host{Application: gameGUID, Flags: framed | flags})
	w.join(n[1], n[0], "")
	w.join(n[2], n[0], "")
	for _, x := range n {
		ids = append(ids, w.must(x, CreatePlayer{ShortName: Text(x.name)}))
	}
	require.True(t, n[0].frames().On && n[1].frames().On)
	require.False(t, n[2].frames().On)
	return w, n, ids
}

// A machine that joins a session with the reliable protocol and does not have it is spoken to as in other sessions once it said
// anything. It misses nothing that was guaranteed, what it says is heard, and each machine's person is told once. The
// others go on with frames.
func TestMemberWithoutProtocol(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, wire.SessionNoMessageID, wire.SessionKeepAlive | wire.SessionMigrateHost} {
		w, n, ids := plainWorld(t, flags)
		host, ours, plain := n[0], n[1], n[2]
		for _, x := range n {
			x.events = nil
		}
		say := func(from int, text string, guaranteed bool) {
			w.must(n[from], Send{From: ids[from], To: wire.IDAll, Guaranteed: guaranteed, Payload: []byte(text)})
		}
		heardBy := func(n *node) []string { // without message ids it takes every datagram for one of the game's, frames as well
			return slices.DeleteFunc(payloads(n), func(text string) bool { return text[0] < ' ' })
		}
		say(0, "early 1", true)
		say(1, "early 2", true)
		say(0, "early 3", true)
		w.run(w.now + 100*time.Millisecond)
		assert.Empty(t, heardBy(plain), "frames mean nothing to it")

		say(2, "first word", true)
		w.run(w.now + 100*time.Millisecond)
		assert.ElementsMatch(t, []string{"early 1", "early 2", "early 3"}, heardBy(plain), "what was guaranteed goes once more")
		for i := range n {
			say(i, "later, guaranteed", true)
			say(i, "later, not", false)
		}
		w.run(w.now + 2*time.Second)
		heard := []string{"later, guaranteed", "later, guaranteed", "later, not", "later, not"}
		assert.ElementsMatch(t, append([]string{"early 1", "early 2", "early 3"}, heard...), heardBy(plain))
		assert.ElementsMatch(t, append([]string{"early 2", "first word"}, heard...), payloads(host))
		assert.ElementsMatch(t, append([]string{"early 1", "early 3", "first word"}, heard...), payloads(ours))
		for _, x := range n[:2] {
			told := eventsOf[PeerReading](x.events)
			require.Len(t, told, 1, "%s is told once", x.name)
			assert.Equal(t, PeerReading{System: plain.self, Reading: reliable.NoFrames}, told[0])
			assert.Empty(t, eventsOf[PeerLost](x.events))
		}
		assert.True(t, host.peerByID(ours.self).frameLinks.Framed && ours.peerByID(host.self).frameLinks.Framed, "the others go on with frames")
		before := host.peerByID(ours.self).frameLinks.Links[0].Stats().Sent
		say(0, "in frames", true)
		assert.Greater(t, host.peerByID(ours.self).frameLinks.Links[0].Stats().Sent, before)

		w.run(w.now + time.Minute) // nobody is lost, and nothing waits for an acknowledgment that never comes
		for _, x := range n {
			assert.Empty(t, eventsOf[PeerLost](x.events))
			assert.Equal(t, member, x.state)
		}
	}
}

// A machine without the protocol that only listens is spoken to plainly after a while.
func TestListenerWithoutProtocol(t *testing.T) {
	w, n, ids := plainWorld(t, 0)
	w.must(n[0], Send{From: ids[0], To: wire.IDAll, Guaranteed: true, Payload: []byte("anybody?")})
	w.run(w.now + frame.AskAfter + 3*time.Second)
	assert.Equal(t, []string{"anybody?"}, payloads(n[2]))
	assert.Len(t, eventsOf[PeerReading](n[0].events), 1)
	w.run(w.now + time.Minute)
	assert.Empty(t, eventsOf[PeerLost](n[0].events))
}

// Its datagrams are taken before it is known to be without the protocol, and make nothing known.
func TestDatagramsWithoutProtocol(t *testing.T) {
	w, n, ids := plainWorld(t, 0)
	w.must(n[2], Send{From: ids[2], To: ids[0], Payload: []byte("to one")})
	w.must(n[2], Send{From: ids[2], To: wire.IDAll, Payload: []byte("to all")})
	assert.Equal(t, []string{"to one", "to all"}, payloads(n[0]))
	assert.False(t, n[0].peerByID(n[2].self).frameLinks.Plain)
}

// Nobody makes a member plain that speaks frames, ours or another's: neither by a datagram with its address, nor over a connection
// of his own.
func TestForgedPlainMessages(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		w, n, ids := session(t, framed, 2, Config{Legacy: legacy})
		host, victim, forger := n[0], n[1], n[2]
		w.must(victim, Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("in frames")})
		p := host.peerByID(victim.self)
		require.Positive(t, p.frameLinks.FrameAt)
		game, err := wire.AppendPlayerMessage(nil, &wire.PlayerMessage{From: ids[1], To: ids[0], Payload: []byte("forged")})
		require.NoError(t, err)
		sp := func(listener uint16, at *node) []byte {
			b := binary.LittleEndian.AppendUint32(nil, uint32(wire.TokenRemote)<<20|uint32(wire.SPHeaderSize+len(game)))
			b = append(b, 2, 0, byte(listener>>8), byte(listener))
			b = append(append(b, at.addr.AsSlice()...), make([]byte, 8)...)
			return append(b, game...)
		}
		host.events = nil
		for range 50 {
			w.step(host, Input{Kind: Datagram, From: victim.datagram(), Data: game})
			w.step(host, Input{Kind: Datagram, From: victim.datagram(), Data: sp(2300, victim)})
			w.step(host, Input{Kind: Stream, From: forger.stream(), Data: sp(2300, victim)}) // its header names another machine's listener
			w.step(host, Input{Kind: Stream, From: forger.stream(), Data: sp(2300, forger)}) // and the message another machine's player
			w.run(w.now + time.Second)
		}
		assert.True(t, p.frameLinks.Framed && !p.frameLinks.Plain, "legacy %v", legacy)
		assert.Empty(t, eventsOf[PeerReading](host.events))
	}
}

// Nobody but the member itself can answer the question whether it speaks frames: the answer repeats a random number.
func TestForgedAnswer(t *testing.T) {
	w, n, ids := session(t, framed, 1, Config{Legacy: true})
	host, victim := n[0], n[1]
	p := host.peerByID(victim.self)
	w.cut = func(from, to *node, out Outgoing) bool { return out.Transport == UDP }
	p.frameLinks.FrameAt = 0
	w.must(host, Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: []byte("is cut off")})
	for i := range uint32(80) {
		w.run(w.now + 100*time.Millisecond)
		for _, tick := range []uint32{0, 1, i, ^i, uint32(w.now / time.Millisecond)} {
			b, err := victim.encode(&wire.PingReply{From: victim.self, Tick: tick})
			require.NoError(t, err)
			w.step(host, Input{Kind: Datagram, From: victim.datagram(), Data: b})
		}
	}
	assert.NotZero(t, p.frameLinks.Asked)
	assert.True(t, p.frameLinks.Framed && !p.frameLinks.Plain)
	w.cut = nil
	w.run(w.now + 5*time.Second)
	assert.Equal(t, []string{"is cut off"}, payloads(victim), "once, in a frame")
	assert.True(t, p.frameLinks.Framed && !p.frameLinks.Plain, "it answered in a frame")
}

// A member that speaks frames and once sends something over its connection is taken at its frames, and one without the protocol
// stays plain although somebody forges frames of it.
func TestFramesOfPlainMember(t *testing.T) {
	w, n, ids := plainWorld(t, 0)
	host, plain := n[0], n[2]
	p := host.peerByID(plain.self)
	w.must(plain, Send{From: ids[2], To: ids[0], Guaranteed: true, Payload: []byte("1")})
	require.True(t, p.frameLinks.Plain)
	forge := func() {
		l := reliable.New(reliable.Config{From: host.frames().Index(ids[2]), To: host.frames().Index(ids[0])})
		require.NoError(t, l.Send(reliable.Message{Data: []byte("forged"), Reliable: true}))
		for _, b := range l.Step(0).Frames {
			w.step(host, Input{Kind: Datagram, From: plain.datagram(), Data: b})
		}
		w.settle()
	}
	forge()
	assert.True(t, p.frameLinks.Plain, "a message came over its connection a moment ago")
	w.run(w.now + frame.PlainFor + time.Second)
	forge()
	assert.False(t, p.frameLinks.Plain, "it sends frames by now")
	w.must(plain, Send{From: ids[2], To: ids[0], Guaranteed: true, Payload: []byte("among frames")})
	assert.False(t, p.frameLinks.Plain, "a frame came a moment ago")
	w.run(w.now + frame.PlainFor + time.Second)
	w.must(plain, Send{From: ids[2], To: ids[0], Guaranteed: true, Payload: []byte("2")})
	assert.True(t, p.frameLinks.Plain)
	plain.events = nil
	w.must(host, Send{From: ids[0], To: ids[2], Guaranteed: true, Payload: []byte("answer")})
	assert.Equal(t, []string{"answer"}, payloads(plain))
	assert.Len(t, eventsOf[PeerReading](host.events), 1, "told once")
}
