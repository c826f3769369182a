package doctor

import (
	"encoding/binary"

	"github.com/google/gopacket/layers"

	"dplay4/wire"
)

// packedOffset is where PackedOffset stands in a SUPERENUMPLAYERSREPLY: the SP header, the message header, and
// three fields.
const packedOffset = 20 + 8 + 8

// listOf returns a list of the session as octets, with PackedOffset changed, or with octets behind the end.
func listOf(s *session, offset int, behind string) []byte {
	b := sys(2300, s.list())
	if offset >= 0 {
		binary.LittleEndian.PutUint32(b[packedOffset:], uint32(offset))
	}
	b = append(b, behind...)
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^0xfffff|uint32(len(b)))
	return b
}

// badListCapture is a join that ends with such a list; goesOn says that the joiner does.
func badListCapture(offset int, behind string, goesOn bool) func(*network) {
	return func(n *network) {
		s := newSession(n)
		s.found(joinerIP)
		s.request(joinerIP, 0x100)
		n.conn(hostIP+":4000", joinerIP+":2300").send(listOf(s, offset, behind))
		if goesOn {
			s.player(joinerIP, 0x100)
		}
	}
}

func init() {
	const list = "the list of players that " + hostIP + " sent to " + joinerIP
	examples["list-malformed"] = []example{
		{name: "PackedOffset 0", want: []string{list + " does not say where the players begin (PackedOffset is 0), and the joiner gave up"},
			shows: []string{"SUPERENUMPLAYERSREPLY PackedOffset=0"}, capture: badListCapture(0, "", false)},
		{name: "the joiner goes on", as: Warning, want: []string{list + ` ("player 257") does not say`}, capture: badListCapture(0, "", true)},
		{name: "beyond the end", want: []string{list + " cannot be read (SUPERENUMPLAYERSREPLY.PackedOffset"}, capture: badListCapture(0x7000, "", false)},
		{name: "stray octets", want: []string{list + " has octets that belong to nothing"}, capture: badListCapture(-1, "abc", false)},
		{name: "stray octets that nobody minds", capture: badListCapture(-1, "abc", true)},
		{name: "the joiner leaves", capture: badListCapture(-1, "", false)},
		{name: "another message", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.conn(joinerIP+":4100", hostIP+":2300").send(sys(2300, &wire.DeletePlayer{})[:40])
		}},
	}
}

// cut returns a message that ends early, and says so in its header.
func cut(b []byte, n int) []byte {
	b = b[:len(b)-n]
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^0xfffff|uint32(len(b)))
	return b
}

func init() {
	examples["message-malformed"] = []example{
		{name: "too short, twice", want: []string{joinerIP + ` ("player 257") sent DELETEPLAYER to ` + hostIP + " that cannot be read, twice"}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			for range 2 {
				n.conn(joinerIP+":4100", hostIP+":2300").send(cut(sys(2300, &wire.DeletePlayer{Player: 0x101}), 12))
			}
		}},
		{name: "of the extension", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.conn(joinerIP+":4100", hostIP+":2300").send(cut(sys(2300, wire.NewExtension(0x100, &wire.ExtensionHello{})), 1))
		}},
		{name: "whole", capture: healthy},
	}
}

func init() {
	examples["capture-incomplete"] = []example{
		{name: "a gap", want: []string{"the capture lacks 48 octets of messages that were sent"}, rest: true, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			c := n.conn(joinerIP+":4100", hostIP+":2300")
			lost := newNetwork(n.T) // the segment goes into another capture
			lost.seq = n.seq
			(&conn{lost, c.src, c.dst}).send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
			c.send(sys(2300, &wire.DeletePlayer{Player: 0x100}))
		}},
		{name: "no gap", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			c := n.conn(joinerIP+":4100", hostIP+":2300")
			c.send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
			c.send(sys(2300, &wire.DeletePlayer{Player: 0x100}))
		}},
		{name: "one side", want: []string{"the capture has messages to " + farIP + ", and no packet that came from there"},
			shows: []string{"DELETEPLAYER =from " + joinerIP + " to " + farIP}, capture: func(n *network) {
				for range 2 {
					n.midway(joinerIP+":4100", farIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
				}
			}},
		{name: "the other side acknowledges", capture: func(n *network) {
			n.midway(joinerIP+":4100", farIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
			n.tcp(farIP+":2300", joinerIP+":4100", layers.TCP{ACK: true}, nil)
		}},
		{name: "the beginning is missing", capture: func(n *network) {
			n.midway(joinerIP+":4100", hostIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
		}},
	}
}
