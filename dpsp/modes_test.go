package dpsp

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// sane says that no machine dropped anything.
func (w *world) sane(what any) {
	w.t.Helper()
	for _, n := range w.nodes {
		for _, d := range eventsOf[Dropped](n.events) {
			if n.cfg.Legacy && d.Reason == Unknown {
				continue // the extension
			}
			w.t.Errorf("%v: %s dropped %+v", what, n.name, d)
		}
	}
}

// everything has a session go through all that members do: groups, names, data, memberships, shortcuts, messages,
// chat, a new description, leaving.
func everything(w *world, n []*node, ids []wire.PlayerID) {
	g := w.must(n[1], CreateGroup{ShortName: "g", LongName: "group", Data: []byte{1}})
	h := w.must(n[0], CreateGroup{ShortName: "h", Flags: wire.PlayerStagingArea})
	w.must(n[1], SetName{ID: ids[1], ShortName: "new", LongName: "new name"})
	w.must(n[1], SetData{ID: ids[1], Data: []byte("data")})
	w.must(n[1], SetName{ID: g, ShortName: "gg"})
	w.must(n[1], SetData{ID: g, Data: []byte("group data")})
	w.must(n[1], AddToGroup{Player: ids[1], Group: g})
	if n[0].flags()&wire.SessionClientServer == 0 {
		w.must(n[2], AddToGroup{Player: ids[2], Group: g})
		w.must(n[2], AddToGroup{Player: ids[0], Group: g})
		w.must(n[2], AddShortcut{Child: h, Parent: g})
		w.must(n[1], RemoveFromGroup{Player: ids[0], Group: g})
		w.must(n[0], RemoveShortcut{Child: h, Parent: g})
	}
	for _, guaranteed := range []bool{true, false} {
		w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: guaranteed, Payload: []byte("all")})
		w.must(n[1], Send{From: ids[1], To: g, Guaranteed: guaranteed, Payload: []byte("group")})
		w.must(n[0], Send{From: ids[0], To: ids[2], Guaranteed: guaranteed, Payload: []byte("one")})
		w.must(n[1], Chat{From: ids[1], To: wire.IDAll, Guaranteed: guaranteed, Text: "all"})
		w.must(n[1], Chat{From: ids[1], To: g, Guaranteed: guaranteed, Text: "group"})
		w.must(n[2], Send{From: ids[2], To: wire.IDAll, Guaranteed: guaranteed, Payload: make([]byte, 1000)})
	}
	w.must(n[0], SetDesc{Name: "Renamed", Flags: n[0].flags(), User: [4]uint32{1, 2, 3, 4}})
	w.must(n[1], DeleteGroup{ID: g})
	w.must(n[1], DeletePlayer{ID: ids[1]})
}

// All session flags that a host may set together, in all combinations: nobody drops anything, and those who share
// players end with the same ones. Without DPLAY_LONG, as "make long" has it, it tries a third.
func TestAllFlagCombinations(t *testing.T) {
	flags := []wire.SessionFlags{
		wire.SessionMigrateHost, wire.SessionNoMessageID, wire.SessionKeepAlive, wire.SessionNoDataMessages, wire.SessionMulticastServer,
		wire.SessionClientServer, wire.SessionNoPreserveOrder, wire.SessionOptimizeLatency, wire.SessionNoSessionDescMessages, wire.SessionPrivate,
		wire.SessionDirectPlayProtocol,
	}
	for bits := range 1 << len(flags) {
		if bits%3 != 0 && os.Getenv("DPLAY_LONG") == "" {
			continue
		}
		var f wire.SessionFlags
		for i, one := range flags {
			if bits&(1<<i) != 0 {
				f |= one
			}
		}
		if f&wire.SessionMigrateHost != 0 && f&(wire.SessionMulticastServer|wire.SessionClientServer) != 0 {
			continue
		}
		w, n, ids := session(t, f, 2, Config{MaxDatagram: 300, MaxStream: 300})
		everything(w, n, ids)
		w.sane(f)
		for _, p := range n {
			players := 6 - 1
			if f&wire.SessionClientServer != 0 && p != n[0] {
				players = map[*node]int{n[1]: 3, n[2]: 4}[p] // two machines, the server's player, and one's own
			}
			got, _ := p.list.Len()
			assert.Equal(t, players, got, "%v %s", f, p.name)
		}
		w.must(n[2], Leave{})
		w.must(n[0], Leave{})
		if f&wire.SessionMigrateHost != 0 {
			assert.True(t, n[1].hosting(), f)
		} else {
			assert.Len(t, eventsOf[SessionLost](n[1].events), 1, f)
		}
		w.sane(f)
	}
}

// What each member sees of what another one does, in an ordinary session and in one where the host passes it on.
func TestEverybodySeesIt(t *testing.T) {
	for _, f := range []wire.SessionFlags{0, wire.SessionMulticastServer} {
		w, n, ids := session(t, f, 3, Config{})
		for _, p := range n {
			p.events = nil
		}
		everything(w, n, ids)
		for i, p := range n {
			what := fmt.Sprint(f, p.name)
			assert.Len(t, eventsOf[GroupCreated](p.events), 2, what)
			assert.Len(t, eventsOf[PlayerChanged](p.events), 2, what)
			assert.Len(t, eventsOf[GroupChanged](p.events), 2, what)
			assert.Len(t, eventsOf[MemberAdded](p.events), 3, what)
			assert.Len(t, eventsOf[MemberRemoved](p.events), 1, what)
			assert.Len(t, eventsOf[ShortcutAdded](p.events), 1, what)
			assert.Len(t, eventsOf[ShortcutRemoved](p.events), 1, what)
			assert.Len(t, eventsOf[GroupDeleted](p.events), 1, what)
			assert.Len(t, eventsOf[PlayerDeleted](p.events), 1, what)
			assert.Len(t, eventsOf[SessionChanged](p.events), 1, what)
			// Twice each: peer1 to all and to its group, host to peer2, peer2 to all.
			assert.Len(t, eventsOf[Message](p.events), []int{4, 2, 6, 4}[i], what)
			assert.Len(t, eventsOf[ChatMessage](p.events), []int{2, 0, 4, 2}[i], what)
		}
		w.sane(f)
	}
}

// MULTICASTSERVER: what is for several goes to the host, wrapped (3.1.4.6 to 3.1.4.17); DELETEPLAYER does not
// (3.1.4.5), nor what is for one player. A list change is passed on over TCP.
func TestMulticastServerRoutes(t *testing.T) {
	w, n, ids := session(t, wire.SessionMulticastServer, 2, Config{})
	g := w.must(n[1], CreateGroup{})
	w.must(n[2], AddToGroup{Player: ids[2], Group: g})
	const a = "peer1>host ASK4MULTICAST"
	for _, c := range []struct {
		do   Command
		want []string
	}{
		{SetName{ID: ids[1], ShortName: "x"}, []string{a, "host>peer2 PLAYERNAMECHANGED"}},
		{SetData{ID: g}, []string{a, "host>peer2 GROUPDATACHANGED"}},
		{Send{From: ids[1], To: wire.IDAll, Payload: []byte("x")}, []string{"peer1>host udp ASK4MULTICAST", "host>peer2 udp GAME"}},
		{Send{From: ids[1], To: g, Guaranteed: true, Payload: []byte("x")}, []string{a + "GUARANTEED", "host>peer2 GAME"}},
		{Chat{From: ids[1], To: g, Text: "x"}, []string{"peer1>host udp ASK4MULTICAST", "host>peer2 udp CHAT"}},
		{Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte("x")}, []string{"peer1>peer2 GAME"}},
		{DeletePlayer{ID: ids[1]}, []string{"peer1>host DELETEPLAYER", "peer1>peer2 DELETEPLAYER"}},
		{DeleteGroup{ID: g}, []string{a, "host>peer2 DELETEGROUP"}},
	} {
		var log []string
		w.tap(&log)
		w.must(n[1], c.do)
		assert.Equal(t, c.want, log, "%T", c.do)
	}
	w.sane("routes")
}

// 3.2.5.1: a request that is wrong is not passed on; the host must not lend its word to what its sender may not say.
func TestMulticastServerRefuses(t *testing.T) {
	w, n, ids := session(t, wire.SessionMulticastServer, 2, Config{})
	stranger := w.add("stranger", Config{})
	in := func(m wire.Message) wire.Inner { return wire.Inner{Version: wire.DX9, Message: m} }
	game := in(&wire.PlayerMessage{From: ids[1], Payload: []byte("x")})
	for i, c := range []struct {
		from *node
		m    *wire.Ask4Multicast
		want Reason
	}{
		{n[1], &wire.Ask4Multicast{From: ids[1], Group: 99, Inner: game}, NoSuchID},
		{n[1], &wire.Ask4Multicast{From: 99, Inner: game}, NoSuchID},
		{n[1], &wire.Ask4Multicast{From: ids[2], Inner: game}, NotAllowed},
		{stranger, &wire.Ask4Multicast{From: ids[1], Inner: game}, NotMember},
		{n[1], &wire.Ask4Multicast{From: ids[1], Inner: in(&wire.PlayerMessage{From: ids[2]})}, NotAllowed},
		{n[1], &wire.Ask4Multicast{From: ids[1], Inner: in(&wire.Chat{From: ids[2], Text: wire.NewText("x")})}, NotAllowed},
		{n[1], &wire.Ask4Multicast{From: ids[1], Inner: in(&wire.DeletePlayer{Player: ids[2]})}, NotAllowed},
		{n[1], &wire.Ask4Multicast{From: ids[1], Inner: in(&wire.SessionDescChanged{})}, NotAllowed},
		{n[1], &wire.Ask4Multicast{From: ids[1], Inner: in(&wire.IAmNameServer{Host: n[1].self})}, NotAllowed},
		{n[1], &wire.Ask4Multicast{From: ids[1], Inner: in(&wire.Ask4Multicast{From: ids[1], Inner: game})}, NotAllowed},
	} {
		var log []string
		w.tap(&log)
		n[0].events = nil
		w.say(c.from, n[0], c.m)
		assert.Empty(t, log, i)
		assert.Equal(t, []Reason{c.want}, dropped(n[0]), i)
	}
	n[1].events = nil
	w.say(n[2], n[1], &wire.Ask4Multicast{From: ids[2], Inner: in(&wire.PlayerMessage{From: ids[2]})})
	assert.Equal(t, []Reason{OutOfTurn}, dropped(n[1]), "only a host passes on")
	w.say(n[2], n[1], &wire.MulticastDelivery{From: ids[2], Inner: in(&wire.PlayerMessage{From: ids[2]})})
	assert.Equal(t, []Reason{NotAllowed}, dropped(n[1]), "only the host does")
	w.say(n[0], n[1], &wire.MulticastDelivery{From: ids[2], Inner: in(&wire.PlayerMessage{From: ids[2], Payload: []byte("x")})})
	assert.Len(t, take[Message](n[1]), 1)
}

// CLIENTSERVER (3.1.1, facts 5.4): a client knows the server's player and its own, gets ENUMPLAYERSREPLY, is told of
// no other client, and shares no groups.
func TestClientServer(t *testing.T) {
	var log []string
	w, n, ids := session(t, wire.SessionClientServer, 1, Config{})
	w.tap(&log)
	p := w.add("late", Config{})
	w.join(p, n[0], "")
	w.must(p, CreatePlayer{})
	assert.Contains(t, log, "host>late ENUMPLAYERSREPLY")
	assert.False(t, slices.Contains(log, "host>peer1 ADDFORWARD") || slices.Contains(log, "host>late SUPERENUMPLAYERSREPLY"))
	assert.Equal(t, wire.IDServer, p.Players()[0].ID)
	assert.Len(t, p.Players(), 2)
	require.Len(t, n[0].Players(), 3)
	log = nil
	g := w.must(n[1], CreateGroup{})
	w.must(n[1], AddToGroup{Player: ids[1], Group: g})
	assert.Equal(t, []string{"peer1>host REQUESTGROUPID", "host>peer1 REQUESTPLAYERREPLY"}, log)
	n[1].events = nil
	w.must(p, Leave{})
	assert.Empty(t, n[1].events)
	w.step(n[0], Input{Kind: StreamClosed, From: n[1].stream()})
	w.settle()
	assert.Len(t, n[0].Players(), 1)
	w.sane("client/server")
}

// OPTIMIZELATENCY and NOPRESERVEORDER change nothing of what is sent, only the flags that members are told (3.1.1).
func TestFlagsWithoutEffect(t *testing.T) {
	var logs [][]string
	for _, f := range []wire.SessionFlags{0, wire.SessionOptimizeLatency, wire.SessionNoPreserveOrder} {
		w, n, ids := session(t, f, 2, Config{})
		var log []string
		w.tap(&log)
		everything(w, n, ids)
		logs = append(logs, log)
		assert.Equal(t, f, n[2].list.Desc().Flags)
	}
	assert.NotEmpty(t, logs[0])
	assert.Equal(t, logs[0], logs[1])
	assert.Equal(t, logs[0], logs[2])
}

// NODATAMESSAGES, NOSESSIONDESCMESSAGES (3.1.1).
func TestSilentFlags(t *testing.T) {
	w, n, ids := session(t, wire.SessionNoDataMessages|wire.SessionNoSessionDescMessages, 1, Config{Legacy: true})
	g := w.must(n[0], CreateGroup{})
	var log []string
	w.tap(&log)
	w.must(n[0], SetData{ID: ids[0], Data: []byte("x")})
	w.must(n[0], SetDesc{Name: "x", Flags: n[0].flags()})
	assert.Empty(t, log)
	w.must(n[0], SetData{ID: g, Data: []byte("x")})
	w.must(n[0], SetDesc{Name: "x"})
	assert.Equal(t, []string{"host>peer1 GROUPDATACHANGED", "host>peer1 SESSIONDESCCHANGED"}, log)
}

// NOMESSAGEID: no ids on the wire, so nobody is named (3.1.1).
func TestNoMessageID(t *testing.T) {
	w, n, ids := session(t, wire.SessionNoMessageID, 1, Config{})
	var data [][]byte
	w.cut = func(_, _ *node, out Outgoing) bool { data = append(data, slices.Clone(out.Data)); return false }
	for _, guaranteed := range []bool{true, false} {
		w.must(n[1], Send{From: ids[1], To: ids[0], Guaranteed: guaranteed, Payload: []byte("x")})
		assert.Equal(t, []Message{{To: ids[0], Guaranteed: guaranteed, Payload: []byte("x")}}, take[Message](n[0]))
	}
	assert.Len(t, data[0], 21)
	assert.Equal(t, []byte("x"), data[1])
}

// Clients are told of no groups. What the host says to one, guaranteed or not, reaches each player in it all the same, who came
// last first; in frames each player has a link of its own, and the order is open.
func TestClientServerGroup(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, wire.SessionDirectPlayProtocol} {
		w, n, ids := session(t, wire.SessionClientServer|flags, 2, Config{})
		second := w.must(n[1], CreatePlayer{})
		group := w.must(n[0], CreateGroup{})
		for _, id := range []wire.PlayerID{ids[1], second} {
			w.must(n[0], AddToGroup{Player: id, Group: group})
		}
		for _, p := range n {
			p.events = nil
		}
		w.must(n[0], Send{From: ids[0], To: group, Payload: []byte("x")})
		w.must(n[0], Send{From: ids[0], To: group, Payload: []byte("y"), Guaranteed: true})
		w.must(n[0], Chat{From: ids[0], To: group, Text: "z"})
		w.run(w.now + time.Second)
		var got []string
		for _, m := range eventsOf[Message](n[1].events) {
			got = append(got, fmt.Sprintf("%s %s", map[wire.PlayerID]string{ids[1]: "first", second: "second"}[m.To], m.Payload))
		}
		slices.SortStableFunc(got, func(a, b string) int { return int(a[len(a)-1]) - int(b[len(b)-1]) })
		want := []string{"second x", "first x", "second y", "first y"}
		if flags == 0 {
			assert.Equal(t, want, got)
		}
		assert.ElementsMatch(t, want, got, flags)
		assert.Len(t, eventsOf[ChatMessage](n[1].events), 2)
		assert.Empty(t, eventsOf[Message](n[2].events), "it is not in the group")
		assert.Empty(t, eventsOf[ChatMessage](n[2].events))
		w.must(n[0], RemoveFromGroup{Player: second, Group: group})
		w.must(n[0], Chat{From: ids[0], To: group, Text: "to the one that is left"})
		w.run(w.now + time.Second)
		assert.Len(t, eventsOf[ChatMessage](n[1].events), 3)
		assert.Empty(t, eventsOf[Dropped](n[1].events))
	}
}
