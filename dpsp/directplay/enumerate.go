package directplay

import (
	"context"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A Listed is a player or group that an enumeration tells of.
type Listed struct {
	ID    wire.PlayerID
	Group bool
	Name  Name
	Flags uint32
	mine  bool
}

// EnumPlayers calls back with each player, and with each group if DPENUMPLAYERS_GROUP asks for them. instance is the session
// that DPENUMPLAYERS_SESSION asks about while none is open, and of no matter otherwise. It ends if what it calls returns false.
func (o *Object) EnumPlayers(instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerate(instance, each, flags, func(r *roster) []Listed {
		all := r.list(r.players(), 0, flags, FlagServerPlayer|FlagSpectator)
		if flags&EnumGroup != 0 {
			all = append(all, r.list(r.AppendGroups(nil), 0, flags&^EnumGroup, FlagHidden|FlagStagingArea)...)
		}
		return all
	})
}

// EnumGroups is EnumPlayers for the groups that are in no other one.
func (o *Object) EnumGroups(instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerate(instance, each, flags, func(r *roster) []Listed {
		var top []wire.PlayerID
		for g := range r.EachGroup() {
			if g.Parent == 0 {
				top = append(top, g.ID)
			}
		}
		return r.list(top, 0, flags, FlagHidden|FlagStagingArea)
	})
}

// EnumGroupPlayers calls back with the players in a group. instance is that of EnumPlayers.
func (o *Object) EnumGroupPlayers(group wire.PlayerID, instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerateIn(group, instance, each, flags, func(r *roster) []Listed {
		return r.list(r.AppendMembers(nil, group), 0, flags, FlagServerPlayer|FlagSpectator)
	})
}

// EnumGroupsInGroup calls back with the groups in a group, and those that AddGroupToGroup made visible there. instance is that
// of EnumPlayers.
func (o *Object) EnumGroupsInGroup(group wire.PlayerID, instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerateIn(group, instance, each, flags, func(r *roster) []Listed {
		return r.list(r.below(group), group, flags, FlagHidden|FlagStagingArea|EnumShortcut)
	})
}

// enumerate makes the checks of EnumPlayers and EnumGroups, in order, and calls back. list is called with the object locked.
func (o *Object) enumerate(instance *wire.GUID, each func(Listed) bool, flags uint32, list func(*roster) []Listed) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	from, r := &o.roster, wire.OK
	switch {
	case o.asksElsewhere(instance, each, flags):
		from, r = o.elsewhere(*instance)
	case o.state == outside:
		r = wire.ErrNoSessions
	case each == nil || flags&EnumSession != 0:
		r = wire.ErrInvalidParams
	}
	return o.call(each, r, func() []Listed { return list(from) })
}

// enumerateIn makes the checks of enumerations in a group, in order, and calls back.
func (o *Object) enumerateIn(group wire.PlayerID, instance *wire.GUID, each func(Listed) bool, flags uint32,
	list func(*roster) []Listed) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	from, r := &o.roster, wire.OK
	asks := o.asksElsewhere(instance, each, flags)
	if asks {
		from, r = o.elsewhere(*instance)
	}
	switch {
	case r != wire.OK:
	case from.get(group, true) == nil:
		r = wire.ErrInvalidGroup
	case !asks && (each == nil || flags&EnumSession != 0):
		r = wire.ErrInvalidParams
	}
	return o.call(each, r, func() []Listed { return list(from) })
}

// call unlocks the object and calls back with what was found, unless there is another answer.
func (o *Object) call(each func(Listed) bool, r wire.HResult, list func() []Listed) wire.HResult {
	var all []Listed
	if r == wire.OK {
		all = list()
	}
	o.mu.Unlock()
	for _, l := range all {
		if !each(l) {
			break
		}
	}
	return r
}

// list returns those of ids that the flags ask for. What is told of each are the flags of the question and, of its own, those
// in tell. In a group, what was not made there is a shortcut.
func (r *roster) list(ids []wire.PlayerID, in wire.PlayerID, flags, tell uint32) []Listed {
	var all []Listed
	kinds := flags & tell
	for _, id := range ids {
		e := r.all[id]
		if e == nil {
			continue
		}
		s := r.subject(e)
		own := s.Flags & tell
		if in != 0 && s.Parent != in {
			own |= EnumShortcut
		}
		switch {
		case flags&EnumLocal != 0 && flags&EnumRemote == 0 && !e.mine, flags&EnumRemote != 0 && flags&EnumLocal == 0 && e.mine,
			own&kinds != kinds:
			continue
		}
		all = append(all, Listed{ID: id, Group: e.group, Name: s.Name, Flags: flags | own, mine: e.mine})
	}
	return all
}

// asksElsewhere reports whether an enumeration is about a session that is not open. The object is locked.
func (o *Object) asksElsewhere(instance *wire.GUID, each func(Listed) bool, flags uint32) bool {
	return o.state == outside && flags&EnumSession != 0 && instance != nil && each != nil
}

// untold is how long a host may take to say who is in its session. Many do not tell strangers, and a game that asks about each
// session that it found is not to stand still.
const untold = time.Second

// elsewhere returns who is in a session that was found and is not open. A host that does not say is DPERR_GENERIC, as with
// Windows (Wine's test_EnumPlayers). The object is locked, but not while the host is waited for.
func (o *Object) elsewhere(instance wire.GUID) (*roster, wire.HResult) {
	s := o.sess
	o.mu.Unlock()
	defer o.mu.Lock()
	at, ok := o.known(instance)
	if !ok || s == nil {
		return new(roster), wire.ErrNoSessions
	}
	ctx, cancel := context.WithTimeout(o.ctx, untold)
	defer cancel()
	in, err := s.EnumeratePlayers(ctx, at)
	if err != nil {
		o.log.Info("who is in a session", "why", err)
		return new(roster), wire.ErrGeneric
	}
	r := new(roster)
	for _, c := range in.Changes {
		switch c := c.(type) {
		case dpsp.PlayerCreated:
			r.add(c, &entry{id: c.ID})
		case dpsp.GroupCreated:
			r.add(c, &entry{id: c.ID, group: true})
		default:
			dpsp.Follow(&r.List, c) //nolint:errcheck // of a list
		}
	}
	r.before = r.Version()
	return r, wire.OK
}
