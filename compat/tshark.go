package compat

import "dplay4/wire"

// TsharkStrict is the series of tshark, major and minor version, that everything in this package's lists was
// measured with (4.0.17 of Debian 12). With it the tests insist on every listed difference. With any other
// version they also accept the right answer, since a later tshark may have been mended.
const TsharkStrict = "4.0"

// A Difference is something in which another implementation differs from this project.
type Difference struct {
	Key    string // short name by which tables and tests refer to it
	Reason string // what it does, what is right, and how that is known
}

// TsharkErrors are the fields that tshark decodes at the right place but shows wrongly. The rows of
// TsharkFields and TsharkNames that show one refer to it by its key.
var TsharkErrors = []Difference{
	{"guid-octets", "GUIDs are printed in the order of their octets. The first three parts are little-endian " +
		"numbers ([MS-DTYP] 2.3.4), so {a052a50b-ffe0-...} reads 0ba552a0-e0ff-..., and searching for a game by " +
		"its published GUID finds nothing."},
	{"id-octets", "Player and group ids are printed as four octets. They are little-endian numbers (2.2.6 on the " +
		"header, 3.2.5.4 on their making): 0x000384c9 reads c9:84:03:00."},
	{"number-octets", "The pointers, reserved and application-defined fields of the session description and the " +
		"provider pointers of the security description are printed as octets. They are DWORDs (2.2.4, 2.2.5)."},
	{"tick-octets", "The last DWORD of ADDFORWARDREQUEST is printed as octets under the name \"Tick count? Looks " +
		"like an ID\". It is Reserved1 of the session (facts, 3.6; the specification calls it TickCount)."},
	{"hresult-decimal", "Result codes are printed in decimal and without their names: DPERR_INVALIDPASSWORD, " +
		"0x88770154, reads 2289500500."},
	{"parent-unknown", "ParentID of a packed player (2.2.2) is called \"unknown 1\" and printed as octets."},
	{"local-is-4", "The flags of REQUESTPLAYERID: bit 0x4 is called \"is local player\". PL is 0x8 (2.2.49; all of " +
		"Windows' requests have it set), and 0x4 means nothing there."},
	{"local-unknown", "The flags of REQUESTPLAYERID: bit 0x8, which is PL (2.2.49), is called \"unknown\"."},
	{"spectator-secure", "The flags of REQUESTPLAYERID: bit 0x200 is called \"is secure session\". Windows sets it " +
		"for spectators (facts, 3.3)."},
	{"join-negated", "Session flag 0x20 is called \"can join\". It is JD, nobody can join any more (2.2.5)."},
	{"order-negated", "Session flag 0x4000 is called \"preserve order\". It is NO, order need not be preserved (2.2.5)."},
	{"tail-password", "The two reserved octets after the player of CREATEPLAYER (Reserved1, 2.2.21) are shown as a " +
		"password. Windows always sends zeros there (facts, 3.11), so it reads as an empty one."},
	{"own-command-name", "tshark calls the command by another name than the specification does."},
}

// A TsharkOmission is a field that tshark leaves out of a message whose other fields it shows.
type TsharkOmission struct {
	Command wire.Command
	Wire    string // path of the field, as in TsharkField
	Reason  string
}

// TsharkOmissions are all fields that tshark leaves out of the commands that it decodes fully.
var TsharkOmissions = []TsharkOmission{
	{wire.CmdCreatePlayer, "Reserved2", "not dissected: tshark stops after what it takes for a password"},
}

// TsharkGaps are the things that tshark does not see at all, or sees something else in.
var TsharkGaps = []Difference{
	{"second-message", "Of several messages in one segment only the first is decoded; the next one is taken for " +
		"its password. Windows sends the two DELETEPLAYER of a leaving player so (lotr2 capture)."},
	{"split-message", "A message in two segments is malformed in the first one and unknown in the second: streams " +
		"are never reassembled."},
	{"tcp-game-message", "A game message on TCP is recognised only if the lowest octet of the sender's id is zero. " +
		"No real capture holds such an id."},
	{"udp-game-message", "A game message on UDP has no service provider header and is not recognised at all."},
	{"8-bit-name", "Names that games hand over in 8 bits (Lords of the Realm II, Age of Empires II) read as Chinese."},
	{"offsets", "Offsets inside messages are ignored: a part is expected directly after the one before it."},
	{"no-body", "YOUAREDEAD and LOGONDENIED, which have no body, are called malformed."},
	{"packet-fragment", "A PACKET is taken to hold a message from its beginning, whichever fragment it is; the " +
		"octets of a later fragment are shown as command and version."},
	{"wrapped-message", "The messages inside PLAYERWRAPPER, SIGNED, MULTICASTDELIVERY and PACKET2_DATA are not opened."},
}

// TsharkBodies are the commands of whose bodies tshark shows at least one field. Of the others it gives the
// name, dialect and addresses, nothing more. ENUMPLAYER, LOGONDENIED and YOUAREDEAD have no body to show.
var TsharkBodies = []wire.Command{
	wire.CmdEnumSessionsReply, wire.CmdEnumSessions, wire.CmdRequestPlayerID, wire.CmdRequestPlayerReply,
	wire.CmdCreatePlayer, wire.CmdCreateGroup, wire.CmdDeletePlayer, wire.CmdDeleteGroup, wire.CmdAddPlayerToGroup,
	wire.CmdDeletePlayerFromGroup, wire.CmdPlayerDataChanged, wire.CmdAddForwardRequest, wire.CmdPacket, wire.CmdPing,
	wire.CmdPingReply, wire.CmdSessionDescChanged, wire.CmdSuperEnumPlayersReply, wire.CmdAddForward,
	wire.CmdAddForwardAck, wire.CmdCreatePlayerVerify,
}
