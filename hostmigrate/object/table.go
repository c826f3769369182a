package object

import (
	"cmp"
	"slices"
	"time"

	"dplay4/wire"
)

// A Config says what a table is to know from the beginning.
type Config struct {
	Self wire.PlayerID // our own system player

	// First is the number of the first object that this table creates. A machine that may have been in this
	// session before, with the same id, must begin above the numbers that it used then.
	First uint32

	// Site tells machines apart that somebody may have many of, for example by address: those with an equal site, which has to be
	// comparable, have a share together. Nil: none have.
	Site func(machine wire.PlayerID) any

	Resend    time.Duration // 0: DefaultResend
	Patience  time.Duration // 0: DefaultPatience
	Tombstone time.Duration // 0: DefaultTombstone
}

// A Table is one machine's knowledge of the replicated objects of a session, and its part in their migration. It
// does no input or output and has no clock: tell it what happened, then call [Table.Work], or [Table.Take]. Times are of any clock
// that does not go back. It is for one goroutine.
//
// A nil Table is that of a session without objects. Audit, Join, Leave, Next, Objects, Part, SetHost and Work are valid for it, and do nothing.
type Table struct {
	cfg     Config
	host    wire.PlayerID   // 0: none at the moment
	peers   []wire.PlayerID // the others that know of objects, in order
	objects []*object       // by id, tombstones too
	dead    int             // how many of them are tombstones
	octets  int             // of all states, those of decisions too
	number  uint32          // of the next object of ours
	spent   bool            // all numbers were used
	decided []decision      // if we are the host: migrations that were not announced yet, by id
	next    time.Duration   // nothing is due before
	scrub   int             // the object that an audit acknowledged last
	visits  int             // of objects, to count loads: what a test bounds
	flows   map[wire.PlayerID]*flow
	rescues rescues

	sends  []Send
	events []Event
}

// An object is what we know of one. States are never changed in place: messages and copies share them.
type object struct {
	id      wire.ObjectID
	owner   wire.PlayerID // of a tombstone: who destroyed it
	counter uint32
	seq     uint32
	state   []byte
	dead    bool          // a tombstone
	timed   bool          // due means something: of a tombstone its end, otherwise the owner is not there
	due     time.Duration // and the host is to act, or to be asked
	views   []view        // if we own it: what the others have of it, by id
	missed  bool          // if we own it: somebody had not acknowledged it at the last audit
}

// A view is what a peer told us that it has of an object of ours. There is none before it acknowledged.
type view struct {
	peer wire.PlayerID
	seq  uint32
	sent time.Duration // when the last UPDATE was sent
	wait uint          // how often it was sent again: each time the wait doubles, up to 1<<maxWait times Resend
}

// An Object is what a program is told about an object. State is a copy.
type Object struct {
	ID       wire.ObjectID `json:"object"`
	Owner    wire.PlayerID `json:"owner"`
	Counter  uint32        `json:"counter"` // how often it migrated
	Sequence uint32        `json:"-"`       // of the state
	State    []byte        `json:"state"`
}

// New returns an empty table.
func New(cfg Config) *Table {
	if cfg.Resend <= 0 {
		cfg.Resend = DefaultResend
	}
	if cfg.Patience <= 0 {
		cfg.Patience = DefaultPatience
	}
	if cfg.Tombstone <= 0 {
		cfg.Tombstone = DefaultTombstone
	}
	return &Table{cfg: cfg, number: cfg.First, next: Never, flows: map[wire.PlayerID]*flow{}, rescues: newRescues()}
}

// Objects returns all objects in being, in order of creator and number.
func (t *Table) Objects() []Object {
	if t == nil {
		return nil
	}
	all := make([]Object, 0, t.Len())
	for _, o := range t.objects {
		if !o.dead {
			all = append(all, o.show())
		}
	}
	return all
}

// Object returns one object, false if it is unknown or was destroyed.
func (t *Table) Object(id wire.ObjectID) (Object, bool) {
	o := t.find(id)
	if o == nil || o.dead {
		return Object{}, false
	}
	return o.show(), true
}

// Len is the number of objects in being.
func (t *Table) Len() int { return len(t.objects) - t.dead }

// Tombstones is the number of destroyed objects that are remembered.
func (t *Table) Tombstones() int { return t.dead }

func (o *object) show() Object {
	return Object{ID: o.id, Owner: o.owner, Counter: o.counter, Sequence: o.seq, State: copied(o.state)}
}

// against compares a claim to an object with what we know: 1 if it is newer. At the same counter, which only two
// hosts that did not know of each other can have given twice, the lower id wins.
func (o *object) against(counter uint32, owner wire.PlayerID) int {
	if c := cmp.Compare(counter, o.counter); c != 0 {
		return c
	}
	return cmp.Compare(o.owner, owner)
}

// covers reports whether o, which may be nil, is an object in being as new as what there is at a counter and a sequence.
func (o *object) covers(counter, seq uint32) bool {
	return o != nil && !o.dead && (o.counter > counter || o.counter == counter && o.seq >= seq)
}

func compareIDs(a, b wire.ObjectID) int {
	if c := cmp.Compare(a.Creator, b.Creator); c != 0 {
		return c
	}
	return cmp.Compare(a.Number, b.Number)
}

// search returns where an object is, or would be.
func (t *Table) search(id wire.ObjectID) (int, bool) {
	return slices.BinarySearchFunc(t.objects, id, func(o *object, id wire.ObjectID) int { return compareIDs(o.id, id) })
}

// find returns an object or its tombstone, nil if it is unknown.
func (t *Table) find(id wire.ObjectID) *object {
	if i, ok := t.search(id); ok {
		return t.objects[i]
	}
	return nil
}

// insert adds an object that is unknown.
func (t *Table) insert(o *object) {
	i, _ := t.search(o.id)
	t.objects = slices.Insert(t.objects, i, o)
}

// created counts the objects in being that a machine made, and the octets of their states.
func (t *Table) created(by wire.PlayerID) (n, octets int) {
	for i, _ := t.search(wire.ObjectID{Creator: by}); i < len(t.objects) && t.objects[i].id.Creator == by; i++ {
		if !t.objects[i].dead {
			n++
			octets += len(t.objects[i].state)
		}
	}
	return n, octets
}

// neighbours returns the peers at the site of one of them, that one included.
func (t *Table) neighbours(peer wire.PlayerID) (all []wire.PlayerID) {
	if t.cfg.Site == nil {
		return []wire.PlayerID{peer}
	}
	site := t.cfg.Site(peer)
	for _, p := range t.peers {
		if t.cfg.Site(p) == site {
			all = append(all, p)
		}
	}
	return all
}

// kept counts the octets of the objects of departed machines that some machines own.
func (t *Table) kept(by []wire.PlayerID) (octets int) {
	for _, o := range t.objects {
		if !o.dead && !t.here(o.id.Creator) && slices.Contains(by, o.owner) {
			octets += len(o.state)
		}
	}
	return octets
}

// shared returns an error if what others made or bring grows beyond their shares.
func (t *Table) shared(creator, owner wire.PlayerID, grows int) error {
	if !t.here(creator) {
		if owner != t.cfg.Self && t.kept(t.neighbours(owner))+grows > MaxKept {
			return errKept
		}
		return nil
	}
	if creator == t.cfg.Self {
		return nil
	}
	made := 0
	for _, p := range t.neighbours(creator) {
		_, octets := t.created(p)
		made += octets
	}
	if made+grows > MaxSite {
		return errSite
	}
	return nil
}

// room reports whether one more object in being can be had that owner brings, in place of o if that is not nil. Of others a table takes
// times as much as of its own machine, which is once.
func (t *Table) room(id wire.ObjectID, o *object, owner wire.PlayerID, size, times int) error {
	had := 0
	if o != nil {
		had = len(o.state)
	}
	switch grows := size - had; {
	case size > MaxState:
		return ErrTooLarge
	case t.octets+grows > MaxOctets:
		return ErrFull
	case grows > 0:
		if _, octets := t.created(id.Creator); t.here(id.Creator) && octets+grows > times*MaxMade {
			return ErrShare
		}
		if err := t.shared(id.Creator, owner, grows); err != nil {
			return err
		}
	}
	return t.place(id, o, times)
}

// place reports whether one more object can come into being, in place of o if that is not nil, whatever its state.
func (t *Table) place(id wire.ObjectID, o *object, times int) error {
	if o != nil && !o.dead {
		return nil
	}
	if n, _ := t.created(id.Creator); t.Len() >= MaxObjects || n >= times*MaxCreated {
		return ErrFull
	}
	return nil
}

// set gives an object a state. The octets must be nobody else's to change.
func (t *Table) set(o *object, seq uint32, state []byte) {
	t.octets += len(state) - len(o.state)
	o.seq, o.state = seq, state
}

// here reports whether a machine is in the session and knows of objects.
func (t *Table) here(p wire.PlayerID) bool {
	if p == t.cfg.Self {
		return true
	}
	_, ok := slices.BinarySearch(t.peers, p)
	return ok
}

// hosting reports whether we are the host.
func (t *Table) hosting() bool { return t.host == t.cfg.Self && t.host != 0 }

// alarm has [Table.Look] look at a time at the latest.
func (t *Table) alarm(at time.Duration) { t.next = min(t.next, at) }
