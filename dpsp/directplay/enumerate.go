package directplay

import (
	"context"
	"slices"
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

	machine uint32 // EnumLocal or EnumRemote
}

// EnumPlayers calls back with each player, and with each group if DPENUMPLAYERS_GROUP asks for them. instance is the session
// that DPENUMPLAYERS_SESSION asks about while none is open, and of no matter otherwise. It ends if what it calls returns false.
func (o *Object) EnumPlayers(instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerate(instance, each, flags, wire.ErrNoSessions, o.isKnown, func(r *roster) []Listed {
		all := r.list(r.players(), 0, flags, FlagServerPlayer|FlagSpectator)
		if flags&EnumGroup != 0 {
			all = append(all, r.list(r.AppendGroups(nil), 0, flags&^EnumGroup, FlagHidden|FlagStagingArea)...)
		}
		return all
	})
}

// EnumGroups is EnumPlayers for the groups that are in no other one.
func (o *Object) EnumGroups(instance *wire.GUID, each func(Listed) bool, flags uint32) wire.HResult {
	return o.enumerate(instance, each, flags, wire.ErrNoSessions, o.isKnown, func(r *roster) []Listed {
		top := slices.DeleteFunc(r.AppendGroups(nil), func(id wire.PlayerID) bool { g, _ := r.Look(id); return g.Parent != 0 })
		return r.list(top, 0, flags, FlagHidden|FlagStagingArea)
	})
}

// isKnown reports whether a roster is that of a session: ours is one while a session is open.
func (o *Object) isKnown(r *roster) bool { return r != &o.roster || o.state != outside }

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

// enumerate makes the checks of an enumeration, in order, and calls back. If there returns false, it returns absent. there and list
// are called with the object locked, and with the roster of our session or of the one that the game asks about.
func (o *Object) enumerate(instance *wire.GUID, each func(Listed) bool, flags uint32, absent wire.HResult, there func(*roster) bool,
	list func(*roster) []Listed) wire.HResult {
	var all []Listed
	r := o.locked(func() (r wire.HResult) {
		from, elsewhere := &o.roster, o.asksElsewhere(instance, each, flags)
		if elsewhere {
			from, r = o.elsewhere(*instance)
		}
		switch {
		case r != wire.OK:
			return r
		case !there(from):
			return absent
		case !elsewhere && (each == nil || flags&EnumSession != 0):
			return wire.ErrInvalidParams
		}
		all = list(from)
		return wire.OK
	})
	for _, l := range all {
		if !each(l) {
			break
		}
	}
	return r
}

// enumerateIn is enumerate for what is in a group.
func (o *Object) enumerateIn(group wire.PlayerID, instance *wire.GUID, each func(Listed) bool, flags uint32,
	list func(*roster) []Listed) wire.HResult {
	there := func(r *roster) bool { return r.get(group, true) != nil }
	return o.enumerate(instance, each, flags, wire.ErrInvalidGroup, there, list)
}

// list returns those of ids that the flags ask for. What is told of each are the flags of the question and, of its own, those
// in tell. In a group, what was not made there is a shortcut.
func (r *roster) list(ids []wire.PlayerID, in wire.PlayerID, flags, tell uint32) []Listed {
	var all []Listed
	kinds, machines := flags&tell, flags&(EnumLocal|EnumRemote)
	for _, id := range ids {
		e := r.all[id]
		s := r.subject(e)
		own := s.Flags & tell
		if in != 0 && s.Parent != in {
			own |= EnumShortcut
		}
		machine := uint32(EnumRemote)
		if e.mine {
			machine = EnumLocal
		}
		if own&kinds == kinds && (machines == 0 || machines&machine != 0) {
			all = append(all, Listed{ID: id, Group: s.Group, Name: s.Name, Flags: flags | own, machine: machine})
		}
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
	if !ok { // otherwise there are sockets, which found it
		return nil, wire.ErrNoSessions
	}
	ctx, cancel := context.WithTimeout(o.ctx, untold)
	defer cancel()
	in, err := s.EnumeratePlayers(ctx, at)
	if err != nil {
		o.log.Info("who is in a session", "why", err)
		return nil, wire.ErrGeneric
	}
	r := newRoster()
	for _, c := range in.Changes {
		switch c := c.(type) {
		case dpsp.PlayerCreated:
			r.add(c, &entry{id: c.ID})
		case dpsp.GroupCreated:
			r.add(c, &entry{id: c.ID})
		default:
			dpsp.Follow(&r.List, c) //nolint:errcheck // of a list
		}
	}
	r.before = r.Version()
	return &r, wire.OK
}
