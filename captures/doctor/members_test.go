package doctor

import (
	"net/netip"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	nothing := func(*network, *session) {}
	const silent = joinerIP + ` ("player 257") did not answer `
	examples["member-silent"] = []example{
		{name: "for good", want: []string{silent + "5 pings, the last that was heard of it came at 0.0"}, shows: []string{"CREATEPLAYER =the last sign of life"}, capture: pinging(5, nothing)},
		{name: "and came back", want: []string{silent + "3 pings, the last that was heard of it came at 0.0"}, shows: []string{"PING =heard again"}, capture: func(n *network) {
			pinging(3, nothing)(n)
			n.ping(joinerIP, hostIP, 0x100, 1)
			n.pong(hostIP, joinerIP, 1, 1)
			n.ping(hostIP, joinerIP, 1, 9)
			n.pong(joinerIP, hostIP, 0x100, 9)
		}},
		{name: "two lost pings", capture: func(n *network) {
			pinging(2, nothing)(n)
			n.ping(hostIP, joinerIP, 1, 9)
			n.pong(joinerIP, hostIP, 0x100, 9)
		}},
		{name: "two lost pings and a leader's question", want: []string{silent + "2 pings and a question over TCP, the last that was heard of it came at 0.0"},
			shows: []string{"EXTENSION VIEW PREPARE =to " + joinerIP + ":2300 over TCP, no answer"}, capture: checked(0, false)},
		{name: "two lost pings and a leader's question, answered", rest: true, capture: checked(0, true)},
		{name: "two lost pings and a candidate's question", capture: checked(7, false)},
		{name: "only the other side is in the capture", rest: true, capture: func(n *network) {
			n.midway(joinerIP+":4100", farIP+":2300").send(sys(2300, &wire.PlayerDataChanged{Player: 0x101}))
			for tick := range uint32(5) {
				n.Wait(time.Second)
				n.ping(joinerIP, farIP, 0x100, tick)
			}
		}},
		{name: "TCP goes on", rest: true, capture: pinging(4, func(_ *network, s *session) { s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x101}) })},
	}
}

// checked is a session in which a member leaves two pings without an answer, and its leader asks over TCP whether it is there.
func checked(number uint32, answered bool) func(*network) {
	var times int
	return pinging(2, func(n *network, s *session) {
		if times++; times%2 == 1 {
			s.check(joinerIP, number)
			if answered {
				n.conn(joinerIP+":4100", hostIP+":2300").send(position(0x100, 1))
			}
		}
	})
}

// pinging is a session in which a member is pinged without an answer, and something happens after each ping.
func pinging(times int, after func(n *network, s *session)) func(*network) {
	return func(n *network) {
		s := newSession(n)
		s.join(joinerIP, 0x100)
		for tick := range times {
			n.Wait(time.Second)
			n.ping(hostIP, joinerIP, 1, uint32(tick))
			after(n, s)
		}
	}
}

func init() {
	speaks := func(_ *network, s *session) { s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x101}) }
	host := netip.MustParseAddrPort(hostIP + ":2300")
	offers := []LiveOffer{{Host: host}}
	ways := func(udp, tcp []LiveOffer) *Live {
		return &Live{Host: host.Addr(), Ways: []Way{{Transport: captures.UDP, Offers: udp}, {Transport: captures.TCP, Offers: tcp}}}
	}
	examples["udp-blocked"] = []example{
		{name: "TCP goes on", want: []string{joinerIP + ` ("player 257") got or answered no ping by UDP, of 4, while it went on to speak over TCP`}, capture: pinging(4, speaks)},
		{name: "UDP as well", rest: true, capture: pinging(4, func(n *network, s *session) {
			speaks(n, s)
			n.ping(joinerIP, hostIP, 0x100, 9)
			n.pong(hostIP, joinerIP, 1, 9)
		})},
		{name: "all silent", rest: true, capture: pinging(4, func(*network, *session) {})},
		{name: "answered", capture: pinging(4, func(n *network, s *session) {
			speaks(n, s)
			n.pong(joinerIP, hostIP, 0x100, 1)
		})},
		{name: "a question by UDP", want: []string{hostIP + " answered the question of " + joinerIP + ":2300 over TCP, but not the one by UDP"}, capture: func(n *network) {
			n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{}))
			n.conn(joinerIP+":4000", hostIP+":47624").send(sys(2301, &wire.EnumSessions{}))
			newSession(n).offer(joinerIP + ":2301")
		}},
		{name: "a question by UDP, answered", capture: func(n *network) {
			n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{}))
			newSession(n).offer(joinerIP + ":2300")
			n.conn(joinerIP+":4000", hostIP+":47624").send(sys(2301, &wire.EnumSessions{}))
			newSession(n).offer(joinerIP + ":2301")
		}},
		{name: "live", live: ways(nil, offers), want: []string{hostIP + " answers questions over TCP, but not those by UDP"}},
		{name: "live, both", live: ways(offers, offers)},
		{name: "live, neither", live: ways(nil, nil), rest: true},
	}
}

// pinged is a machine that pinged a host: whether datagrams come back from it, get there, and large ones too.
func pinged(back, there, large bool) *Live {
	stream, datagram := netip.MustParseAddrPort(hostIP+":2300"), netip.MustParseAddrPort(hostIP+":2350")
	return &Live{Pings: []Ping{
		{captures.TCP, stream, 36, captures.TCP, true}, {captures.TCP, stream, 36, captures.UDP, back}, {captures.UDP, datagram, 36, captures.TCP, there},
		{captures.UDP, datagram, 1400, captures.TCP, there && large}, {captures.TCP, stream, 1400, captures.UDP, back && large},
	}}
}

func init() {
	// sends has the host send octets to a member several times, half a second apart, while the member pings.
	sends := func(octets, tries int, pings bool) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			c := n.conn(s.host+":4000", joinerIP+":2300")
			k := [2]string{c.src, c.dst}
			for tick := range tries {
				was := n.seq[k]
				c.send(sys(2300, &wire.PlayerDataChanged{Player: 1, Data: make([]byte, octets)}))
				n.seq[k] = was
				n.Wait(500 * time.Millisecond)
				if pings {
					n.ping(joinerIP, hostIP, 0x100, uint32(tick))
					n.pong(hostIP, joinerIP, 1, uint32(tick))
				}
			}
		}
	}
	examples["mtu"] = []example{
		{name: "large octets again and again", want: []string{hostIP + " sent 932 octets to " + joinerIP + " over TCP again, 5 times, and they do not arrive"},
			shows: []string{"TCP =932 octets to " + joinerIP + ":2300", "TCP =the last try"}, capture: sends(888, 6, true)},
		{name: "small ones", capture: sends(100, 6, true)},
		{name: "twice", capture: sends(888, 2, true)},
		{name: "a machine that is gone", rest: true, capture: sends(888, 6, false)},
		{name: "large ones", live: pinged(true, true, false), want: []string{"packets of 1400 octets do not get to " + hostIP + ", while small ones do"},
			shows: []string{"PING of 1400 octets udp " + hostIP + ":2350=no answer by tcp"}},
		{name: "none at all", rest: true, live: pinged(true, false, false)},
		{name: "all", live: pinged(true, true, true)},
		{name: "not tried", live: &Live{}},
	}
}

func init() {
	// pings has the host ping a member, whose own datagrams arrive, and which answers the pings before number from.
	pings := func(from int) func(*network) {
		return func(n *network) {
			newSession(n).join(joinerIP, 0x100)
			for tick := range uint32(6) {
				n.Wait(time.Second)
				n.ping(hostIP, joinerIP, 1, tick)
				if int(tick) < from {
					n.pong(joinerIP, hostIP, 0x100, tick)
				}
				n.ping(joinerIP, hostIP, 0x100, 100+tick)
				n.pong(hostIP, joinerIP, 1, 100+tick)
			}
		}
	}
	// deposed has a member, whose pings the host answers, act as host in its place.
	deposed := func(after func(*session)) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.desc.Flags = wire.SessionMigrateHost
			s.join(joinerIP, 0x100)
			s.join(thirdIP, 0x200)
			for tick := range uint32(3) {
				n.Wait(time.Second)
				n.ping(joinerIP, hostIP, 0x100, tick)
				n.pong(hostIP, joinerIP, 1, tick)
			}
			n.conn(joinerIP+":4300", thirdIP+":2300").send(sys(2300, &wire.IAmNameServer{Host: 0x100, Flags: wire.PlayerSystem | wire.PlayerNameServer,
				SPData: spData("0.0.0.0", 2300, 2350)}))
			after(s)
		}
	}
	// unheard has a leader ask a member over TCP again and again, which answers pings and sends positions between two questions.
	unheard := func(questions, positions int, answers bool) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			for tick := range uint32(questions) {
				for range positions {
					n.Wait(time.Second)
					n.UDP(joinerIP+":2350", hostIP+":2350", position(0x100, 1))
				}
				n.ping(hostIP, joinerIP, 1, tick)
				n.pong(joinerIP, hostIP, 0x100, tick)
				if answers {
					n.ping(joinerIP, hostIP, 0x100, tick)
					n.pong(hostIP, joinerIP, 1, tick)
				}
				s.check(joinerIP, 0)
				n.conn(joinerIP+":4100", hostIP+":2300").send(position(0x100, 1))
			}
		}
	}
	const begin = "datagrams of " + hostIP + " do not get to " + joinerIP + ` ("player 257"), while those of `
	// mended has a network cut in both directions, and mended: the joiner's ping is answered before the host's, or behind it.
	mended := func(joinerFirst bool) func(*network) {
		return func(n *network) {
			newSession(n).join(joinerIP, 0x100)
			for tick := range uint32(3) {
				n.Wait(5 * time.Second)
				n.ping(hostIP, joinerIP, 1, tick)
				if tick == 1 {
					n.ping(joinerIP, hostIP, 0x100, tick)
				}
				n.UDP(joinerIP+":2350", hostIP+":2350", position(0x100, 1))
			}
			n.Wait(time.Minute)
			answered := []func(){
				func() { n.ping(joinerIP, hostIP, 0x100, 9); n.pong(hostIP, joinerIP, 1, 9) },
				func() { n.ping(hostIP, joinerIP, 1, 9); n.pong(joinerIP, hostIP, 0x100, 9) },
			}
			for i := range answered {
				answered[(i+flag(!joinerFirst))%2]()
			}
		}
	}
	examples["udp-one-way"] = []example{
		{name: "from the beginning", want: []string{begin + joinerIP + ` ("player 257") get to it: none of 6 pings was answered`},
			shows: []string{"PING =to " + joinerIP + ", no answer", "PING =by UDP, from " + joinerIP}, capture: pings(0)},
		{name: "later", want: []string{begin + joinerIP + ` ("player 257") get to it: none of 3 pings was answered`}, capture: pings(3)},
		{name: "two lost pings", capture: pings(4)},
		{name: "answers that do not arrive", rest: true, want: []string{begin + joinerIP + ` ("player 257") get to it: ` + joinerIP +
			` ("player 257") acts as host in its place, although each of the last 3 pings was answered`},
			shows: []string{"PING =to " + hostIP + ", answered", "PINGREPLY =the last answer"}, capture: deposed(func(s *session) { s.found(thirdIP) })},
		{name: "a leader that asks over TCP", want: []string{"datagrams of " + joinerIP + ` ("player 257") do not get to ` + hostIP + ", while those of " +
			hostIP + " get to it: " + hostIP + " asked it over TCP 4 times whether it is there, although it answered pings and sent 9 positions " +
			"between the questions"}, shows: []string{"EXTENSION VIEW PREPARE =to " + joinerIP, "EXTENSION VIEW POSITION =by UDP, from " + joinerIP,
			"PINGREPLY =by UDP, its last answer"}, capture: unheard(4, 3, false)},
		{name: "a leader that asks over TCP twice", capture: unheard(2, 3, false)},
		{name: "a leader that asks over TCP, and positions that arrive", capture: unheard(4, 4, false)},
		{name: "a leader that asks over TCP, and answers", capture: unheard(4, 3, true)},
		{name: "a leader that asks who stands still", capture: unheard(4, 0, false)},
		{name: "a host that is gone", rest: true, capture: deposed(func(*session) {})},
		{name: "live, there", live: pinged(true, false, true), want: []string{"datagrams of this machine do not get to " + hostIP + ":2350, while those"},
			shows: []string{"PING of 36 octets udp " + hostIP + ":2350=no answer by tcp"}},
		{name: "live, back", live: pinged(false, true, true), want: []string{"datagrams of " + hostIP + " do not get to this machine, while those"}},
		{name: "live, neither", live: pinged(false, false, true), want: []string{"datagrams get neither from this machine to " + hostIP + ":2350 nor back"}},
		{name: "live, both", live: pinged(true, true, true)},
		{name: "live, one that does not answer", live: &Live{Pings: pinged(true, true, true).Pings[:1]}},
		{name: "answered", capture: pings(6)},
		{name: "neither, and mended from the joiner", rest: true, capture: mended(true)},
		{name: "neither, and mended from the host", rest: true, capture: mended(false)},
		{name: "all silent", rest: true, capture: pinging(6, func(*network, *session) {})},
		{name: "one that stood still", rest: true, capture: func(n *network) {
			newSession(n).join(joinerIP, 0x100)
			for tick := range uint32(6) {
				n.Wait(time.Second)
				n.ping(hostIP, joinerIP, 1, tick)
			}
			for tick := range uint32(6) {
				n.pong(joinerIP, hostIP, 0x100, tick)
			}
			n.ping(joinerIP, hostIP, 0x100, 1)
		}},
	}
}

func init() {
	examples["declared-dead"] = []example{
		{name: "told", want: []string{hostIP + " told " + joinerIP + ` ("player 257") that it is not in the session any more`}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.ping(joinerIP, hostIP, 0x100, 1)
			s.toldBy(joinerIP+":2300", &wire.YouAreDead{})
			s.toldBy(joinerIP+":2300", &wire.YouAreDead{})
		}},
		{name: "answered", capture: healthy},
	}
}

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

func init() {
	ends := func(ack wire.PlayerID) func(*network) {
		return func(n *network) {
			s := forwarded(n)
			if ack != 0xfff {
				s.tell(joinerIP, &wire.AddForwardAck{ID: ack})
			}
			s.toldBy(thirdIP+":2300", s.list())
		}
	}
	want := []string{joinerIP + ` ("player 257") did not confirm the newcomer 0x00000200 to the host ` + hostIP + " within 3.0"}
	examples["add-forward-unacked"] = []example{
		{name: "no word", want: want, capture: ends(0xfff)},
		{name: "about another one", want: want, capture: ends(0x300)},
		{name: "only the host's side is in the capture", rest: true, capture: func(n *network) {
			n.midway(hostIP+":4000", farIP+":2300").send(sys(2300, &wire.AddForward{Player: 0x200}))
		}},
		{name: "confirmed", capture: ends(0x200)},
		{name: "confirmed without a name", capture: ends(wire.IDAll)},
	}
}

func init() {
	say := func(from, to wire.PlayerID) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.conn(joinerIP+":4100", hostIP+":2300").send(game(2300, from, to, "hello"))
		}
	}
	examples["game-ids-unknown"] = []example{
		{name: "a header over them", want: []string{joinerIP + ` ("player 257") sent game messages between players that do not exist, once`},
			shows: []string{"PLAYERMESSAGE From=0x42424242", "PLAYERMESSAGE To=0x696f6a42"}, capture: say(0x42424242, 0x696f6a42)},
		{name: "one is known", capture: say(0x101, 0x696f6a42)},
		{name: "to everybody", capture: say(0x999, wire.IDAll)},
		{name: "in the middle of a session", rest: true, capture: func(n *network) {
			n.midway(joinerIP+":4100", hostIP+":2300").send(game(2300, 0x111, 0x222, "hello"))
			n.midway(joinerIP+":4101", thirdIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x333}))
			n.midway(joinerIP+":4101", thirdIP+":2300").send(game(2300, 0x111, 0x222, "hello"))
		}},
	}
}
