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
