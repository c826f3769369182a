package dpl8

import "dplay4/wire/internal/field"

// EntryFlags say what an entry of the name table is (2.2.1.5).
type EntryFlags uint32

// The flags of an entry, by their names in 2.2.1.5 without NAMETABLE_ENTRY_FLAG_.
const (
	EntryLocal             EntryFlags = 0x00001
	EntryHost              EntryFlags = 0x00002
	EntryAllPlayersGroup   EntryFlags = 0x00004
	EntryGroup             EntryFlags = 0x00010
	EntryGroupAutodestruct EntryFlags = 0x00040
	EntryPeer              EntryFlags = 0x00100
	EntryClient            EntryFlags = 0x00200
	EntryServer            EntryFlags = 0x00400
	EntryConnecting        EntryFlags = 0x01000
	EntryAvailable         EntryFlags = 0x02000
	EntryDisconnecting     EntryFlags = 0x04000
	EntryIndicated         EntryFlags = 0x10000
	EntryCreated           EntryFlags = 0x20000
	EntryNeedToDestroy     EntryFlags = 0x40000
	EntryInUse             EntryFlags = 0x80000
)

var entryFlagNames = []field.FlagName{
	{0x1, "LOCAL"}, {0x2, "HOST"}, {0x4, "ALL_PLAYERS_GROUP"}, {0x10, "GROUP"}, {0x40, "GROUP_AUTODESTRUCT"},
	{0x100, "PEER"}, {0x200, "CLIENT"}, {0x400, "SERVER"}, {0x1000, "CONNECTING"}, {0x2000, "AVAILABLE"},
	{0x4000, "DISCONNECTING"}, {0x10000, "INDICATED"}, {0x20000, "CREATED"}, {0x40000, "NEED_TO_DESTROY"},
	{0x80000, "IN_USE"},
}

// String returns the names of the flags; unknown bits stay.
func (f EntryFlags) String() string { return entryFlagString(uint32(f)) }

// SessionFlags are the flags of a session (2.2.1.4).
type SessionFlags uint32

// The session flags, by their names in 2.2.1.4 without DPNSESSION_.
const (
	SessionClientServer    SessionFlags = 0x001
	SessionMigrateHost     SessionFlags = 0x004
	SessionNoDPNSvr        SessionFlags = 0x040
	SessionRequirePassword SessionFlags = 0x080
	SessionNoEnums         SessionFlags = 0x100
	SessionFastSigned      SessionFlags = 0x200
	SessionFullSigned      SessionFlags = 0x400
)

var sessionFlagNames = []field.FlagName{
	{0x1, "CLIENT_SERVER"}, {0x4, "MIGRATE_HOST"}, {0x40, "NODPNSVR"}, {0x80, "REQUIREPASSWORD"}, {0x100, "NOENUMS"},
	{0x200, "FAST_SIGNED"}, {0x400, "FULL_SIGNED"},
}

// String returns the names of the flags; unknown bits stay.
func (f SessionFlags) String() string { return sessionFlagString(uint32(f)) }

// ConnectFlags say what connects (2.2.1.1).
type ConnectFlags uint32

// The connect flags.
const (
	ConnectClient ConnectFlags = 2 // DP_OBECT_TYPE_CLIENT
	ConnectPeer   ConnectFlags = 4 // DN_OBJECT_TYPE_PEER
)

var connectFlagNames = []field.FlagName{{2, "CLIENT"}, {4, "PEER"}}

// String returns the names of the flags; unknown bits stay.
func (f ConnectFlags) String() string { return connectFlagString(uint32(f)) }

// GroupFlags say how a group is to be created (2.2.4.1).
type GroupFlags uint32

// GroupAutodestruct is DPNGROUP_AUTODESTRUCT: the group goes with its last player.
const GroupAutodestruct GroupFlags = 1

var groupFlagNames = []field.FlagName{{1, "AUTODESTRUCT"}}

// String returns the names of the flags; unknown bits stay.
func (f GroupFlags) String() string { return groupFlagString(uint32(f)) }

// InfoFlags say what a message updates (2.2.4.1, 2.2.5).
type InfoFlags uint32

// The info flags, by their names in 2.2.5.1 without DPN.
const (
	InfoName InfoFlags = 1
	InfoData InfoFlags = 2
)

var infoFlagNames = []field.FlagName{{1, "NAME"}, {2, "DATA"}}

// String returns the names of the flags; unknown bits stay.
func (f InfoFlags) String() string { return infoFlagString(uint32(f)) }

func entryFlagString(v uint32) string   { return field.FlagNames(v, entryFlagNames) }
func sessionFlagString(v uint32) string { return field.FlagNames(v, sessionFlagNames) }
func connectFlagString(v uint32) string { return field.FlagNames(v, connectFlagNames) }
func groupFlagString(v uint32) string   { return field.FlagNames(v, groupFlagNames) }
func infoFlagString(v uint32) string    { return field.FlagNames(v, infoFlagNames) }
