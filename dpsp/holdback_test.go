package dpsp

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// late keeps back what the host sends to one machine, until it is told to let it go. What others send overtakes it.
func (w *world) late(host, to *node) (letGo func()) {
	return w.hold(func(from, at *node, _ Outgoing) bool { return from == host && at == to })
}

// newcomer has a machine join while what the host sends to peer1 is late, so that peer1 does not know it. The host
// lets it in when it has waited for peer1 long enough.
func lateNewcomer(t *testing.T, flags wire.SessionFlags, cfg Config) (w *world, n []*node, ids []wire.PlayerID, letGo func()) {
	t.Helper()
	w, n, ids = session(t, flags, 1, cfg)
	w.must(n[0], CreateGroup{ShortName: "old"})
	cfg.Reply = 20 * time.Second
	p := w.add("peer2", cfg)
	letGo = w.late(n[0], n[1])
	w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream(), Desc: wire.SessionDesc{Flags: flags}}, Token: 5})
	w.settle()
	w.run(DefaultPopulate)
	w.step(n[0], Input{})
	w.settle()
	require.Len(t, eventsOf[SessionOpened](p.events), 1)
	n = append(n, p)
	for _, p := range n {
		p.events = nil
	}
	return w, n, ids, letGo
}

// What a machine says before the host's ADDFORWARD announces it (3.2.5.5) is not lost, and counts in its order: its
// player, its group, names, data, memberships, guaranteed messages, chat. Its HELLO waits at the receiver, and all else at the sender
// until HELLO is answered. The changes come from the host first.
func TestBeforeAddForward(t *testing.T) {
	for _, strict := range []bool{true, false} {
		w, n, ids, letGo := lateNewcomer(t, 0, Config{Compatible: !strict})
		id := w.must(n[2], CreatePlayer{ShortName: "a"})
		g := w.must(n[2], CreateGroup{})
		w.must(n[2], SetName{ID: id, ShortName: "b"})
		w.must(n[2], SetData{ID: id, Data: []byte("data")})
		w.must(n[2], AddToGroup{Player: id, Group: g})
		w.must(n[2], AddToGroup{Player: ids[0], Group: g})
		w.must(n[2], AddToGroup{Player: ids[1], Group: n[1].list.AppendGroups(nil)[0]}) // nothing in it is unknown but its sender
		w.must(n[2], Send{From: id, To: ids[1], Guaranteed: true, Payload: []byte("x")})
		w.must(n[2], Send{From: id, To: wire.IDAll, Guaranteed: true, Payload: []byte("y")})
		w.must(n[2], Chat{From: id, To: ids[1], Guaranteed: true, Text: "z"})
		gone := w.must(n[2], CreatePlayer{})
		w.must(n[2], DeletePlayer{ID: gone})
		assert.Empty(t, n[1].events, "strict %v", strict)
		assert.Len(t, n[1].holdback.held, 1)
		w.must(n[1], SetData{ID: ids[1]}) // a change of the list, but not the one that they wait for
		assert.Len(t, n[1].holdback.held, 1)
		n[1].events = nil
		letGo()
		var got []string
		for _, e := range n[1].events {
			got = append(got, fmt.Sprintf("%T", e)[len("dpsp."):])
		}
		assert.Equal(t, []string{"PeerJoined", "PlayerCreated", "GroupCreated", "PlayerChanged", "PlayerChanged", "MemberAdded",
			"MemberAdded", "MemberAdded", "PlayerCreated", "Message", "Message", "ChatMessage", "PlayerDeleted"}, got, "strict %v", strict)
		assert.Empty(t, n[1].holdback.held)
		assert.Zero(t, n[1].holdback.octets)
		assert.Equal(t, n[2].Players(), func() []PlayerCreated {
			all := n[1].Players()
			for i := range all {
				all[i].Local, all[i].Flags = all[i].System == n[2].self, n[2].Players()[i].Flags
			}
			return all
		}(), "both know the same players")
	}
}

// The owner's messages about a player come later than anybody waits for them after the host told that it is deleted: a program does not
// see it again, nor its group.
func TestAnnouncedTooLate(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	n[1].events = nil
	letGo := w.late(n[2], n[1])
	player, group := w.must(n[2], CreatePlayer{}), w.must(n[2], CreateGroup{})
	w.must(n[2], DeletePlayer{ID: player})
	w.must(n[2], DeleteGroup{ID: group})
	w.run(w.now + n[1].answerTime() + 1)
	require.Len(t, eventsOf[PlayerDeleted](n[1].events), 1)
	letGo()
	assert.Len(t, eventsOf[PlayerCreated](n[1].events), 1)
	assert.Len(t, eventsOf[PlayerDeleted](n[1].events), 1)
	assert.Len(t, eventsOf[GroupCreated](n[1].events), 1)
	assert.Len(t, eventsOf[GroupDeleted](n[1].events), 1)
	assert.Empty(t, eventsOf[PeerLost](n[1].events))
}

// Of two newcomers that are not known yet, one puts the other's player into a group, and that overtakes the player.
func TestTwoBeforeAddForward(t *testing.T) {
	w, n, _, letGo := lateNewcomer(t, 0, Config{})
	n[1].cfg.Populate = 2 * DefaultPopulate // so that it holds the group while the host waits once more
	g := w.must(n[2], CreateGroup{})
	p := w.add("peer3", Config{Reply: 20 * time.Second})
	w.step(p, Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
	w.settle()
	w.run(w.now + DefaultPopulate)
	w.step(n[0], Input{})
	w.settle()
	require.Len(t, eventsOf[SessionOpened](p.events), 1)
	letPlayer := w.late(p, n[1])
	id := w.must(p, CreatePlayer{})
	w.must(n[2], AddToGroup{Player: id, Group: g})
	letPlayer()
	n[1].events = nil
	letGo()
	assert.Equal(t, []MemberAdded{{Player: id, Group: g}}, eventsOf[MemberAdded](n[1].events))
	assert.Empty(t, eventsOf[Dropped](n[1].events))
}

// A machine that comes and goes before it is announced leaves nothing behind, though ADDFORWARD comes after all.
func TestGoneBeforeAddForward(t *testing.T) {
	w, n, _, letGo := lateNewcomer(t, 0, Config{})
	w.must(n[2], CreatePlayer{})
	w.must(n[2], Leave{})
	letGo()
	w.run(w.now + n[1].answerTime() + 1) // for its last words
	assert.Empty(t, eventsOf[Dropped](n[1].events))
	assert.Len(t, n[1].peers.all, 1)
	assert.Len(t, n[1].Players(), 2)
}

// What is held is dropped when the time is over in which the host would have announced its sender, each with its
// reason, and the engine wakes for it.
func TestEarlyTime(t *testing.T) {
	w, n, _, _ := lateNewcomer(t, 0, Config{Populate: 15 * time.Second})
	require.Len(t, n[1].holdback.held, 1)
	w.run(n[1].holdback.held[0].deadline)
	assert.Empty(t, take[Dropped](n[1]))
	w.step(n[1], Input{})
	d := take[Dropped](n[1])
	require.Len(t, d, 1)
	assert.Equal(t, NotMember, d[0].Reason)
	assert.Equal(t, "EXTENSION HELLO", d[0].Command)
	assert.Empty(t, n[1].holdback.held)
	assert.Zero(t, n[1].holdback.octets)
	w.run(w.now + 2*DefaultPeriod) // the counts of what arrived
	w.step(n[1], Input{})          // the last HELLO is dropped as well
	assert.Equal(t, n[1].views.next(), n[1].wake)
}

// A stranger cannot have us keep what it likes, nor keep others out: an address has a share of what is held.
func TestEarlyLimits(t *testing.T) {
	w, n, _, letGo := lateNewcomer(t, 0, Config{})
	stranger := w.add("stranger", Config{})
	say := func(id wire.PlayerID, data int) {
		w.say(stranger, n[1], &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: 0x666, Data: make([]byte, data)}})
	}
	for i := range maxEarlyEach {
		say(wire.PlayerID(0x7000+i), 0)
	}
	assert.Empty(t, n[1].events)
	say(0x7777, 0)
	assert.Equal(t, []Reason{LimitReached}, dropped(n[1]))
	id := w.must(n[2], CreatePlayer{})
	assert.Empty(t, n[1].events)
	letGo()
	assert.Equal(t, id, take[PlayerCreated](n[1])[0].ID)
	w.run(w.now + DefaultPopulate)
	w.step(n[1], Input{})
	assert.Len(t, take[Dropped](n[1]), maxEarlyEach)
	say(0x7001, maxEarlyOctetsEach-1000)
	assert.Empty(t, dropped(n[1]))
	say(0x7002, 1000)
	assert.Equal(t, []Reason{LimitReached}, dropped(n[1]))
	for i := range 2 * maxEarly / maxEarlyEach { // and all addresses together
		other := w.add("other", Config{})
		for k := range maxEarlyEach {
			w.say(other, n[1], &wire.CreatePlayer{Info: wire.PackedPlayer{ID: wire.PlayerID(0x9000 + 100*i + k), System: 0x666}})
		}
	}
	assert.Len(t, n[1].holdback.held, maxEarly)
	assert.LessOrEqual(t, n[1].holdback.octets, maxEarlyOctets)
}

// A held message is judged when its time has come, like any other: a stranger does not become a member because it
// guessed who would come.
func TestEarlyForgery(t *testing.T) {
	w, n, _, letGo := lateNewcomer(t, 0, Config{})
	stranger := w.add("stranger", Config{})
	forged := wire.PackedPlayer{ID: 0x777, System: n[2].self}
	sp := stranger.cfg.header()
	w.raw(stranger, n[1], sp, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 0x776, System: 0x666}}, false) // waits on
	w.raw(stranger, n[1], sp, &wire.CreatePlayer{Player: 0x777, Info: forged}, false)
	sp.SockAddr.Addr = n[2].addr.As4() // as if it were peer2
	forged.ID = 0x778
	w.raw(stranger, n[1], sp, &wire.CreatePlayer{Player: 0x778, Info: forged}, false)
	assert.Empty(t, n[1].events)
	letGo()
	assert.Equal(t, []Reason{NotAllowed, NotAllowed}, dropped(n[1]))
	assert.Len(t, n[1].holdback.held, 1)
	assert.Len(t, n[1].Players(), 2)
}

// Datagrams are not held: they may get lost anyway. The host holds nothing either, for it is the first to know.
func TestNotHeld(t *testing.T) {
	w, n, ids, _ := lateNewcomer(t, 0, Config{})
	id := w.must(n[2], CreatePlayer{})
	w.must(n[2], Send{From: id, To: ids[1], Payload: []byte("x")})
	assert.Equal(t, []Reason{NoSuchID}, dropped(n[1]))
	assert.Len(t, n[1].holdback.held, 1)
	stranger := w.add("stranger", Config{})
	n[0].events = nil
	w.say(stranger, n[0], &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 0x777, System: 0x666}})
	assert.Equal(t, []Reason{NotAllowed}, dropped(n[0]))
	assert.Empty(t, n[0].holdback.held)
}

// A machine that joins again is a new one. What it says may come before the host has said that the old one is gone.
func TestRejoinBeforeAddForward(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	n[2].Engine = New(Config{Stream: n[2].cfg.Stream, Datagram: n[2].cfg.Datagram, Reply: 20 * time.Second})
	letGo := w.late(n[0], n[1])
	w.step(n[2], Input{Kind: Request, Command: Join{Host: n[0].stream()}, Token: 5})
	w.settle()
	w.run(DefaultPopulate)
	w.step(n[0], Input{})
	w.settle()
	n[1].events = nil
	id := w.must(n[2], CreatePlayer{})
	w.must(n[2], SetName{ID: id, ShortName: "again"})
	letGo()
	assert.Empty(t, eventsOf[Dropped](n[1].events))
	assert.Equal(t, ids[2], eventsOf[PlayerDeleted](n[1].events)[0].ID)
	assert.Equal(t, id, eventsOf[PlayerChanged](n[1].events)[0].ID)
}

// MULTICASTSERVER: CREATEPLAYER goes by the host (3.1.5.1), DELETEPLAYER does not (3.1.4.5), nor does a message to one
// player. They count in the order in which they were sent, whichever comes first.
func TestMulticastServerOrder(t *testing.T) {
	for _, strict := range []bool{true, false} {
		w, n, ids := session(t, wire.SessionMulticastServer, 2, Config{Compatible: !strict})
		n[2].events = nil
		letGo := w.late(n[0], n[2])
		id := w.must(n[1], CreatePlayer{})
		w.must(n[1], Send{From: id, To: ids[2], Guaranteed: true, Payload: []byte("x")})
		w.must(n[1], Chat{From: id, To: ids[2], Guaranteed: true, Text: "x"})
		w.must(n[1], DeletePlayer{ID: id})
		w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte("not held up")})
		assert.Len(t, take[Message](n[2]), 1)
		letGo()
		assert.Empty(t, eventsOf[Dropped](n[2].events), "strict %v", strict)
		assert.Len(t, eventsOf[PlayerCreated](n[2].events), 1)
		assert.Len(t, eventsOf[Message](n[2].events), 1)
		assert.Len(t, eventsOf[ChatMessage](n[2].events), 1)
		assert.Equal(t, id, eventsOf[PlayerDeleted](n[2].events)[0].ID)
		assert.Len(t, n[2].Players(), 3)
	}
}

// MULTICASTSERVER: nothing tells that more about a player is under way than what its DELETEPLAYER overtook. It is
// dropped with its reason, and all end with the same players.
func TestMulticastServerDeleteBetween(t *testing.T) {
	w, n, _ := session(t, wire.SessionMulticastServer, 2, Config{})
	n[2].events = nil
	letGo := w.late(n[0], n[2])
	id := w.must(n[1], CreatePlayer{})
	w.must(n[1], SetName{ID: id, ShortName: "x"})
	w.must(n[1], DeletePlayer{ID: id})
	letGo()
	d := eventsOf[Dropped](n[2].events)
	require.Len(t, d, 1)
	assert.Equal(t, "PLAYERNAMECHANGED", d[0].Command)
	assert.Equal(t, NoSuchID, d[0].Reason)
	assert.Equal(t, playerIDs(n[0]), playerIDs(n[2]))
}

// MULTICASTSERVER, the other way round: a DELETEPLAYER that is late deletes all the same, and a machine that leaves
// is gone, though what it had the host pass on before comes after that.
func TestMulticastServerLateDelete(t *testing.T) {
	w, n, ids := session(t, wire.SessionMulticastServer, 2, Config{})
	letGo := w.late(n[1], n[2])
	w.must(n[1], DeletePlayer{ID: ids[1]})
	again := w.must(n[1], CreatePlayer{})
	w.must(n[1], SetName{ID: again, ShortName: "again"})
	letGo()
	w.sane("late")
	assert.Equal(t, []wire.PlayerID{ids[0], ids[2], again}, playerIDs(n[2]))
	letGo = w.late(n[0], n[2])
	w.must(n[1], CreatePlayer{})
	w.must(n[1], CreateGroup{})
	w.must(n[1], Leave{})
	letGo()
	w.run(w.now + DefaultPopulate)
	w.step(n[2], Input{})
	assert.Equal(t, []wire.PlayerID{ids[0], ids[2]}, playerIDs(n[2]))
	assert.Equal(t, playerIDs(n[0]), playerIDs(n[2]))
	_, groups := n[2].list.Len()
	assert.Zero(t, groups)
	assert.Empty(t, n[2].holdback.held)
}

// MULTICASTSERVER: the host passes changes of the list on in one piece, as members send them, for what goes in
// fragments is overtaken.
func TestMulticastServerLargeChange(t *testing.T) {
	w, n, _ := session(t, wire.SessionMulticastServer, 2, Config{MaxStream: 300})
	var log []string
	w.tap(&log)
	id := w.must(n[1], CreatePlayer{Data: make([]byte, 2000)})
	assert.Contains(t, log, "host>peer2 CREATEPLAYER")
	assert.NotContains(t, log, "host>peer2 PACKET2_DATA")
	w.step(n[1], Input{Kind: Request, Command: SetData{ID: id, Data: make([]byte, 3000)}})
	w.step(n[1], Input{Kind: Request, Command: SetData{ID: id, Data: []byte("last")}})
	w.settle()
	p, _ := n[2].list.Get(id)
	assert.Equal(t, "last", string(p.Data))
	w.sane("large")
}

func playerIDs(n *node) []wire.PlayerID {
	var all []wire.PlayerID
	for _, p := range n.Players() {
		all = append(all, p.ID)
	}
	return all
}

// Another list that has what is waited for lets it go, whichever version it is at: a new view
// brings a list with numbers of its own.
func TestHeldUntilAnotherList(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	host, x, third := n[0], n[1], n[2]
	const id = 0x7700
	w.raw(third, x, third.cfg.header(), &wire.AddPlayerToGroup{Player: id, Group: id}, false) // ids are all that is looked at
	w.settle()
	require.Len(t, x.holdback.held, 1)
	other, err := playerlist.New(x.list.Session())
	require.NoError(t, err)
	for _, p := range append(x.list.Players(), playerlist.Entry{ID: id, System: host.self}) {
		_, err := other.Apply(playerlist.AddPlayer{Entry: p})
		require.NoError(t, err)
	}
	for other.Version() < x.list.Version() {
		_, err := other.Apply(playerlist.SetName{ID: id, ShortName: wire.NewText("old")})
		require.NoError(t, err)
	}
	for x.list.Version() < other.Version() {
		_, err := x.list.Apply(playerlist.SetName{ID: host.self, ShortName: wire.NewText("old")})
		require.NoError(t, err)
	}
	x.releaseEarly()
	require.Len(t, x.holdback.held, 1)
	x.Engine.list = other
	x.releaseEarly()
	assert.Empty(t, x.holdback.held)
}

// In a session with frames a newcomer announces its first player over TCP, and what that says next goes in frames, which may be
// there before: guaranteed chat is not lost, at a member and at the host, and comes in its order.
func TestChatInFramesBeforePlayer(t *testing.T) {
	w, n, _ := session(t, wire.SessionDirectPlayProtocol, 1, Config{Legacy: true})
	p := w.add("newcomer", Config{Legacy: true})
	w.join(p, n[0], "")
	var held []packet
	w.cut = func(from, _ *node, out Outgoing) bool {
		announces := len(out.Data) > 24 && out.Data[24] == byte(wire.CmdCreatePlayer)
		if from != p || out.Transport != TCP || !announces && held == nil {
			return false
		}
		held = append(held, packet{from, out.To, false, bytes.Clone(out.Data)})
		return true
	}
	id := w.must(p, CreatePlayer{ShortName: "p"})
	for _, text := range []Text{"a", "b", "c"} {
		w.must(p, Chat{From: id, To: wire.IDAll, Guaranteed: true, Text: text})
	}
	w.settle()
	require.NotEmpty(t, held)
	for _, m := range n {
		require.Len(t, m.holdback.held, 3, m.name)
	}
	w.cut, w.queue = nil, append(w.queue, held...)
	w.settle()
	for _, m := range n {
		assert.Empty(t, m.holdback.held)
		assert.Empty(t, eventsOf[Dropped](m.events), m.name)
		var heard string
		for _, c := range eventsOf[ChatMessage](m.events) {
			heard += c.Text
		}
		assert.Equal(t, "abc", heard, m.name)
	}
}

// said returns the messages and texts that a program got, in their order.
func said(n *node) (all []string) {
	for _, e := range n.events {
		switch e := e.(type) {
		case Message:
			all = append(all, string(e.Payload))
		case ChatMessage:
			all = append(all, e.Text)
		}
	}
	return all
}

// sayAll has a machine's player send guaranteed messages "1", to a group by chat, "2", to it, and "3", to everybody.
func sayAll(w *world, from *node, player, group wire.PlayerID) {
	w.must(from, Chat{From: player, To: group, Guaranteed: true, Text: "1"})
	w.must(from, Send{From: player, To: group, Guaranteed: true, Payload: []byte("2")})
	w.must(from, Send{From: player, To: wire.IDAll, Guaranteed: true, Payload: []byte("3")})
}

// A guaranteed message to a group is not lost where it overtakes a third machine's announcement, of the group or of the receiver's player
// in it. Those to one group keep their order, and no other message waits. The host receives both late, too, from a member.
func TestBeforeGroup(t *testing.T) {
	for _, c := range []struct {
		name     string
		cfg      Config
		made     bool // the group is known, and the membership late
		receiver int
		late     []int // who is heard late by it
	}{
		{"group", Config{}, false, 1, []int{0, 2}},
		{"membership", Config{}, true, 1, []int{0, 2}},
		{"legacy", Config{Legacy: true}, false, 1, []int{0, 2}},
		{"legacy membership", Config{Legacy: true}, true, 1, []int{0, 2}},
		{"host", Config{}, true, 0, []int{2}},
		{"legacy host", Config{Legacy: true}, true, 0, []int{2}},
	} {
		w, n, ids := session(t, 0, 3, c.cfg)
		to := n[c.receiver]
		hold := func() func() {
			return w.hold(func(from, at *node, _ Outgoing) bool {
				return at == to && slices.ContainsFunc(c.late, func(i int) bool { return from == n[i] })
			})
		}
		var letGo func()
		if !c.made {
			letGo = hold()
		}
		group := w.must(n[2], CreateGroup{})
		if c.made {
			letGo = hold()
		}
		w.must(n[2], AddToGroup{Player: ids[c.receiver], Group: group})
		to.events = nil
		sayAll(w, n[3], ids[3], group)
		assert.Equal(t, []string{"3"}, said(to), c.name)
		assert.Len(t, to.holdback.held, 2, c.name)
		letGo()
		assert.Equal(t, []string{"3", "1", "2"}, said(to), c.name)
		assert.Empty(t, to.holdback.held, c.name)
		assert.Empty(t, eventsOf[Dropped](to.events), c.name)
	}
}

// A message to a group that is never announced is dropped after Populate. It does not wait where the group was deleted, or where the
// player of the receiver left it or was deleted.
func TestNoGroupToCome(t *testing.T) {
	for _, end := range []struct {
		name string
		by   func(player, group wire.PlayerID) Command
	}{
		{"left", func(player, group wire.PlayerID) Command { return RemoveFromGroup{Player: player, Group: group} }},
		{"player deleted", func(player, _ wire.PlayerID) Command { return DeletePlayer{ID: player} }},
		{"group deleted", func(_, group wire.PlayerID) Command { return DeleteGroup{ID: group} }},
	} {
		w, n, ids := session(t, 0, 2, Config{})
		player := w.must(n[1], CreatePlayer{})
		group := w.must(n[2], CreateGroup{})
		w.must(n[2], AddToGroup{Player: player, Group: group})
		n[1].events = nil
		letGo := w.hold(func(from, _ *node, _ Outgoing) bool { return from == n[1] })
		w.must(n[1], end.by(player, group))
		sayAll(w, n[2], ids[2], group)
		w.must(n[2], Send{From: ids[2], To: player, Guaranteed: true, Payload: []byte("4")})
		letGo()
		got := said(n[1])
		assert.Contains(t, got, "3", end.name)
		assert.NotContains(t, got, "1", end.name)
		assert.Empty(t, n[1].holdback.held, end.name)
		assert.NotEmpty(t, eventsOf[Dropped](n[1].events), end.name)
	}
	w, n, ids := session(t, 0, 2, Config{})
	n[1].events = nil
	w.say(n[2], n[1], &wire.Chat{From: ids[2], To: 0x999, Flags: wire.ChatGuaranteed, Text: wire.NewText("1")})
	w.must(n[2], Send{From: ids[2], To: wire.IDAll, Guaranteed: true, Payload: []byte("3")})
	assert.Equal(t, []string{"3"}, said(n[1]))
	assert.Empty(t, dropped(n[1]))
	w.run(w.now + DefaultPopulate + 1)
	assert.Equal(t, []Reason{NoSuchID}, dropped(n[1]))
	for _, id := range []wire.PlayerID{1, ids[2], n[1].self, n[0].self} { // no groups
		n[1].events = nil
		w.say(n[2], n[1], &wire.Chat{From: ids[2], To: id, Flags: wire.ChatGuaranteed, Text: wire.NewText("1")})
		assert.Equal(t, []Reason{NoSuchID}, dropped(n[1]), "%s", id)
		assert.Empty(t, n[1].holdback.held, "%s", id)
	}
}
