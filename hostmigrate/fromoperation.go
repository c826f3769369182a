package hostmigrate

import (
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// FromOperation returns the operation that a message of [MC-DPL8CS] is, with its number. Names and data alias the message.
// It gives ErrNoOperation for any other message, a *FieldError or ErrForm for one that lacks what DirectPlay 8 has no
// field for. Whether the operation fits into a list is for the list to say.
func FromOperation(m dpl8.Message) (playerlist.Numbered, error) {
	switch m := m.(type) {
	case *dpl8.AddPlayer:
		e, err := fromEntry(&m.Entry)
		version := e.Added
		e.Added = 0
		return numbered(version, playerlist.AddPlayer{Entry: e}, err)
	case *dpl8.CreateGroup:
		return fromCreateGroup(m)
	case *dpl8.DestroyPlayer:
		return numbered(m.Version, playerlist.DeletePlayer{ID: wire.PlayerID(m.Leaving)}, nil)
	case *dpl8.DestroyGroup:
		return numbered(m.Version, playerlist.DeleteGroup{ID: wire.PlayerID(m.Group)}, nil)
	case *dpl8.AddPlayerToGroup:
		return numbered(m.Version, playerlist.AddMember{Group: wire.PlayerID(m.Group), Player: wire.PlayerID(m.Player)}, nil)
	case *dpl8.DeletePlayerFromGroup:
		return numbered(m.Version, playerlist.RemoveMember{Group: wire.PlayerID(m.Group), Player: wire.PlayerID(m.Player)}, nil)
	case *dpl8.InstructConnect:
		return numbered(m.Version, playerlist.InstructConnect{ID: wire.PlayerID(m.ID)}, nil)
	case *dpl8.UpdateInfo:
		op, err := fromUpdate(m)
		return numbered(m.Version, op, err)
	}
	return playerlist.Numbered{}, ErrNoOperation
}

func numbered(version uint32, op playerlist.Op, err error) (playerlist.Numbered, error) {
	if err != nil {
		return playerlist.Numbered{}, err
	}
	return playerlist.Numbered{Version: version, Op: op}, nil
}

// fromCreateGroup reads the DN_ADD_PLAYER that stands behind the two fields which the specification has.
func fromCreateGroup(m *dpl8.CreateGroup) (playerlist.Numbered, error) {
	inner, err := dpl8.Decode(m.Rest)
	if err != nil {
		return playerlist.Numbered{}, &FieldError{"group", err}
	}
	add, ok := inner.(*dpl8.AddPlayer)
	if !ok {
		return playerlist.Numbered{}, &FieldError{"group", ErrNoOperation}
	}
	e, err := fromEntry(&add.Entry)
	version := e.Added
	e.Added, e.Group = 0, true
	return numbered(version, playerlist.AddGroup{Entry: e}, err)
}

// fromUpdate reads DN_UPDATE_INFO.
func fromUpdate(m *dpl8.UpdateInfo) (playerlist.Op, error) {
	var v values
	data := m.Data
	if m.InfoFlags&infoForm != 0 {
		var err error
		if v, data, err = readForm(m.Data); err != nil {
			return nil, &FieldError{"data", err}
		}
	}
	op := updateOp(m, &v, data)
	switch {
	case v.err != nil:
		return nil, v.err
	case op == nil:
		return nil, ErrNoOperation
	}
	return op, nil
}

// updateOp returns the operation by the form's word for it, or else by what is updated.
func updateOp(m *dpl8.UpdateInfo, v *values, data []byte) playerlist.Op {
	id := wire.PlayerID(m.ID)
	switch v.word("op") {
	case opSPData:
		return playerlist.SetSPData{ID: id, SPData: v.octets("sp")}
	case opHost:
		return playerlist.SetHost{ID: id}
	case opAddShortcut:
		return playerlist.AddShortcut{Parent: id, Child: wire.PlayerID(v.number("child"))}
	case opRemoveShortcut:
		return playerlist.RemoveShortcut{Parent: id, Child: wire.PlayerID(v.number("child"))}
	case opDesc:
		s := playerlist.Session{Name: m.Name, Password: wire.Text(v.octets("password"))}
		readSession(v, &s.Desc)
		s.Desc.MaxPlayers = v.number("max")
		s.Desc.Instance, s.Desc.Application = v.guid("instance"), v.guid("application")
		return playerlist.SetDesc{Session: s}
	case "":
	default:
		return nil
	}
	if len(data) == 0 {
		data = nil
	}
	long := wire.Text(v.octets("long"))
	switch m.InfoFlags & (dpl8.InfoName | dpl8.InfoData) {
	case dpl8.InfoName:
		return playerlist.SetName{ID: id, ShortName: m.Name, LongName: long}
	case dpl8.InfoData:
		return playerlist.SetData{ID: id, Data: data}
	case dpl8.InfoName | dpl8.InfoData:
		return playerlist.SetInfo{ID: id, ShortName: m.Name, LongName: long, Data: data}
	}
	return nil
}
