package doctor

import "dplay4/wire"

func init() {
	takes := func(after func(n *network, s *session)) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.desc.Flags = wire.SessionMigrateHost
			s.join(joinerIP, 0x100)
			s.join(thirdIP, 0x200)
			n.conn(joinerIP+":4300", thirdIP+":2300").send(sys(2300, &wire.IAmNameServer{Host: 0x100, Flags: wire.PlayerSystem | wire.PlayerNameServer,
				SPData: spData("0.0.0.0", 2300, 2350)}))
			after(n, s)
		}
	}
	examples["several-hosts"] = []example{
		{name: "the old one lives", want: []string{hostIP + " and " + joinerIP + ` ("player 257") were host of the session "Test" at the same time`},
			shows: []string{"ENUMSESSIONSREPLY =" + hostIP + " is host", " is still there", "IAMNAMESERVER =" + joinerIP}, capture: takes(func(_ *network, s *session) { s.found(thirdIP) })},
		{name: "one host with two adapters", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.host = "192.0.2.8"
			s.offer(thirdIP + ":2300")
			s.host = hostIP
			s.found(thirdIP)
			s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x101})
		}},
		{name: "the old one is gone", capture: takes(func(*network, *session) {})},
		{name: "the old one takes leave", capture: takes(func(_ *network, s *session) { s.toldBy(thirdIP+":2300", &wire.DeletePlayer{Player: 1}) })},
	}
}
