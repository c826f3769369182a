package directplay

import (
	"dplay4/dpsp"
	"dplay4/wire"
)

// A maker is a call that makes or renames a player or group: what it knows of it beyond what others are told.
type maker struct {
	group   bool
	name    Name
	wake    func()
	first   bool          // by IDirectPlay
	renames wire.PlayerID // 0 for a new one
}

// make has the session make a player or group.
func (o *Object) make(m *maker, c dpsp.Command) (wire.PlayerID, error) {
	o.making.Lock()
	defer o.making.Unlock()
	o.mu.Lock()
	o.maker = m
	o.mu.Unlock()
	id, err := o.do(c)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.maker = nil
	return id, err
}

// A Making is what CreatePlayer and CreateGroup are told. Size is what the game said of the data.
type Making struct {
	Name  *Name
	Data  []byte
	Size  uint32
	Flags uint32
	// Wake, if it is not nil, is called whenever a message was put into the new player's queue. It must not block, nor call
	// the object.
	Wake func()

	first bool // by IDirectPlay
}

func (m *Making) bad() bool { return uint64(len(m.Data)) != uint64(m.Size) }

func (m *Making) named() Name {
	if m.Name == nil {
		return Name{}
	}
	return *m.Name
}

// CreatePlayer makes a player of this machine.
func (o *Object) CreatePlayer(id *wire.PlayerID, m Making) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	in := o.state
	o.mu.Unlock()
	if in == outside || id == nil || m.bad() {
		return wire.ErrInvalidParams
	}
	n := m.named()
	got, err := o.make(&maker{name: n, wake: m.Wake, first: m.first}, dpsp.CreatePlayer{ShortName: text(n.Short), LongName: text(n.Long),
		Data: m.Data, Flags: toWire(m.Flags & (FlagServerPlayer | FlagSpectator))})
	if err == nil {
		*id = got
	}
	r := o.result(err)
	if r == wire.ErrGeneric || r == wire.ErrOutOfMemory {
		return wire.ErrCantCreatePlayer
	}
	return r
}

// DestroyPlayer removes a player of this machine. Our other players are told, it is not.
func (o *Object) DestroyPlayer(id wire.PlayerID) wire.HResult {
	if r := o.owned(id, false); r != wire.OK {
		return r
	}
	if o.alone(func() { o.destroyed(id) }) {
		return wire.OK
	}
	_, err := o.do(dpsp.DeletePlayer{ID: id})
	return o.result(err)
}

// owned reports whether a player or group is there and ours, by the code that says so.
func (o *Object) owned(id wire.PlayerID, group bool) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	e, r := o.find(id, group)
	if r == wire.OK && !e.mine {
		return wire.ErrAccessDenied
	}
	return r
}

// find returns a player or group. The object is locked.
func (o *Object) find(id wire.PlayerID, group bool) (*entry, wire.HResult) {
	if e := o.roster.get(id, group); e != nil {
		return e, wire.OK
	}
	if group {
		return nil, wire.ErrInvalidGroup
	}
	return nil, wire.ErrInvalidPlayer
}

// alone changes what is left of a session that was lost, if it was: the engine has none any more, and a game cleans up.
func (o *Object) alone(change func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state == lost {
		change()
	}
	return o.state == lost
}

// A Listed is a player or group that an enumeration tells of.
type Listed struct {
	ID    wire.PlayerID
	Group bool
	Name  Name
	Flags uint32
	mine  bool
}

// EnumPlayers calls back with each player, and with each group if DPENUMPLAYERS_GROUP asks for them. instance is the session
// that DPENUMPLAYERS_SESSION asks about, and of no matter otherwise. It ends if what it calls returns false.
func (o *Object) EnumPlayers(instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	all, r := o.enumerate(instance, each != nil, flags, func() []Listed {
		all := o.list(o.roster.players, 0, flags, FlagServerPlayer|FlagSpectator)
		if flags&EnumGroup != 0 {
			all = append(all, o.list(o.roster.groups, 0, flags&^EnumGroup, FlagHidden|FlagStagingArea)...)
		}
		return all
	})
	return call(each, all, r)
}

// EnumGroups is EnumPlayers for the groups that are in no other one.
func (o *Object) EnumGroups(instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	all, r := o.enumerate(instance, each != nil, flags, func() []Listed {
		var top []wire.PlayerID
		for _, id := range o.roster.groups {
			if o.roster.all[id].Parent == 0 {
				top = append(top, id)
			}
		}
		return o.list(top, 0, flags, FlagHidden|FlagStagingArea)
	})
	return call(each, all, r)
}

// EnumGroupPlayers calls back with the players in a group.
func (o *Object) EnumGroupPlayers(group wire.PlayerID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerateIn(group, each, flags, func(g *entry) []Listed {
		return o.list(g.member, 0, flags, FlagServerPlayer|FlagSpectator)
	})
}

// EnumGroupsInGroup calls back with the groups in a group, and those that AddGroupToGroup made visible there.
func (o *Object) EnumGroupsInGroup(group wire.PlayerID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerateIn(group, each, flags, func(g *entry) []Listed {
		return o.list(g.below, group, flags, FlagHidden|FlagStagingArea|EnumShortcut)
	})
}

// enumerateIn enumerates what is in a group.
func (o *Object) enumerateIn(group wire.PlayerID, each func(Listed) bool, flags uint32, list func(*entry) []Listed) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	g, r := o.find(group, true)
	if r == wire.OK && (each == nil || flags&EnumSession != 0) {
		r = wire.ErrInvalidParams
	}
	var all []Listed
	if r == wire.OK {
		all = list(g)
	}
	o.mu.Unlock()
	return call(each, all, r)
}

// enumerate makes the checks of EnumPlayers and EnumGroups, in order. list is called with the object locked.
func (o *Object) enumerate(instance *wire.GUID, given bool, flags uint32, list func() []Listed) ([]Listed, wire.HResult) {
	if r := o.ready(); r != wire.OK {
		return nil, r
	}
	switch {
	case o.state == outside && flags&EnumSession != 0 && instance != nil && given:
		o.mu.Unlock()
		return o.elsewhere(*instance, flags)
	case o.state == outside:
		o.mu.Unlock()
		return nil, wire.ErrNoSessions
	}
	defer o.mu.Unlock()
	if !given || flags&EnumSession != 0 {
		return nil, wire.ErrInvalidParams
	}
	return list(), wire.OK
}

// elsewhere lists who is in a session that was found and is not open. As a rule hosts do not tell strangers.
func (o *Object) elsewhere(instance wire.GUID, flags uint32) ([]Listed, wire.HResult) {
	at, ok := o.known(instance)
	o.mu.Lock()
	s := o.sess
	o.mu.Unlock()
	if !ok || s == nil {
		return nil, wire.ErrNoSessions
	}
	in, err := s.EnumeratePlayers(o.ctx, at)
	if err != nil {
		o.log.Info("who is in a session", "why", err)
		return nil, wire.ErrGeneric
	}
	var all []Listed
	for _, p := range in.Players {
		all = append(all, Listed{ID: p.ID, Name: Name{textOrNull(p.ShortName), textOrNull(p.LongName)},
			Flags: flags | fromWire(p.Flags, false)})
	}
	return all, wire.OK
}

// list returns those of ids that the flags ask for. What is told of each are the flags of the question and, of its own, those
// in tell. In a group, what was not made there is a shortcut. The object is locked.
func (o *Object) list(ids []wire.PlayerID, in wire.PlayerID, flags, tell uint32) []Listed {
	var all []Listed
	kinds := flags & tell
	for _, id := range ids {
		e := o.roster.all[id]
		if e == nil {
			continue
		}
		own := e.Flags & tell
		if in != 0 && e.Parent != in {
			own |= EnumShortcut
		}
		switch {
		case flags&EnumLocal != 0 && flags&EnumRemote == 0 && !e.mine, flags&EnumRemote != 0 && flags&EnumLocal == 0 && e.mine,
			own&kinds != kinds:
			continue
		}
		all = append(all, Listed{ID: id, Group: e.Group, Name: e.name(), Flags: flags | own, mine: e.mine})
	}
	return all
}

// call calls back with what was found.
func call(each func(Listed) bool, all []Listed, r wire.HResult) wire.HResult {
	for _, l := range all {
		if !each(l) {
			break
		}
	}
	return r
}

// GetPlayerFlags tells the flags of a player.
func (o *Object) GetPlayerFlags(id wire.PlayerID, flags *uint32) wire.HResult {
	return o.flags(id, false, flags)
}

// GetGroupFlags tells the flags of a group.
func (o *Object) GetGroupFlags(id wire.PlayerID, flags *uint32) wire.HResult {
	return o.flags(id, true, flags)
}

func (o *Object) flags(id wire.PlayerID, group bool, flags *uint32) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	e, r := o.find(id, group)
	switch {
	case r != wire.OK:
		return r
	case flags == nil:
		return wire.ErrInvalidParams
	}
	*flags = e.Flags
	return wire.OK
}

// GetPlayerAccount is for secure sessions, which are not supported.
func (o *Object) GetPlayerAccount() wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	o.mu.Unlock()
	return wire.ErrUnsupported
}
