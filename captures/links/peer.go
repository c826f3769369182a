package links

import (
	"net/netip"

	"dplay4/wire/reliable"
)

// A Question is one that the specification leaves open, or answers in two ways.
type Question uint8

// The questions, with the answers that frames can show.
const (
	Spaces     Question = iota // messageids: 0 one space for all messages (2.2.2), 1 one for each kind (3.1.1)
	LinkPer                    // a link is: 0 a pair of machines (3), 1 a pair of indexes
	FirstID                    // the first messageid: 0 is 1 (2.2.2), 1 is 0 (4.1)
	Sequences                  // sequences: 0 each message begins them anew (3.1.3), 1 they run on through the link (4.1)
	ToSystem                   // game data goes to: 0 players, 1 system players
	InFront                    // in front of game data: 0 nothing, 1 the ids of sender and addressee
	Answers                    // answers: 0 NACKs, 1 ACKs
	NACKObeyed                 // what a NACK named was sent again: 0 at once, 1 later
	questions
)

// A Peer is a machine that sends frames, and how it reads the specification.
type Peer struct {
	Machine    netip.AddrPort
	Unreliable int // Data frames without RLY
	Reliable   int // and with it
	Seen       [questions][2]Marks
}

// see notes what a frame shows about a question: whether it fits answer 0, and whether it fits answer 1. It shows nothing
// if both fit, or none does.
func (p *Peer) see(q Question, zero, one bool, at Place) {
	if zero != one {
		p.Seen[q][bit(one)].add(at)
	}
}

// Reading returns the answer that more frames gave, -1 if none does or both are as frequent.
func (p *Peer) Reading(q Question) int {
	switch a, b := p.Seen[q][0].Count, p.Seen[q][1].Count; {
	case a > b:
		return 0
	case b > a:
		return 1
	}
	return -1
}

// content takes what the contents of a Data frame show.
func (p *Peer) content(f *Frame) {
	rly := f.Flags&reliable.RLY != 0
	p.Reliable += bit(rly)
	p.Unreliable += bit(!rly)
	if f.Game {
		p.see(ToSystem, !f.ToSystem, f.ToSystem, f.Place)
		p.see(InFront, !f.IDs, f.IDs, f.Place)
	}
}
