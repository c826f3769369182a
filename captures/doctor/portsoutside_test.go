package doctor

import "dplay4/wire"

func init() {
	at := func(from string, port uint16) func(*network) {
		return func(n *network) {
			s := newSession(n)
			n.udp(from+":5000", hostIP+":47624", sys(port, &wire.EnumSessions{Application: thisGame}))
			s.offer(from + ":" + itoa(int(port)))
		}
	}
	examples["ports-outside-range"] = []example{
		{name: "from afar", want: []string{farIP + " wants to be reached at tcp port 6112, which is not one of 2300 to 2400"},
			shows: []string{"ENUMSESSIONS SockAddr=0.0.0.0:6112"}, capture: at(farIP, 6112)},
		{name: "on one network", capture: at(joinerIP, 6112)},
		{name: "a usual one", capture: at(farIP, 2399)},
		{name: "on one network, and closed", want: []string{joinerIP + " wants to be reached at tcp port 6112"}, rest: true, capture: func(n *network) {
			n.udp(joinerIP+":5000", hostIP+":47624", sys(6112, &wire.EnumSessions{Application: thisGame}))
			n.ask(hostIP+":4000", joinerIP+":6112")
		}},
	}
}
