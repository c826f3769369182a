package doctor

import "dplay4/wire"

func init() {
	examples["join-unanswered"] = []example{
		{name: "no id", want: []string{hostIP + " did not answer the request for an id of " + joinerIP + " within 3.0"}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
		}},
		{name: "no list", want: []string{hostIP + " did not answer the request to be let in of " + joinerIP + " within 3.0"}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
		}},
		{name: "the joiner changes its mind", capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{ID: 0x100})
		}},
		{name: "a list of a client/server session", capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", &wire.EnumPlayersReply{Desc: s.desc, Name: wire.NewText("Test")})
		}},
	}
}
