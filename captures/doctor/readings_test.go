package doctor

import (
	"time"

	"dplay4/wire/reliable"
)

func init() {
	examples["reliable-round-trips"] = []example{
		{name: "three",
			want:  []string{hostIP + " answered 3 frames of " + joined + ": after 1.000 ms in the middle, 51.000 ms at worst"},
			shows: []string{"=the slowest answer"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 2)
				t.say(asking, 3, 1, 0, "a move")
				n.Wait(50 * time.Millisecond)
				t.ack(3, 1, 0)
			}},
		{name: "by the serial",
			want: []string{hostIP + " answered 1 frame of " + joined + ": after 2.000 ms in the middle, 2.000 ms at worst"},
			capture: func(n *network) {
				t := framed(n)
				t.vain(asking, 1, 1, 0, "a move")
				n.Wait(time.Second)
				t.say(asking, 1, 1, 1, "a move")
				n.Wait(time.Millisecond)
				t.ack(1, 1, 1)
			}},
		{name: "no answers", capture: func(n *network) { framed(n).say(loose, 1, 1, 0, "a move") }},
	}
	const joiner, host = joined + " reads the reliable protocol so: ", hostIP + " reads the reliable protocol so: "
	examples["reliable-reading"] = []example{
		{name: "one space",
			want: []string{joiner + "one messageid space for reliable and unreliable messages, " +
				"messageids from 1 on, sequences that begin anew in each message, " +
				"game data to the system player, no ids in front of game data"},
			capture: func(n *network) {
				t := framed(n)
				t.moves(1, 2)
				t.say(loose, 3, 1, 0, "quick")
				t.moves(4, 5)
			}},
		{name: "two spaces",
			want: []string{joiner + "a messageid space for each of reliable and unreliable messages, " +
				"messageids from 0 on, sequences that begin anew in each message, " +
				"game data to the system player, ids in front of game data"},
			capture: func(n *network) {
				t := framed(n)
				with := string([]byte{1, 1, 0, 0, 1, 0, 0, 0}) + "a move"
				for id := range uint8(9) {
					t.say(asking, id, 1, 0, with)
					t.ack(id, 1, 0)
				}
				for id := range uint8(9) {
					t.say(loose, id, 1, 0, with)
				}
			}},
		{name: "sequences that run on",
			want: []string{joiner + "messageids from 1 on, sequences that run on through the link, " +
				"game data to the system player, no ids in front of game data, everything is sent reliable"},
			capture: func(n *network) {
				t := framed(n)
				for id := range uint8(9) {
					t.say(asking, id+1, id+1, 0, "a move")
					t.ack(id+1, id+1, 0)
				}
			}},
		{name: "links, and NACKs", want: []string{
			joiner + "a link for each pair of indexes, messageids from 1 on, sequences that begin anew in each message, " +
				"NACKs are obeyed at once, everything is sent reliable",
			host + "a link for each pair of indexes, NACKs",
		}, rest: true, capture: func(n *network) {
			t := framed(n)
			part := reliable.CMD | reliable.STA | reliable.RLY
			end := reliable.CMD | reliable.EOM | reliable.SAK | reliable.RLY
			for id := range uint8(3) {
				t.vain(part, id+1, 1, 0, "one")
				t.say(end, id+1, 2, 1, "two")
				t.nack(id+1, 1)
				t.say(part, id+1, 1, 2, "one")
				t.ack(id+1, 2, 1)
			}
			u := framed2(t)
			u.say(part, 1, 1, 0, "one")
			u.say(end, 1, 2, 1, "two")
			u.ack(1, 2, 1)
		}},
		{name: "links of machines", want: []string{
			joiner + "a link for each pair of machines, messageids from 1 on",
		}, rest: true, capture: func(n *network) {
			t := framed(n)
			u := framed2(t)
			for id := uint8(1); id < 20; id += 2 {
				t.say(loose, id, 1, 0, "a move")
				u.say(loose, id+1, 1, 0, "a move")
			}
		}},
		{name: "a capture of ACKs", capture: func(n *network) {
			t := framed(n)
			t.ack(77, 1, 0)
		}},
	}
}

// framed2 is what the joiner's system player says to the host.
func framed2(t *talk) *talk { return &talk{n: t.n, from: t.from, to: t.to, a: 256, b: 1} }
