package dpsp

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/fragment"
	"dplay4/wire"
)

// incomplete returns how many large messages a machine puts together.
func incomplete(p *node) int {
	n, _, _ := p.fragments.in.Waiting()
	return n
}

// 3.1.2.4, 3.1.6.1: 900 ms until the first acknowledgement; a message is given up after 16 sends and 60 s.
func TestPacketizeGivesUp(t *testing.T) {
	b := created(t, Config{MaxStream: 256})
	require.Len(t, b.request(Send{From: 3, To: 0x1337, Guaranteed: true, Payload: make([]byte, 1000)}), 1)
	sends := 1
	for b.out.Wake != Never {
		assert.Equal(t, b.now+fragment.First, b.out.Wake)
		b.out = b.Step(b.out.Wake, Input{})
		sends += len(b.out.Sends)
	}
	assert.Equal(t, 67, sends, "every 900 ms within a minute")
	assert.GreaterOrEqual(t, b.now, fragment.GiveUp)
	assert.Equal(t, LimitReached, eventsOf[Dropped](b.out.Events)[0].Reason)
}

// All fragments of a message that come twice, as after a connection was made anew, make one message.
func TestFragmentsAgain(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	message, err := wire.AppendPlayerMessage(nil, &wire.PlayerMessage{From: ids[1], To: ids[0], Payload: []byte("0123456789")})
	require.NoError(t, err)
	for range 2 {
		for i, half := range [][]byte{message[:9], message[9:]} {
			w.say(n[1], n[0], &wire.Packet2Data{ID: wire.GUID{5}, Index: uint32(i), Offset: uint32(9 * i), Total: 2,
				MessageSize: uint32(len(message)), Data: wire.Inner{Octets: half}})
		}
	}
	assert.Len(t, take[Message](n[0]), 1)
	assert.Zero(t, incomplete(n[0]))
}

// Large guaranteed messages arrive once and whole over a network that loses, repeats and swaps fragments.
func TestLargeMessagesOnABadNetwork(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{MaxStream: 300})
	rng := rand.New(rand.NewPCG(1, 2))
	w.cut = func(from, to *node, out Outgoing) bool {
		if rng.IntN(3) == 0 {
			w.queue = append(w.queue, packet{from, out.To, out.Transport != TCP, bytes.Clone(out.Data)})
		}
		if k := len(w.queue); k > 1 && rng.IntN(3) == 0 {
			w.queue[k-1], w.queue[k-2] = w.queue[k-2], w.queue[k-1]
		}
		return rng.IntN(4) == 0
	}
	payload := make([]byte, 5000)
	for i := range payload {
		payload[i] = byte(rng.Uint32())
	}
	w.do(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: payload})
	w.do(n[0], Send{From: ids[0], To: ids[2], Guaranteed: true, Payload: payload[:999]})
	w.run(w.now + time.Minute)
	assert.Equal(t, []Message{{From: ids[1], To: ids[0], Sent: wire.IDAll, Guaranteed: true, Payload: payload}}, take[Message](n[0]))
	got := take[Message](n[2])
	require.Len(t, got, 2)
	for _, p := range n {
		assert.Zero(t, p.fragments.out.Waiting(), p.name)
		assert.Equal(t, Never, p.fragments.in.Next(Never), p.name)
	}
}

// 3.1.5.27, 2.2.41: unacknowledged fragments out of sequence spoil the message; what stops coming is discarded
// after 15 s.
func TestUnreliableFragments(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{MaxDatagram: 256})
	count, lose := 0, 2
	w.cut = func(_, _ *node, out Outgoing) bool {
		count++
		return count == lose
	}
	w.do(n[1], Send{From: ids[1], To: ids[0], Payload: make([]byte, 1000)})
	assert.Empty(t, eventsOf[Message](n[0].events))
	assert.Zero(t, incomplete(n[0]))
	w.cut = func(_, _ *node, out Outgoing) bool { count++; return count > 2 }
	count = 0
	w.do(n[1], Send{From: ids[1], To: ids[0], Payload: make([]byte, 1000)})
	require.Equal(t, 1, incomplete(n[0]))
	assert.Equal(t, w.now+fragment.Discard, n[0].wake)
	w.run(w.now + fragment.Discard)
	w.step(n[0], Input{})
	assert.Zero(t, incomplete(n[0]))
	w.cut = nil
	w.do(n[1], Send{From: ids[1], To: ids[0], Payload: make([]byte, 1000)})
	assert.Len(t, take[Message](n[0]), 1)
}

// A single fragment around a whole message counts as that message, also for who is not in the session yet (facts,
// 3.16), and once only if it comes twice.
func TestSingleFragments(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	p := w.add("late", Config{})
	in := wire.Inner{Version: wire.DX9, Message: &wire.RequestPlayerID{Flags: wire.PlayerSystem}}
	b, err := wire.AppendMessage(nil, wire.DX9, in.Message)
	require.NoError(t, err)
	var log []string
	w.tap(&log)
	w.say(p, n[0], &wire.Packet{Total: 1, MessageSize: uint32(len(b)), Data: in})
	assert.Equal(t, []string{"host>late REQUESTPLAYERREPLY"}, log)
	chat := &wire.Chat{From: ids[1], To: ids[0], Text: wire.NewText("hi")}
	b, err = wire.AppendMessage(nil, wire.DX9, chat)
	require.NoError(t, err)
	m := &wire.Packet2Data{ID: wire.GUID{7}, Total: 1, MessageSize: uint32(len(b)), Data: wire.Inner{Version: wire.DX9, Message: chat}}
	log = nil
	w.say(n[1], n[0], m)
	w.say(n[1], n[0], m)
	assert.Equal(t, []string{"host>peer1 PACKET2_ACK", "host>peer1 PACKET2_ACK"}, log)
	assert.Len(t, take[ChatMessage](n[0]), 1)
}

// What is on its way to a machine that leaves ends there; too much at once is an error before anything is sent.
func TestLargeLimits(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{MaxStream: 256})
	w.cut = func(_, to *node, _ Outgoing) bool { return to == n[1] }
	var err error
	sent := 0
	for ; err == nil; sent++ {
		err = w.do(n[0], Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: make([]byte, 400)}).Err
	}
	assert.Equal(t, ErrBusy, err)
	assert.Equal(t, fragment.MaxOutgoing+1, sent)
	w.must(n[1], Leave{})
	assert.Zero(t, n[0].fragments.out.Waiting())
	n[0].events = nil
	for i := range 1000 { // a member that begins and never ends
		w.say(n[2], n[0], &wire.Packet{ID: wire.GUID{byte(i), byte(i >> 8)}, Total: 9, MessageSize: 999, Data: wire.Inner{Octets: []byte("x")}})
	}
	assert.Equal(t, fragment.MaxEach, incomplete(n[0]))
	assert.Equal(t, 1000-fragment.MaxEach, len(take[Dropped](n[0])))
}

// What is for a group of clients goes to each player in it, or, where there is room for some alone, to none.
func TestLargeForAGroupOfClients(t *testing.T) {
	w, n, ids := session(t, wire.SessionClientServer, 2, Config{MaxStream: 256})
	group := w.must(n[0], CreateGroup{})
	for _, id := range ids[1:] {
		w.must(n[0], AddToGroup{Player: id, Group: group})
	}
	w.cut = func(_, to *node, _ Outgoing) bool { return to == n[1] }
	for range fragment.MaxOutgoing - 1 {
		w.must(n[0], Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: make([]byte, 400)})
	}
	n[2].events = nil
	large := Send{From: ids[0], To: group, Guaranteed: true, Payload: make([]byte, 400)}
	assert.Equal(t, ErrBusy, w.do(n[0], large).Err)
	assert.Equal(t, fragment.MaxOutgoing-1, n[0].fragments.out.Waiting())
	assert.Empty(t, eventsOf[Message](n[2].events))
	w.must(n[0], RemoveFromGroup{Player: ids[1], Group: group})
	w.must(n[0], large)
	assert.Len(t, eventsOf[Message](n[2].events), 1)
}

// 3.1.4.16.2, facts 2.15 and 3.16: what would be taken for a system message is wrapped, and nothing else.
func TestPlayerWrapper(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, wire.SessionNoMessageID} {
		w, n, ids := session(t, flags, 1, Config{MaxDatagram: 256, MaxStream: 300})
		for at := range 24 {
			for _, size := range []int{64, 1000} {
				payload := make([]byte, size)
				copy(payload[at:], "play\x09\x00\x0e\x00")
				for _, guaranteed := range []bool{true, false} {
					var log []string
					w.tap(&log)
					w.must(n[0], Send{From: ids[0], To: ids[1], Guaranteed: guaranteed, Payload: payload})
					got := take[Message](n[1])
					require.Len(t, got, 1, "%v at %d guaranteed %v size %d", flags, at, guaranteed, size)
					assert.Equal(t, payload, got[0].Payload)
					assert.Equal(t, guaranteed, got[0].Guaranteed)
					if size > 64 {
						continue
					}
					mistaken := !guaranteed && (flags == 0 && at == 12 || flags != 0 && at == 20) || guaranteed && flags != 0 && at == 0
					plain := map[bool]string{true: "host>peer1 GAME", false: "host>peer1 udp GAME"}[guaranteed]
					assert.Equal(t, mistaken, log[0] != plain, "%v at %d guaranteed %v: %v", flags, at, guaranteed, log)
				}
			}
		}
	}
}
