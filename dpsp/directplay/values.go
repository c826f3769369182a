package directplay

import (
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// SetPlayerData changes the data of a player: those that all machines share, of a player of ours, or those of this machine
// alone, of any player (DPSET_LOCAL). Size is what the game said of the data.
func (o *Object) SetPlayerData(id wire.PlayerID, data []byte, size, flags uint32) wire.HResult {
	return o.setData(id, false, data, size, flags)
}

// SetGroupData is SetPlayerData for groups.
func (o *Object) SetGroupData(id wire.PlayerID, data []byte, size, flags uint32) wire.HResult {
	return o.setData(id, true, data, size, flags)
}

func (o *Object) setData(id wire.PlayerID, group bool, data []byte, size, flags uint32) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	e, r := o.find(id, group)
	bad := flags&^(SetLocal|SetGuaranteed) != 0 || flags == SetLocal|SetGuaranteed || uint64(len(data)) != uint64(size)
	if r == wire.OK && bad {
		r = wire.ErrInvalidParams
	}
	if r == wire.OK && flags&SetLocal != 0 {
		e.local = slices.Clone(data)
		o.mu.Unlock()
		return wire.OK
	}
	if r == wire.OK && !e.mine {
		r = wire.ErrAccessDenied
	}
	o.mu.Unlock()
	if r != wire.OK || o.alone(dpsp.PlayerChanged{ID: id, Data: data}) {
		return r
	}
	_, err := o.do(dpsp.SetData{ID: id, Data: data})
	return o.result(err)
}

// GetPlayerData gives the data of a player: those that all machines share, or those of this machine alone (DPGET_LOCAL).
func (o *Object) GetPlayerData(id wire.PlayerID, b *Buffer, flags uint32) wire.HResult {
	return o.getData(id, false, b, flags)
}

// GetGroupData is GetPlayerData for groups.
func (o *Object) GetGroupData(id wire.PlayerID, b *Buffer, flags uint32) wire.HResult {
	return o.getData(id, true, b, flags)
}

func (o *Object) getData(id wire.PlayerID, group bool, b *Buffer, flags uint32) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	e, r := o.find(id, group)
	switch {
	case r != wire.OK:
		return r
	case b == nil:
		return wire.ErrInvalidParams
	case flags&GetLocal != 0:
		return b.put(Block{Data: slices.Clone(e.local)}, Face{})
	}
	return b.put(Block{Data: slices.Clone(o.roster.subject(e).Remote)}, Face{})
}

// SetPlayerName renames a player of ours: for all machines, or for this one (DPSET_LOCAL). A nil name takes its names away.
func (o *Object) SetPlayerName(id wire.PlayerID, n *Name, flags uint32) wire.HResult {
	return o.setName(id, false, n, flags)
}

// SetGroupName is SetPlayerName for groups.
func (o *Object) SetGroupName(id wire.PlayerID, n *Name, flags uint32) wire.HResult {
	return o.setName(id, true, n, flags)
}

func (o *Object) setName(id wire.PlayerID, group bool, n *Name, flags uint32) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	e, r := o.find(id, group)
	switch {
	case r != wire.OK:
	case flags&^(SetLocal|SetGuaranteed) != 0:
		r = wire.ErrInvalidParams
	case !e.mine:
		r = wire.ErrAccessDenied
	}
	if n == nil {
		n = &Name{}
	}
	if r == wire.OK && flags&SetLocal != 0 {
		given := *n
		e.given = &given
		o.mu.Unlock()
		return wire.OK
	}
	o.mu.Unlock()
	if r != wire.OK || o.alone(dpsp.PlayerChanged{ID: id, ShortName: text(n.Short).String(), LongName: text(n.Long).String(), Renamed: true}) {
		return r
	}
	c := dpsp.SetName{ID: id, ShortName: text(n.Short), LongName: text(n.Long)}
	_, err := o.make(&maker{renames: id, group: group, name: *n}, c)
	return o.result(err)
}

// GetPlayerName gives the DPNAME of a player.
func (o *Object) GetPlayerName(id wire.PlayerID, b *Buffer, f Face) wire.HResult {
	return o.getName(id, false, b, f)
}

// GetGroupName gives the DPNAME of a group.
func (o *Object) GetGroupName(id wire.PlayerID, b *Buffer, f Face) wire.HResult {
	return o.getName(id, true, b, f)
}

func (o *Object) getName(id wire.PlayerID, group bool, b *Buffer, f Face) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	e, r := o.find(id, group)
	switch {
	case r != wire.OK:
		return r
	case b == nil:
		return wire.ErrInvalidParams
	}
	n := o.roster.shown(e)
	return b.put(n.Block(f), f)
}
