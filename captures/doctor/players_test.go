package doctor

import (
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/wire"
)

func init() {
	// admitted is a machine that is in a session with some flags, and has asked for the id of a player.
	admitted := func(n *network, flags wire.SessionFlags) *session {
		s := newSession(n)
		s.desc.Flags = flags
		s.found(joinerIP)
		s.request(joinerIP, 0x100)
		if flags&wire.SessionClientServer != 0 {
			s.toldBy(joinerIP+":2300", &wire.EnumPlayersReply{Desc: s.desc, Name: wire.NewText("Test")})
		} else {
			s.toldBy(joinerIP+":2300", s.list())
		}
		s.tell(joinerIP, &wire.RequestPlayerID{})
		return s
	}
	id := func(s *session) { s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{ID: 0x101}) }
	never := func(flags wire.SessionFlags) func(*network) {
		return func(n *network) { id(admitted(n, flags)) }
	}
	const text = joinerIP + ` got the id 0x00000101 for a player in the session "Test" from ` + hostIP + ", and never created the player (CREATEPLAYER), within 3.00"
	examples["player-never-created"] = []example{
		{name: "never", want: []string{text}, shows: []string{"REQUESTPLAYERID =from " + joinerIP + ":2300", "REQUESTPLAYERREPLY ID=0x00000101"},
			why: []string{"join again"}, capture: never(0)},
		{name: "in a client/server session", want: []string{text}, why: []string{"Wine's dplayx", "ENUMPLAYERSREPLY", "dplay help dll"}, capture: never(wire.SessionClientServer)},
		{name: "the joiner stays for a while", want: []string{joinerIP + " got the id"}, capture: func(n *network) {
			s := admitted(n, 0)
			id(s)
			n.Wait(time.Minute)
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x100})
		}},
		{name: "the capture ends", ends: true, capture: never(0)},
		{name: "the joiner leaves at once", capture: func(n *network) {
			s := admitted(n, 0)
			id(s)
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x100})
		}},
		{name: "its program ends", capture: func(n *network) {
			id(admitted(n, 0))
			n.tcp(joinerIP+":4100", hostIP+":2300", layers.TCP{FIN: true, ACK: true}, nil)
		}},
		{name: "the host hangs up", rest: true, capture: func(n *network) {
			id(admitted(n, 0))
			n.tcp(hostIP+":2300", joinerIP+":4100", layers.TCP{RST: true}, nil)
		}},
		{name: "a group, before the player", capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", s.list())
			s.tell(joinerIP, &wire.RequestGroupID{})
			s.tell(joinerIP, &wire.RequestPlayerID{})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{ID: 0x105})
			id(s)
			s.tell(joinerIP, &wire.CreatePlayer{Player: 0x101, Info: wire.PackedPlayer{ID: 0x101, System: 0x100, SPData: spData("0.0.0.0", 2300, 2350)}})
		}},
		{name: "the host refuses", rest: true, capture: func(n *network) {
			admitted(n, 0).toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers})
		}},
		{name: "a multicast server passes it on inside of another message", capture: never(wire.SessionMulticastServer)},
		{name: "a secure session encrypts it", capture: never(wire.SessionSecureServer)},
		{name: "the joiner's message cannot be read", rest: true, capture: func(n *network) {
			s := admitted(n, 0)
			id(s)
			n.conn(joinerIP+":4100", hostIP+":2300").send(cut(sys(2300, &wire.PlayerDataChanged{Player: 0x300}), 12))
		}},
		{name: "the capture lacks octets", rest: true, capture: func(n *network) {
			s := admitted(n, 0)
			id(s)
			n.seq[[2]string{joinerIP + ":4100", hostIP + ":2300"}] += 134
			s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x300})
		}},
		{name: "created", capture: healthy},
	}
}
