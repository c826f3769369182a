package captures

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"dplay4/wire"
)

// A Session is what was learnt of a DirectPlay session from its traffic.
type Session struct {
	Instance    wire.GUID // zero until a description was seen
	Application wire.GUID // of the game, likewise
	Described   bool      // Flags, Reserved1 and Name come from a description
	Flags       wire.SessionFlags
	Reserved1   uint32
	Name        string
	Host        wire.PlayerID // system player of the machine that is host, as the last message about it has it; 0: not known

	players map[wire.PlayerID]*Player
	byIndex map[uint16]wire.PlayerID // by the low half of the id; the player that was announced last
}

func newSession() *Session {
	return &Session{players: map[wire.PlayerID]*Player{}, byIndex: map[uint16]wire.PlayerID{}}
}

// A Player is a player, system player or group of a session.
type Player struct {
	ID      wire.PlayerID
	Name    string // the short name, else the long one; "" where there is none
	Flags   wire.PlayerFlags
	Group   bool
	Machine netip.AddrPort // its machine's TCP socket, as in Machine.At; invalid where unknown

	own bool // its machine said so itself
}

// Player returns what is known of an id. The session may be nil.
func (s *Session) Player(id wire.PlayerID) *Player {
	if s == nil {
		return nil
	}
	return s.players[id]
}

// PlayerName returns the name of an id, "" where none is known. The session may be nil.
func (s *Session) PlayerName(id wire.PlayerID) string {
	if p := s.Player(id); p != nil {
		return p.Name
	}
	return ""
}

// Players returns everybody who was met in the session, by their ids, also those who left. The session may be nil.
func (s *Session) Players() []*Player {
	if s == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(s.players), func(a, b *Player) int { return cmp.Compare(a.ID, b.ID) })
}

// ByIndex returns the player whose raw index a reliable frame carries. The session may be nil.
func (s *Session) ByIndex(index uint16) *Player {
	if s == nil {
		return nil
	}
	return s.players[s.byIndex[index^uint16(s.Reserved1)]]
}

// describe takes over what a description says. One without a name leaves the name.
func (s *Session) describe(d *wire.SessionDesc, name string) {
	if !d.Instance.IsZero() {
		s.Instance = d.Instance
	}
	if !d.Application.IsZero() {
		s.Application = d.Application
	}
	s.Flags, s.Reserved1, s.Described = d.Flags, d.Reserved1, true
	if name != "" {
		s.Name = name
	}
}

// rename gives a player or group another name. The session may be nil.
func (s *Session) rename(id wire.PlayerID, name string) {
	if p := s.Player(id); p != nil {
		p.Name = name
	}
}

// hosted notes that another machine is host. The session may be nil.
func (s *Session) hosted(id wire.PlayerID) {
	if s == nil || id == wire.IDAll || id == wire.IDUnknown || id == s.Host {
		return
	}
	if old := s.Player(s.Host); old != nil {
		old.Flags &^= wire.PlayerNameServer
	}
	s.Host = id
	if p := s.Player(id); p != nil {
		p.Flags |= wire.PlayerNameServer
	}
}
