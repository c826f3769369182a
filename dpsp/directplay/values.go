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
	local := flags&SetLocal != 0
	r := o.with(id, group, func(e *entry) wire.HResult {
		switch {
		case flags > SetGuaranteed, uint64(len(data)) != uint64(size): // one of both flags, or none
			return wire.ErrInvalidParams
		case local:
			e.local = slices.Clone(data)
		case !e.mine:
			return wire.ErrAccessDenied
		}
		return wire.OK
	})
	if r != wire.OK || local {
		return r
	}
	return o.change(dpsp.SetData{ID: id, Data: data}, dpsp.PlayerChanged{ID: id, Data: data})
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
	return o.with(id, group, func(e *entry) wire.HResult {
		data := e.local
		if flags&GetLocal == 0 {
			data = o.roster.subject(e).Remote
		}
		return b.put(Block{Data: slices.Clone(data)}, Face{})
	})
}

// SetPlayerName renames a player of ours: for all machines, or for this one (DPSET_LOCAL). A nil name takes its names away.
func (o *Object) SetPlayerName(id wire.PlayerID, n *Name, flags uint32) wire.HResult {
	return o.setName(id, false, n, flags)
}

// SetGroupName is SetPlayerName for groups.
func (o *Object) SetGroupName(id wire.PlayerID, n *Name, flags uint32) wire.HResult {
	return o.setName(id, true, n, flags)
}

func (o *Object) setName(id wire.PlayerID, group bool, name *Name, flags uint32) wire.HResult {
	local, n := flags&SetLocal != 0, deref(name)
	r := o.with(id, group, func(e *entry) wire.HResult {
		switch {
		case flags&^(SetLocal|SetGuaranteed) != 0:
			return wire.ErrInvalidParams
		case !e.mine:
			return wire.ErrAccessDenied
		case local:
			e.given = &n
		}
		return wire.OK
	})
	short, long := text(n.Short), text(n.Long)
	if r != wire.OK || local || o.alone(dpsp.PlayerChanged{ID: id, ShortName: short.String(), LongName: long.String(), Renamed: true}) {
		return r
	}
	_, err := o.make(&maker{renames: id, group: group, name: n}, dpsp.SetName{ID: id, ShortName: short, LongName: long})
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
	return o.with(id, group, func(e *entry) wire.HResult {
		n := o.roster.shown(e)
		return b.put(n.Block(f), f)
	})
}
