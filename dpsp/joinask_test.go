package dpsp

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// Each step of a join, and a member's request for an id, is asked once more after a second, the first step twice. The time
// for the whole stays.
func TestAskedOnceMore(t *testing.T) {
	b := newBench(t, Config{Legacy: true})
	b.one(b.request(mockJoin("")), TCP, mockHost.String(), hexRequestPlayerID)
	again := func(want string) {
		t.Helper()
		assert.Equal(t, b.now+time.Second, b.out.Wake)
		b.out = b.Step(b.out.Wake, Input{})
		b.one(b.out.Sends, TCP, mockHost.String(), want)
	}
	again(hexRequestPlayerID)
	again(hexRequestPlayerID)
	assert.Equal(t, DefaultReply, b.out.Wake)
	b.one(b.tcp(octets(t, hexRequestPlayerReply)), TCP, mockHost.String(), hexForwardPlain)
	again(hexForwardPlain)
	assert.Equal(t, b.now-time.Second+DefaultReply+DefaultPopulate, b.out.Wake)
	b.tcp(superEnum(t))
	require.Len(t, eventsOf[SessionOpened](b.out.Events), 1)

	require.Len(t, b.request(CreatePlayer{}), 1)
	b.out = b.Step(b.now+time.Second, Input{})
	require.Len(t, b.out.Sends, 1)
	b.out = b.Step(b.now+DefaultReply-time.Second, Input{})
	assert.Equal(t, []Done{{Token: 1, Err: ErrTimeout}}, eventsOf[Done](b.out.Events))

	for _, ours := range []func(*peer){func(h *peer) { h.modern = true }, func(h *peer) { h.marked = true }} {
		b = joined(t, Config{}) // a host of ours answers every request
		ours(b.peerByID(b.host))
		require.Len(t, b.request(CreatePlayer{}), 1)
		assert.Equal(t, DefaultReply, b.out.Wake)
	}
}

// A host that is slow to answer, and to greet a newcomer, gives it one id, and the last place to somebody else.
func TestSlowHostKeepsPlaces(t *testing.T) {
	w := newWorld(t)
	h, a, b := w.add("host", Config{}), w.add("one", Config{}), w.add("two", Config{})
	w.must(h, Host{Application: gameGUID, Name: "Game", MaxPlayers: 2})
	w.join(a, h, "")
	w.join(b, h, "")
	p := a.peerByID(h.self)
	require.True(t, p.modern)
	p.modern = false // it has not said hello yet
	var late []packet
	w.cut = func(from, to *node, o Outgoing) bool {
		if from == h && to == a {
			late = append(late, packet{from, o.To, o.Transport != TCP, slices.Clone(o.Data)})
			return true
		}
		return false
	}
	w.step(a, Input{Kind: Request, Command: CreatePlayer{}, Token: 1})
	w.settle()
	w.run(w.now + 2*time.Second)
	w.cut, w.queue = nil, late
	w.settle()
	require.Len(t, a.Players(), 1)
	w.must(b, CreatePlayer{})
}

// A slow host answers both requests: what comes second changes nothing and is nothing that the program has to hear of,
// whether the host gives another id or the same one again.
func TestTwoAnswers(t *testing.T) {
	quiet := func(b *bench) {
		t.Helper()
		assert.Empty(t, b.out.Sends)
		assert.Empty(t, b.out.Events)
	}
	for _, second := range []uint32{0x12345678, 0x9999} {
		b := newBench(t, Config{Legacy: true})
		b.request(mockJoin(""))
		b.out = b.Step(time.Second, Input{})
		b.tcp(octets(t, hexRequestPlayerReply))
		b.give(second)
		quiet(b)
		b.out = b.Step(2*time.Second, Input{})
		b.tcp(superEnum(t))
		require.Equal(t, member, b.state)
		assert.EqualValues(t, 0x12345678, b.self)
		b.tcp(superEnum(t))
		quiet(b)
		b.give(5) // a third answer to two requests
		require.Len(t, eventsOf[Dropped](b.out.Events), 1)

		b.request(CreatePlayer{})
		b.out = b.Step(b.now+time.Second, Input{})
		b.give(3)
		require.Len(t, eventsOf[PlayerCreated](b.out.Events), 1)
		b.request(CreateGroup{})
		b.give(3)
		quiet(b)
		b.give(4)
		assert.Len(t, eventsOf[GroupCreated](b.out.Events), 1)
	}
}

// A host answers a newcomer that asks twice as if it had asked once: with the same id, and with its list.
func TestAskedTwiceAsHost(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	p := w.add("newcomer", Config{})
	said := 0 // twice, what goes to the host and does not count
	w.cut = func(from, to *node, out Outgoing) bool {
		if from == p && to == n[0] && said < 100 && !Counted(out.Data) {
			said++
			w.queue = append(w.queue, packet{from, out.To, out.Transport != TCP, append([]byte(nil), out.Data...)})
		}
		return false
	}
	n[0].events = nil
	w.join(p, n[0], "")
	assert.Len(t, eventsOf[PeerJoined](n[0].events), 1)
	assert.Empty(t, dropped(n[0]))
	assert.Empty(t, n[0].admission.Newcomers)
	assert.Equal(t, member, p.state)
}

// An answer of the host that does not decode, or makes no sense, ends the step at once and says why. The same octets by
// UDP, or from somebody else, do not, whatever their header says.
func TestNonsenseEndsJoin(t *testing.T) {
	reply, list := octets(t, hexRequestPlayerReply), superEnum(t)
	with := func(b []byte, change func([]byte)) []byte {
		b = append([]byte(nil), b...)
		change(b)
		return b
	}
	word := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	stranger := netip.MustParseAddrPort("10.0.0.66:50001")
	for _, c := range []struct {
		name     string
		admitted bool
		octets   []byte
		want     string
	}{
		{"id 0", false, with(reply, word(28, 0)), "REQUESTPLAYERREPLY gives us the id 0x00000000, which is nobody's"},
		{"id -1", false, with(reply, word(28, 0xFFFFFFFF)), "which is nobody's"},
		{"size 0", false, with(reply, word(0, 0xFAB00000)), "SPHEADER.size at octet 0: value is not allowed"},
		{"HTTP", false, []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), `it begins with "HTTP/1.1 400 Bad Req"`},
		{"cut", false, with(reply, word(0, 0xFAB00000|40))[:40], "REQUESTPLAYERREPLY"},
		{"provider without end", false, with(reply, word(20+36, 48)), "REQUESTPLAYERREPLY.SSPIProvider"},
		{"PackedOffset 0", true, with(list, word(20+16, 0)), "SUPERENUMPLAYERSREPLY.PackedOffset"},
		{"PackedOffset beyond", true, with(list, word(20+16, 0xFFFF)), "SUPERENUMPLAYERSREPLY.PackedOffset"},
		{"NameOffset inside", true, with(list, word(20+28, 40)), "SUPERENUMPLAYERSREPLY.NameOffset"},
		{"a million players", true, with(list, word(20+8, 1_000_000)), "SUPERENUMPLAYERSREPLY.PlayerCount"},
		{"cut off", true, list[:20:20], "SPHEADER.size"},
		{"refusal without an error", true, with(octets(t, hexRefused), word(28, 0)), "ADDFORWARDREPLY refuses us without an error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Config{})
			b.request(mockJoin(""))
			if c.admitted {
				b.tcp(reply)
			}
			b.out = b.Step(b.now, Input{Kind: Stream, From: stranger, Data: c.octets})
			if _, err := new(wire.Decoder).DecodeStream(c.octets); err != nil {
				b.out = b.Step(b.now, Input{Kind: Datagram, From: netip.AddrPortFrom(mockHost.Addr(), 2350), Data: c.octets})
			}
			require.Equal(t, joinState, b.state)
			b.tcp(c.octets)
			require.Equal(t, idle, b.state)
			require.Len(t, eventsOf[Dropped](b.out.Events), 1)
			done := eventsOf[Done](b.out.Events)
			require.Len(t, done, 1)
			require.ErrorIs(t, done[0].Err, ErrNonsense)
			assert.ErrorContains(t, done[0].Err, c.want)
			assert.Equal(t, []JoinFailed{{Host: mockHost, Err: done[0].Err}}, eventsOf[JoinFailed](b.out.Events))
		})
	}
}

// A member's request for an id ends likewise, and so does the question who is in a session.
func TestNonsenseEndsRequests(t *testing.T) {
	b := joined(t, Config{})
	b.request(CreatePlayer{})
	bad := octets(t, hexRequestPlayerReply)
	binary.LittleEndian.PutUint32(bad[20+36:], 1)
	b.out = b.Step(b.now, Input{Kind: Stream, From: netip.MustParseAddrPort("10.0.0.66:50001"), Data: bad})
	require.Empty(t, eventsOf[Done](b.out.Events))
	b.tcp(bad)
	done := eventsOf[Done](b.out.Events)
	require.Len(t, done, 1)
	require.ErrorIs(t, done[0].Err, ErrNonsense)

	b = newBench(t, Config{})
	b.request(EnumeratePlayers{Host: mockHost})
	list := superEnum(t)
	binary.LittleEndian.PutUint32(list[28:], 1_000_000)
	b.tcp(list)
	done = eventsOf[Done](b.out.Events)
	require.Len(t, done, 1)
	require.ErrorIs(t, done[0].Err, ErrNonsense)
}

// A host that closes the connection of a request is asked once more, at once: it may not have read it. If it does the same
// again, the join is over soon, but for an answer that is on its way over a connection of the host's own.
func TestHungUp(t *testing.T) {
	refused := errors.New("connection refused")
	for _, answers := range []bool{false, true} {
		for _, err := range []error{nil, refused} {
			b := newBench(t, Config{Legacy: true})
			ended := Input{Kind: StreamEnded, From: mockHost, Err: err}
			b.request(mockJoin(""))
			b.tcp(octets(t, hexRequestPlayerReply))
			b.out = b.Step(b.now, Input{Kind: StreamEnded, From: netip.MustParseAddrPort("10.0.0.66:2300")})
			assert.Empty(t, b.out.Sends)
			b.out = b.Step(b.now, ended)
			b.one(b.out.Sends, TCP, mockHost.String(), hexForwardPlain)
			b.out = b.Step(b.now, ended)
			assert.Empty(t, b.out.Sends)
			assert.Equal(t, b.now+hungUpGrace, b.out.Wake)
			if answers {
				b.tcp(superEnum(t))
				assert.Equal(t, member, b.state)
				continue
			}
			b.out = b.Step(b.out.Wake, Input{})
			done := eventsOf[Done](b.out.Events)
			require.Len(t, done, 1)
			if err == nil {
				require.ErrorIs(t, done[0].Err, ErrHungUp)
				assert.ErrorContains(t, done[0].Err, "without an answer to ADDFORWARDREQUEST")
			} else {
				require.ErrorIs(t, done[0].Err, ErrUnreachable)
				require.ErrorIs(t, done[0].Err, refused)
			}
		}
	}
}
