package directplay

import "dplay4/wire"

// Flags of Open.
const (
	OpenJoin         = 0x01
	OpenCreate       = 0x02
	OpenReturnStatus = 0x80
)

// Flags of EnumPlayers, EnumGroups and what is like them, and of what they tell.
const (
	EnumLocal        = 0x0008
	EnumRemote       = 0x0010
	EnumGroup        = 0x0020 // groups as well as players
	EnumSession      = 0x0080 // of a session that is not open
	EnumServerPlayer = 0x0100
	EnumSpectator    = 0x0200
	EnumShortcut     = 0x0400
	EnumStagingArea  = 0x0800
	EnumHidden       = 0x1000
)

// Flags of players and groups. They are those of the enumerations.
const (
	FlagLocal        = EnumLocal
	FlagServerPlayer = EnumServerPlayer
	FlagSpectator    = EnumSpectator
	FlagStagingArea  = EnumStagingArea
	FlagHidden       = EnumHidden
)

// Flags of Send and SendEx.
const (
	SendGuaranteed   = 0x001
	SendHighPriority = 0x002
	SendSigned       = 0x020
	SendEncrypted    = 0x040
	SendLobby        = 0x080
	SendAsync        = 0x200
	SendNoComplete   = 0x400 // no DPSYS_SENDCOMPLETE
)

// Flags of Receive.
const (
	ReceiveAll  = 0x01
	ReceiveTo   = 0x02
	ReceiveFrom = 0x04
	ReceivePeek = 0x08
)

// Flags of the methods that set and get names and data. Whoever says both gets local.
const (
	SetLocal      = 0x01
	SetGuaranteed = 0x02
	GetLocal      = 0x01
)

// Flags of GetMessageQueue.
const (
	QueueSend    = 0x01
	QueueReceive = 0x02
)

// Flags of GetCaps, and of what it tells.
const (
	CapsOfGuaranteed = 0x01 // asked for

	CapsIsHost              = 0x00000002
	CapsGuaranteedOptimized = 0x00000020
	CapsGuaranteedSupported = 0x00000040
	CapsLocal               = 0x00000800
	CapsAsyncCancel         = 0x00001000
	CapsAsyncCancelAll      = 0x00002000
	CapsSendTimeout         = 0x00004000
	CapsSendPriority        = 0x00008000
	CapsAsync               = 0x00010000
)

// The types of system messages.
const (
	SysCreatePlayerOrGroup   = 0x0003
	SysDestroyPlayerOrGroup  = 0x0005
	SysAddPlayerToGroup      = 0x0007
	SysDeletePlayerFromGroup = 0x0021
	SysSessionLost           = 0x0031
	SysHost                  = 0x0101
	SysSetPlayerOrGroupData  = 0x0102
	SysSetPlayerOrGroupName  = 0x0103
	SysSetSessionDesc        = 0x0104
	SysAddGroupToGroup       = 0x0105
	SysDeleteGroupFromGroup  = 0x0106
	SysChat                  = 0x0109
	SysSendComplete          = 0x010D
)

// everySearch are the flags that EnumSessions takes.
const everySearch = wire.EnumAvailable | wire.EnumAll | wire.EnumAsync | wire.EnumStopAsync |
	wire.EnumPasswordRequired | wire.EnumReturnStatus

// hiddenOnWire: groups that are not shown have another flag on the wire than in the interface.
const hiddenOnWire = uint32(wire.PlayerHiddenGroup)

// toWire returns the flags of a new player or group as others get them.
func toWire(flags uint32) wire.PlayerFlags {
	f := flags & (FlagServerPlayer | FlagSpectator | FlagStagingArea)
	if flags&FlagHidden != 0 {
		f |= hiddenOnWire
	}
	return wire.PlayerFlags(f)
}

// fromWire returns the flags of a player or group as the game sees them.
func fromWire(f wire.PlayerFlags, local bool) uint32 {
	flags := uint32(f) & (FlagServerPlayer | FlagSpectator | FlagStagingArea)
	if uint32(f)&hiddenOnWire != 0 {
		flags |= FlagHidden
	}
	if local {
		flags |= FlagLocal
	}
	return flags
}
