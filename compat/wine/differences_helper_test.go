package wine

import "dplay4/wire"

// A Difference is a message that Wine 10 treats otherwise than the specification says, and what follows.
type Difference struct {
	Command wire.Command
	Follows string // what a session with a Wine client in it has to reckon with
}

// Ignored lists the messages that Wine 10's dplayx drops without effect when a member of its session receives them:
// no event, and its lists stay as they were. The test sends it each of them. It takes note of CREATEPLAYER,
// GROUPDATACHANGED, ADDFORWARD, PING and game messages alone.
var Ignored = []Difference{
	{wire.CmdCreateGroup, "groups made after it joined do not exist for it"},
	{wire.CmdDeletePlayer, "players that left stay in its list; the game is not told"},
	{wire.CmdDeleteGroup, "groups that were deleted stay in its list"},
	{wire.CmdAddPlayerToGroup, "members are those of the time when it joined"},
	{wire.CmdDeletePlayerFromGroup, "likewise"},
	{wire.CmdPlayerDataChanged, "players keep the data that they were created with"},
	{wire.CmdPlayerNameChanged, "players keep their first names"},
	{wire.CmdGroupNameChanged, "groups keep their first names"},
	{wire.CmdPacket, "a message in fragments never arrives: send it in one piece"},
	{wire.CmdYouAreDead, "it plays on, to nobody"},
	{wire.CmdPlayerWrapper, "a wrapped game message never arrives"},
	{wire.CmdSessionDescChanged, "the session stays as ENUMSESSIONSREPLY described it"},
	{wire.CmdAddShortcutToGroup, "it knows no shortcuts"},
	{wire.CmdChat, "chat never arrives; its own does not leave either"},
	{wire.CmdPacket2Data, "a message in fragments never arrives"},
	{wire.CmdIAmNameServer, "it goes on asking the host that is gone"},
}

// A Limit is something that a game on Wine 10 does, or cannot do, and that the others in its session have to reckon with.
type Limit struct {
	Does    string
	Follows string
	Test    string // the test that shows it
}

// Limits lists them. Beside them all game messages pass between Wine's clients and our host and joiners, in both
// directions: to one player, to everybody and to a group, guaranteed and not (TestOurHostProgram/third).
var Limits = []Limit{
	{"it sends what is for a group to those who were in it when it joined, and to those whom it added itself: it ignores " +
		"ADDPLAYERTOGROUP",
		"members that came later get nothing that it says to the group; what they say to the group it gets",
		"TestOurHostProgram/groups"},
	{"it tells every machine of a player that it adds to a group, and nothing else of what it does with groups",
		"it can enter a group of ours that is older than itself, and not leave it",
		"TestOurHostProgram/groups"},
	{"a group that it makes gets an id that it made up, and nobody is told of it",
		"members and messages of such groups come to machines that do not know the group, and have to drop them",
		"TestOurHostProgram/groups"},
	{"a system message with a command that it does not know it drops, over TCP and over UDP, and goes on as before",
		"a message of a kind of our own may be sent to everybody, if the size in its header is right: after a datagram where it is " +
			"not it receives no others",
		"TestOurHostProgram/unknown-command"},
	{"another member's IAMNAMESERVER changes nothing: it asks the old host for ids, while that lives",
		"who gives up being host and stays has to go on answering it",
		"TestWine/new_host"},
	{"a host that is gone stays in its list with its players, and the game is not told",
		"it stays in the session with those who stay: messages pass as before, in both directions, guaranteed and not",
		"TestWine/host_killed"},
	{"once the host is gone, a guaranteed message to everybody fails with DPERR_UNAVAILABLE, though all who are there have got it",
		"a game that sends again sends twice",
		"TestWine/host_killed"},
	{"once the host is gone it makes no players, also after IAMNAMESERVER: the first attempt fails with DPERR_TIMEOUT after 30 s, " +
		"unless it sent something guaranteed to the host since, and every later one with DPERR_UNAVAILABLE at once",
		"a new host is never asked for an id by it",
		"TestWine/host_killed"},
	{"it takes ADDFORWARD and CREATEPLAYER from any member, and sends its ADDFORWARDACK to the host that it joined",
		"a new host can let others in, and they can play with it; its acknowledgement never comes: our host lets the first newcomer " +
			"in after dpsp.Config.Populate (15 s), and later ones at once",
		"TestWine/host_killed"},
	{"where its machine has the lowest id it is to be the next host by the rule of DirectPlay 4, lives on, answers pings, and " +
		"never says that it is host",
		"machines of ours pass over it after dpsp.Config.Period*(Probes+2), and the next one is host; until then nobody can join; " +
			"those who are there play on",
		"TestOurHostGone/wine_is_next"},
	{"where the next host is a machine of ours, it does not know, and plays on with it and with those who join it",
		"messages pass as before, in both directions, guaranteed and not; a Wine client that comes later finds the new host and " +
			"joins it like any other",
		"TestOurHostGone/ours_is_next"},
	{"it keeps its connection to the sockets of a Wine client that is gone: where another one has the same sockets later, the " +
		"first guaranteed message to that is lost, and the others fail with DPERR_UNAVAILABLE",
		"what is not guaranteed arrives, and everything in the other direction; machines of ours are not concerned",
		"TestOurHostGone/ours_is_next"},
}
