package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// names returns the names of the players that an answer has.
func names(f PlayersFound) (all []string) {
	for _, p := range eventsOf[PlayerCreated](f.Changes) {
		all = append(all, p.ShortName)
	}
	return all
}

// 3.1.4.3, 2.2.28: a machine that is in no session asks who is in one, is told of the players and groups, in a
// client/server session with the other message and of the server's player alone, and is none the more in it.
func TestEnumeratePlayers(t *testing.T) {
	for flags, want := range map[wire.SessionFlags][]string{
		0: {"host", "peer1"}, wire.SessionMulticastServer: {"host", "peer1"}, wire.SessionClientServer: {"host"},
	} {
		w, n, ids := session(t, flags, 1, Config{Compatible: true})
		g := w.must(n[0], CreateGroup{ShortName: "g"})
		p := w.add("asker", Config{})
		var log []string
		w.tap(&log)
		w.must(p, EnumeratePlayers{Host: n[0].stream()})
		reply := map[bool]string{true: "host>asker ENUMPLAYERSREPLY", false: "host>asker SUPERENUMPLAYERSREPLY"}[flags == wire.SessionClientServer]
		assert.Equal(t, []string{"asker>host ENUMPLAYER", reply}, log)
		found := eventsOf[PlayersFound](p.events)
		require.Len(t, found, 1, "%v", flags)
		assert.Equal(t, want, names(found[0]))
		assert.Equal(t, n[0].stream(), found[0].Host)
		assert.Equal(t, "Game", found[0].Name)
		assert.Equal(t, gameGUID, found[0].Desc.Application)
		first := eventsOf[PlayerCreated](found[0].Changes)[0]
		assert.Equal(t, ids[0], first.ID)
		assert.False(t, first.Local)
		if flags != wire.SessionClientServer {
			groups := eventsOf[GroupCreated](found[0].Changes)
			require.Len(t, groups, 1)
			assert.Equal(t, g, groups[0].ID)
		}
		assert.Empty(t, eventsOf[PlayerCreated](p.events))
		assert.Equal(t, idle, p.state)
		assert.Equal(t, Never, p.wake)
		assert.Len(t, n[0].peers.all, 1)
		w.sane(flags)
		w.join(p, n[0], "") // and it can join after that
		w.must(p, EnumeratePlayers{})
		found = eventsOf[PlayersFound](p.events)
		require.Len(t, found, 1, "in a session it is our own list")
		assert.Equal(t, want, names(found[0]))
	}
}

// Who says how long an answer may take asks once, and does not keep the next one from asking when that time is over.
func TestEnumeratePlayersWithin(t *testing.T) {
	b := newBench(t, Config{Tries: 2})
	ask := EnumeratePlayers{Host: mockHost, Within: time.Second}
	assert.Len(t, b.request(ask), 1)
	assert.Equal(t, time.Second, b.out.Wake)
	b.out = b.Step(time.Second, Input{Kind: Request, Command: ask, Token: 2})
	assert.Len(t, b.out.Sends, 1)
	assert.Equal(t, []Done{{Token: 1, Err: ErrTimeout}}, eventsOf[Done](b.out.Events))
	b.out = b.Step(2*time.Second, Input{})
	assert.Empty(t, b.out.Sends, "it asks once")
	assert.Equal(t, []Done{{Token: 2, Err: ErrTimeout}}, eventsOf[Done](b.out.Events))
}

// 3.1.4.3, 3.1.2.2: the reliable API timer, and one request at a time.
func TestEnumeratePlayersTimer(t *testing.T) {
	b := newBench(t, Config{Tries: 2})
	ask := `1c 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00 70 6c 61 79 04 00 0e 00`
	b.one(b.request(EnumeratePlayers{Host: mockHost}), TCP, mockHost.String(), ask)
	for _, c := range []Command{EnumeratePlayers{Host: mockHost}, mockJoin(""), Host{}} {
		b.out = b.Step(b.now, Input{Kind: Request, Command: c, Token: 1})
		assert.Empty(t, b.out.Sends)
		assert.Equal(t, ErrBusy, eventsOf[Done](b.out.Events)[0].Err, "%T", c)
	}
	assert.Equal(t, DefaultReply, b.out.Wake)
	b.out = b.Step(DefaultReply, Input{})
	b.one(b.out.Sends, TCP, mockHost.String(), ask)
	b.out = b.Step(2*DefaultReply, Input{})
	assert.Equal(t, []Done{{Token: 1, Err: ErrTimeout}}, eventsOf[Done](b.out.Events))
	assert.Equal(t, []netip.AddrPort{mockHost}, b.out.Close)
	assert.Equal(t, Never, b.out.Wake)
	b.out = b.Step(2*DefaultReply, Input{Kind: Request, Command: EnumeratePlayers{}, Token: 2})
	assert.Equal(t, ErrNoHost, eventsOf[Done](b.out.Events)[0].Err)
}

// An answer counts if it is from the host that was asked, and only then (3.1.5.7).
func TestEnumeratePlayersReply(t *testing.T) {
	b := newBench(t, Config{})
	b.request(EnumeratePlayers{Host: mockHost})
	out := b.Step(b.now, Input{Kind: Stream, From: netip.MustParseAddrPort("10.0.0.66:999"), Data: superEnumFrom(t, [4]byte{10, 0, 0, 66}, 2301)})
	assert.Equal(t, NotAllowed, eventsOf[Dropped](out.Events)[0].Reason)
	assert.Empty(t, eventsOf[PlayersFound](out.Events))
	b.tcp(superEnum(t))
	found := eventsOf[PlayersFound](b.out.Events)
	require.Len(t, found, 1)
	assert.Len(t, names(found[0]), 2, "facts 3.7: 0x1337 and 0xD00DE")
	assert.Len(t, eventsOf[GroupCreated](found[0].Changes), 1)
	b.tcp(superEnum(t))
	assert.Equal(t, OutOfTurn, eventsOf[Dropped](b.out.Events)[0].Reason)
}

// superEnumFrom is the list of facts 3.7 from another socket.
func superEnumFrom(t *testing.T, ip [4]byte, port uint16) []byte {
	b := superEnum(t)
	copy(b[8:], ip[:])
	b[6], b[7] = byte(port>>8), byte(port)
	return b
}

// The list has everybody's address: a host tells strangers nothing unless it is compatible, and none sends it to a third machine
// that a header names.
func TestWhoGetsTheList(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	p := w.add("stranger", Config{})
	assert.Empty(t, dropped(n[0]))
	w.step(p, Input{Kind: Request, Command: EnumeratePlayers{Host: n[0].stream()}, Token: 5})
	w.settle()
	assert.Equal(t, []Reason{NotMember}, dropped(n[0]))
	w.run(DefaultReply + time.Second)
	assert.Equal(t, []Done{{Token: 5, Err: ErrTimeout}}, eventsOf[Done](p.events))

	w, n, _ = session(t, 0, 1, Config{Compatible: true})
	p = w.add("stranger", Config{})
	sp := p.cfg.header()
	sp.SockAddr.Addr = [4]byte{10, 9, 9, 9}
	var to []netip.AddrPort
	w.cut = func(from, _ *node, out Outgoing) bool { to = append(to, out.To); return false }
	w.raw(p, n[0], sp, &wire.EnumPlayer{}, false)
	assert.Equal(t, []netip.AddrPort{p.stream()}, to)
}
