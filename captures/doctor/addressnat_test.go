package doctor

import "dplay4/wire"

func init() {
	says := func(from, addr string) func(*network) {
		return func(n *network) {
			n.udp(from+":5000", hostIP+":47624", sysFrom(addr, 2300, &wire.EnumSessions{Application: thisGame}))
			newSession(n).offer(from + ":2300")
		}
	}
	examples["address-nat"] = []example{
		{name: "another one", want: []string{"packets of a machine come from " + farIP + ", but it says that it is at 198.51.100.7"},
			shows: []string{"ENUMSESSIONS SockAddr=198.51.100.7:2300"}, capture: says(farIP, "198.51.100.7")},
		{name: "the same", capture: says(farIP, farIP)},
		{name: "left to the receiver", capture: says(farIP, "0.0.0.0")},
		{name: "a private one, which is worse", rest: true, capture: says(farIP, "192.168.1.5")},
	}
}
