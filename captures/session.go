package captures

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
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

	list    playerlist.List
	players map[wire.PlayerID]*Player // the last stay of each
	stays   []*Player
	byIndex map[uint16]wire.PlayerID // by the low half of the id; the player that was announced last
}

func newSession() *Session {
	return &Session{players: map[wire.PlayerID]*Player{}, byIndex: map[uint16]wire.PlayerID{}}
}

// A Player is a player, system player or group during one stay in a session.
type Player struct {
	ID      wire.PlayerID
	Name    string   // the short name, else the long one; "" where there is none
	Names   []Naming // all that it had, in the order of time: the first one and the last ones
	Flags   wire.PlayerFlags
	Group   bool
	Hosted  bool           // it was the host's system player for a time
	Machine netip.AddrPort // its machine's TCP socket, as in Machine.At; invalid where unknown
	From    Moment         // of the first message that speaks of it
	Until   Moment         // of the first message that says that it left; zero: there was none

	announced bool // otherwise messages only name it
	own       bool // its machine said itself where it is
}

// A Naming is a name and when it was first seen.
type Naming struct {
	Name string
	Moment
}

// A Moment is when a message was completed: its number, from 1, and the time since the first message of the file.
type Moment struct {
	N     int
	Since time.Duration
}

// List returns the players and groups that are in the session now, each with the system player of its machine. It has no names and no
// data: Player has what is known of an id. A machine that no message announced is in the list from its first player on.
func (s *Session) List() *playerlist.List { return &s.list }

// Stays returns everybody who was in the session, once for each time, in the order in which messages first spoke of them.
func (s *Session) Stays() []*Player { return s.stays }

// Player returns what is known of an id that was announced, also after it left. The session may be nil.
func (s *Session) Player(id wire.PlayerID) *Player {
	if s != nil {
		if p := s.players[id]; p != nil && p.announced {
			return p
		}
	}
	return nil
}

// PlayerName returns the name of an id, "" where none is known. The session may be nil.
func (s *Session) PlayerName(id wire.PlayerID) string {
	if p := s.Player(id); p != nil {
		return p.Name
	}
	return ""
}

// machine returns where the machine of a player listens, invalid where that is not known or for a group. The session may be nil.
func (s *Session) machine(id wire.PlayerID) (at netip.AddrPort) {
	if p := s.Player(id); p != nil && !p.Group {
		at = p.Machine
	}
	return at
}

// Players returns everybody who was announced in the session, by their ids, also those who left. The session may be nil.
func (s *Session) Players() (list []*Player) {
	if s == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(s.players)) {
		if p := s.Player(id); p != nil {
			list = append(list, p)
		}
	}
	return list
}

// ByIndex returns the player whose raw index a reliable frame carries. The session may be nil.
func (s *Session) ByIndex(index uint16) *Player {
	if s == nil {
		return nil
	}
	return s.Player(s.byIndex[index^uint16(s.Reserved1)])
}

// described reports whether a description of the session was seen. The session may be nil.
func (s *Session) described() bool { return s != nil && s.Described }

// has reports whether a description of the session has flags. The session may be nil.
func (s *Session) has(flags wire.SessionFlags) bool { return s != nil && s.Flags&flags != 0 }

// describe takes over what a description says. One that lacks an id or the name leaves it.
func (s *Session) describe(d *wire.SessionDesc, name string) {
	s.Instance, s.Application, s.Name = cmp.Or(d.Instance, s.Instance), cmp.Or(d.Application, s.Application), cmp.Or(name, s.Name)
	s.Flags, s.Reserved1, s.Described = d.Flags, d.Reserved1, true
}

// rename gives a player another name.
func (p *Player) rename(name string, at Moment) {
	p.Name = name
	last := len(p.Names) - 1
	if name == "" || last >= 0 && p.Names[last].Name == name {
		return
	}
	if len(p.Names) == maxNames {
		p.Names = slices.Delete(p.Names, 1, 2)
	}
	p.Names = append(p.Names, Naming{name, at})
}

// enter adds a player to the list if it is there, and before it the system player of its machine.
func (s *Session) enter(p *Player, system wire.PlayerID) {
	if p.Until.N > 0 {
		return
	}
	if p.Flags&wire.PlayerSystem != 0 {
		system = p.ID
	}
	e := playerlist.Entry{ID: p.ID, System: system, Flags: p.Flags & wire.PlayerServerPlayer}
	var op playerlist.Op = playerlist.AddPlayer{Entry: e}
	if p.Group {
		op = playerlist.AddGroup{Entry: e}
	}
	_, known := s.list.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: system, Flags: wire.PlayerSystem}}) // it may be in the list already
	if _, err := s.list.Apply(op); err != nil && known == nil && system != p.ID {
		s.list.Apply(playerlist.DeletePlayer{ID: system}) //nolint:errcheck // it owns nothing, and no limit counts it
	}
	s.list.Forget(s.list.Version())
}
