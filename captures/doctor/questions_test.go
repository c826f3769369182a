package doctor

import (
	"net/netip"
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	// hosted is a session with a description, which the capture has from the list of a machine that is in: the host's own
	// recording, or one of the network.
	hosted := func(n *network, change func(*wire.SessionDesc), password string) *session {
		s := newSession(n)
		change(&s.desc)
		s.request(joinerIP, 0x100)
		l := s.list()
		if password != "" {
			l.Password = wire.NewText(password)
		}
		s.toldBy(joinerIP+":2300", l)
		s.player(joinerIP, 0x100)
		return s
	}
	ask := func(n *network, m wire.EnumSessions) { n.UDP(thirdIP+":5000", hostIP+":47624", sys(2300, &m)) }
	locked := func(d *wire.SessionDesc) { d.Flags |= wire.SessionPasswordRequired }
	two := func(d *wire.SessionDesc) { d.MaxPlayers = 2 }
	private := func(d *wire.SessionDesc) { d.Flags |= wire.SessionPasswordRequired | wire.SessionPrivate }
	const begin = "the question of " + thirdIP + " for sessions (flags "
	const hides = " reached " + hostIP + `, which does not show the session "Test": `
	available, all := wire.EnumAvailable, wire.EnumAll
	one := func(name, want string, change func(*wire.SessionDesc), password string, m wire.EnumSessions) example {
		e := example{name: name, capture: func(n *network) { hosted(n, change, password); ask(n, m) }}
		if want != "" {
			e.want = []string{begin + want}
			e.shows = []string{"ENUMSESSIONS SockAddr=answers are wanted at " + thirdIP, "SUPERENUMPLAYERSREPLY "}
		} else {
			e.rest = true
		}
		return e
	}
	q := func(f wire.EnumFlags, password wire.Text) wire.EnumSessions {
		return wire.EnumSessions{Application: thisGame, Flags: f, Password: password}
	}
	examples["question-ignored"] = []example{
		one("a password, and the game does not ask for such sessions",
			"AVAILABLE, no password)"+hides+"it wants a password; the question has none, and lacks the flag PASSWORDREQUIRED", locked, "sesame", q(available, nil)),
		one("a wrong password", "AVAILABLE, with a password)"+hides+"it wants a password; the question has another password", locked, "sesame", q(available, wire.NewText("sesam"))),
		one("a password that nobody else has said", "AVAILABLE, with a password)"+hides+"it wants a password; the question has one that is not in the capture otherwise",
			locked, "", q(available, wire.NewText8("sesame"))),
		one("private", "ALL|PASSWORDREQUIRED, no password)"+hides+"it is private", private, "sesame", q(all|wire.EnumPasswordRequired, nil)),
		one("closed", "AVAILABLE, no password)"+hides+"it lets nobody join (JOINDISABLED), and the question lacks the flag ALL",
			func(d *wire.SessionDesc) { d.Flags |= wire.SessionJoinDisabled }, "", q(available, nil)),
		one("no new players", "AVAILABLE, no password)"+hides+"it takes no new players (NEWPLAYERSDISABLED)",
			func(d *wire.SessionDesc) { d.Flags |= wire.SessionNewPlayersDisabled }, "", q(available, nil)),
		one("full", "AVAILABLE, no password)"+hides+"it is full, 2 of 2, and the question lacks the flag ALL",
			two, "", q(available, nil)),
		one("another game", "AVAILABLE, no password)"+hides+"it is of This Game "+thisGame.String()+", and the question is for "+otherGame.String(),
			func(*wire.SessionDesc) {}, "", wire.EnumSessions{Application: otherGame, Flags: available}),
		{name: "the session is described later", want: []string{begin + "AVAILABLE, no password)" + hides + "it wants a password"}, capture: func(n *network) {
			ask(n, q(available, nil))
			hosted(n, locked, "sesame")
		}},
		one("the right password in 8 bits", "", locked, "sesame", q(available, wire.NewText8("sesame"))),
		one("sessions with a password are asked for", "", locked, "sesame", q(available|wire.EnumPasswordRequired, nil)),
		one("full, and all are asked for", "", two, "", q(all, nil)),
		{name: "full, until the system player of a machine left, and its player with it", rest: true, capture: func(n *network) {
			s := hosted(n, two, "")
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x100})
			ask(n, q(available, nil))
		}},
		{name: "full again", want: []string{begin + "AVAILABLE, no password)" + hides + "it is full, 2 of 2"}, capture: func(n *network) {
			s := hosted(n, two, "")
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x101})
			s.player(joinerIP, 0x100)
			ask(n, q(available, nil))
		}},
		one("it hides from nobody", "", func(*wire.SessionDesc) {}, "", q(available, nil)),
		{name: "it answers the second time, with the flag", capture: func(n *network) {
			s := hosted(n, locked, "sesame")
			ask(n, q(available, nil))
			ask(n, q(available|wire.EnumPasswordRequired, nil))
			s.offer(thirdIP + ":2300")
		}},
		{name: "another host answers", capture: func(n *network) {
			hosted(n, locked, "sesame")
			n.UDP(thirdIP+":5000", everyone, sys(2300, &wire.EnumSessions{Application: thisGame, Flags: available}))
			n.conn(farIP+":4000", thirdIP+":2300").send(sys(2300, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: otherGame, Application: thisGame}, Name: wire.NewText("x")}))
		}},
	}
}

func init() {
	examples["enum-port-taken"] = []example{
		{name: "taken", want: []string{"a session hosted on this machine could not be found: port 47624 is not to be had"},
			shows: []string{"bind udp 47624=address already in use, held by other (process 7)"},
			live: &Live{Ports: []Port{{Transport: captures.UDP, Number: 47624, Err: "address already in use", Holder: "other (process 7)"},
				{Transport: captures.TCP, Number: 47624}}}},
		{name: "taken by a host",
			live: &Live{Ports: []Port{{Transport: captures.TCP, Number: 47624, Err: "address already in use", Hosts: "Mine"}}}},
		{name: "free", live: &Live{Ports: []Port{{Transport: captures.UDP, Number: 47624}, {Transport: captures.TCP, Number: 47624}}}},
		{name: "another one", live: &Live{Ports: []Port{{Transport: captures.TCP, Number: 2300, Err: "address already in use"}, {Transport: captures.TCP, Number: 2301}}}},
	}
}

func init() {
	ask := func(n *network, to string) {
		n.UDP(joinerIP+":5000", to, sys(2300, &wire.EnumSessions{Application: thisGame}))
	}
	host := netip.MustParseAddr(hostIP)
	way := Way{Transport: captures.TCP, To: netip.AddrPortFrom(host, 47624), Err: "connection refused", Fault: Refused}
	silent, away := way, way
	silent.Err, silent.Fault = "", NoFault
	away.Err, away.Fault = "no route to host", Unreachable
	examples["enum-unanswered"] = []example{
		{name: "everybody", want: []string{joinerIP + " asked everybody on its network for sessions, and nobody answered"},
			shows: []string{"ENUMSESSIONS SockAddr=answers are wanted at " + joinerIP + ":2300"}, capture: func(n *network) {
				for range 5 {
					newSession(n).seek(joinerIP, thisGame)
				}
			}},
		{name: "one host, whose machine says why", want: []string{joinerIP + " asked " + hostIP + " for sessions, and nobody answered"},
			shows: []string{"ICMP unreachable =" + hostIP + " says that " + hostIP + ":47624 cannot be reached: no program there uses that port"}, capture: func(n *network) {
				ask(n, hostIP+":47624")
				n.unreachable(hostIP, "port", layers.IPProtocolUDP, joinerIP+":5000", hostIP+":47624")
			}},
		{name: "no connection to ask over", want: []string{joinerIP + " wanted to ask " + hostIP + " for sessions over TCP, and got no connection: it was refused"}, capture: func(n *network) {
			n.ask(joinerIP+":4100", hostIP+":47624")
			n.refuse(joinerIP+":4100", hostIP+":47624")
		}},
		{name: "the capture ends too early", capture: func(n *network) {
			n.Wait(time.Minute)
			newSession(n).join(joinerIP, 0x100)
			n.Wait(2500 * time.Millisecond)
			n.UDP(farIP+":5000", "198.51.100.1:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.Now = n.Now.Add(-2900 * time.Millisecond) // what comes next is the end
		}},
		{name: "behind a NAT, an answer was tried", rest: true, capture: func(n *network) {
			n.UDP(farIP+":5000", hostIP+":47624", sysFrom("192.168.1.5", 2300, &wire.EnumSessions{Application: thisGame}))
			n.ask(hostIP+":4000", "192.168.1.5:2300")
		}},
		{name: "behind a NAT, nothing was tried", want: []string{farIP + " asked " + hostIP}, shows: []string{"answers are wanted at 192.168.1.5:2300"}, rest: true, capture: func(n *network) {
			n.UDP(farIP+":5000", hostIP+":47624", sysFrom("192.168.1.5", 2300, &wire.EnumSessions{Application: thisGame}))
		}},
		{name: "connects and says nothing", want: []string{hostIP + " connected to " + joinerIP + ":2300, where " + joinerIP + " waits for the answer, and said nothing"},
			why: []string{"open in both directions", "MTU"}, capture: func(n *network) {
				ask(n, hostIP+":47624")
				n.conn(hostIP+":4000", joinerIP+":2300")
			}},
		{name: "connects and says nothing, at the end", ends: true, capture: func(n *network) {
			ask(n, hostIP+":47624")
			n.conn(hostIP+":4000", joinerIP+":2300")
		}},
		{name: "at several ports, one after the other", want: []string{joinerIP + ":2300 asked " + hostIP}, capture: func(n *network) {
			for port := range uint16(3) {
				n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300+port, &wire.EnumSessions{Application: thisGame}))
			}
		}},
		{name: "it becomes host itself", capture: func(n *network) {
			s := newSession(n)
			s.seek(hostIP, thisGame)
			n.Wait(time.Minute)
			s.join(joinerIP, 0x100)
		}},
		{name: "answered late", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.Wait(time.Minute)
			s.offer(joinerIP + ":2300")
		}},
		{name: "the answer is not in the capture", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", s.list())
		}},
		{name: "at 127.0.0.1, and of everybody, who answers", capture: func(n *network) {
			alone(n, "127.0.0.1")
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.offer(joinerIP + ":2300")
		}},
		{name: "at 127.0.0.1, and of everybody, who does not answer", want: []string{joinerIP + " asked everybody on its network"}, capture: func(n *network) {
			alone(n, "127.0.0.1")
			newSession(n).seek(joinerIP, thisGame)
		}},
		{name: "at 127.0.0.1 alone", want: []string{"127.0.0.1 asked 127.0.0.1 for sessions"}, capture: func(n *network) { alone(n, "127.0.0.1") }},
		{name: "by each adapter from a socket of its own, and one answers", capture: func(n *network) {
			n.UDP("10.8.0.2:5001", "10.8.0.255:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			newSession(n).found(joinerIP)
		}},
		{name: "two machines, one after the other", want: []string{"10.8.0.2 asked everybody"}, capture: func(n *network) {
			n.UDP("10.8.0.2:5000", "10.8.0.255:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.Wait(2 * time.Second)
			newSession(n).found(joinerIP)
		}},
		{name: "from one socket to two hosts, and one answers", capture: func(n *network) {
			n.UDP("10.8.0.2:5000", "10.8.0.1:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			newSession(n).offer(joinerIP + ":2300")
		}},
		{name: "by each adapter, for two games", want: []string{"10.8.0.2 asked everybody"}, rest: true, capture: func(n *network) {
			n.UDP("10.8.0.2:5000", "10.8.0.255:47624", sys(2300, &wire.EnumSessions{Application: otherGame}))
			newSession(n).found(joinerIP)
		}},
		{name: "only the joiner's side is in the capture, from the request to be let in on", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			side := n.midway(joinerIP+":4100", farIP+":2300")
			side.send(sys(2300, s.newcomer(0x100)))
			side.send(sys(2300, &wire.RequestPlayerID{}))
		}},
		{name: "a member sees the search of a newcomer, and its player", capture: func(n *network) {
			newSession(n).seek(joinerIP, thisGame)
			n.conn(joinerIP+":4100", hostIP+":2300").send(sys(2300, &wire.CreatePlayer{Player: 0x101, Info: wire.PackedPlayer{ID: 0x101, SPData: spData("0.0.0.0", 2300, 2350)}}))
		}},
		{name: "live", live: &Live{Host: host, Waited: 2 * time.Second, Ways: []Way{way}}, shows: []string{"ENUMSESSIONS tcp " + hostIP + ":47624=connection refused"},
			want: []string{hostIP + " was asked for sessions, and nobody answered within 2.000 s"}, why: []string{"the machine is there, and refuses", "opened its session"}},
		{name: "live, one way refused", live: &Live{Host: host, Ways: []Way{silent, way, away}}, want: []string{hostIP}, why: []string{"the machine is there"}},
		{name: "live, no way", live: &Live{Host: host, Ways: []Way{silent, away}}, want: []string{hostIP}, why: []string{"no way to that address", "whether the address is right"}},
		{name: "live, silence", live: &Live{Host: host, Ways: []Way{silent}}, want: []string{hostIP}, why: []string{"nothing comes back from that address at all", "forward UDP and TCP 47624"}},
		{name: "live, everybody", live: &Live{Ways: []Way{silent}}, want: []string{"everybody on the network was asked"}, why: []string{"nobody hosts a game on the network", "dplay doctor --live HOST"}},
		{name: "live, everybody, without a network", live: &Live{Ways: []Way{away}}, want: []string{"everybody on the network was asked"}, why: []string{"this machine has no network"}},
		{name: "live, answered", live: searching("192.168.7.20")},
	}
}

// alone is the question of a machine to itself, at an address where nobody hosts.
func alone(n *network, at string) {
	n.UDP(at+":5000", at+":47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
	n.unreachable(at, "port", layers.IPProtocolUDP, at+":5000", at+":47624")
}

// card is an adapter with one address.
func card(name, addr string) Adapter {
	p := netip.MustParsePrefix(addr)
	return Adapter{Name: name, Addrs: []netip.Prefix{p}, Loopback: p.Addr().IsLoopback()}
}

// searching is a machine with adapters that found a session on the network.
func searching(by string, cards ...Adapter) *Live {
	return &Live{BroadcastBy: netip.MustParseAddr(by), Adapters: cards,
		Ways: []Way{{Transport: captures.UDP, Offers: []LiveOffer{{Host: netip.MustParseAddrPort(hostIP + ":2300"), App: thisGame}}}}}
}

func init() {
	seek := func(from string, other string, answered bool) func(*network) {
		return func(n *network) {
			if other != "" {
				n.Interface = 1
				n.UDP(other+":1", "192.168.7.1:1", []byte("other traffic"))
				n.Interface = 0
			}
			s := newSession(n)
			n.UDP(from+":5000", everyone, sys(2300, &wire.EnumSessions{Application: thisGame}))
			if answered {
				s.offer(from + ":2300")
			}
		}
	}
	loop := card("lo", "127.0.0.1/8")
	examples["broadcast-wrong-adapter"] = []example{
		{name: "another interface", rest: true, want: []string{"10.8.0.2 asked everybody on the network of 10.8.0.2, and nobody answered, while the capture has traffic of 192.168.7.20"},
			capture: seek("10.8.0.2", "192.168.7.20", false)},
		{name: "link-local", rest: true, want: []string{"169.254.1.2 asked everybody on the network of 169.254.1.2, and nobody answered; 169.254.1.2 is a link-local address"},
			capture: seek("169.254.1.2", "", false)},
		{name: "answered", capture: seek("169.254.1.2", "192.168.7.20", true)},
		{name: "one network", rest: true, capture: seek("192.168.7.21", "192.168.7.20", false)},
		{name: "the search went to both networks, and one answers", capture: func(n *network) {
			n.Interface = 1
			n.UDP("10.8.0.2:5000", "10.8.0.255:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.Interface = 0
			newSession(n).found(joinerIP)
		}},
		{name: "live, VPN", live: searching("26.1.2.3", loop, card("radmin", "26.1.2.3/8"), card("wlan0", "192.168.7.20/24")), rest: true,
			want: []string{"a search for games on the network leaves by 26.1.2.3, which is an address of the VPN Radmin"}},
		{name: "live, the VPN is where they play", live: &Live{BroadcastBy: netip.MustParseAddr("26.1.2.3"), Adapters: []Adapter{card("radmin", "26.1.2.3/32")},
			Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort("26.9.9.9:2300")}}}}}},
		{name: "live, two networks", as: Warning, live: searching("192.168.7.20", card("eth0", "10.1.2.3/24"), card("wlan0", "192.168.7.20/24")),
			want: []string{"this machine is on 2 networks, and a search for games goes to that of 192.168.7.20 only"}},
		{name: "live, two networks, and the session is where games search", live: searching("192.0.2.7", card("eth0", "192.0.2.7/24"), card("wlan0", "192.168.7.20/24"))},
		{name: "live, two networks, and the session is of this machine", as: Warning, live: searching(hostIP, card("eth0", hostIP+"/24"), card("wlan0", "192.168.7.20/24")),
			want: []string{"this machine is on 2 networks"}},
		{name: "live, one network", live: searching("192.168.7.20", loop, card("wlan0", "192.168.7.20/24"))},
	}
}
