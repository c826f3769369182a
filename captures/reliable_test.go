package captures_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// mask is Reserved1 of the reliable session in these tests; ids are made with it (3.2.5.4).
const mask = 0x000284cb

// member returns the id of the player with an index.
func member(index uint16) wire.PlayerID { return wire.PlayerID((uint32(index) | 1<<16) ^ mask) }

const (
	single = reliable.CMD | reliable.STA | reliable.EOM | reliable.RLY
	first  = reliable.CMD | reliable.STA | reliable.RLY
	middle = reliable.CMD | reliable.RLY
	final  = reliable.CMD | reliable.EOM | reliable.RLY
)

// data is a Data frame from player 1 to player 3.
func data(flags reliable.Flags, id, sequence uint8, octets []byte) []byte {
	return frame(reliable.Frame{From: 1, To: 3, Flags: flags, MessageID: id, Sequence: sequence, Data: octets})
}

func frame(f reliable.Frame) []byte {
	b, err := f.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// reliableSession is a capture that begins with the description of a session with the reliable protocol,
// frame 2: Ann of the host has index 1, Bob of the joiner 3.
func reliableSession(t *testing.T) *network {
	n := newNetwork(t)
	n.tcp(host+":1025", joiner+":2300").send(sys(2300, &wire.SuperEnumPlayersReply{
		Desc: wire.SessionDesc{Instance: wire.GUID{1}, Flags: wire.SessionDirectPlayProtocol, Reserved1: mask}, Name: wire.NewText("s"),
		Players: []wire.SuperPackedPlayer{
			{ID: member(1), ShortName: wire.NewText("Ann"), SPData: spData("0.0.0.0:2300", "0.0.0.0:2350")},
			{ID: member(3), ShortName: wire.NewText("Bob"), SPData: spData(joiner+":2300", joiner+":2350")},
		},
	}))
	return n
}

// say sends a datagram from Ann to Bob.
func (n *network) say(b []byte) { n.UDP(host+":2350", joiner+":2350", b) }

// wantReliable compares all that came after the list of players.
func wantReliable(t *testing.T, n *network, opt captures.Options, lines string) *reading {
	t.Helper()
	g := n.read(opt)
	require.NotEmpty(t, g.events)
	g.events = g.events[1:]
	g.want(lines)
	return g
}

// TestReliableFrames decodes every kind of frame, and the messages that fit into one.
func TestReliableFrames(t *testing.T) {
	n := reliableSession(t)
	n.say(data(single, 1, 1, bare(member(1), member(3), "x")))
	n.say(data(single, 2, 2, bare(member(1), 0, "all")))
	n.say(data(single, 3, 3, []byte("no ids here")))
	n.say(data(single, 4, 4, []byte("short")))
	n.say(data(single, 5, 5, message(&wire.Chat{From: member(1), To: member(3), Text: wire.NewText("hi")})))
	n.say(data(single, 6, 6, message(&wire.Ping{From: member(1), Tick: 7})))
	n.say(data(single, 6, 6, message(&wire.Ping{From: member(1), Tick: 7}))) // a retry
	n.UDP(joiner+":2350", host+":2350",
		frame(reliable.Frame{From: 3, To: 1, Flags: reliable.ACK, MessageID: 6, Sequence: 6, BytesReceived: 99, Tick: 8}))
	n.UDP(joiner+":2350", host+":2350",
		frame(reliable.Frame{From: 3, To: 9, Flags: reliable.ACK | reliable.EXT, MessageID: 7, Sequence: 7,
			Extended: reliable.Extended(0).WithMaskSize(1), Mask: 3, BytesReceived: 99, Tick: 8}))
	n.say(data(single, 7, 7, nil))
	n.say(data(single|reliable.EXT, 8, 8, []byte("to be ignored")))
	g := wantReliable(t, n, captures.Options{}, `
		[3] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=1 seq=1 serial=0 from=0x000384ca "Ann" to=0x000384c8 "Bob" payload=1 octets 78
		[4] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=2 seq=2 serial=0 from=0x000384ca "Ann" to=all payload=3 octets 616c6c
		[5] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=3 seq=3 serial=0 payload=11 octets 6e6f206964732068657265
		[6] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=4 seq=4 serial=0 payload=5 octets 73686f7274
		[7] CHAT frame=CMD|STA|EOM|RLY msg=5 seq=5 serial=0 from=0x000384ca "Ann" to=0x000384c8 "Bob" text="hi"
		[8] PING frame=CMD|STA|EOM|RLY msg=6 seq=6 serial=0 from=0x000384ca "Ann" tick=7
		[9] PING frame=CMD|STA|EOM|RLY msg=6 seq=6 serial=0 again=1 from=0x000384ca "Ann" tick=7
		[10] RELIABLE_ACK from=0x000384c8 "Bob" to=0x000384ca "Ann" frame=ACK msg=6 seq=6 received=99 tick=8 answers=8
		[11] RELIABLE_NACK from=0x000384c8 "Bob" to=#9 frame=EXT|ACK msg=7 seq=7 received=99 tick=8 lost=7,8,9
		[12] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=7 seq=7 serial=0 payload=0 octets
		[13] RELIABLE_DATA from=0x000384ca "Ann" to=0x000384c8 "Bob" frame=EXT|CMD|STA|EOM|RLY msg=8 seq=8 serial=0 data=13 octets 746f2062652069676e6f726564`)
	assert.Equal(t, g.sum.UDP.Octets, g.sum.UDP.Decoded)
	assert.Contains(t, g.records[1].tree, "messageid: 1")
	assert.Contains(t, g.records[1].tree, "PlayerMessage: 1 octets 78")
	assert.NotContains(t, g.records[1].tree, "Data:", "the data is the message")
}

// TestReliableMalformed: frames that are none, and frames with messages that are none.
func TestReliableMalformed(t *testing.T) {
	n := reliableSession(t)
	n.say([]byte{0x80})
	n.say([]byte{1, 3, 0})
	n.say(data(single, 1, 1, message(&wire.Ping{From: 5})[:13]))
	n.say(data(single, 2, 2, []byte("play?")))
	n.say(nil)
	n.say(data(single, 3, 3, message(&wire.Unknown{Cmd: 0x14, Body: []byte("?")})))
	g := wantReliable(t, n, captures.Options{}, `
		[3] MALFORMED  ! RELIABLEFRAME.IdFrom at octet 0: message too short
		  ! message-malformed frame 3 RELIABLEFRAME.IdFrom @0: RELIABLEFRAME.IdFrom at octet 0: message too short
		[4] MALFORMED  ! RELIABLEFRAME.flags.CMD at octet 2: value is not allowed (0)
		  ! message-malformed frame 4 RELIABLEFRAME.flags.CMD @2: RELIABLEFRAME.flags.CMD at octet 2: value is not allowed (0)
		[5] PING frame=CMD|STA|EOM|RLY msg=1 seq=1 serial=0 from=0x00000005  ! PING.TickCount at octet 18: message too short
		  ! message-malformed frame 5 PING.TickCount @18: PING.TickCount at octet 18: message too short
		[6] MALFORMED from=0x000384ca "Ann" to=0x000384c8 "Bob" frame=CMD|STA|EOM|RLY msg=2 seq=2 serial=0 data=5 octets 706c61793f  ! MESSAGE.Command at octet 10: message too short
		  ! message-malformed frame 6 MESSAGE.Command @10: MESSAGE.Command at octet 10: message too short
		[7] MALFORMED  ! RELIABLEFRAME.IdFrom at octet 0: message too short
		  ! message-malformed frame 7 RELIABLEFRAME.IdFrom @0: RELIABLEFRAME.IdFrom at octet 0: message too short
		[8] UNKNOWN(0x0014) frame=CMD|STA|EOM|RLY msg=3 seq=3 serial=0 body=1 octets 3f
		  ! unknown-command frame 8 Command @10: command 0x0014 is not assigned by the specification`)
	assert.Equal(t, account(15, 0, skipMalformed, 1+3+19+11), g.sum.UDP)
}

// TestReliableMessages puts messages of several frames together.
func TestReliableMessages(t *testing.T) {
	msg := message(&wire.Chat{From: member(1), To: member(3), Text: wire.NewText("a longer text")})
	a, b, c := msg[:20], msg[20:40], msg[40:]
	type say struct {
		flags    reliable.Flags
		id       uint8
		sequence uint8
		data     []byte
	}
	cases := []struct {
		name   string
		frames []say
		joined string // frames and last frame's number
	}{
		{"in order", []say{{first, 1, 1, a}, {middle, 1, 2, b}, {final, 1, 3, c}}, "[3 4 5]"},
		{"out of order", []say{{final, 1, 3, c}, {middle, 1, 2, b}, {first, 1, 1, a}}, "[3 4 5]"},
		{"retries", []say{{first, 1, 1, a}, {first, 1, 1, a}, {middle, 1, 2, b}, {middle, 1, 2, b}, {final, 1, 3, c}, {final, 1, 3, c}},
			"[3 5 7]"},
		{"another message between", []say{{first, 1, 255, a}, {single, 2, 1, bare(member(1), member(3), "x")}, {middle, 1, 0, b},
			{final, 1, 1, c}}, "[3 5 6]"},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			n := reliableSession(t)
			octets := 0
			for _, s := range k.frames {
				f := data(s.flags, s.id, s.sequence, s.data)
				octets += len(f)
				n.say(f)
			}
			g := n.read(captures.Options{})
			var joined []record
			for _, r := range g.records {
				if len(r.frames) > 1 {
					joined = append(joined, r)
				}
			}
			require.Len(t, joined, 1, g.events)
			assert.Contains(t, g.events[len(g.events)-1]+g.events[len(g.events)-2], k.joined+" CHAT frame=")
			assert.Contains(t, joined[0].text, `from=0x000384ca "Ann" to=0x000384c8 "Bob" text="a longer text"`)
			assert.Equal(t, msg, joined[0].raw)
			assert.Equal(t, account(octets, 0), g.sum.UDP, "the joined message is not counted twice")
			assert.Zero(t, g.sum.Findings)
		})
	}
}

// TestReliableGameMessageInFrames: whether a joined game message has ids is told by the indexes of its frames.
func TestReliableGameMessageInFrames(t *testing.T) {
	n := reliableSession(t)
	with := bare(member(1), member(3), "a payload that is long enough")
	n.say(data(first, 1, 1, with[:10]))
	n.say(data(final, 1, 2, with[10:]))
	n.say(data(first, 2, 3, []byte("a payload")))
	n.say(data(final, 2, 4, []byte(" without ids")))
	g := n.read(captures.Options{})
	assert.Equal(t,
		`[3 4] PLAYERMESSAGE frame=CMD|EOM|RLY msg=1 seq=2 serial=0 from=0x000384ca "Ann" to=0x000384c8 "Bob" payload=29 octets `+
			`61207061796c6f61642074686174206973206c6f6e672065...`, g.events[3])
	assert.Equal(t,
		`[5 6] PLAYERMESSAGE frame=CMD|EOM|RLY msg=2 seq=4 serial=0 payload=21 octets 61207061796c6f616420776974686f757420696473`,
		g.events[6])
}

// TestReliableIncomplete: messages that lack frames are reported where it becomes clear.
func TestReliableIncomplete(t *testing.T) {
	n := reliableSession(t)
	n.say(data(first, 1, 1, []byte("lost to the window")))
	n.say(data(first, 30, 2, []byte("lost to the end")))
	n.say(data(middle, 30, 3, []byte("!")))
	g := n.read(captures.Options{})
	assert.Equal(t, []string{
		`! reliable-incomplete frame 3: message 1 of the reliable protocol was given up with 18 octets in 1 frames: 24 messageids ` +
			`behind`,
		`[4] RELIABLE_DATA from=0x000384ca "Ann" to=0x000384c8 "Bob" frame=CMD|STA|RLY msg=30 seq=2 serial=0 data=15 octets ` +
			`6c6f737420746f2074686520656e64`,
		`[5] RELIABLE_DATA from=0x000384ca "Ann" to=0x000384c8 "Bob" frame=CMD|RLY msg=30 seq=3 serial=0 data=1 octets 21`,
		`! reliable-incomplete frame 5: message 30 of the reliable protocol was given up with 16 octets in 2 frames: link ended`,
	}, g.events[2:])
	assert.Equal(t, g.sum.UDP.Octets, g.sum.UDP.Decoded, "the frames themselves were decoded")
}

// TestReliableSources: what a machine sends comes from whatever socket (the lab's hosts change it for each
// datagram); the frames of a message are put together all the same.
func TestReliableSources(t *testing.T) {
	n := reliableSession(t)
	msg := message(&wire.Chat{From: member(1), To: member(3), Text: wire.NewText("a longer text")})
	n.UDP(host+":50001", joiner+":2350", data(first, 1, 1, msg[:20]))
	n.UDP(host+":50002", joiner+":2350", data(final, 1, 2, msg[20:]))
	n.UDP(other+":50002", joiner+":2350", data(final, 2, 2, msg[20:])) // another machine
	g := n.read(captures.Options{})
	require.Len(t, g.records, 5)
	assert.Equal(t, []int{3, 4}, g.records[3].frames)
}

// TestReliableOption: the reader's word is above the session's flag.
func TestReliableOption(t *testing.T) {
	f := data(single, 1, 1, bare(member(1), member(3), "x"))
	n := newNetwork(t)
	n.say(f)
	n.say(data(single, 2, 2, []byte("without ids")))
	ports := []uint16{2350}
	n.read(captures.Options{Ports: ports}).want(`
		[1] PLAYERMESSAGE from=0x01390301 to=0x84ca0001 payload=7 octets 0300c884030078
		[2] PLAYERMESSAGE from=0x02390301 to=0x69770002 payload=9 octets 74686f757420696473`)
	n.read(captures.Options{Ports: ports, Reliable: captures.Yes}).want(`
		[1] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=1 seq=1 serial=0 from=0x000384ca to=0x000384c8 payload=1 octets 78
		[2] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=2 seq=2 serial=0 payload=11 octets 776974686f757420696473`)
	n.read(captures.Options{Ports: ports, Reliable: captures.Yes, MessageIDs: captures.No}).want(`
		[1] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=1 seq=1 serial=0 payload=9 octets ca840300c884030078
		[2] PLAYERMESSAGE frame=CMD|STA|EOM|RLY msg=2 seq=2 serial=0 payload=11 octets 776974686f757420696473`)
	n = reliableSession(t)
	n.say(bare(member(1), member(3), "x"))
	wantReliable(t, n, captures.Options{Reliable: captures.No},
		`[3] PLAYERMESSAGE from=0x000384ca "Ann" to=0x000384c8 "Bob" payload=1 octets 78`)
}

// TestReliableTeaches: messages in frames teach players, and fragments in frames are put together.
func TestReliableTeaches(t *testing.T) {
	n := reliableSession(t)
	n.say(data(single, 1, 1, message(&wire.CreatePlayer{Info: wire.PackedPlayer{ID: member(7), ShortName: wire.NewText("Cid")}})))
	for i, p := range parts(chat(), 40) {
		n.say(data(single, uint8(i+2), uint8(i+2), message(p.packet(false, 9))))
	}
	msg := message(&wire.PlayerNameChanged{Player: member(3), ShortName: wire.NewText("Robert")})
	n.say(data(first, 4, 4, msg[:20]))
	n.say(data(final, 4, 5, msg[20:]))
	n.say(frame(reliable.Frame{From: 7, To: 3, Flags: reliable.CMD | reliable.STA, MessageID: 1, Sequence: 1, Data: []byte("x")}))
	g := n.read(captures.Options{})
	assert.Contains(t, g.events, `[4 5] CHAT frame=CMD|STA|EOM|RLY msg=3 seq=3 serial=0 via=PACKET `+chatText)
	assert.Contains(t, g.events,
		`[8] RELIABLE_DATA from=0x000384cc "Cid" to=0x000384c8 "Robert" frame=CMD|STA msg=1 seq=1 serial=0 data=1 octets 78`)
}

// TestReliableLinks: more directions than are followed are shown, not put together, and said once.
func TestReliableLinks(t *testing.T) {
	n := reliableSession(t)
	for to := range uint16(5000) {
		n.say(frame(reliable.Frame{From: 1, To: to, Flags: first, MessageID: 1, Sequence: 1, Data: []byte("x")}))
	}
	g := n.read(captures.Options{})
	assert.Len(t, g.records, 5001)
	assert.Equal(t, 1, g.sum.ByCode[captures.LimitReached])
	assert.Equal(t, 4096, g.sum.ByCode[captures.ReliableIncomplete])
	assert.Equal(t, g.sum.UDP.Octets, g.sum.UDP.Decoded)
}

// TestReliableHeld: unfinished messages are bounded in memory, all links together.
func TestReliableHeld(t *testing.T) {
	n := reliableSession(t)
	part := make([]byte, 60_000)
	for i := range 700 {
		n.say(frame(reliable.Frame{From: 1, To: uint16(i / 17), Flags: middle, MessageID: 1, Sequence: uint8(i), Data: part}))
	}
	s := n.count(func(*captures.Record) {})
	assert.Equal(t, 701, s.Messages)
	assert.Equal(t, s.UDP.Octets, s.UDP.Decoded)
	assert.NotZero(t, s.ByCode[captures.ReliableIncomplete])
}

// TestReliableNewLink: between the same indexes a new link begins, which gives the messageids of the old one again; and a
// sender that numbers reliable messages apart from others gives each id twice.
func TestReliableNewLink(t *testing.T) {
	n := reliableSession(t)
	chat := func(text string) (a, b []byte) {
		msg := message(&wire.Chat{From: member(1), To: member(3), Text: wire.NewText(text)})
		return msg[:40], msg[40:]
	}
	for _, text := range []string{"the old link", "a new one"} {
		a, b := chat(text)
		n.say(data(first, 1, 1, a))
		n.say(frame(reliable.Frame{From: 1, To: 3, Flags: final, MessageID: 1, Sequence: 2, Serial: 1, Data: b}))
	}
	a, b := chat("unreliable, with the same messageid")
	n.say(data(first&^reliable.RLY, 1, 1, a))
	n.say(frame(reliable.Frame{From: 1, To: 3, Flags: final &^ reliable.RLY, MessageID: 1, Sequence: 2, Serial: 1, Data: b}))
	g := n.read(captures.Options{})
	var texts []string
	for _, r := range g.records {
		if len(r.frames) == 2 {
			_, text, _ := strings.Cut(r.text, "text=")
			texts = append(texts, strings.TrimSpace(text))
		}
	}
	assert.Equal(t, []string{`"the old link"`, `"a new one"`, `"unreliable, with the same messageid"`}, texts)
	require.Len(t, g.sum.Links, 1)
	assert.Equal(t, 1, g.sum.Links[0].Restarts.Count)
	assert.Zero(t, g.sum.Findings)
}
