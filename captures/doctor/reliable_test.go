package doctor

import (
	"time"

	"dplay4/internal/madeup"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// The flags of frames.
const (
	single = reliable.CMD | reliable.STA | reliable.EOM | reliable.RLY
	asking = single | reliable.SAK
	loose  = reliable.CMD | reliable.STA | reliable.EOM
	rack   = reliable.ACK | reliable.RLY
)

// A talk is what two players say to each other in frames, and what each has counted.
type talk struct {
	n        *network
	from, to string // sockets
	a, b     uint16 // their indexes
	sent     uint32 // octets of Data frames that the second one has counted
}

// framed is a session with the reliable protocol, in which one machine joined: what it says to the host. Its system player
// has the index 256, its player 257, the host's system player 1.
func framed(n *network) *talk {
	s := newSession(n)
	s.desc.Flags = wire.SessionDirectPlayProtocol
	s.join(joinerIP, 0x100)
	return &talk{n: n, from: joinerIP + ":2350", to: hostIP + ":2350", a: 257, b: 1}
}

// back is what the second one says to the first.
func (t *talk) back() *talk { return &talk{n: t.n, from: t.to, to: t.from, a: t.b, b: t.a} }

func octets(f reliable.Frame) []byte {
	b, err := f.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// say is a Data frame that arrives.
func (t *talk) say(flags reliable.Flags, id, sequence, serial uint8, payload string) int {
	t.sent += uint32(4 + len(payload))
	return t.vain(flags, id, sequence, serial, payload)
}

// vain is one that does not.
func (t *talk) vain(flags reliable.Flags, id, sequence, serial uint8, payload string) int {
	return t.n.UDP(t.from, t.to, octets(reliable.Frame{From: t.a, To: t.b, Flags: flags, MessageID: id, Sequence: sequence,
		Serial: serial, Data: []byte(payload)}))
}

// ack is an ACK of the other side.
func (t *talk) ack(id, sequence, serial uint8) int {
	return t.n.UDP(t.to, t.from, octets(reliable.Frame{From: t.b, To: t.a, Flags: rack, MessageID: id, Sequence: sequence,
		Serial: serial, BytesReceived: t.sent}))
}

// nack is a NACK of it.
func (t *talk) nack(id, sequence uint8) int {
	return t.n.UDP(t.to, t.from, octets(reliable.Frame{From: t.b, To: t.a, Flags: reliable.ACK | reliable.EXT, MessageID: id,
		Sequence: sequence, BytesReceived: t.sent}))
}

// moves are messages that are answered, from a messageid to another one.
func (t *talk) moves(from, to uint8) {
	for n := range int(to-from) + 1 {
		id := from + uint8(n)
		t.say(asking, id, 1, 0, "a move")
		t.ack(id, 1, 0)
	}
}

// well is a session with the reliable protocol in which all goes well.
func well(n *network) { framed(n).moves(1, 40) }

// dead is a machine that answers nothing any more: what the other sends it again, for six seconds.
func (t *talk) dead(id uint8) {
	for serial := range uint8(4) {
		t.vain(asking, id, 1, serial, "are you there")
		t.n.Wait(2 * time.Second)
	}
}

const joined = joinerIP + ` ("player 257")`

func init() {
	examples["reliable-loss"] = []example{
		{name: "every tenth", want: []string{joined + " sent 6 of 46 frames to " + hostIP + " again (13.0 %), from 0.0"},
			shows: []string{"=sent again"},
			capture: func(n *network) {
				t := framed(n)
				for id := range uint8(40) {
					if id%7 == 0 {
						t.vain(asking, id+1, 1, 0, "a move")
						t.say(asking, id+1, 1, 1, "a move")
						t.ack(id+1, 1, 1)
					} else {
						t.moves(id+1, id+1)
					}
				}
			}},
		{name: "before the capture", want: []string{joined + " sent 5 of 20 frames to " + hostIP + " again (25.0 %)"},
			shows: []string{"=sent again"},
			capture: func(n *network) {
				t := framed(n)
				for id := range uint8(20) {
					serial := uint8(0)
					if id%4 == 3 {
						serial = 1 // its first sending is not in the capture
					}
					t.say(asking, id+1, 1, serial, "a move")
					t.ack(id+1, 1, serial)
				}
			}},
		{name: "a NACK", as: Information, want: []string{joined + " sent 1 of 3 frames to " + hostIP + " again (33.3 %)"},
			capture: func(n *network) {
				t := framed(n)
				t.vain(reliable.CMD|reliable.STA|reliable.RLY, 1, 1, 0, "one")
				t.say(reliable.CMD|reliable.EOM|reliable.SAK|reliable.RLY, 1, 2, 1, "two")
				t.nack(1, 1)
				t.say(reliable.CMD|reliable.STA|reliable.SAK|reliable.RLY, 1, 1, 2, "one")
				t.ack(1, 2, 2)
			}},
		{name: "unreliable ones that never came",
			want: []string{joined + " sent 0 of 31 frames to " + hostIP + " again (0.0 %); 10 of its messageids never did"},
			capture: func(n *network) {
				t := framed(n)
				for id := range uint8(40) {
					if id%4 != 3 {
						t.say(loose, id+1, 1, 0, "a move")
					}
				}
				t.say(loose, 41, 1, 0, "a move") // the last of them is missing before it
			}},
		{name: "a capture of two adapters", capture: func(n *network) {
			t := framed(n)
			for id := range uint8(30) {
				t.vain(asking, id+1, 1, 0, "a move")
				t.say(asking, id+1, 1, 0, "a move")
				t.ack(id+1, 1, 0)
				t.ack(id+1, 1, 0)
			}
		}},
		{name: "in a stall alone", rest: true, capture: func(n *network) {
			t := framed(n)
			t.moves(1, 3)
			t.dead(4)
			t.ack(4, 1, 3)
			t.dead(5)
		}},
		{name: "none", capture: well},
	}
	// late has every third frame sent again before it is acknowledged, in answer to the sending with that serial.
	late := func(serial uint8) func(*network) {
		return func(n *network) {
			t := framed(n)
			for id := range uint8(30) {
				t.say(asking, id+1, 1, 0, "a move")
				if id%3 == 0 {
					n.Wait(12 * time.Millisecond)
					t.say(asking, id+1, 1, 1, "a move")
					n.Wait(30 * time.Millisecond)
					t.ack(id+1, 1, serial)
				}
				t.ack(id+1, 1, 1-serial)
			}
		}
	}
	examples["sent-again-too-early"] = []example{
		{name: "a late acknowledgement", want: []string{joined + " sent 10 of 40 frames to " + hostIP + " again (25.0 %), from 0.0"},
			shows: []string{"=sent again"}, capture: late(0)},
		{name: "one that had just come", want: []string{joined + " sent 10 of 40 frames to " + hostIP + " again (25.0 %), from 0.0"}, capture: func(n *network) {
			t := framed(n)
			for id := range uint8(30) {
				t.say(asking, id+1, 1, 0, "a move")
				if id%3 == 0 {
					n.Wait(12 * time.Millisecond)
					t.ack(id+1, 1, 0)
					t.say(asking, id+1, 1, 1, "a move")
				}
				t.ack(id+1, 1, 0)
			}
		}},
		{name: "lost, and sent again", rest: true, capture: func(n *network) {
			t := framed(n)
			for id := range uint8(30) {
				if id%3 == 0 {
					t.vain(asking, id+1, 1, 0, "a move")
					n.Wait(12 * time.Millisecond)
					t.say(asking, id+1, 1, 1, "a move")
					t.ack(id+1, 1, 1)
				} else {
					t.moves(id+1, id+1)
				}
			}
		}},
		{name: "none", capture: well},
	}
	examples["reliable-stalled"] = []example{
		{name: "then an answer",
			want: []string{hostIP + " acknowledged nothing of " + joined + " for 8.0",
				hostIP + " acknowledged nothing of " + joined + " for 6.0"},
			shows: []string{"=sent again, no answer", "=acknowledged"}, rest: true, capture: func(n *network) {
				t := framed(n)
				t.moves(1, 3)
				t.dead(4)
				t.ack(4, 1, 3)
				t.moves(5, 8)
				t.dead(9)
			}},
		{name: "while it talks",
			want: []string{hostIP + " acknowledged nothing of " + joined + " for 6.003 s, while it sent 3 frames again; " +
				"it went on to send frames of its own, and the capture ends so"}, rest: true,
			capture: func(n *network) {
				t := framed(n)
				t.dead(1)
				t.back().say(loose, 1, 1, 0, "a move")
			}},
		{name: "one retry", capture: func(n *network) {
			t := framed(n)
			t.vain(asking, 1, 1, 0, "a move")
			n.Wait(5 * time.Second)
			t.say(asking, 1, 1, 1, "a move")
			t.ack(1, 1, 1)
		}},
		{name: "nothing to say", capture: func(n *network) {
			t := framed(n)
			t.moves(1, 3)
			n.Wait(time.Minute)
			t.moves(4, 6)
		}},
	}
	examples["reliable-given-up"] = []example{
		{name: "deleted", want: []string{hostIP + " gave " + joined + " up: nothing was acknowledged for 8.0"}, rest: true,
			shows: []string{"DELETEPLAYER PlayerID=0x00000101"}, capture: func(n *network) {
				t := framed(n).back()
				t.dead(1)
				t.vain(asking, 2, 1, 0, string(madeup.Message(&wire.DeletePlayer{Player: 0x101})))
			}},
		{name: "deleted before", rest: true, capture: func(n *network) {
			t := framed(n).back()
			t.moves(1, 1)
			t.say(asking, 2, 1, 0, string(madeup.Message(&wire.DeletePlayer{Player: 0x101})))
			t.ack(2, 1, 0)
			t.dead(3)
		}},
		{name: "not deleted", rest: true, capture: func(n *network) { framed(n).back().dead(1) }},
		{name: "leaving of its own", capture: func(n *network) {
			t := framed(n)
			t.moves(1, 3)
			t.say(asking, 4, 1, 0, string(madeup.Message(&wire.DeletePlayer{Player: 0x101})))
			t.ack(4, 1, 0)
		}},
	}
	examples["reliable-hole"] = []example{
		{name: "by octets",
			want: []string{hostIP + " acknowledged frames of " + joined + " past some that had not arrived, once"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 3)
				t.vain(asking, 4, 1, 0, "lost for good")
				t.say(asking, 5, 1, 0, "a move")
				t.ack(5, 1, 0)
			}},
		{name: "before it came",
			want: []string{hostIP + " acknowledged frames of " + joined + " past some that had not arrived, once"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 3)
				t.moves(5, 5) // 4 is lost before the capture
				t.say(asking, 4, 1, 1, "a move")
				t.ack(4, 1, 1)
			}},
		{name: "an unreliable one is missing", capture: func(n *network) {
			t := framed(n)
			t.moves(1, 3)
			t.vain(loose, 4, 1, 0, "lost, and no matter")
			t.say(asking, 5, 1, 0, "a move")
			t.ack(5, 1, 0)
		}},
		{name: "the receiver counts ACKs as well", capture: func(n *network) {
			t := framed(n)
			for id := range uint8(30) {
				t.say(asking, id+1, 1, 0, "a move")
				t.sent += 12
				t.ack(id+1, 1, 0)
			}
		}},
	}
}
