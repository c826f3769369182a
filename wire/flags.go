package wire

import "dplay4/wire/internal/field"

// SessionFlags are the flags of a session description (2.2.5).
type SessionFlags uint32

// The session flags, by the names of the public API.
const (
	SessionNewPlayersDisabled    SessionFlags = 1 << 0  // NP
	SessionMigrateHost           SessionFlags = 1 << 2  // MH
	SessionNoMessageID           SessionFlags = 1 << 3  // NM
	SessionJoinDisabled          SessionFlags = 1 << 5  // JD
	SessionKeepAlive             SessionFlags = 1 << 6  // KA
	SessionNoDataMessages        SessionFlags = 1 << 7  // ND
	SessionSecureServer          SessionFlags = 1 << 8  // SS
	SessionPrivate               SessionFlags = 1 << 9  // P
	SessionPasswordRequired      SessionFlags = 1 << 10 // PR
	SessionMulticastServer       SessionFlags = 1 << 11 // MS
	SessionClientServer          SessionFlags = 1 << 12 // CS
	SessionDirectPlayProtocol    SessionFlags = 1 << 13 // RP: the reliable protocol, [MC-DPL4R]
	SessionNoPreserveOrder       SessionFlags = 1 << 14 // NO
	SessionOptimizeLatency       SessionFlags = 1 << 15 // OL
	SessionAllowVoiceRetro       SessionFlags = 1 << 16 // AV
	SessionNoSessionDescMessages SessionFlags = 1 << 17 // NS
)

var sessionFlagNames = []field.FlagName{
	{1 << 0, "NEWPLAYERSDISABLED"}, {1 << 2, "MIGRATEHOST"}, {1 << 3, "NOMESSAGEID"}, {1 << 5, "JOINDISABLED"},
	{1 << 6, "KEEPALIVE"}, {1 << 7, "NODATAMESSAGES"}, {1 << 8, "SECURESERVER"}, {1 << 9, "PRIVATE"},
	{1 << 10, "PASSWORDREQUIRED"}, {1 << 11, "MULTICASTSERVER"}, {1 << 12, "CLIENTSERVER"},
	{1 << 13, "DIRECTPLAYPROTOCOL"}, {1 << 14, "NOPRESERVEORDER"}, {1 << 15, "OPTIMIZELATENCY"},
	{1 << 16, "ALLOWVOICERETRO"}, {1 << 17, "NOSESSIONDESCMESSAGES"},
}

// String returns the names of the flags; unknown bits stay.
func (f SessionFlags) String() string { return field.FlagNames(uint32(f), sessionFlagNames) }

// PlayerFlags are the flags of a player or group (2.2.2).
type PlayerFlags uint32

// The player flags. The specification documents the first four; the others are those of the public API and
// of what real programs send (spectators 0x200, groups 0x40).
const (
	PlayerSystem       PlayerFlags = 0x001 // SP: the machine's own player, no person
	PlayerNameServer   PlayerFlags = 0x002 // NS: the host, always with PlayerSystem
	PlayerInGroup      PlayerFlags = 0x004 // PG
	PlayerLocal        PlayerFlags = 0x008 // PL: of the sending machine; means nothing elsewhere
	PlayerSystemGroup  PlayerFlags = 0x020
	PlayerGroup        PlayerFlags = 0x040 // set for groups by the hosts that were seen
	PlayerAppServer    PlayerFlags = 0x080
	PlayerServerPlayer PlayerFlags = 0x100
	PlayerSpectator    PlayerFlags = 0x200
	PlayerHiddenGroup  PlayerFlags = 0x400
	PlayerStagingArea  PlayerFlags = 0x800
)

var playerFlagNames = []field.FlagName{
	{0x001, "SYSTEM"}, {0x002, "NAMESERVER"}, {0x004, "INGROUP"}, {0x008, "LOCAL"}, {0x020, "SYSTEMGROUP"},
	{0x040, "GROUP"}, {0x080, "APPSERVER"}, {0x100, "SERVERPLAYER"}, {0x200, "SPECTATOR"},
	{0x400, "HIDDENGROUP"}, {0x800, "STAGINGAREA"},
}

// String returns the names of the flags; unknown bits stay.
func (f PlayerFlags) String() string { return field.FlagNames(uint32(f), playerFlagNames) }

// EnumFlags are the flags of an enumeration request (2.2.29). Windows passes on whatever the program gave,
// beyond the three that the specification documents.
type EnumFlags uint32

// The enumeration flags.
const (
	EnumAvailable        EnumFlags = 0x01 // AV; none at all means the same to a Windows host
	EnumAll              EnumFlags = 0x02 // AL
	EnumPrevious         EnumFlags = 0x04
	EnumNoRefresh        EnumFlags = 0x08
	EnumAsync            EnumFlags = 0x10
	EnumStopAsync        EnumFlags = 0x20
	EnumPasswordRequired EnumFlags = 0x40 // PR
	EnumReturnStatus     EnumFlags = 0x80
)

var enumFlagNames = []field.FlagName{
	{0x01, "AVAILABLE"}, {0x02, "ALL"}, {0x04, "PREVIOUS"}, {0x08, "NOREFRESH"}, {0x10, "ASYNC"},
	{0x20, "STOPASYNC"}, {0x40, "PASSWORDREQUIRED"}, {0x80, "RETURNSTATUS"},
}

// String returns the names of the flags; unknown bits stay.
func (f EnumFlags) String() string { return field.FlagNames(uint32(f), enumFlagNames) }

// ChatFlags are the flags of a CHAT message (2.2.19).
type ChatFlags uint32

// ChatGuaranteed is GS: the sender asked for guaranteed delivery.
const ChatGuaranteed ChatFlags = 1

var chatFlagNames = []field.FlagName{{1, "GUARANTEED"}}

// String returns the names of the flags; unknown bits stay.
func (f ChatFlags) String() string { return field.FlagNames(uint32(f), chatFlagNames) }

// SignedFlags are the flags of a SIGNED message (2.2.52).
type SignedFlags uint32

// The flags of a SIGNED message.
const (
	SignedBySSPI    SignedFlags = 1 // SS
	SignedByCAPI    SignedFlags = 2 // SC
	SignedEncrypted SignedFlags = 4 // EC: the message inside is encrypted
)

var signedFlagNames = []field.FlagName{{1, "SIGNEDBYSSPI"}, {2, "SIGNEDBYCAPI"}, {4, "ENCRYPTEDBYCAPI"}}

// String returns the names of the flags; unknown bits stay.
func (f SignedFlags) String() string { return field.FlagNames(uint32(f), signedFlagNames) }

func sessionFlagString(v uint32) string { return field.FlagNames(v, sessionFlagNames) }
func playerFlagString(v uint32) string  { return field.FlagNames(v, playerFlagNames) }
func enumFlagString(v uint32) string    { return field.FlagNames(v, enumFlagNames) }
func chatFlagString(v uint32) string    { return field.FlagNames(v, chatFlagNames) }
func signedFlagString(v uint32) string  { return field.FlagNames(v, signedFlagNames) }
