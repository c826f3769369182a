package links

import (
	"net/netip"
	"time"

	"dplay4/wire/reliable"
)

// A Key names one direction between two players. Machines are named by the sockets where they listen for TCP, or by their
// address and port 0 where that is not known.
type Key struct {
	From, To           netip.AddrPort
	FromIndex, ToIndex uint16
}

// Back returns the other direction.
func (k Key) Back() Key { return Key{k.To, k.From, k.ToIndex, k.FromIndex} }

// A Place is where something stands in a capture.
type Place struct {
	Frame int // number of the frame in the file, from 1; 0: nowhere
	N     int // number of the message
	Time  time.Time
}

// Since returns the time from another place to this one, never less than zero: a clock may have been set back.
func (p Place) Since(q Place) time.Duration { return max(0, p.Time.Sub(q.Time)) }

// A Frame is a frame as a capture shows it.
type Frame struct {
	Place
	*reliable.Frame
	Key      Key
	Whole    bool // it makes a message of several frames whole
	Game     bool // it holds a whole message, of the game
	IDs      bool // that has the ids of sender and addressee
	ToSystem bool // IdTo is a system player's index
}

// A Step is what a frame meant for its link.
type Step struct {
	Link    *Link         // the direction of the Data frame, or of those that an ACK or NACK answers; nil: not followed
	Again   int           // Data: how often it was sent before, lost sendings included as far as that shows
	Answers int           // ACK: number of the message that it answers; 0: not known
	Trip    time.Duration // of that message's last sending and its answer
	Missing int           // Data: messageids that it leaves out, which did not come so far
	Lost    []int         // numbers of messages that the frame shows not to have arrived; valid until the next frame
}

// A Tracker follows all links of a capture. The zero Tracker is ready; it is for one goroutine.
type Tracker struct {
	links    map[Key]*Link
	all      []*Link
	peers    map[netip.AddrPort]*Peer
	allPeers []*Peer
	ways     map[[2]netip.AddrPort]*way
	sendings int
	lost     []int
}

// A way is what is common to all links from one machine to another.
type way struct {
	numbers numbering
	links   []*Link // the first maxElsewhere
	octets  int64   // of the Data frames of all
}

// Add takes the next frame of the capture.
func (t *Tracker) Add(f *Frame) Step {
	t.lost = t.lost[:0]
	switch f.Kind() {
	case reliable.KindData:
		if l := t.link(f.Key); l != nil {
			return t.data(l, f)
		}
	case reliable.KindACK, reliable.KindNACK:
		if l := t.answered(f); l != nil {
			return t.answer(l, f)
		}
	}
	return Step{}
}

// Links returns the links in the order in which they were met. They go on as frames are added.
func (t *Tracker) Links() []*Link { return t.all }

// Peers returns the machines that sent frames, in the order in which they were met.
func (t *Tracker) Peers() []*Peer { return t.allPeers }

// link returns the link with a key, made if need be; nil if there are too many.
func (t *Tracker) link(k Key) *Link {
	if l := t.links[k]; l != nil {
		return l
	}
	if len(t.all) >= maxLinks {
		return nil
	}
	if t.links == nil {
		t.links, t.peers, t.ways = map[Key]*Link{}, map[netip.AddrPort]*Peer{}, map[[2]netip.AddrPort]*way{}
	}
	pair := [2]netip.AddrPort{k.From, k.To}
	w := t.ways[pair]
	if w == nil {
		w = new(way)
		t.ways[pair] = w
	}
	l := &Link{Key: k, Number: len(t.all) + 1, peer: t.peer(k.From), way: w, flight: flight{total: &t.sendings}}
	if len(w.links) < maxElsewhere {
		w.links = append(w.links, l)
	}
	t.links[k] = l
	t.all = append(t.all, l)
	return l
}

// peer returns a machine. There are no more than two for each link.
func (t *Tracker) peer(at netip.AddrPort) *Peer {
	p := t.peers[at]
	if p == nil {
		p = &Peer{Machine: at}
		t.peers[at] = p
		t.allPeers = append(t.allPeers, p)
	}
	return p
}

// answered returns the link that an ACK or NACK is about: the one between the same players, or, where that has no such
// frame, the only one between other players of the two machines that waits for this ACK.
func (t *Tracker) answered(f *Frame) *Link {
	k := f.Key.Back()
	own := t.links[k]
	if own != nil && own.knows(f) {
		return own
	}
	var other *Link
	if w := t.ways[[2]netip.AddrPort{k.From, k.To}]; w != nil {
		for _, l := range w.links {
			if l == own || !l.awaits(f) {
				continue
			}
			if other != nil {
				return t.link(k) // it cannot be told
			}
			other = l
		}
	}
	if other == nil {
		return t.link(k)
	}
	t.peer(f.Key.From).see(LinkPer, 0, f.Place)
	return other
}
