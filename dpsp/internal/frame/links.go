// Package frame has the links on which a session with DIRECTPLAYPROTOCOL says what it says: one between each player of ours and each
// player of another machine that speak to each other, with the rules of when they begin, begin anew, wait and end. Package
// dpsp/reliable has the protocol of a single link (facts, reliable 2).
//
// The package sends nothing, has no clock, and cannot reach the engine. The engine sets [Links.Session] before each call, and does what
// [Links.Take] returns before it does anything else. [Links.Next] runs the links that have something to do, one after the other,
// because a message of one can end the session.
package frame

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/playerlist"
	"dplay4/wire"
	frames "dplay4/wire/reliable"
)

// A Session is what the links need to know of it at the moment.
type Session struct {
	Now      time.Duration
	List     *playerlist.List // nil: there is none
	Self     wire.PlayerID    // our system player
	On       bool             // frames go in it
	Extended bool             // so does the extension
	Patient  bool             // links to our own go on until the machine is lost, although it acknowledges nothing
}

// A Config says how frames are sent.
type Config struct {
	Options  reliable.Options
	MaxFrame int // octets
	Rand     *rand.Rand
}

// Links are those of one machine.
type Links struct {
	Session
	cfg     Config
	links   map[ends]*Link
	all     []*Link       // in the order in which they began
	awake   []*Link       // whose turn it is, after those that ran
	ran     int           // how many these are
	next    time.Duration // when another one's is
	budget  *reliable.Budget
	players []Player // of the list at version, by the low half of their ids
	mask    uint16   // between those and indexes
	list    *playerlist.List
	version uint32
	early   []EarlyFrame     // oldest first
	lacks   *playerlist.List // at version lacked it has none of the senders of early
	lacked  uint32
	parting parting
	known   []known // oldest first
	out     Output
}

// An Output is what the links want done, in order. It is valid until the next call; the data of its sends may be kept.
type Output struct {
	Sends []Send
	Done  []Done
}

// A Send is a frame for a UDP socket, unless it has one of the others.
type Send struct {
	To   netip.AddrPort
	Data []byte
	Ask  uint32 // a PING with this number, not in a frame
	Held any    // what HoldBack kept
}

// Done says what became of a message. If Refused is not 0 it is a message of that kind for which its link, which goes to To, had no room.
type Done struct {
	reliable.Done
	Refused wire.Command
	To      netip.AddrPort
}

// A Link is between a player of ours and one of another machine.
type Link struct {
	*reliable.Link
	ends
	Local, Remote wire.PlayerID
	Socket        netip.AddrPort // the machine's, for UDP
	Peer          *Peer          // nil: it is gone
	wake          time.Duration
	gone          time.Duration // since when one of its players is; 0: none
	queued        bool          // in awake
	behind        []behind
	ids           idsReading
}

// ends are the player indexes of a link, the low half of an id before the XOR (3.2.5.4), and the machine at the other one.
type ends struct {
	ours, theirs uint16
	system       wire.PlayerID
}

// idsReading is whether a peer puts the ids before what the game says (D6).
type idsReading uint8

const (
	idsUnknown idsReading = iota
	idsThere
	idsMissing
)

// Limits of what waits, and for how long.
const (
	MaxEarly     = 256
	MaxEarlyEach = 64
	maxEarly     = 2048 // octets of a frame; others than our own make frames of 1,500 and more (facts, reliable 6.2)
	EarlyLife    = 5 * time.Second
	maxOctets    = 16 << 20 // that links hold together of what is not complete, or not due
	maxKnown     = 256      // machines of which it is kept where links to them begin
	Linger       = 1500 * time.Millisecond
	goneLife     = 10 * time.Minute // how long a link of a player that is gone is kept, for the player may come back
)

// New returns no links.
func New(cfg Config) Links {
	fr := Links{cfg: cfg}
	fr.Reset()
	return fr
}

// Reset forgets the session: all but the links that are parting.
func (fr *Links) Reset() {
	*fr = Links{cfg: fr.cfg, parting: fr.parting, out: fr.out,
		next: reliable.Never, budget: &reliable.Budget{Max: maxOctets}, links: map[ends]*Link{}}
}

// Take returns what the links want done since the last Take.
func (fr *Links) Take() Output {
	out := fr.out
	fr.out = Output{Sends: out.Sends[:0], Done: out.Done[:0]}
	return out
}

// flags returns those of the session.
func (fr *Links) flags() wire.SessionFlags {
	if fr.List == nil {
		return 0
	}
	return fr.List.SessionFlags()
}

// Index returns the player index of an id.
func (fr *Links) Index(id wire.PlayerID) uint16 {
	return uint16(uint32(id) ^ fr.List.Desc().Reserved1)
}

// A Player is one in the list, with its machine.
type Player struct{ ID, System wire.PlayerID }

// Players returns the players with an index. Parts of a session that come together can have several, of different machines, and even
// of one. They are valid until the list changes.
func (fr *Links) Players(index uint16) []Player {
	if l := fr.List; fr.list != l || fr.version != l.Version() {
		fr.list, fr.version, fr.players, fr.mask = l, l.Version(), fr.players[:0], fr.Index(0)
		for _, systems := range [...]bool{true, false} {
			for id, system := range l.EachOwner() {
				if systems == (id == system) {
					fr.players = append(fr.players, Player{id, system})
				}
			}
		}
		slices.SortStableFunc(fr.players, func(a, b Player) int { return cmp.Compare(uint16(a.ID), uint16(b.ID)) })
		fr.sweep()
	}
	low := index ^ fr.mask
	first, _ := slices.BinarySearchFunc(fr.players, low, func(p Player, low uint16) int { return cmp.Compare(uint16(p.ID), low) })
	n := first
	for n < len(fr.players) && uint16(fr.players[n].ID) == low {
		n++
	}
	return fr.players[first:n]
}

// ID returns the player of a machine that an index means, 0 for none: its system player if that has it.
func (fr *Links) ID(index uint16, system wire.PlayerID) wire.PlayerID {
	for _, p := range fr.Players(index) {
		if p.System == system {
			return p.ID
		}
	}
	return 0
}

// sweep lets go of links of which an index means somebody else now, which begins a new one. A player that is gone for us can come
// back, and may never have been gone for the other side.
func (fr *Links) sweep() {
	for i := 0; i < len(fr.all); {
		l, n := fr.all[i], len(fr.all)
		ours, theirs := fr.ID(l.ends.ours, fr.Self), fr.ID(l.ends.theirs, l.ends.system)
		switch {
		case ours == l.Local && theirs == l.Remote:
			l.gone = 0
		case ours != 0 && ours != l.Local || theirs != 0 && theirs != l.Remote:
			fr.part(l)
		case !fr.Gone(l):
			l.gone = 0
		case l.gone == 0:
			l.gone = fr.Now
		case fr.Now-l.gone > goneLife && l.Idle():
			fr.part(l)
		}
		if len(fr.all) == n {
			i++
		}
	}
}

// Gone reports whether a player of a link is not in the session any more: then nobody acknowledges what it was sent.
func (fr *Links) Gone(l *Link) bool {
	_, ours := fr.List.System(l.Local)
	_, theirs := fr.List.System(l.Remote)
	return !ours || !theirs
}

// Find returns the link of a peer between two indexes, nil if there is none.
func (fr *Links) Find(ours, theirs uint16, p *Peer) *Link {
	return fr.links[ends{ours, theirs, p.System()}]
}

// Between returns the link between a player of ours and a peer's.
func (fr *Links) Between(p *Peer, ours, theirs wire.PlayerID) *Link {
	at := ends{fr.Index(ours), fr.Index(theirs), p.System()}
	if l := fr.links[at]; l != nil {
		if l.Local == ours && l.Remote == theirs && l.Peer == p {
			return l
		}
		fr.part(l)
	}
	if p.way == nil {
		p.way = &reliable.Path{}
	}
	l := &Link{ends: at, Local: ours, Remote: theirs, Socket: p.Socket(), Peer: p, wake: reliable.Never, Link: reliable.New(reliable.Config{
		From: at.ours, To: at.theirs, Path: p.way, Budget: fr.budget,
		First: p.Begin.First, Expect: p.expects(), AnyOrder: fr.flags()&wire.SessionNoPreserveOrder != 0, MaxFrame: fr.cfg.MaxFrame,
		Options: fr.cfg.Options, Patient: fr.Patient,
	})}
	if p.Modern() {
		l.Ours()
	}
	fr.links[at] = l
	fr.all = append(fr.all, l)
	p.Links = append(p.Links, l)
	return l
}

// remove takes a link out.
func (fr *Links) remove(l *Link) {
	if fr.links[l.ends] == l {
		delete(fr.links, l.ends)
		fr.all = slices.DeleteFunc(fr.all, func(x *Link) bool { return x == l })
	}
}

// Drop ends a link.
func (fr *Links) Drop(l *Link) {
	l.Peer.Links = slices.DeleteFunc(l.Peer.Links, func(x *Link) bool { return x == l })
	fr.remove(l)
	fr.end(l)
	l.Peer = nil
}

// Turn notes that a link has something to do.
func (fr *Links) Turn(l *Link) {
	if !l.queued {
		l.queued = true
		fr.awake = append(fr.awake, l)
	}
}

// Wake gives their turn to the links whose time has come, and says what is due on those that are parting.
func (fr *Links) Wake() {
	if fr.next <= fr.Now {
		fr.next = reliable.Never
		for _, l := range fr.all {
			if l.wake <= fr.Now {
				fr.Turn(l)
			} else {
				fr.next = min(fr.next, l.wake)
			}
		}
	}
	fr.parting.flush(fr)
}

// Awake reports whether a link has something to do.
func (fr *Links) Awake() bool { return len(fr.awake) > fr.ran }

// Next runs the next link that has something to do, and returns it with what came of it besides what Take returns; nil if there is none.
func (fr *Links) Next() (*Link, *reliable.Output) {
	for fr.Awake() {
		l := fr.awake[fr.ran]
		if fr.ran++; !fr.Awake() {
			fr.awake, fr.ran = fr.awake[:0], 0
		}
		l.queued = false
		if l.Peer != nil {
			out := fr.step(l)
			fr.next = min(fr.next, l.wake)
			return l, out
		}
	}
	return nil, nil
}

// step runs a link, and has its frames sent.
func (fr *Links) step(l *Link) *reliable.Output {
	for len(l.behind) > 0 && l.behind[0].due(fr.Now) {
		fr.Queue(l, l.behind[0].command, l.behind[0].message)
		l.behind = l.behind[1:]
	}
	out := l.Step(fr.Now)
	l.wake = out.Wake
	if len(l.behind) > 0 {
		l.wake = min(l.wake, l.behind[0].until)
	}
	for _, b := range out.Frames {
		fr.out.Sends = append(fr.out.Sends, Send{To: l.Socket, Data: bytes.Clone(b)})
	}
	fr.done(out.Done)
	return out
}

// done passes on what a link knows of its messages.
func (fr *Links) done(all []reliable.Done) {
	for _, d := range all {
		fr.out.Done = append(fr.out.Done, Done{Done: d})
	}
}

// end forgets what is still to be said on a link.
func (fr *Links) end(l *Link) {
	fr.done(l.Close())
	for _, b := range l.behind {
		fr.done([]reliable.Done{{Token: b.message.Token, Err: reliable.ErrLost}})
	}
	l.behind = nil
}

// Receive takes a frame that came on a link.
func (fr *Links) Receive(l *Link, f *frames.Frame) {
	l.Link.Receive(fr.Now, f)
	for _, other := range l.Peer.Links { // what was acknowledged makes room for all on the way there
		if other == l || !other.Idle() || len(other.behind) > 0 {
			fr.Turn(other)
		}
	}
}

// Queue gives a link a message.
func (fr *Links) Queue(l *Link, command wire.Command, m reliable.Message) {
	if err := l.Send(m); err != nil {
		fr.out.Done = append(fr.out.Done, Done{reliable.Done{Token: m.Token, Err: err}, command, l.Socket})
	}
	fr.Turn(l)
}

// Cancel gives up the messages with a token, or, if that is 0, of a priority of at most most, and returns how many there were.
func (fr *Links) Cancel(token uint64, most int) (n int) {
	for _, l := range fr.all {
		k := 0
		switch {
		case token != 0:
			if l.Cancel(token) {
				k = 1
			}
		default:
			k = l.CancelBelow(most)
		}
		if k > 0 {
			n += k
			fr.Turn(l)
		}
	}
	return n
}

// Pressed reports whether so much waits on a link that a program does well to wait before it says more.
func (fr *Links) Pressed() bool {
	return slices.ContainsFunc(fr.all, func(l *Link) bool { return l.Pressed() })
}

// WakeUp returns when a link has something to do next.
func (fr *Links) WakeUp() time.Duration {
	w := min(fr.next, fr.parting.wake())
	if len(fr.early) > 0 {
		w = min(w, fr.early[0].until)
	}
	return w
}
