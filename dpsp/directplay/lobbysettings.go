package directplay

import (
	"slices"

	"dplay4/wire"
)

// Settings are connection settings, DPLCONNECTION: what a lobby tells a game that it starts, so that the game goes into a
// session without asking anybody.
type Settings struct {
	WrongSize bool   // dwSize is not that of the structure
	Flags     uint32 // OpenCreate or OpenJoin
	Session   *SessionDesc
	Player    *Name // nil: none
	Provider  wire.GUID
	Address   []byte // a compound address; nil: none
}

// complete reports whether the settings are such as a game can be told.
func (s *Settings) complete() bool {
	return !s.WrongSize && s.Session != nil && !s.Session.WrongSize && len(s.encode()) <= maxSettings
}

// clone returns a copy that shares nothing that a caller may change.
func (s *Settings) clone() *Settings {
	c := *s
	c.Address = slices.Clone(s.Address)
	session := *s.Session
	c.Session = &session
	if s.Player != nil {
		player := *s.Player
		c.Player = &player
	}
	return &c
}

// Block returns the structures DPLCONNECTION, DPSESSIONDESC2 and DPNAME, in this order, and then what they point at.
func (s *Settings) Block(f Face) Block {
	l := layout{face: f}
	l.word(uint32(24+4*f.pointer()), s.Flags)
	session, player := l.later(), l.later()
	l.guid(s.Provider)
	l.data(append(slices.Clone(s.Address), make([]byte, -len(s.Address)&3)...)) // what follows stands where numbers may stand
	l.word(uint32(len(s.Address)))
	l.align()

	own := []int{session}
	f.put(l.fixed[session:], uint64(len(l.fixed)))
	s.Session.write(&l)
	if s.Player != nil {
		own = append(own, player)
		l.align()
		f.put(l.fixed[player:], uint64(len(l.fixed)))
		s.Player.write(&l)
	}
	b := l.block()
	b.Pointers = append(b.Pointers, own...)
	return b
}

// later leaves room for a pointer, and returns where.
func (l *layout) later() int {
	l.align()
	at := len(l.fixed)
	l.handle(0)
	return at
}
