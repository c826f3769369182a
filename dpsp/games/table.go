package games

import "dplay4/wire"

// Where several lines are from.
const (
	lotrCapture = "a capture of two Windows machines that play it; s-ayers/lotr2-dplay@fe822ed src/commands/EnumSessions.test.ts"
	opengsq     = "opengsq/opengsq-python@fb28e22 opengsq/protocols/"
	mech2       = "alariq/mc2@f166d58 code/multplyr.cpp"
)

// Flags that several games have.
const (
	usual        = wire.SessionMigrateHost | wire.SessionKeepAlive
	quick        = wire.SessionKeepAlive | wire.SessionDirectPlayProtocol | wire.SessionOptimizeLatency
	clientServer = quick | wire.SessionClientServer
)

// table has only what somebody has opened and read: a capture, or the published source that Source names, as
// owner/repository@commit and path. What is not there is not known.
var table = List{
	{Title: "Age of Empires", Short: "aoe", GUID: guid("{3422e982-1a89-11d1-b093-00a024c74776}"),
		// The text is as in its successor, which has the same engine.
		Text: wire.EightBit, Asking: wire.EnumAvailable, Source: opengsq + "aoe1.py"},
	{Title: "Age of Empires II", Short: "aoe2", GUID: guid("{fb69a260-5031-11d3-a2d4-006097ba6550}"),
		Text: wire.EightBit, Asking: wire.EnumAvailable | wire.EnumAsync, Source: opengsq + "aoe2.py"},
	{Title: "Age of Empires II: The Conquerors", Short: "aoc", GUID: guid("{5de93f3f-fc90-4ee1-ae5a-63dafa055950}"),
		// The text is that of the game that it extends.
		Text: wire.EightBit, Source: "goto-bus-stop/aocmultiny@2e23380 src/dplib/DPGameAoC.hpp"},
	{Title: "Anno 1602", Short: "anno1602", GUID: guid("{de54d321-a1e6-11d0-8e76-00608c96c148}"), Flags: usual,
		Source: "davidmc971/Anno1602-network-analysis-and-reverse-engineering@f844ee7 2023-04-26 lobby connect pyproxy.pcapng"},
	{Title: "Descent 3", Short: "descent3", GUID: guid("{915ce160-3125-11d2-bb3d-00104b27bff0}"), Flags: clientServer,
		Source: "DescentDevelopers/Descent3@156cba8 networking/directplay.cpp"},
	{Title: "Forsaken", Short: "forsaken", GUID: guid("{e5dee400-046a-11d2-b00c-080009c042e7}"),
		Flags:  usual | wire.SessionDirectPlayProtocol,
		Note:   "as client/server its sessions have keepalive,clientserver,directplayprotocol,nopreserveorder",
		Source: "ForsakenX/forsaken@df81d25 ProjectX/Include/Stdwin.h, ProjectX/Comm.c"},
	{Title: "Forsaken, before the Windows 98 demo", Short: "forsakenold", GUID: guid("{27e96003-b1c3-11d1-b00c-080009c042e7}"),
		Source: "ForsakenX/forsaken@df81d25 ProjectX/Include/Stdwin.h, in a comment"},
	{Title: "Jedi Knight", Short: "jk", GUID: guid("{bf0613c0-de79-11d0-99c9-00a02476ad4b}"),
		Source: "shinyquagsire23/OpenJKDF2@15dfd25 src/Win95/Windows.c"},
	{Title: "Lego Loco", Short: "loco", GUID: guid("{f9cd2546-577f-11d2-9426-00a0244bda7a}"), Flags: quick,
		StreamPorts: onePort(31415), DatagramPorts: onePort(31415),
		Note:   "one port for TCP and UDP, that of lego.ini",
		Source: "Daft-Freak/symmetrical-train@06b02f2 config.ini, Main.cpp"},
	{Title: "Lords of the Realm II", Short: "lotr2", GUID: guid("{1c8248c0-9772-11cf-b74f-00c0df413ed1}"), Flags: usual,
		Text: wire.EightBit, Source: lotrCapture},
	{Title: "MechCommander", Short: "mc", GUID: guid("{09608800-4815-11d2-92d2-0060973cfb2c}"),
		Source: "alariq/mc2@f166d58 code/logmain.cpp, in a comment"},
	{Title: "MechCommander 2", Short: "mc2", GUID: guid("{35dc7890-c5ef-4171-b0cf-4d5c7ae7c2d7}"), Source: mech2},
	{Title: "MechCommander 2 demo", Short: "mc2demo", GUID: guid("{1f8251bb-1436-44b3-a5b0-0fcf6858c176}"), Source: mech2},
	{Title: "Midtown Madness", Short: "midtown", GUID: guid("{6c9983a7-c037-11d2-a8da-00a0c970af5d}"), Flags: usual,
		Note:   "these flags are those of a session that a lobby launches",
		Source: "0x1F9F1/Open1560@fc67c28 code/midtown/mmnetwork/network.cpp"},
	{Title: "Seven Kingdoms: Ancient Adversaries", Short: "7kaa", GUID: guid("{12f70d44-68be-11d0-aab6-0000e9f90d5d}"),
		Flags: wire.SessionNoDataMessages | wire.SessionKeepAlive, Asking: wire.EnumAvailable | wire.EnumAsync,
		Note:   "7 players at most; it copies names without looking at their length: keep them short",
		Source: "the3dfxdude/7kaa@f8f417c7 ODPLAY.cpp; its code was run"},
	{Title: "Stronghold Crusader", Short: "shc", GUID: guid("{1d5e2f48-e8c0-49e5-aed8-b124da9e3059}"),
		Flags: usual | quick, Asking: wire.EnumAvailable | wire.EnumAsync | wire.EnumReturnStatus,
		Source: opengsq + "stronghold_crusader.py; the flags are those of a real host"},
	{Title: "Stronghold Crusader Extreme", Short: "shce", GUID: guid("{490c4df0-9bc7-4c4c-b959-d41f1cce460e}"),
		Asking: wire.EnumAvailable | wire.EnumAsync | wire.EnumReturnStatus, Source: opengsq + "stronghold_ce.py"},
	{Title: "Thrust", Short: "thrust", GUID: guid("{fb222ea3-6565-11d3-a7d8-00a0c91d609e}"), Flags: clientServer,
		Note:   "a network game in the published source of Urban Chaos",
		Source: "dizzy2003/MuckyFoot-UrbanChaos@81aa5cf thrust/net.cpp"},
	{Title: "Total Annihilation", Short: "ta", GUID: guid("{99797420-f5f5-11cf-9827-00a0241496c8}"),
		Source: "ta-forever/gpgnet4ta@5335095 apps/replayer/replayer.cpp, readme.md"},
	{Title: "Total Annihilation, mods of TA Forever", Short: "taf", GUID: guid("{1336f32e-d116-4633-b853-4fee1ec91ea5}"),
		Note:   "what the launcher has by itself: a mod may have a GUID of its own",
		Source: "ta-forever/gpgnet4ta@5335095 apps/gpgnet4ta/gpgnet4ta.cpp"},
	{Title: "games made with Blitz3D", Short: "blitz3d",
		Flags:  usual | quick | wire.SessionNoMessageID,
		Note:   "they have no GUID of their own: all of them search and host under GUID_NULL",
		Source: "blitz-research/blitz3d@6beb288 bbruntime/multiplay_setup.cpp"},
}

// guid reads a GUID of the table.
func guid(s string) wire.GUID {
	g, err := wire.ParseGUID(s)
	if err != nil {
		panic(err)
	}
	return g
}

// onePort is the range of a game that has one number to set.
func onePort(n uint16) wire.Ports { return wire.Ports{First: n, Last: n} }
