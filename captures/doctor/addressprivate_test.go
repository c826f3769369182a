package doctor

import "dplay4/wire"

func init() {
	asks := func(own, to string) func(*network) {
		return func(n *network) {
			n.udp(own+":5000", to+":47624", sysFrom(own, 2300, &wire.EnumSessions{Application: thisGame}))
			s := newSession(n)
			s.host = to
			s.offer(own + ":2300")
		}
	}
	member := func(at string) func(*network) {
		return func(n *network) {
			s := forwarded(n)
			s.tell(joinerIP, &wire.AddForwardAck{ID: 0x200})
			s.toldBy(joinerIP+":2300", &wire.AddForward{Player: 0x200, Info: wire.PackedPlayer{ID: 0x200, SPData: spData(at, 2300, 2350)}})
			s.tell(joinerIP, &wire.AddForwardAck{ID: 0x200})
			s.toldBy(thirdIP+":2300", s.list())
		}
	}
	examples["address-private"] = []example{
		{name: "to the internet", want: []string{"192.168.1.5 tells " + farIP + " to reach it at 192.168.1.5, which is a private address"},
			shows: []string{"ENUMSESSIONS SockAddr=192.168.1.5:2300"}, capture: asks("192.168.1.5", farIP)},
		{name: "a neighbour's", want: []string{hostIP + " tells " + joinerIP + " to reach another machine at 192.168.1.7, which is a private address"}, capture: member("192.168.1.7")},
		{name: "link-local", want: []string{hostIP + " tells " + joinerIP + " to reach another machine at 169.254.3.4, which is a link-local address"}, capture: member("169.254.3.4")},
		{name: "at home", capture: asks("192.168.1.5", "192.168.1.9")},
		{name: "a public one", capture: member(thirdIP)},
	}
}
