package captures_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

// described is the reply of a host to a search for sessions.
func described(instance byte, name string, flags wire.SessionFlags) wire.Message {
	return &wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: wire.GUID{instance}, Flags: flags}, Name: wire.NewText(name)}
}

// noIDs is a session flag.
const noIDs = wire.SessionNoMessageID

// told returns the text of the game messages, with the names of their sessions.
func told(g *reading) (list []string) {
	for _, r := range g.records {
		if text, ok := strings.CutPrefix(r.text, "PLAYERMESSAGE "); ok {
			list = append(list, r.session+": "+text)
		}
	}
	return list
}

// TestNoMessageID: the flag of a session decides whether its game messages have ids, on TCP and on UDP.
func TestNoMessageID(t *testing.T) {
	capture := func(flags wire.SessionFlags) *network {
		n := newNetwork(t)
		h := n.tcp(host+":1025", joiner+":2300")
		h.send(sys(2300, described(1, "s", flags)))
		j := n.tcp(joiner+":1026", host+":2300")
		j.send(sys(2300, &wire.AddForwardRequest{Info: packed(5, "0.0.0.0:2300", "0.0.0.0:2350"), Password: wire.NewText("")}))
		j.send(game(2300, 5, 6, "x"))
		n.UDP(host+":2350", joiner+":2350", bare(6, 5, "y"))
		return n
	}
	with := []string{"s: from=0x00000005 to=0x00000006 payload=1 octets 78", "s: from=0x00000006 to=0x00000005 payload=1 octets 79"}
	without := []string{"s: payload=9 octets 050000000600000078", "s: payload=9 octets 060000000500000079"}
	assert.Equal(t, with, told(capture(0).read(captures.Options{})))
	assert.Equal(t, without, told(capture(noIDs).read(captures.Options{})))
	assert.Equal(t, with, told(capture(noIDs).read(captures.Options{MessageIDs: captures.Yes})), "the reader knows better")
	assert.Equal(t, without, told(capture(0).read(captures.Options{MessageIDs: captures.No})))
}

// TestFlagsChange: a host that changes the description changes what its messages are taken for.
func TestFlagsChange(t *testing.T) {
	n := newNetwork(t)
	h := n.tcp(host+":1025", joiner+":2300")
	h.send(sys(2300, described(1, "before", 0)), game(2300, 5, 6, "x"))
	h.send(sys(2300, &wire.SessionDescChanged{Desc: wire.SessionDesc{Instance: wire.GUID{1}, Flags: noIDs},
		Name: wire.NewText("after")}))
	h.send(game(2300, 5, 6, "x"))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{"before: from=0x00000005 to=0x00000006 payload=1 octets 78",
		"after: payload=9 octets 050000000600000078"}, told(g))
}

// TestDescriptionWithoutInstance: a changed description that does not say whose it is belongs to the session
// of its sender, and two such sessions are not one.
func TestDescriptionWithoutInstance(t *testing.T) {
	n := newNetwork(t)
	a, b := n.tcp(host+":1025", joiner+":2300"), n.tcp(other+":1025", "10.0.0.4:2300")
	a.send(sys(2300, list("0.0.0.0:2300", "0.0.0.0:2350")))
	a.send(sys(2300, &wire.SessionDescChanged{Desc: wire.SessionDesc{Flags: noIDs}, Name: wire.NewText("a")}))
	b.send(sys(2300, &wire.SessionDescChanged{Name: wire.NewText("b")}))
	a.send(game(2300, 0x502, 0, ""), sys(2300, &wire.PlayerWrapper{Player: wire.PlayerMessage{NoIDs: true, Payload: []byte("x")}}))
	b.send(game(2300, 0x502, 0, "y"))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{"a: payload=8 octets 0205000000000000", "b: from=0x00000502 to=all payload=1 octets 79"}, told(g))
}

// TestTwoHosts: what is said of one session says nothing of another one, on another machine or on the same.
func TestTwoHosts(t *testing.T) {
	for _, second := range []string{other, host} {
		n := newNetwork(t)
		a := n.tcp(host+":1025", joiner+":2300")
		a.send(sys(2300, described(1, "a", noIDs)))
		b := n.tcp(second+":1026", "10.0.0.4:2300")
		b.send(sys(2301, described(2, "b", 0)))
		toA, toB := n.tcp(joiner+":1030", host+":2300"), n.tcp("10.0.0.4:1030", second+":2301")
		toA.send(sys(2300, &wire.AddForwardRequest{Info: packed(5, "0.0.0.0:2300", "0.0.0.0:2350"), Password: wire.NewText("")}))
		toB.send(sys(2300, &wire.AddForwardRequest{Info: packed(6, "0.0.0.0:2300", "0.0.0.0:2350"), Password: wire.NewText("")}))
		toA.send(game(2300, 5, 6, "x"))
		toB.send(game(2300, 5, 6, "x"))
		a.send(game(2300, 5, 6, "y"))
		b.send(game(2301, 5, 6, "y"))
		n.UDP(host+":2351", joiner+":2350", bare(5, 6, "z"))
		n.UDP(second+":2352", "10.0.0.4:2350", bare(5, 6, "z"))
		g := n.read(captures.Options{})
		assert.Equal(t, []string{
			"a: payload=9 octets 050000000600000078", "b: from=0x00000005 to=0x00000006 payload=1 octets 78",
			"a: payload=9 octets 050000000600000079", "b: from=0x00000005 to=0x00000006 payload=1 octets 79",
			"a: payload=9 octets 05000000060000007a", "b: from=0x00000005 to=0x00000006 payload=1 octets 7a",
		}, told(g), second)
	}
}

// TestJoinerMoves: a joiner leaves one session for another. Its messages then belong to the new one, those of
// the others still to the old one, and a late message to the joiner does not pull its sender along.
func TestJoinerMoves(t *testing.T) {
	n := newNetwork(t)
	join := func(c *conn, id wire.PlayerID) {
		c.send(sys(2300, &wire.RequestPlayerID{Flags: 0x9}))
		c.send(sys(2300, &wire.AddForwardRequest{Info: packed(id, "0.0.0.0:2300", "0.0.0.0:2350"), Password: wire.NewText("")}))
	}
	a, b := n.tcp(host+":1025", joiner+":2300"), n.tcp(other+":1025", joiner+":2300")
	a.send(sys(2300, described(1, "a", noIDs)))
	b.send(sys(2300, described(2, "b", 0)))
	toA, toB := n.tcp(joiner+":1030", host+":2300"), n.tcp(joiner+":1031", other+":2300")
	third := n.tcp("10.0.0.4:1030", host+":2300")
	join(toA, 5)
	join(third, 7)
	toA.send(game(2300, 5, 6, "1"))
	join(toB, 8)
	toB.send(game(2300, 8, 6, "2"))
	a.send(sys(2300, &wire.DeletePlayer{Player: 5})) // too late
	third.send(game(2300, 7, 6, "3"))
	b.send(sys(2300, &wire.RequestPlayerReply{ID: 9}))
	b.send(game(2300, 6, 8, "4"))
	n.UDP(other+":2351", joiner+":2350", bare(6, 8, "5"))
	n.UDP(host+":2351", "10.0.0.4:2350", bare(6, 7, "6"))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{
		"a: payload=9 octets 050000000600000031", "b: from=0x00000008 to=0x00000006 payload=1 octets 32",
		"a: payload=9 octets 070000000600000033", "b: from=0x00000006 to=0x00000008 payload=1 octets 34",
		"b: from=0x00000006 to=0x00000008 payload=1 octets 35", "a: payload=9 octets 06000000070000003" + "6",
	}, told(g))
}

// TestJoinerMovesToAStranger: the new host's description is not in the capture. Its messages are not taken
// for those of the joiner's old session.
func TestJoinerMovesToAStranger(t *testing.T) {
	n := newNetwork(t)
	a := n.tcp(host+":1025", joiner+":2300")
	a.send(sys(2300, described(1, "a", noIDs)))
	toA, toB := n.tcp(joiner+":1030", host+":2300"), n.tcp(joiner+":1031", other+":2300")
	toA.send(sys(2300, &wire.RequestPlayerID{Flags: 0x9}))
	toB.send(sys(2300, &wire.RequestPlayerID{Flags: 0x9}))
	toB.send(game(2300, 5, 6, "x"))
	n.tcp(other+":1031", joiner+":2300").send(game(2300, 6, 5, "y"))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{": from=0x00000005 to=0x00000006 payload=1 octets 78",
		": from=0x00000006 to=0x00000005 payload=1 octets 79"}, told(g))
}

// TestHostAgain: a host closes its session and makes another one on the same socket.
func TestHostAgain(t *testing.T) {
	n := newNetwork(t)
	h := n.tcp(host+":1025", joiner+":2300")
	j := n.tcp(joiner+":1030", host+":2300")
	for i, flags := range []wire.SessionFlags{noIDs, 0} {
		h.send(sys(2300, described(byte(i+1), "s", flags)))
		j.send(sys(2300, &wire.RequestPlayerID{Flags: 0x9}))
		j.send(game(2300, 5, 6, "x"))
		h.send(game(2300, 6, 5, "y"))
	}
	g := n.read(captures.Options{})
	assert.Equal(t, []string{
		"s: payload=9 octets 050000000600000078", "s: payload=9 octets 060000000500000079",
		"s: from=0x00000005 to=0x00000006 payload=1 octets 78", "s: from=0x00000006 to=0x00000005 payload=1 octets 79",
	}, told(g))
}

// TestMetBeforeDescribed: players that were met before their session was described are known in it.
func TestMetBeforeDescribed(t *testing.T) {
	n := newNetwork(t)
	j, h := n.tcp(joiner+":1030", host+":2300"), n.tcp(host+":1025", joiner+":2300")
	j.send(sys(2300, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 9, ShortName: wire.NewText("Met")}}))
	h.send(sys(2300, list("0.0.0.0:2300", "0.0.0.0:2350")))
	h.send(game(2300, 9, 0x502, "x"))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{`s: from=0x00000009 "Met" to=0x00000502 "Ann" payload=1 octets 78`}, told(g))
}

// TestConversations numbers pairs of machines by where they listen, whichever socket a message came from.
func TestConversations(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":1040", "255.255.255.255:47624", sys(2300, &wire.EnumSessions{}))
	n.tcp(host+":1025", joiner+":2300").send(sys(2300, list("0.0.0.0:2300", "0.0.0.0:2350")))
	j := n.tcp(joiner+":1030", host+":2300")
	j.send(sys(2300, &wire.CreatePlayer{Info: packed(9, "0.0.0.0:2300", "0.0.0.0:2350")}))
	n.UDP(joiner+":2350", host+":2350", bare(9, 0x501, "x"))
	n.UDP(host+":2350", joiner+":2350", bare(0x501, 9, "x"))
	n.UDP(host+":2350", joiner+":2350", ping(1))
	n.tcp(other+":1025", joiner+":2300").send(ping(2))
	g := n.read(captures.Options{})
	var got []int
	for _, r := range g.records {
		got = append(got, r.conversation)
	}
	assert.Equal(t, []int{1, 2, 2, 2, 2, 2, 3}, got)
}

// TestHostileNames: names of any length are remembered only in part.
func TestHostileNames(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(host+":1025", joiner+":2300")
	c.send(sys(2300, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 9, ShortName: wire.NewText(strings.Repeat("n", 20_000))}}))
	c.send(game(2300, 9, 0, "x"))
	c.send(sys(2300, described(1, strings.Repeat("s", 20_000), 0)))
	c.send(game(2300, 9, 0, "x"))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{
		`: from=0x00000009 "` + strings.Repeat("n", 128) + `…" to=all payload=1 octets 78`,
		strings.Repeat("s", 128) + `…: from=0x00000009 "` + strings.Repeat("n", 128) + `…" to=all payload=1 octets 78`,
	}, told(g))
}
