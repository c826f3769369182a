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

// CreatePlayer makes a player of this machine.
func (o *Object) CreatePlayer(id *wire.PlayerID, m Making) wire.HResult {
	return o.create(id, false, &m, wire.ErrCantCreatePlayer, func(short, long dpsp.Text) dpsp.Command {
		return dpsp.CreatePlayer{ShortName: short, LongName: long, Data: m.Data, Flags: toWire(m.Flags & (FlagServerPlayer | FlagSpectator))}
	})
}

// DestroyPlayer removes a player of this machine. Our other players are told, it is not.
func (o *Object) DestroyPlayer(id wire.PlayerID) wire.HResult {
	return o.changeOf(id, false, ours, dpsp.DeletePlayer{ID: id}, dpsp.PlayerDeleted{ID: id})
}

// ours returns DPERR_ACCESSDENIED for a player or group of another machine.
func ours(e *entry) wire.HResult {
	if !e.mine {
		return wire.ErrAccessDenied
	}
	return wire.OK
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
func (o *Object) alone(e dpsp.Event) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state == lost {
		o.take(e)
	}
	return o.state == lost
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
	return o.with(id, group, func(e *entry) wire.HResult { return store(flags, o.roster.subject(e).Flags) })
}

// GetPlayerAccount is for secure sessions, which are not supported.
func (o *Object) GetPlayerAccount() wire.HResult { return o.unsupported() }

// unsupported answers what is not supported, of a session that is open.
func (o *Object) unsupported() wire.HResult {
	return o.locked(func() wire.HResult {
		if o.state == outside {
			return wire.ErrNoSessions
		}
		return wire.ErrUnsupported
	})
}

// create has the session create a player or group, and stores its ID. command returns the command for its names. A failure that has
// no other code is returned as failed.
func (o *Object) create(id *wire.PlayerID, group bool, m *Making, failed wire.HResult, command func(short, long dpsp.Text) dpsp.Command) wire.HResult {
	r := o.locked(func() wire.HResult {
		if o.state == outside || id == nil || uint64(len(m.Data)) != uint64(m.Size) {
			return wire.ErrInvalidParams
		}
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	n := deref(m.Name)
	got, err := o.make(&maker{group: group, name: n, wake: m.Wake, first: m.first}, command(text(n.Short), text(n.Long)))
	switch r := o.result(err); r {
	case wire.OK:
		*id = got
		return r
	case wire.ErrGeneric, wire.ErrOutOfMemory, wire.ErrCantCreatePlayer:
		return failed
	default:
		return r
	}
}
