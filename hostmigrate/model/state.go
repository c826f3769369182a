package model

import (
	"cmp"
	"fmt"
	"hash/maphash"
)

const (
	machines = 5 // at most
	changes  = 6 // that one program makes at most
)

// A view says who leads, and since when. The zero view is that of a program that is in no session.
type view struct {
	epoch int8
	join  int8 // the index at which the leader joined; 0 by DirectPlay 4's rule
	id    int8 // of the leader
	inc   int8 // of the leader
}

// newer orders all views: the higher epoch is newer, and at one epoch the smaller rest.
func (a view) newer(b view) bool {
	return cmp.Or(cmp.Compare(a.epoch, b.epoch), cmp.Compare(b.join, a.join), cmp.Compare(b.id, a.id), cmp.Compare(b.inc, a.inc)) > 0
}

func (a view) String() string { return fmt.Sprintf("(%d %d/%d/%d)", a.epoch, a.join, a.id, a.inc) }

// A member is one machine's entry in a list. The place in the list stands for the listener.
type member struct {
	inc    int8 // its incarnation; 0: there is no member
	id     int8
	join   int8 // the index at which it joined
	data   int8 // its own data is as of this change: only its owner changes that
	said   int8 // how many of its changes are in the log
	legacy bool
}

// A list is what the log makes.
type list struct {
	members [machines]member
	lost    [machines]member // who was lost, did not leave, and may live on in another part, with its numbers
	left    [machines]int8   // the incarnation that left last, of each listener
	group   uint8            // who is in the one group, which everybody may change
	host    int8             // the host's listener + 1; 0: there is none
}

// leader returns the listener of a view's leader, -1 if the list does not have it.
func (l *list) leader(v view) int {
	for i := range l.members {
		if m := &l.members[i]; m.inc != 0 && m.inc == v.inc && !m.legacy {
			return i
		}
	}
	return -1
}

// mixed reports whether a list has a legacy member: then DirectPlay 4's rule says who is next.
func (l *list) mixed() bool {
	for i := range l.members {
		if l.members[i].legacy {
			return true
		}
	}
	return false
}

// legacyHost reports whether the host is a legacy member.
func (l *list) legacyHost() bool { return l.host != 0 && l.members[l.host-1].legacy }

// hostInc returns the host's incarnation; 0: there is no host.
func (l *list) hostInc() int8 {
	if l.host == 0 {
		return 0
	}
	return l.members[l.host-1].inc
}

// before reports whether member a is the better candidate than member b.
func (l *list) before(a, b int) bool {
	x, y := &l.members[a], &l.members[b]
	if l.mixed() {
		return x.id < y.id
	}
	return cmp.Or(cmp.Compare(x.join, y.join), cmp.Compare(x.id, y.id)) < 0
}

// free returns the lowest id that no member has.
func (l *list) free() int8 {
	for id := int8(1); ; id++ {
		if l.holder(id) < 0 {
			return id
		}
	}
}

func (l *list) holder(id int8) int {
	for i := range l.members {
		if l.members[i].inc != 0 && l.members[i].id == id {
			return i
		}
	}
	return -1
}

// remove takes a member out.
func (l *list) remove(i int) {
	l.members[i] = member{}
	l.group &^= 1 << i
	if l.host == int8(i+1) {
		l.host = 0
	}
}

// incs returns the members' incarnations.
func (l *list) incs() (who [machines]int8) {
	for i := range l.members {
		who[i] = l.members[i].inc
	}
	return who
}

// The kinds of operations.
const (
	opJoin = 1 + iota
	opLeave
	opOut // a legacy host throws it out
	opLose
	opData
	opGroup
	opOwn // the own data of a member as somebody else has it
	opHost
)

var opNames = [...]string{"", "join", "leave", "out", "lose", "data", "group", "own", "host"}

// An op is one change of the list.
type op struct {
	kind   int8
	at     int8 // whose: its listener
	inc    int8
	id     int8 // join
	n      int8 // data, group, own: the number that its maker gave it, which counts all its changes
	needs  int8 // group: the change of its own data that its maker made before
	target int8 // group: the listener of whom it adds or removes
	add    bool
	legacy bool
}

func (o op) String() string {
	return fmt.Sprintf("%s of %d/%d id %d n %d target %d %v", opNames[o.kind], o.at, o.inc, o.id, o.n, o.target, o.add)
}

// A numbered value is data with the incarnation of its owner.
type numbered struct{ inc, n int8 }

// join returns the newer number, if both are of one incarnation; otherwise a.
func (a numbered) join(b numbered) numbered {
	if a.inc == b.inc && b.n > a.n {
		return b
	}
	return a
}

// A machine is one program, and what it knows.
type machine struct {
	inc    int8 // as the protocol has it
	life   int8 // the truth: it counts each program that began
	legacy bool
	left   bool // it left by its own will
	forger bool // it left, and says what it likes since
	out    bool // it lost the session, and does not try any more

	view  view
	index int8 // of the last operation that is confirmed
	list  list // confirmed
	ahead [machines]numbered
	gone  [machines]int8 // who said that it leaves, by incarnation
	data  int8           // the number of its newest change of its own data
	did   [changes]op    // all its changes, of its own data and of the group
	made  int8
	prom  view // the newest view that it promised

	cand view               // that it PREPAREs
	seen [machines]numbered // the truth: the newest own data that its program saw of each incarnation
	got  gathered
}

// in reports whether a machine is a modern member of a session.
func (x *machine) in() bool { return x.view.epoch != 0 && !x.legacy }

// knowsLeft reports whether a machine knows that a program left.
func (x *machine) knowsLeft(k int, inc int8) bool { return x.gone[k] == inc || x.list.left[k] == inc }

// leads reports whether a machine is the leader of its view.
func (x *machine) leads() bool { return x.in() && x.view.inc == x.inc }

// Gathered is what a candidate has of those who promised.
type gathered struct {
	whom   [machines]int8 // whom it asked
	acks   [machines]int8 // who promised, by incarnation
	place  view           // of the newest log, which list is from
	index  int8           // of list
	top    int8           // the highest index of all logs
	list   list
	data   [machines]numbered
	id     [machines]int8
	said   [machines]int8 // how many of its changes the list of each has
	group  uint8          // who is in the group by its own list
	gone   [machines]int8 // who is known to have left
	places [machines]view // of the log of each
	hosts  [machines]int8 // by the list of each: the host's incarnation
}

// The kinds of messages.
const (
	mJoin = iota
	mOp   // a change, from who makes it
	mLog  // an operation, from the leader
	mPrepare
	mRefuse
	mAck
	mInstall
	mClaim
	mUnvouched
)

var messageNames = [...]string{"JOIN", "OP", "LOG", "PREPARE", "REFUSE", "ACK", "INSTALL", "CLAIM", "UNVOUCHED"}

// A message was sent once, and can arrive at any time, any number of times, or never.
type message struct {
	kind           int8
	from, to       int8
	fromInc, toInc int8
	view           view
	index          int8
	place          view // ACK: the view of index and list
	op             op
	list           list
	who            [machines]int8
	data           int8
	ahead          [machines]numbered
	gone           [machines]int8
	legacy         bool // JOIN: of a legacy machine; CLAIM: it has a legacy host
	host           int8 // CLAIM: the host's incarnation
	mine           bool // REFUSE: the list of who refuses has the candidate
	forged         bool // the truth: PREPARE and CLAIM of who had left
	newcomer       bool // INSTALL: it answers a JOIN: who is in a view has said more in its ACK
	kept           bool // INSTALL: the receiver promised in time, with a log as new as the view begins with
}

func (m *message) String() string {
	text := fmt.Sprintf("%s %d/%d->%d/%d view %v", messageNames[m.kind], m.from, m.fromInc, m.to, m.toInc, m.view)
	switch m.kind {
	case mOp:
		return fmt.Sprintf("%s: %v", text, m.op)
	case mLog:
		return fmt.Sprintf("%s index %d: %v", text, m.index, m.op)
	case mAck, mInstall:
		return fmt.Sprintf("%s index %d", text, m.index)
	}
	return text
}

type hash [2]uint64

// A sent message has its hash with it.
type sent struct {
	message
	hash hash
}

// Left is how many more of each fault and act there can be.
type left struct {
	changes, groups, suspicions, restarts, leaves, claims, forgeries, legacy int8
}

// A state is all machines and all messages.
type state struct {
	m     [machines]machine
	lives int8
	left  left
	sent  []sent
	bad   string // what must not be, and is
}

func (s *state) clone() *state {
	c := *s
	c.sent = s.sent[:len(s.sent):len(s.sent)]
	return &c
}

var seed1, seed2 = maphash.MakeSeed(), maphash.MakeSeed()

func (s *state) send(m message) {
	h := hash{maphash.Comparable(seed1, m), maphash.Comparable(seed2, m)}
	for i := range s.sent {
		if s.sent[i].hash == h {
			return
		}
	}
	s.sent = append(s.sent, sent{m, h})
}

type essence struct {
	m     [machines]machine
	lives int8
	left  left
}

// key is equal for states that differ in the order of messages alone.
func (s *state) key() hash {
	e := essence{s.m, s.lives, s.left}
	k := hash{maphash.Comparable(seed1, e), maphash.Comparable(seed2, e)}
	for i := range s.sent {
		k[0] += s.sent[i].hash[0]
		k[1] += s.sent[i].hash[1]
	}
	return k
}

func (s *state) violate(format string, args ...any) {
	if s.bad == "" {
		s.bad = fmt.Sprintf(format, args...)
	}
}
