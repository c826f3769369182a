package playerlist

import (
	"math"
	"reflect"
	"slices"

	"dplay4/wire"
)

// A List is the players and groups of one session. [New] and the functions that load one make it. The zero List is empty, and its
// session has no description.
type List struct {
	version uint32
	session Session
	host    *row
	rows    map[wire.PlayerID]*row
	players chain
	groups  chain
	normal  int // players that are no system players
	links   int // memberships and shortcuts
	octets  int // names and data of all rows and the session
	log     oplog
}

// A Session is the description of a session with its name and password.
type Session struct {
	Desc     wire.SessionDesc
	Name     wire.Text // nil: none
	Password wire.Text // nil: none
}

// New returns a list without players at version 0. The name and password are copied; an *OpError says that they
// cannot be sent. Of the description the current number of players and the two pointers are ignored.
func New(s Session) (*List, error) {
	l := new(List)
	if err := l.checkSession("New", &s); err != nil {
		return nil, err
	}
	l.session = s.clone()
	l.session.Desc = plain(&s.Desc)
	l.octets = l.session.octets()
	return l, nil
}

// Version is the number of the last operation; 0: none yet.
func (l *List) Version() uint32 { return l.version }

// Apply does an operation and gives it the next number. It copies what it keeps of op. On an error, an *OpError
// or a *VersionError, the list is as it was.
func (l *List) Apply(op Op) (uint32, error) {
	switch {
	case op == nil:
		return 0, &OpError{Op: "Apply", Err: ErrOp}
	case l.version == math.MaxUint32:
		return 0, &VersionError{Have: l.version, Got: l.version, Err: ErrVersions}
	}
	if err := op.check(l); err != nil {
		return 0, err
	}
	op = op.keep(l)
	l.version++
	op.do(l)
	l.log.add(op)
	return l.version, nil
}

// ApplyAt does an operation that somebody else gave a number, which must be the one after the list's version:
// otherwise it fails with a *VersionError, ErrGap or ErrRepeat.
func (l *List) ApplyAt(version uint32, op Op) error {
	switch {
	case version <= l.version:
		return &VersionError{Have: l.version, Got: version, Err: ErrRepeat}
	case version-l.version > 1:
		return &VersionError{Have: l.version, Got: version, Err: ErrGap}
	}
	_, err := l.Apply(op)
	return err
}

// plain returns the description without what means nothing in a list: a size other than 80, pointers, and the
// number of players, which is computed.
func plain(d *wire.SessionDesc) wire.SessionDesc {
	return wire.SessionDesc{
		Flags: d.Flags, Instance: d.Instance, Application: d.Application, MaxPlayers: d.MaxPlayers,
		Reserved1: d.Reserved1, Reserved2: d.Reserved2, User: d.User,
	}
}

func (s *Session) octets() int { return len(s.Name) + len(s.Password) }

func (s *Session) clone() Session {
	return Session{Desc: s.Desc, Name: duplicate(s.Name), Password: duplicate(s.Password)}
}

// checkSession reports whether a session's name and password can be sent and be taken in for those of now.
func (l *List) checkSession(op string, s *Session) error {
	switch n := s.octets(); {
	case !terminated(s.Name) || !terminated(s.Password):
		return &OpError{Op: op, Err: ErrText}
	case n > MaxSessionOctets:
		return &OpError{Op: op, Err: ErrTooLarge}
	case l.octets-l.session.octets()+n > MaxOctets:
		return &OpError{Op: op, Err: ErrFull}
	}
	return nil
}

// hold counts octets of a row's names and data, for the list and for the row's owner.
func (l *List) hold(r *row, n int) {
	l.octets += n
	l.rows[r.system].held += n
}

// countLinks counts memberships and shortcuts in a group, likewise.
func (l *List) countLinks(g *row, n int) {
	l.links += n
	l.rows[g.system].linked += n
}

// link puts a row into a group.
func (l *List) link(group, id wire.PlayerID) {
	g, r := l.rows[group], l.rows[id]
	links := g.group.links(r)
	*links = append(*links, link{id, l.version})
	r.in = append(r.in, group)
	l.countLinks(g, 1)
}

// unlink takes a row out of a group.
func (l *List) unlink(group, id wire.PlayerID) {
	r := l.rows[id]
	l.drop(l.rows[group], r)
	r.in = cut(r.in, slices.Index(r.in, group))
}

// drop takes r out of the links of the group g. That r.in tells of it is the caller's to mend.
func (l *List) drop(g, r *row) {
	links := g.group.links(r)
	*links = cut(*links, slices.IndexFunc(*links, func(k link) bool { return k.id == r.id }))
	l.countLinks(g, -1)
}

// add puts a row into the list. Its owner is in it, unless it is the owner itself.
func (l *List) add(r *row) {
	if l.rows == nil {
		l.rows = map[wire.PlayerID]*row{}
	}
	l.rows[r.id] = r
	l.hold(r, r.octets())
	if r.group != nil {
		l.groups.add(r)
	} else {
		l.players.add(r)
	}
	if r.isSystem() {
		return
	}
	l.rows[r.system].owned++
	if r.group == nil {
		l.normal++
	}
}

// remove takes a row out of the list and out of all groups.
func (l *List) remove(r *row) {
	l.hold(r, -r.octets())
	delete(l.rows, r.id)
	for _, id := range r.in {
		l.drop(l.rows[id], r)
	}
	if r.group != nil {
		l.groups.remove(r)
	} else {
		l.players.remove(r)
	}
	switch {
	case r == l.host:
		l.host = nil
	case !r.isSystem():
		l.rows[r.system].owned--
	}
	if r.group == nil && !r.isSystem() {
		l.normal--
	}
}

// A Numbered is an operation with its number.
type Numbered struct {
	Version uint32
	Op      Op
}

// An oplog remembers the last operations of a list, bounded by number and by what they hold.
type oplog struct {
	ops    []Op // the last one has the list's version
	octets int
}

func (g *oplog) add(op Op) {
	g.ops = append(g.ops, op)
	g.octets += logOpOctets + op.octets()
	for len(g.ops) > MaxLogOps || g.octets > MaxLogOctets {
		g.drop()
	}
}

// drop forgets the oldest operation.
func (g *oplog) drop() {
	g.octets -= logOpOctets + g.ops[0].octets()
	g.ops[0] = nil
	if g.ops = g.ops[1:]; len(g.ops) == 0 {
		g.ops = nil
	}
}

// Since returns the operations after a version, in order; they are copies. ok is false if the log no longer reaches
// back so far, and for a version that the list has not reached yet.
func (l *List) Since(version uint32) (ops []Numbered, ok bool) {
	if version > l.version || l.version-version > uint32(len(l.log.ops)) {
		return nil, false
	}
	last := l.log.ops[len(l.log.ops)-int(l.version-version):]
	if len(last) == 0 {
		return nil, true
	}
	ops = make([]Numbered, len(last))
	for i, op := range last {
		ops[i] = Numbered{Version: version + 1 + uint32(i), Op: op.keep(l)}
	}
	return ops, true
}

// Forget drops the operations up to and with a version from the log: all members have them
// ([MC-DPL8CS] 2.2.6, RESYNC_VERSION). Since(version) works still.
func (l *List) Forget(version uint32) {
	keep := 0
	if version < l.version {
		keep = int(min(l.version-version, MaxLogOps))
	}
	for len(l.log.ops) > keep {
		l.log.drop()
	}
}

// Equal reports whether two lists are at the same version with the same content in the same order. What their logs
// remember does not matter.
func Equal(a, b *List) bool { return reflect.DeepEqual(a.State(), b.State()) }
