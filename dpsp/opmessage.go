package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// messageOf returns the message of DirectPlay 4 that tells of an operation which the list has; nil: there is none.
func (s *sessionState) messageOf(op playerlist.Op) wire.Message {
	switch o := op.(type) {
	case playerlist.AddPlayer:
		switch info, ok := s.list.Packed(o.Entry.ID, s.self); {
		case !ok:
		case o.Entry.Flags&wire.PlayerSystem != 0:
			return &wire.AddForward{Player: o.Entry.ID, Info: info}
		default:
			return &wire.CreatePlayer{Player: o.Entry.ID, Info: info}
		}
	case playerlist.AddGroup:
		if info, ok := s.list.Packed(o.Entry.ID, s.self); ok {
			return &wire.CreateGroup{Player: o.Entry.ID, Info: info}
		}
	case playerlist.AddMember:
		return &wire.AddPlayerToGroup{Player: o.Player, Group: o.Group}
	case playerlist.RemoveMember:
		return &wire.DeletePlayerFromGroup{Player: o.Player, Group: o.Group}
	case playerlist.AddShortcut:
		return &wire.AddShortcutToGroup{Child: o.Child, Parent: o.Parent}
	case playerlist.RemoveShortcut:
		return &wire.DeleteGroupFromGroup{Child: o.Child, Parent: o.Parent}
	case playerlist.SetName:
		if p, ok := s.list.Look(o.ID); ok {
			return nameChange(&p)
		}
	case playerlist.SetData:
		if p, ok := s.list.Look(o.ID); ok {
			return dataChange(&p)
		}
	}
	return deletion(op)
}

// deletion returns the message that announces an operation of Departed.
func deletion(op playerlist.Op) wire.Message {
	switch op := op.(type) {
	case playerlist.DeletePlayer:
		return &wire.DeletePlayer{Player: op.ID}
	case playerlist.DeleteGroup:
		return &wire.DeleteGroup{Group: op.ID}
	}
	return nil
}

// deletedID returns the id that a message of deletion is about.
func deletedID(m wire.Message) wire.PlayerID {
	switch m := m.(type) {
	case *wire.DeletePlayer:
		return m.Player
	case *wire.DeleteGroup:
		return m.Group
	}
	return 0
}

// nameChange returns the message that says what a player or group is called.
func nameChange(p *playerlist.Entry) wire.Message {
	if p.Group {
		return &wire.GroupNameChanged{Group: p.ID, ShortName: p.ShortName, LongName: p.LongName}
	}
	return &wire.PlayerNameChanged{Player: p.ID, ShortName: p.ShortName, LongName: p.LongName}
}

// dataChange returns the message that says what data a player or group has.
func dataChange(p *playerlist.Entry) wire.Message {
	if p.Group {
		return &wire.GroupDataChanged{Group: p.ID, Data: p.Data}
	}
	return &wire.PlayerDataChanged{Player: p.ID, Data: p.Data}
}
