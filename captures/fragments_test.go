package captures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// part is one fragment of a message.
type part struct {
	index, total, offset, size int
	data                       string
}

// packet makes a PACKET, or a PACKET2_DATA if two says so.
func (p part) packet(two bool, id byte) wire.Message {
	in := wire.Inner{Octets: []byte(p.data)}
	if two {
		return &wire.Packet2Data{ID: wire.GUID{id}, Index: uint32(p.index), Total: uint32(p.total), Offset: uint32(p.offset),
			MessageSize: uint32(p.size), Data: in}
	}
	return &wire.Packet{ID: wire.GUID{id}, Index: uint32(p.index), Total: uint32(p.total), Offset: uint32(p.offset),
		MessageSize: uint32(p.size), Data: in}
}

// parts cuts a message into fragments.
func parts(message []byte, size int) []part {
	var list []part
	total := (len(message) + size - 1) / size
	for at := 0; at < len(message); at += size {
		list = append(list, part{len(list), total, at, len(message), string(message[at:min(at+size, len(message))])})
	}
	return list
}

// chat is a CHAT of 72 octets without an SP header.
func chat() []byte {
	return message(&wire.Chat{From: 5, To: 6, Text: wire.NewText("a chat message to spare")})
}

const chatText = `from=0x00000005 to=0x00000006 text="a chat message to spare"`

// A fragmentCase sends fragments of one message.
type fragmentCase struct {
	name   string
	send   []part
	joined string // frames of the message, "" if it is not put together
	after  int    // it comes after this many fragments
	events []string
}

func fragmentCases() []fragmentCase {
	p := parts(chat(), 30)
	change := func(f func(p *part)) part { c := p[1]; f(&c); return c }
	return []fragmentCase{
		{"in order", []part{p[0], p[1], p[2]}, "[1 2 3]", 3, nil},
		{"backwards", []part{p[2], p[1], p[0]}, "[1 2 3]", 3, nil},
		{"twice", []part{p[0], p[0], p[1], p[1], p[2], p[2], p[0]}, "[1 3 5]", 5, nil},
		{"the last one missing", []part{p[0], p[1]}, "", 0, []string{
			"! fragments-incomplete frame 2: NAME {00000001-0000-0000-0000-000000000000}: 60 of 72 octets in 2 of 3 fragments, then the " +
				"capture ends"}},
		{"overlapping", []part{p[0], change(func(p *part) { p.offset-- }), p[1], p[2]}, "[1 3 4]", 4, []string{
			"! fragment-refused frame 2: NAME: octets 29 to 59 overlap another fragment"}},
		{"other octets", []part{p[0], p[1], change(func(p *part) { p.data = strings.ToUpper(p.data[:29]) + "x" }), p[2]},
			"[1 2 4]", 4, []string{
				"! fragment-refused frame 3: NAME: octets 30 to 60 differ from what came first"}},
		{"another total", []part{p[0], change(func(p *part) { p.total = 4 }), p[1], p[2]}, "[1 3 4]", 4, []string{
			"! fragment-refused frame 2: NAME: 4 fragments of 72 octets, where one before said 3 of 72"}},
		{"another size", []part{p[0], change(func(p *part) { p.size = 73 }), p[1], p[2]}, "[1 3 4]", 4, []string{
			"! fragment-refused frame 2: NAME: 3 fragments of 73 octets, where one before said 3 of 72"}},
		{"huge size", []part{change(func(p *part) { p.size = 0xffffffff })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: MessageSize 4294967295 is above the largest message, 1048575"}},
		{"no total", []part{change(func(p *part) { p.total = 0 })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: TotalPackets is 0 for a message of 72 octets"}},
		{"huge total", []part{change(func(p *part) { p.total = 73 })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: TotalPackets is 73 for a message of 72 octets"}},
		{"index", []part{change(func(p *part) { p.index = 3 })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: PacketIndex is 3 of 3"}},
		{"empty", []part{change(func(p *part) { p.data = "" })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: a fragment without data"}},
		{"offset", []part{change(func(p *part) { p.offset = 43 })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: 30 octets at offset 43 of a message of 72"}},
		{"offset that wraps", []part{change(func(p *part) { p.offset = 0xfffffff0 })}, "", 0, []string{
			"! fragment-refused frame 1: NAME: 30 octets at offset 4294967280 of a message of 72"}},
	}
}

// TestFragments sends the fragments of a message in many ways.
func TestFragments(t *testing.T) {
	for _, c := range fragmentCases() {
		for _, two := range []bool{false, true} {
			name := map[bool]string{false: "PACKET", true: "PACKET2_DATA"}[two]
			t.Run(c.name+"/"+name, func(t *testing.T) {
				n := newNetwork(t)
				octets := 0
				for _, f := range c.send {
					b := sys(2300, f.packet(two, 1))
					octets += len(b)
					n.UDP(joiner+":2350", host+":2350", b)
				}
				g := n.read(captures.Options{})
				var other []string
				fragments, at := 0, 0
				for _, e := range g.events {
					switch {
					case strings.Contains(e, "] "+name+" "):
						fragments++
					case c.joined != "" && e == c.joined+" CHAT via="+name+" "+chatText:
						at = fragments
					default:
						other = append(other, e)
					}
				}
				assert.Equal(t, len(c.send), fragments)
				assert.Equal(t, c.after, at, "after which fragment the message is whole")
				var want []string
				for _, e := range c.events {
					want = append(want, strings.ReplaceAll(e, "NAME", name))
				}
				assert.Equal(t, want, other)
				assert.Equal(t, account(octets, 0), g.sum.UDP, "the joined message is not counted twice")
			})
		}
	}
}

// TestFragmentsOnTCP puts all fragments of two messages into three segments: each frame is named once.
func TestFragmentsOnTCP(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	var all []byte
	p := parts(chat(), 10)
	for i := range p {
		all = append(all, sys(2300, p[i].packet(true, 1))...)
		all = append(all, sys(2300, p[len(p)-1-i].packet(true, 2))...)
	}
	c.send(all[:500])
	c.send(all[500:600])
	c.send(all[600:])
	g := n.read(captures.Options{})
	require.Len(t, g.records, 18)
	joined := []record{g.records[15], g.records[17]}
	for _, r := range joined {
		assert.Equal(t, []int{2, 3, 4}, r.frames)
		assert.Equal(t, "CHAT via=PACKET2_DATA "+chatText, r.text)
		assert.Equal(t, chat(), r.raw)
	}
	assert.Zero(t, g.sum.Findings)
}

// TestOneFragment: a message in a single fragment is decoded where it is.
func TestOneFragment(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":2350", host+":2350", sys(2300, parts(chat(), 100)[0].packet(false, 1)))
	g := n.read(captures.Options{})
	g.want(`[1] PACKET message={00000001-0000-0000-0000-000000000000} fragment=0/1 offset=0 of=72 {CHAT ` + chatText + `}`)
}

// TestFragmentsOfTwoSenders: the same GUID from two machines, and to two machines, is two messages.
func TestFragmentsOfTwoSenders(t *testing.T) {
	n := newNetwork(t)
	p := parts(chat(), 40)
	for _, f := range p {
		n.UDP(joiner+":2350", host+":2350", sys(2300, f.packet(false, 1)))
		n.UDP(other+":2350", host+":2350", sys(2300, f.packet(false, 1)))
		n.UDP(joiner+":2350", other+":2350", sys(2300, f.packet(false, 1)))
	}
	g := n.read(captures.Options{})
	assert.Equal(t, 3, strings.Count(strings.Join(g.events, "\n"), "CHAT via=PACKET "))
	assert.Zero(t, g.sum.Findings)
}

// TestFragmentsUseAnIDAgain: a sender that gives all its messages the same GUID is still understood.
func TestFragmentsUseAnIDAgain(t *testing.T) {
	n := newNetwork(t)
	for _, text := range []string{"the first message", "the second message"} {
		for _, f := range parts(message(&wire.Chat{From: 5, To: 6, Text: wire.NewText(text)}), 40) {
			n.UDP(joiner+":2350", host+":2350", sys(2300, f.packet(true, 0)))
			n.UDP(joiner+":2350", host+":2350", sys(2300, f.packet(true, 0))) // not acknowledged in time
		}
	}
	g := n.read(captures.Options{})
	got := strings.Join(g.events, "\n")
	assert.Equal(t, 2, strings.Count(got, "CHAT via=PACKET2_DATA "), got)
	assert.Contains(t, got, "the first message")
	assert.Contains(t, got, "the second message")
	assert.Zero(t, g.sum.Findings, got)
}

// TestTooManyFragmented begins more messages than are remembered: the oldest is given up, the newer ones become
// whole, and messages that are complete do not crowd out the others.
func TestTooManyFragmented(t *testing.T) {
	n := newNetwork(t)
	p := parts(chat(), 40)
	send := func(id, i int) {
		m := p[i].packet(false, 0).(*wire.Packet)
		m.ID = wire.GUID{byte(id), byte(id >> 8)}
		n.UDP(joiner+":2350", host+":2350", sys(2300, m))
	}
	for id := range 256 {
		send(id, 0)
	}
	for id := range 1000 { // these come and go
		send(0x1000+id, 0)
		send(0x1000+id, 1)
	}
	for id := range 256 {
		send(id, 1)
	}
	g := n.read(captures.Options{})
	assert.Equal(t, 1256-1, strings.Count(strings.Join(g.events, "\n"), "CHAT via=PACKET "))
	assert.Equal(t, 2, g.sum.ByCode[captures.FragmentsIncomplete])
	assert.Contains(t, g.events,
		"! fragments-incomplete frame 1: PACKET {00000000-0000-0000-0000-000000000000}: 40 of 72 octets in 1 of 2 fragments, then "+
			"given up for newer ones")
}

// TestManyTinyFragments sends a message in fragments of one octet, the last one first. The time it takes must
// grow with the octets, not with their square.
func TestManyTinyFragments(t *testing.T) {
	const size = 200_000
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	var segment []byte
	for i := range size {
		at := size - 1 - i
		segment = append(segment, sys(2300, part{at, size, at, size, "x"}.packet(false, 1))...)
		if len(segment) > 50_000 || at == 0 {
			c.send(segment)
			segment = segment[:0]
		}
	}
	count := 0
	sum := n.count(func(r *captures.Record) {
		if count++; r.Joined {
			assert.Len(t, r.Raw, size)
		}
	})
	assert.Equal(t, size+1, count)
	assert.Zero(t, sum.Findings)
}

// TestJoinedMessageTeaches: a list of players that came in fragments is learnt like one that came whole.
func TestJoinedMessageTeaches(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(host+":1025", joiner+":2300")
	list := message(&wire.SuperEnumPlayersReply{
		Desc: wire.SessionDesc{Flags: wire.SessionKeepAlive, Instance: wire.GUID{7}, Reserved1: 0x1234},
		Name: wire.NewText("Arena"), Players: []wire.SuperPackedPlayer{
			{ID: 0x501, Flags: wire.PlayerSystem | wire.PlayerNameServer, SPData: spData("0.0.0.0:2300", "0.0.0.0:2350")},
			{ID: 0x502, ShortName: wire.NewText("Nobleman"), Owner: 0x501},
		},
	})
	for _, p := range parts(list, 50) {
		c.send(sys(2300, p.packet(true, 3)))
	}
	n.UDP(joiner+":1050", host+":2350", bare(0x502, 0, "hi"))
	g := n.read(captures.Options{})
	require.Greater(t, len(g.records), 3)
	list1, hi := g.records[len(g.records)-2], g.records[len(g.records)-1]
	assert.Equal(t, fmt.Sprintf("SUPERENUMPLAYERSREPLY via=PACKET2_DATA session=%q flags=KEEPALIVE players=0/0 "+
		`player=0x00000501(SYSTEM|NAMESERVER) player=0x00000502 "Nobleman"(0)`, "Arena"), list1.text)
	assert.Equal(t, `PLAYERMESSAGE from=0x00000502 "Nobleman" to=all payload=2 octets 6869`, hi.text)
	assert.Equal(t, "Arena", hi.session)
}

// TestFragmentsOfFragments are shown and not followed.
func TestFragmentsOfFragments(t *testing.T) {
	n := newNetwork(t)
	inner := message(parts(chat(), 40)[0].packet(false, 1))
	for _, p := range parts(inner, 50) {
		n.UDP(joiner+":2350", host+":2350", sys(2300, p.packet(false, 2)))
	}
	g := n.read(captures.Options{})
	require.Len(t, g.records, 3)
	assert.True(t, strings.HasPrefix(g.records[2].text, "PACKET via=PACKET message={00000001-"), g.records[2].text)
	assert.Zero(t, g.sum.Findings)
}
