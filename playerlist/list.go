package playerlist

import (
	"math"

	"dplay4/wire"
)

// A List is the players and groups of one session. [New] and the functions that load one make it.
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

// New gives a list without players at version 0. The name and password are copied; an *OpError says that they
// cannot be sent. Of the description the current number of players and the two pointers are ignored.
func New(s Session) (*List, error) {
	l := &List{rows: make(map[wire.PlayerID]*row)}
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

// plain gives the description without what means nothing in a list: a size other than 80, pointers, and the
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

// checkSession says whether a session's name and password can be sent and be taken in for those of now.
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

// add puts a row into the list. Its owner is in it, unless it is the owner itself.
func (l *List) add(r *row) {
	l.rows[r.id] = r
	l.octets += r.octets()
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
	delete(l.rows, r.id)
	l.octets -= r.octets()
	l.links -= len(r.in)
	for _, id := range r.in {
		g := l.rows[id].group
		if r.group != nil {
			g.shortcuts = unlink(g.shortcuts, r.id)
		} else {
			g.members = unlink(g.members, r.id)
		}
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
