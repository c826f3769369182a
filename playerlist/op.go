package playerlist

import "dplay4/wire"

// An Op is one change of a list: a value of one of the operation types of this package, which are named after
// what they do. A list copies what an operation points to, so a caller may do with it as it likes afterwards.
//
//	AddPlayer, DeletePlayer              CREATEPLAYER, ADDFORWARD, DELETEPLAYER
//	AddGroup, DeleteGroup                CREATEGROUP, DELETEGROUP
//	SetName, SetData, SetInfo            PLAYERNAMECHANGED and its three sisters; DN_UPDATE_INFO
//	SetSPData, SetHost                   IAMNAMESERVER
//	SetDesc                              SESSIONDESCCHANGED
//	AddMember, RemoveMember              ADDPLAYERTOGROUP, DELETEPLAYERFROMGROUP
//	AddShortcut, RemoveShortcut          ADDSHORTCUTTOGROUP, DELETEGROUPFROMGROUP
//	InstructConnect                      DN_INSTRUCT_CONNECT
type Op interface {
	check(l *List) error // says whether do is possible; changes nothing
	keep(l *List) Op     // a copy that shares nothing with the operation, in the form in which a list keeps it
	do(l *List)          // changes the list; cannot fail after check
	octets() int         // what names and data take
}

// checkNew says whether a new row may have the id.
func (l *List) checkNew(op string, e *Entry, isGroup bool) error {
	server := e.Flags&(wire.PlayerServerPlayer|wire.PlayerSystem) == wire.PlayerServerPlayer && !isGroup
	switch {
	case e.ID == wire.IDAll, e.ID == wire.IDUnknown, e.ID == wire.IDServer && !server:
		return &OpError{op, e.ID, ErrReserved}
	case l.rows[e.ID] != nil:
		return &OpError{op, e.ID, ErrInUse}
	case len(l.rows) >= MaxRows:
		return &OpError{op, e.ID, ErrFull}
	}
	return l.checkContent(op, e, 0)
}

// checkSystem says whether id is a system player in the list.
func (l *List) checkSystem(op string, id wire.PlayerID) error {
	r := l.rows[id]
	switch {
	case r == nil:
		return &OpError{op, id, ErrUnknown}
	case !r.isSystem():
		return &OpError{op, id, ErrNotSystem}
	}
	return nil
}

// checkPlayer says whether id is a player in the list.
func (l *List) checkPlayer(op string, id wire.PlayerID) error {
	r := l.rows[id]
	switch {
	case r == nil:
		return &OpError{op, id, ErrUnknown}
	case r.group != nil:
		return &OpError{op, id, ErrNotPlayer}
	}
	return nil
}

// checkGroup says whether id is a group in the list.
func (l *List) checkGroup(op string, id wire.PlayerID) error {
	r := l.rows[id]
	switch {
	case r == nil:
		return &OpError{op, id, ErrUnknown}
	case r.group == nil:
		return &OpError{op, id, ErrNotGroup}
	}
	return nil
}
