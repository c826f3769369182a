package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	asks := func(own, to string) func(*network) {
		return func(n *network) {
			n.UDP(own+":5000", to+":47624", sysFrom(own, 2300, &wire.EnumSessions{Application: thisGame}))
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
		{name: "from one home to another", want: []string{farIP + " tells 192.168.7.7 to reach it at 192.168.1.5, which is a private address"}, capture: func(n *network) {
			n.UDP("192.168.7.7:5000", farIP+":47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.conn(farIP+":4000", "192.168.7.7:2300").send(sysFrom("192.168.1.5", 2300, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: instance, Application: thisGame}}))
		}},
		{name: "at home", capture: asks("192.168.1.5", "192.168.1.9")},
		{name: "a public one", capture: member(thirdIP)},
	}
}

func init() {
	says := func(from, addr string) func(*network) {
		return func(n *network) {
			n.UDP(from+":5000", hostIP+":47624", sysFrom(addr, 2300, &wire.EnumSessions{Application: thisGame}))
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
		{name: "a host that tells a joiner its own address for the joiner's", capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", s.list(wire.SuperPackedPlayer{Flags: wire.PlayerSystem, ID: 0x100, SPData: spData("0.0.0.0", 2300, 2350)}))
			s.player(joinerIP, 0x100)
		}},
	}
}

func init() {
	at := func(from string, port uint16) func(*network) {
		return func(n *network) {
			s := newSession(n)
			n.UDP(from+":5000", hostIP+":47624", sys(port, &wire.EnumSessions{Application: thisGame}))
			s.offer(from + ":" + itoa(int(port)))
		}
	}
	examples["ports-outside-range"] = []example{
		{name: "from afar", want: []string{farIP + " wants to be reached at tcp port 6112, which is not one of 2300 to 2400"},
			shows: []string{"ENUMSESSIONS SockAddr=0.0.0.0:6112"}, capture: at(farIP, 6112)},
		{name: "on one network", capture: at(joinerIP, 6112)},
		{name: "a usual one", capture: at(farIP, 2399)},
		{name: "on one network, and closed", want: []string{joinerIP + " wants to be reached at tcp port 6112"}, rest: true, capture: func(n *network) {
			n.UDP(joinerIP+":5000", hostIP+":47624", sys(6112, &wire.EnumSessions{Application: thisGame}))
			n.ask(hostIP+":4000", joinerIP+":6112")
		}},
	}
}

func init() {
	taken := Port{Transport: captures.TCP, Number: 2300, Err: "address already in use"}
	examples["ports-taken"] = []example{
		{name: "all", want: []string{"no tcp port is free for a game on this machine"},
			live: &Live{Ports: []Port{taken, {Transport: captures.UDP, Number: 2350}}}},
		{name: "all but one", live: &Live{Ports: []Port{taken, {Transport: captures.TCP, Number: 2301}, {Transport: captures.UDP, Number: 2350}}}},
	}
}

func init() {
	hamachi := card("ham0", "25.1.2.3/8")
	examples["adapter-vpn"] = []example{
		{name: "VPN", live: &Live{Adapters: []Adapter{card("wlan0", "192.168.7.20/24"), hamachi}},
			want: []string{"the adapter ham0 has 25.1.2.3, which is an address of the VPN Hamachi"}, shows: []string{"adapter ham0=25.1.2.3/8"}},
		{name: "the host is in it", live: &Live{Host: netip.MustParseAddr("25.9.9.9"), Adapters: []Adapter{hamachi}}},
		{name: "a network of its own, and the host in the same VPN", live: &Live{Host: netip.MustParseAddr("100.101.2.3"),
			Adapters: []Adapter{card("tailscale0", "100.64.7.8/32")}}},
		{name: "a network of its own, and the host elsewhere", live: &Live{Host: netip.MustParseAddr("25.9.9.9"), Adapters: []Adapter{card("tailscale0", "100.64.7.8/32")}},
			want: []string{"the adapter tailscale0 has 100.64.7.8"}},
		{name: "the host answered", live: &Live{Host: netip.MustParseAddr(hostIP), Adapters: []Adapter{hamachi}, Ways: []Way{{Offers: []LiveOffer{{}}}}}},
		{name: "one answered there", live: &Live{Adapters: []Adapter{hamachi}, Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort("25.9.9.9:2300")}}}}}},
		{name: "nobody but this machine answered", live: &Live{Adapters: []Adapter{hamachi}, Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort("25.1.2.3:2300")}}}}},
			want: []string{"the adapter ham0 has 25.1.2.3"}},
		{name: "none", live: &Live{Adapters: []Adapter{card("wlan0", "192.168.7.20/24"), card("lo", "127.0.0.1/8")}}},
	}
}
