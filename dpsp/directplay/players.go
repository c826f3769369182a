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
	got, err := o.make(&maker{name: n, wake: m.Wake, first: m.first}, dpsp.CreatePlayer{
		ShortName: text(n.Short), LongName: text(n.Long), Data: m.Data, Flags: toWire(m.Flags & (FlagServerPlayer | FlagSpectator))})
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
	if o.alone(dpsp.PlayerDeleted{ID: id}) {
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
	*flags = o.roster.subject(e).Flags
	return wire.OK
}

// GetPlayerAccount is for secure sessions, which are not supported.
func (o *Object) GetPlayerAccount() wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	if o.state == outside {
		return wire.ErrNoSessions
	}
	return wire.ErrUnsupported
}
