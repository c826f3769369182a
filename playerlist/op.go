package playerlist

import (
	"slices"

	"dplay4/wire"
)

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

// checkNew reports whether a new row may have the id.
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

// checkRow reports whether id is in the list and is of a kind; otherwise not says what it is not.
func (l *List) checkRow(op string, id wire.PlayerID, kind func(*row) bool, not error) error {
	switch r := l.rows[id]; {
	case r == nil:
		return &OpError{op, id, ErrUnknown}
	case !kind(r):
		return &OpError{op, id, not}
	}
	return nil
}

func (l *List) checkSystem(op string, id wire.PlayerID) error {
	return l.checkRow(op, id, (*row).isSystem, ErrNotSystem)
}
func (l *List) checkPlayer(op string, id wire.PlayerID) error {
	return l.checkRow(op, id, (*row).isPlayer, ErrNotPlayer)
}
func (l *List) checkGroup(op string, id wire.PlayerID) error {
	return l.checkRow(op, id, (*row).isGroup, ErrNotGroup)
}

// AddPlayer adds a player: a system player, or one that a system player in the list owns. A system player with
// NAMESERVER becomes the host if there is none, and is refused otherwise.
type AddPlayer struct{ Entry Entry }

func (o AddPlayer) check(l *List) error {
	e := &o.Entry
	const hostFlags = wire.PlayerSystem | wire.PlayerNameServer
	switch {
	case e.Flags&hostFlags == wire.PlayerNameServer:
		return &OpError{"AddPlayer", e.ID, ErrFlags}
	case e.Flags&wire.PlayerNameServer != 0 && l.host != nil:
		return &OpError{"AddPlayer", l.host.id, ErrHost}
	case e.Flags&wire.PlayerSystem == 0:
		if err := l.checkSystem("AddPlayer", e.System); err != nil {
			return err
		}
	}
	return l.checkNew("AddPlayer", e, false)
}

func (o AddPlayer) keep(*List) Op {
	e := o.Entry.clone()
	e.Flags &^= wire.PlayerLocal | wire.PlayerInGroup
	e.Parent, e.Added, e.Group = 0, 0, false
	if e.Flags&wire.PlayerSystem != 0 {
		e.System = e.ID
	} else {
		e.Dialect = 0
	}
	return AddPlayer{e}
}

func (o AddPlayer) do(l *List) {
	r := o.Entry.row(l.version)
	l.add(r)
	if o.Entry.Flags&wire.PlayerNameServer != 0 {
		l.host = r
	}
}

func (o AddPlayer) octets() int { return o.Entry.octets() }

// DeletePlayer removes a player from the list and from all groups. A system player is refused while it owns
// anything: [List.Departed] gives the operations that remove a machine. If it was the host, there is none then.
type DeletePlayer struct{ ID wire.PlayerID }

func (o DeletePlayer) check(l *List) error {
	if err := l.checkPlayer("DeletePlayer", o.ID); err != nil {
		return err
	}
	if l.rows[o.ID].owned > 0 {
		return &OpError{"DeletePlayer", o.ID, ErrOwns}
	}
	return nil
}

func (o DeletePlayer) keep(*List) Op { return o }
func (o DeletePlayer) do(l *List)    { l.remove(l.rows[o.ID]) }

func (o DeletePlayer) octets() int { return 0 }

// AddGroup adds a group without members that a system player in the list owns, at the top or in a group (Parent).
type AddGroup struct{ Entry Entry }

func (o AddGroup) check(l *List) error {
	e := &o.Entry
	if e.Flags&(wire.PlayerSystem|wire.PlayerNameServer) != 0 {
		return &OpError{"AddGroup", e.ID, ErrFlags}
	}
	if err := l.checkSystem("AddGroup", e.System); err != nil {
		return err
	}
	if e.Parent != 0 {
		if err := l.checkGroup("AddGroup", e.Parent); err != nil {
			return err
		}
	}
	return l.checkNew("AddGroup", e, true)
}

func (o AddGroup) keep(*List) Op {
	e := o.Entry.clone()
	e.Flags &^= wire.PlayerLocal | wire.PlayerInGroup
	e.Dialect, e.Added, e.Group = 0, 0, true
	return AddGroup{e}
}

func (o AddGroup) do(l *List) {
	r := o.Entry.row(l.version)
	r.group = &group{parent: o.Entry.Parent}
	if o.Entry.Parent != 0 {
		l.rows[o.Entry.Parent].group.children++
	}
	l.add(r)
}

func (o AddGroup) octets() int { return o.Entry.octets() }

// DeleteGroup removes a group and the groups in it (see the package documentation), with their memberships and the
// shortcuts in them and to them. Their members stay.
type DeleteGroup struct{ ID wire.PlayerID }

func (o DeleteGroup) check(l *List) error { return l.checkGroup("DeleteGroup", o.ID) }
func (o DeleteGroup) keep(*List) Op       { return o }
func (o DeleteGroup) octets() int         { return 0 }

func (o DeleteGroup) do(l *List) {
	for _, id := range l.Subtree(o.ID) {
		l.removeGroup(l.rows[id])
	}
}

// removeGroup removes a group without groups in it.
func (l *List) removeGroup(r *row) {
	g := r.group
	for _, links := range [][]link{g.members, g.shortcuts} {
		for _, k := range links {
			in := l.rows[k.id]
			in.in = cut(in.in, slices.Index(in.in, r.id))
		}
		l.countLinks(r, -len(links))
	}
	if g.parent != 0 {
		l.rows[g.parent].group.children--
	}
	l.remove(r)
}

// checkSet reports whether a player or group may have the names and data that set makes of its own.
func (l *List) checkSet(op string, id wire.PlayerID, set func(*Entry)) error {
	r := l.rows[id]
	if r == nil {
		return &OpError{op, id, ErrUnknown}
	}
	e := r.content()
	set(&e)
	return l.checkContent(op, &e, r.octets())
}

// set changes the names and data of a player or group, as checkSet has allowed.
func (l *List) set(id wire.PlayerID, set func(*Entry)) {
	r := l.rows[id]
	e := r.content()
	set(&e)
	l.hold(r, -r.octets())
	r.short, r.long, r.sp, r.data, r.digest = e.ShortName, e.LongName, e.SPData, e.Data, 0
	l.hold(r, r.octets())
}

// SetName gives a player or group new names; nil: none.
type SetName struct {
	ID                  wire.PlayerID
	ShortName, LongName wire.Text
}

func (o SetName) set(e *Entry)        { e.ShortName, e.LongName = o.ShortName, o.LongName }
func (o SetName) check(l *List) error { return l.checkSet("SetName", o.ID, o.set) }
func (o SetName) do(l *List)          { l.set(o.ID, o.set) }
func (o SetName) octets() int         { return len(o.ShortName) + len(o.LongName) }
func (o SetName) keep(*List) Op {
	return SetName{o.ID, wire.Text(duplicate(o.ShortName)), wire.Text(duplicate(o.LongName))}
}

// SetData gives a player or group new data of the game's; nil: none.
type SetData struct {
	ID   wire.PlayerID
	Data []byte
}

func (o SetData) set(e *Entry)        { e.Data = o.Data }
func (o SetData) check(l *List) error { return l.checkSet("SetData", o.ID, o.set) }
func (o SetData) keep(*List) Op       { return SetData{o.ID, duplicate(o.Data)} }
func (o SetData) do(l *List)          { l.set(o.ID, o.set) }
func (o SetData) octets() int         { return len(o.Data) }

// SetInfo gives a player or group new names and new data under one number, as DN_UPDATE_INFO can
// ([MC-DPL8CS] 2.2.5.2). DirectPlay 4 has no message for it.
type SetInfo struct {
	ID                  wire.PlayerID
	ShortName, LongName wire.Text
	Data                []byte
}

func (o SetInfo) set(e *Entry)        { e.ShortName, e.LongName, e.Data = o.ShortName, o.LongName, o.Data }
func (o SetInfo) check(l *List) error { return l.checkSet("SetInfo", o.ID, o.set) }
func (o SetInfo) do(l *List)          { l.set(o.ID, o.set) }
func (o SetInfo) octets() int         { return len(o.ShortName) + len(o.LongName) + len(o.Data) }
func (o SetInfo) keep(*List) Op {
	return SetInfo{o.ID, wire.Text(duplicate(o.ShortName)), wire.Text(duplicate(o.LongName)), duplicate(o.Data)}
}

// SetSPData gives a player or group new service provider data; nil: none. IAMNAMESERVER carries that of a new host.
type SetSPData struct {
	ID     wire.PlayerID
	SPData []byte
}

func (o SetSPData) set(e *Entry)        { e.SPData = o.SPData }
func (o SetSPData) check(l *List) error { return l.checkSet("SetSPData", o.ID, o.set) }
func (o SetSPData) keep(*List) Op       { return SetSPData{o.ID, duplicate(o.SPData)} }
func (o SetSPData) do(l *List)          { l.set(o.ID, o.set) }
func (o SetSPData) octets() int         { return len(o.SPData) }

// AddMember adds a player to a group.
type AddMember struct{ Group, Player wire.PlayerID }

func (o AddMember) check(l *List) error {
	return l.checkLink("AddMember", o.Group, l.checkPlayer, o.Player, false)
}
func (o AddMember) keep(*List) Op { return o }
func (o AddMember) do(l *List)    { l.link(o.Group, o.Player) }
func (o AddMember) octets() int   { return 0 }

// RemoveMember takes a player out of a group.
type RemoveMember struct{ Group, Player wire.PlayerID }

func (o RemoveMember) check(l *List) error {
	return l.checkLink("RemoveMember", o.Group, l.checkPlayer, o.Player, true)
}
func (o RemoveMember) keep(*List) Op { return o }
func (o RemoveMember) do(l *List)    { l.unlink(o.Group, o.Player) }
func (o RemoveMember) octets() int   { return 0 }

// AddShortcut makes a group visible inside another one.
type AddShortcut struct{ Parent, Child wire.PlayerID }

func (o AddShortcut) check(l *List) error {
	return l.checkLink("AddShortcut", o.Parent, l.checkGroup, o.Child, false)
}
func (o AddShortcut) keep(*List) Op { return o }
func (o AddShortcut) do(l *List)    { l.link(o.Parent, o.Child) }
func (o AddShortcut) octets() int   { return 0 }

// RemoveShortcut takes a group out of another one that a shortcut made visible there. A group that was created in
// the other one (Parent) is not in it by a shortcut.
type RemoveShortcut struct{ Parent, Child wire.PlayerID }

func (o RemoveShortcut) check(l *List) error {
	return l.checkLink("RemoveShortcut", o.Parent, l.checkGroup, o.Child, true)
}
func (o RemoveShortcut) keep(*List) Op { return o }
func (o RemoveShortcut) do(l *List)    { l.unlink(o.Parent, o.Child) }
func (o RemoveShortcut) octets() int   { return 0 }

// checkLink reports whether a player or group, of the kind that checkKind wants, can be put into a group, or be taken
// out of it (remove).
func (l *List) checkLink(op string, group wire.PlayerID, checkKind func(string, wire.PlayerID) error, id wire.PlayerID,
	remove bool) error {
	if err := l.checkGroup(op, group); err != nil {
		return err
	}
	if err := checkKind(op, id); err != nil {
		return err
	}
	switch has := l.rows[id].isIn(l.rows[group]); {
	case remove && !has:
		return &OpError{op, id, ErrNotMember}
	case remove:
		return nil
	case group == id:
		return &OpError{op, id, ErrSelf}
	case has:
		return &OpError{op, id, ErrMember}
	case l.links >= MaxLinks:
		return &OpError{op, id, ErrFull}
	}
	return nil
}

// SetHost makes a system player the host, instead of the one before if there is one.
type SetHost struct{ ID wire.PlayerID }

func (o SetHost) check(l *List) error { return l.checkSystem("SetHost", o.ID) }
func (o SetHost) keep(*List) Op       { return o }

func (o SetHost) do(l *List)  { l.host = l.rows[o.ID] }
func (o SetHost) octets() int { return 0 }

// SetDesc gives the session a new description, name and password. What makes it this session stays: both GUIDs,
// which Windows ignores too (facts, 5.4), and Reserved1, from which ids are made. The current number of players
// is the list's own.
type SetDesc struct{ Session Session }

func (o SetDesc) check(l *List) error { return l.checkSession("SetDesc", &o.Session) }

func (o SetDesc) keep(l *List) Op {
	s := o.Session.clone()
	s.Desc = plain(&o.Session.Desc)
	s.Desc.Instance, s.Desc.Application = l.session.Desc.Instance, l.session.Desc.Application
	s.Desc.Reserved1 = l.session.Desc.Reserved1
	return SetDesc{s}
}

func (o SetDesc) do(l *List) {
	l.octets -= l.session.octets()
	l.session = o.Session
	l.octets += l.session.octets()
}

func (o SetDesc) octets() int { return o.Session.octets() }

// InstructConnect tells members to connect to a system player. It changes nothing, but [MC-DPL8CS] 2.2.6 counts it
// among the operations of the name table, so it takes a number.
type InstructConnect struct{ ID wire.PlayerID }

func (o InstructConnect) check(l *List) error { return l.checkSystem("InstructConnect", o.ID) }
func (o InstructConnect) keep(*List) Op       { return o }

func (o InstructConnect) do(*List)    {}
func (o InstructConnect) octets() int { return 0 }
