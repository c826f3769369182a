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

// machines returns the machines alone.
func (k Key) machines() [2]netip.AddrPort { return [2]netip.AddrPort{k.From, k.To} }

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

// A Tracker follows all links of a capture. It is for one goroutine.
type Tracker struct {
	links    map[Key]*Link
	all      []*Link
	peers    map[netip.AddrPort]*Peer
	allPeers []*Peer
	ways     map[[2]netip.AddrPort]*way
	sendings int
	lost     []int
}

// NewTracker returns a Tracker of a capture that begins.
func NewTracker() *Tracker {
	return &Tracker{links: map[Key]*Link{}, peers: map[netip.AddrPort]*Peer{}, ways: map[[2]netip.AddrPort]*way{}}
}

// A way is what is common to all links from one machine to another.
type way struct {
	numbers numbering
	links   []*Link
	octets  int64 // of the Data frames of all
}

// Add takes the next frame of the capture.
func (t *Tracker) Add(f *Frame) Step {
	t.lost = t.lost[:0]
	var l *Link
	var take func(*Link, *Frame) Step
	switch f.Kind() {
	case reliable.KindData:
		l, take = t.link(f.Key), t.data
	case reliable.KindACK:
		l, take = t.answered(f), t.ack
	case reliable.KindNACK:
		l, take = t.link(f.Key.Back()), t.nack
	}
	if l == nil {
		return Step{}
	}
	return take(l, f)
}

// Links returns the links in the order in which they were met. They go on as frames are added.
func (t *Tracker) Links() []*Link { return t.all }

// Peers returns the machines that sent frames, in the order in which they were met.
func (t *Tracker) Peers() []*Peer { return t.allPeers }

// link returns the link with a key, made if need be; nil if there are too many.
func (t *Tracker) link(k Key) *Link {
	l := t.links[k]
	if l != nil || len(t.all) >= maxLinks {
		return l
	}
	w := t.way(k)
	t.ways[k.machines()] = w
	l = &Link{Key: k, Number: len(t.all) + 1, peer: t.peer(k.From), way: w, total: &t.sendings, connection: connection{flight: newFlight(false)}}
	w.links = append(w.links, l)
	t.links[k] = l
	t.all = append(t.all, l)
	return l
}

// way returns what is common to all links between the machines of a link, a new one if there are none.
func (t *Tracker) way(k Key) *way {
	if w := t.ways[k.machines()]; w != nil {
		return w
	}
	return &way{}
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
