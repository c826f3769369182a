package compat

import "dplay4/captures/replay"

// The messages that most of the differences are in.
const (
	sessionsReply = "ENUMSESSIONSREPLY"
	superList     = "SUPERENUMPLAYERSREPLY"
	packedList    = "ENUMPLAYERSREPLY"
	idReply       = "REQUESTPLAYERREPLY"
)

// The reasons that several differences have.
const (
	pointerLeft   = "it leaves its own pointer in the description, which means nothing to others; send zero (facts of real captures)"
	sizeOfFixed   = "it writes the 20 octets of the fixed part; Windows sends and wants 16 (2.2.3; facts 3.7)"
	inGroup       = "it does not set INGROUP; Windows has it in every entry (facts of real captures)"
	newcomerFirst = "it lists the newcomer last; Windows lists it first (facts of real captures)"
	udpIsTCP      = "it takes the TCP port of the header for the newcomer's UDP port as well; we keep the port that the newcomer " +
		"gave (footnote 22)"
	noList = "its list has PackedOffset 0 and does not decode: who is in it, the host's own player as well, the replay cannot " +
		"know"
	notServer = "it lets the host of a client/server session make an ordinary player; Windows refuses any but the server " +
		"player (facts 5.4)"
	groupEntry   = "its entry of a group has no flags; Windows has GROUP (facts of real captures)"
	memberCount  = "it writes the member count of a group four octets wide where the mask says one (captures/lab/README.md)"
	fullLate     = "it lets a machine into a full session and refuses its player; 3.2.5.4 refuses the machine"
	noAddForward = "it tells no member of a newcomer; we do, and wait for the acknowledgement, which nobody sends here"
	spOffsets    = "its offsets count the service provider header, so the message does not decode"
	afterOffsets = "the joiner's ADDFORWARDREQUEST does not decode, so with us it never becomes a member"
	afterNoList  = "it joins with a list that does not decode; ours does not"
	rawGoesOn    = "it does not read the list that it is sent, which does not decode, and goes on"
	oldHost      = "it acknowledges newcomers to the host that it joined, also when that is gone; we do it to the new host " +
		"(compat/wine, Limits)"
	whenEnded  = "the recording does not have the moment in which its connection to the machine that was killed ended"
	killedHost = "it was killed; ours, in its place, goes on"
	noVerify   = "it speaks dialect 11, which has no CREATEPLAYERVERIFY (2.2.22, 2.2.6); our engine goes by the dialect of the " +
		"one that it would send it to"
)

// ReplayDifferences is what recorded machines do otherwise than our engines in their place, in the captures of this
// repository. Windows does nothing otherwise in lotr2-chat, which is not ours to copy. A test replays every capture and
// fails on a difference that is not here, and on an entry that no longer occurs.
var ReplayDifferences = []ReplayDifference{
	// rz as a host: the description.
	{RZ, nil, replay.Host, replay.Field, sessionsReply, "SessionDesc.SessionName", pointerLeft},
	{RZ, nil, replay.Host, replay.Field, superList, "SessionDesc.SessionName", pointerLeft},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "SessionDesc.SessionName", pointerLeft},
	{RZ, []string{"07a", "07b"}, replay.Host, replay.Field, sessionsReply, "SessionDesc.Password", pointerLeft},
	{RZ, []string{"07a", "07b"}, replay.Host, replay.Field, superList, "SessionDesc.Password", pointerLeft},
	{RZ, []string{"07b"}, replay.Host, replay.Field, superList, "Password",
		"it takes any password; the replay takes the one that it let somebody in with for the session's"},
	{RZ, []string{"07b"}, replay.Host, replay.Field, superList, "PackedOffset", "follows from the length of the password"},
	// The list.
	{RZ, nil, replay.Host, replay.Field, superList, "Players[].Size", sizeOfFixed},
	{RZ, nil, replay.Host, replay.Field, superList, "Players[].Flags", inGroup},
	{RZ, nil, replay.Host, replay.Field, superList, "Players", newcomerFirst},
	{RZ, nil, replay.Host, replay.Field, superList, "Players[].ServiceProviderData.Datagram", udpIsTCP},
	{RZ, []string{"09", "09b"}, replay.Host, replay.Field, superList, "Groups[].Size", sizeOfFixed},
	{RZ, []string{"09", "09b"}, replay.Host, replay.Field, superList, "Groups[].Flags", groupEntry},
	{RZ, []string{"09"}, replay.Host, replay.Field, superList, "Groups[].PlayerInfoMask", memberCount},
	{RZ, []string{"09"}, replay.Host, replay.Field, superList, "Groups[].PlayerCount", memberCount},
	{RZ, []string{"09"}, replay.Host, replay.Field, superList, "Groups[].PlayerIDs", memberCount},
	{RZ, []string{"09"}, replay.Host, replay.Field, superList, "Stray", memberCount},
	// Lists that do not decode.
	{RZ, []string{"01", "11b"}, replay.Host, replay.Field, superList, "", noList},
	{RZ, []string{"01", "11b"}, replay.Host, replay.Field, superList, "PackedOffset", noList},
	{RZ, []string{"01", "11b"}, replay.Host, replay.Field, superList, "Players", noList},
	{RZ, []string{"01", "11b"}, replay.Host, replay.Field, superList, "PlayerCount", noList},
	{RZ, []string{"01", "11b"}, replay.Host, replay.Field, superList, "SessionDesc.CurrentPlayerCount", noList},
	{RZ, []string{"01", "03", "10", "11b"}, replay.Host, replay.Field, sessionsReply, "SessionDesc.CurrentPlayerCount", noList},
	// The list of a client/server session.
	{RZ, []string{"06"}, replay.Host, replay.Field, sessionsReply, "SessionDesc.CurrentPlayerCount", notServer},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "SessionDesc.CurrentPlayerCount", notServer},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "PlayerCount", notServer},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "Players[]", notServer},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "Players", newcomerFirst},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "Players[].Flags", inGroup},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "Players[].ServiceProviderData.Datagram", udpIsTCP},
	{RZ, []string{"06"}, replay.Host, replay.Field, packedList, "Players[].SystemPlayerID",
		"it gives the newcomer the host's system player as owner; it is the newcomer's own (2.2.2)"},
	// What it does and does not do.
	{RZ, []string{"08"}, replay.Host, replay.Field, idReply, "ID", fullLate},
	{RZ, []string{"08"}, replay.Host, replay.Field, idReply, "Result", fullLate},
	{RZ, []string{"08"}, replay.Host, replay.Missing, superList, "", fullLate},
	{RZ, []string{"08"}, replay.Host, replay.Missing, idReply, "", fullLate},
	{RZ, []string{"05"}, replay.Host, replay.Extra, "ADDFORWARD", "", noAddForward},
	{RZ, []string{"05"}, replay.Host, replay.Missing, superList, "", noAddForward},
	{RZ, []string{"03", "10"}, replay.Host, replay.Missing, superList, "", afterOffsets},
	{RZ, []string{"03", "10"}, replay.Host, replay.Missing, idReply, "", afterOffsets},
	{RZ, []string{"10"}, replay.Host, replay.Missing, "PLAYERMESSAGE",
		"", "it writes a header over the payload and the ids (captures/lab/README.md)"},
	// rz as a joiner.
	{RZ, []string{"03", "10"}, replay.Joiner, replay.Field, "ADDFORWARDREQUEST", "", spOffsets},
	{RZ, []string{"03", "10"}, replay.Joiner, replay.Field, "ADDFORWARDREQUEST", "PasswordOffset", spOffsets},
	{RZ, []string{"03", "10"}, replay.Joiner, replay.Field, "ADDFORWARDREQUEST", "SessionReserved1", spOffsets},
	{RZ, []string{"03", "10"}, replay.Joiner, replay.Missing, "REQUESTPLAYERID", "", afterNoList},
	{RZ, []string{"03", "10"}, replay.Joiner, replay.Missing, "CREATEPLAYER", "", afterNoList},
	{RZ, []string{"10"}, replay.Joiner, replay.Missing, "PLAYERMESSAGE", "", afterNoList},
	// The hand-made joiner.
	{Raw, []string{"11b"}, replay.Joiner, replay.Missing, "REQUESTPLAYERID", "", rawGoesOn},
	{Raw, []string{"11b"}, replay.Joiner, replay.Missing, "CREATEPLAYER", "", rawGoesOn},
	{Raw, []string{"11b"}, replay.Joiner, replay.Missing, "PLAYERMESSAGE", "", rawGoesOn},
	// Wine 10.
	{Wine10, []string{"13"}, replay.Joiner, replay.Missing, "ADDPLAYERTOGROUP",
		"", "a group that it makes has an id that it made up, here that of a player, and nobody is told of it (compat/wine, Limits)"},
	{Wine10, []string{"06"}, replay.Joiner, replay.Extra, "CREATEPLAYER",
		"", "it ignores what ENUMPLAYERSREPLY says, so it knows nobody whom it could tell of its player (facts 6)"},
	{Wine10, []string{"dplay-third-machine", "ourhost-gone"}, replay.Joiner, replay.Extra, "CREATEPLAYERVERIFY", "", noVerify},
	{Wine10, []string{"ourhost-gone"}, replay.Joiner, replay.Missing, "ADDFORWARDACK", "", oldHost},
	{Wine10, []string{"ourhost-gone"}, replay.Joiner, replay.Extra, "ADDFORWARDACK", "", oldHost},
	{Wine10, []string{"ourhost-gone"}, replay.Joiner, replay.Extra, "PING", "",
		"it pings nobody; we do in a session with KEEPALIVE"},
	{Wine10, []string{"dplay-third-machine", "ourhost-gone"}, replay.Joiner, replay.Extra, "PINGREPLY", "",
		"it was killed; ours, in its place, answers the ping of a machine whose connection ended"},
	// Ours.
	{Ours, []string{"dplay-third-machine"}, replay.Host, replay.Missing, "PING", "", whenEnded},
	{Ours, []string{"ourhost-gone"}, replay.Host, replay.Extra, "EXTENSION ARRIVED", "", killedHost},
	{Ours, []string{"ourhost-gone"}, replay.Host, replay.Extra, "PINGREPLY", "", killedHost},
	{Ours, []string{"ourhost-gone"}, replay.Host, replay.Extra, "PING", "", killedHost},
	{Ours, []string{"ourhost-gone"}, replay.Host, replay.Extra, "DELETEPLAYER", "", killedHost},
	{Ours, []string{"killed-modern", "ourhost-gone"}, replay.Joiner, replay.Missing, "PING", "", whenEnded},
	{Ours, []string{"ourhost-gone"}, replay.Joiner, replay.Extra, "PING", "", whenEnded},
	{Ours, []string{"killed-modern", "ourhost-gone"}, replay.Joiner, replay.Missing, "EXTENSION ARRIVED", "", whenEnded},
	{Ours, []string{"killed-modern"}, replay.Joiner, replay.Extra, "EXTENSION ARRIVED", "", whenEnded},
}

const (
	oneSide   = "the recording is of one machine: what the others said to each other is not in it"
	sameHost  = "the machines of 192.0.2.5 are processes of one: what they said to each other did not pass the network"
	oldTable  = "it is of a release before views, and says to others of its kind what this one does not know"
	otherFile = "this file has what the two joiners said to each other alone; 05-rzhost-two-w10-joiners has their joins"
)

// ReplayUnplayed is the machines of the captures that are not replayed. A test holds it against the captures, as it does
// ReplayDifferences.
var ReplayUnplayed = []NotReplayed{
	{"before-views", []string{"192.0.2.1:2300"}, oldTable},
	{"05-peer2peer", []string{"10.77.0.2:2300", "10.77.0.2:2301"}, otherFile},
	{"dplay-third-machine", []string{"192.0.2.5:2300", "192.0.2.5:2301", "192.0.2.5:2302", "192.0.2.5:2303"}, sameHost},
	{"cut-left", []string{"192.0.2.2:2300", "192.0.2.3:2300", "192.0.2.4:2300", "192.0.2.5:2300"}, oneSide},
	{"before-views", []string{"192.0.2.2:2300", "192.0.2.3:2300", "192.0.2.4:2300", "192.0.2.5:2300"}, oneSide},
	{"cut-right", []string{"192.0.2.1:2300", "192.0.2.2:2300", "192.0.2.4:2300", "192.0.2.5:2300"}, oneSide},
	{"frozen-host", []string{"127.0.3.11:2300", "127.0.3.12:2300"}, oneSide},
	{"frozen-member", []string{"127.0.3.10:2300", "127.0.3.11:2300"}, oneSide},
	{"killed-legacy", []string{"127.0.3.10:2300", "127.0.3.11:2300", "127.0.3.13:2300", "127.0.3.14:2300"}, oneSide},
	{"killed-modern", []string{"127.0.3.10:2300", "127.0.3.11:2300", "127.0.3.13:2300", "127.0.3.14:2300", "127.0.3.15:2300"},
		oneSide},
}
