package directplay

import (
	"slices"

	"dplay4/wire"
)

// CreatePlayer makes a player of this machine, which hears what DirectX 2 knew, in its shapes. Wake is that of a [Making].
func (f First) CreatePlayer(id *wire.PlayerID, friendly, formal *string, wake func()) wire.HResult {
	return f.Object.CreatePlayer(id, Making{Name: &Name{friendly, formal}, Wake: wake, first: true})
}

// CreateGroup makes a group of this machine.
func (f First) CreateGroup(id *wire.PlayerID, friendly, formal *string) wire.HResult {
	return f.Object.CreateGroup(id, Making{Name: &Name{friendly, formal}})
}

// SetPlayerName renames a player or group of ours: there is no method for groups (guessed).
func (f First) SetPlayerName(id wire.PlayerID, friendly, formal *string) wire.HResult {
	return f.setName(id, f.isGroup(id), &Name{friendly, formal}, 0)
}

func (f First) isGroup(id wire.PlayerID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.roster.get(id, true) != nil
}

// GetPlayerName gives both names of a player or group, each with its terminator. A name that the game gave no place for is not
// told. If there is too little room for either, what is needed is told of both.
func (f First) GetPlayerName(id wire.PlayerID, friendly, formal *Buffer) wire.HResult {
	return f.locked(func() wire.HResult {
		e := f.roster.all[id]
		switch {
		case e == nil:
			return wire.ErrInvalidPlayer
		case friendly == nil && formal == nil:
			return wire.ErrInvalidParams
		}
		n := f.roster.shown(e)
		short, long := Block{Data: n.friendly(f.face)}, Block{Data: n.formal(f.face)}
		if !slices.Contains([]wire.HResult{friendly.put(short, Face{}), formal.put(long, Face{})}, wire.ErrBufferTooSmall) {
			return wire.OK
		}
		for _, b := range []*Buffer{friendly, formal} {
			if b != nil {
				b.Data = nil
			}
		}
		return wire.ErrBufferTooSmall
	})
}

// A FirstListed is a player or group that an enumeration by IDirectPlay tells of.
type FirstListed struct {
	ID               wire.PlayerID
	Friendly, Formal []byte // with their terminators
	Flags            uint32 // EnumLocal or EnumRemote, and EnumGroup for a group (guessed)
}

// EnumPlayers calls back with each player, and with each group if DPENUMPLAYERS_GROUP asks for them. session is of matter for
// DPENUMPLAYERS_SESSION alone.
func (f First) EnumPlayers(session uint32, each func(FirstListed) bool, flags uint32) wire.HResult {
	instance, _ := f.numbered(session)
	return f.Object.EnumPlayers(&instance, f.tell(each, flags), flags&^EnumPrevious)
}

// EnumGroups is EnumPlayers for the groups that are in no other one.
func (f First) EnumGroups(session uint32, each func(FirstListed) bool, flags uint32) wire.HResult {
	instance, _ := f.numbered(session)
	return f.Object.EnumGroups(&instance, f.tell(each, flags), flags&^EnumPrevious)
}

// EnumGroupPlayers calls back with the players in a group.
func (f First) EnumGroupPlayers(group wire.PlayerID, each func(FirstListed) bool, flags uint32) wire.HResult {
	return f.Object.EnumGroupPlayers(group, nil, f.tell(each, flags), flags&^EnumPrevious)
}

// tell returns what calls back, nil if each is. Of sessions that were saved there is nobody.
func (f First) tell(each func(FirstListed) bool, flags uint32) func(Listed) bool {
	if each == nil {
		return nil
	}
	return func(l Listed) bool {
		if flags&EnumPrevious != 0 {
			return true
		}
		told := FirstListed{ID: l.ID, Friendly: l.Name.friendly(f.face), Formal: l.Name.formal(f.face), Flags: l.machine}
		if l.Group {
			told.Flags |= EnumGroup
		}
		return each(told)
	}
}
