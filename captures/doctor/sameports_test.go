package doctor

import "dplay4/wire"

func init() {
	twice := func(goesOn bool) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			c := n.conn(joinerIP+":4199", hostIP+":2300")
			c.send(sys(2300, &wire.RequestPlayerID{Flags: wire.PlayerSystem}))
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{ID: 0x200})
			c.send(sys(2300, s.newcomer(0x200)))
			s.toldBy(joinerIP+":2300", s.list())
			if goesOn {
				s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x101})
			}
		}
	}
	listed := func(second uint16) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			machine := func(id wire.PlayerID, port uint16) wire.SuperPackedPlayer {
				return wire.SuperPackedPlayer{Flags: wire.PlayerSystem, ID: id, Owner: uint32(wire.DX9), SPData: spData(thirdIP, port, port+50)}
			}
			s.toldBy(joinerIP+":2300", s.list(machine(0x200, 2300), machine(0x300, second)))
		}
	}
	examples["same-ports"] = []example{
		{name: "both go on", want: []string{"two machines behind " + joinerIP + " are both to be reached at " + joinerIP + ":2300"},
			shows: []string{"REQUESTPLAYERID SockAddr=" + joinerIP + ":2300, from " + joinerIP + ":4199"}, capture: twice(true)},
		{name: "one came back", capture: twice(false)},
		{name: "in a list", want: []string{"two machines of the session, 0x00000200 and 0x00000300, are both to be reached at " + thirdIP + ":2300"}, capture: listed(2300)},
		{name: "two ports in a list", capture: listed(2301)},
	}
}
