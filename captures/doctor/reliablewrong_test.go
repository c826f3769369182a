package doctor

import (
	"dplay4/wire"
	"dplay4/wire/reliable"
)

func init() {
	examples["reliable-source"] = []example{
		{name: "another machine",
			want: []string{"frames that say to be from 0x00000101 of " + joined + " came from " + thirdIP + ", twice"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 3)
				t.from = thirdIP + ":2350"
				t.vain(loose, 4, 1, 0, "hello, it is me")
				t.vain(loose, 5, 1, 0, "really")
			}},
		{name: "nobody's index", want: []string{joined + " sent frames to " + hostIP + " from indexes that no player has"},
			shows: []string{"IdFrom=300"},
			capture: func(n *network) {
				t := framed(n)
				t.a = 300
				t.moves(1, 3)
			}},
		{name: "another port", capture: func(n *network) {
			t := framed(n)
			t.from = joinerIP + ":49152"
			t.moves(1, 3)
		}},
		{name: "a capture without the join", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.desc.Flags = wire.SessionDirectPlayProtocol
			n.conn(hostIP+":4000", joinerIP+":2300").send(sys(2300, &wire.SessionDescChanged{Desc: s.desc}))
			t := &talk{n: n, from: joinerIP + ":2350", to: hostIP + ":2350", a: 257, b: 1}
			n.ping(joinerIP, hostIP, 0x100, 7)
			t.moves(1, 3)
		}},
	}
	const sent = joined + " sent frames to " + hostIP
	examples["reliable-frames-wrong"] = []example{
		{name: "CMD and EXT", want: []string{sent + " with CMD and EXT, which must be ignored, once"}, capture: func(n *network) {
			framed(n).vain(single|reliable.EXT, 1, 1, 0, "look")
		}},
		{name: "cut, and bent",
			want: []string{sent + " that cannot be read, twice",
				sent + " with an index in more octets than it needs, once",
				sent + " with octets behind their end, once"},
			shows: []string{"ACK.local tick count=message too short", "IdTo=1 in 2 octets", "=2 octets behind the frame"},
			capture: func(n *network) {
				t := framed(n)
				t.back().moves(1, 1)
				b := octets(reliable.Frame{From: t.a, To: t.b, Flags: rack, MessageID: 1, Sequence: 1, BytesReceived: 10})
				n.UDP(t.from, t.to, b[:len(b)-1])
				n.UDP(t.from, t.to, b[:len(b)-2])
				n.UDP(t.from, t.to, octets(reliable.Frame{From: t.a, To: t.b, ToSize: 2, Flags: rack, MessageID: 1, Sequence: 1,
					BytesReceived: 10}))
				n.UDP(t.from, t.to, append(b, 1, 2))
			}},
		{name: "a leap and one that is too old",
			want: []string{joined + " leapt over more than 24 messageids on a link to " + hostIP + ", once",
				joined + " sent messages to " + hostIP + " with a messageid 24 or more behind, which are ignored, once"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 2)
				t.moves(40, 40)
				t.moves(3, 3)
			}},
		{name: "ACKs of what was not sent", want: []string{hostIP + " answered frames that " + joined + " did not send, 3 times"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 2)
				t.ack(7, 1, 0)
				t.nack(8, 1)  // what it misses may have been lost before the capture
				t.nack(88, 1) // not that
				t.a = 256
				t.ack(1, 1, 0)
			}},
		{name: "one direction alone", capture: func(n *network) {
			t := framed(n)
			for id := range uint8(20) {
				t.ack(id+1, 1, 0)
			}
		}},
		{name: "the link begins anew", capture: func(n *network) {
			t := framed(n)
			t.moves(1, 30)
			t.sent = 0
			t.moves(1, 10)
			t.sent = 0
			t.moves(1, 3)
		}},
		{name: "many messages", capture: func(n *network) {
			t := framed(n)
			for range 3 {
				t.moves(1, 255)
				t.say(asking, 0, 1, 0, "a move")
				t.ack(0, 1, 0)
			}
		}},
	}
}
