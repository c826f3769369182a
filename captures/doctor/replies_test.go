package doctor

import (
	"net/netip"
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	examples["reply-refused"] = []example{
		{name: "refused", want: []string{hostIP + " answered, but its connection to " + joinerIP + ":2300, where " + joinerIP + " waits for the answer, was refused"},
			shows: []string{"SYN =to " + joinerIP + ":2300", "RST =refused"}, capture: func(n *network) {
				s := newSession(n)
				for range 2 {
					s.seek(joinerIP, thisGame)
					n.ask(hostIP+":4000", joinerIP+":2300")
					n.refuse(hostIP+":4000", joinerIP+":2300")
				}
			}},
		{name: "then taken", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.ask(hostIP+":4001", joinerIP+":2300")
			n.refuse(hostIP+":4001", joinerIP+":2300")
			s.join(joinerIP, 0x100)
		}},
		{name: "after the end", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.ask(hostIP+":4002", joinerIP+":2300")
			n.refuse(hostIP+":4002", joinerIP+":2300")
		}},
	}
}

func init() {
	examples["reply-timed-out"] = []example{
		{name: "no answer", want: []string{hostIP + " answered, but nothing at " + joinerIP + ":2300, where " + joinerIP + " waits for the answer, took its connection"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			for range 3 {
				n.ask(hostIP+":4000", joinerIP+":2300")
				n.Wait(time.Second)
			}
		}},
		{name: "behind a NAT, to the address in the header", rest: true, shows: []string{"SYN =to 192.168.1.5:2300"},
			want: []string{hostIP + " answered, but nothing at 192.168.1.5:2300, where " + farIP + " waits for the answer, took its connection"}, capture: func(n *network) {
				n.UDP(farIP+":5000", hostIP+":47624", sysFrom("192.168.1.5", 2300, &wire.EnumSessions{Application: thisGame}))
				n.ask(hostIP+":4000", "192.168.1.5:2300")
				n.Wait(time.Second)
				n.ask(hostIP+":4000", "192.168.1.5:2300")
			}},
		{name: "refused", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.ask(hostIP+":4000", joinerIP+":2300")
			n.refuse(hostIP+":4000", joinerIP+":2300")
		}},
		{name: "a capture without answers to anything", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.ask(hostIP+":4000", joinerIP+":2300")
			n.known[hostIP+":4000"+joinerIP+":2300"] = n.midway(hostIP+":4000", joinerIP+":2300")
			s.offer(joinerIP + ":2300")
		}},
	}
}

func init() {
	examples["reply-never-tried"] = []example{
		{name: "asked over TCP", want: []string{"the question of " + joinerIP + " for sessions reached " + hostIP + ", which never tried to answer at " + joinerIP + ":2300"},
			capture: func(n *network) {
				n.conn(joinerIP+":4100", hostIP+":47624").send(sys(2300, &wire.EnumSessions{Application: thisGame}))
			}},
		{name: "others were answered", want: []string{"the question of " + thirdIP + " for sessions reached " + hostIP}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.seek(thirdIP, thisGame)
		}},
		{name: "another one was answered, which asked from the same port at once", want: []string{"the question of " + farIP + " for sessions reached " + hostIP},
			capture: func(n *network) {
				n.UDP(farIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
				n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
				newSession(n).offer(joinerIP + ":2300")
			}},
		{name: "others were answered about another game", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.seek(thirdIP, otherGame)
		}},
		{name: "another program is there", want: []string{"the question of " + joinerIP + ":2300 for sessions reached " + hostIP},
			why: []string{"rather another program"}, shows: []string{"ICMP unreachable =" + hostIP + " says that UDP " + hostIP + ":47624 cannot be reached: no program there uses that port"},
			capture: func(n *network) {
				n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
				n.unreachable(hostIP, "port", layers.IPProtocolUDP, joinerIP+":5000", hostIP+":47624")
				n.conn(joinerIP+":4100", hostIP+":47624").send(sys(2301, &wire.EnumSessions{Application: thisGame}))
			}},
		{name: "behind a router", want: []string{"the question of " + joinerIP + " for sessions reached " + farIP},
			why: []string{"The router of " + joinerIP + " does not forward TCP 2300-2400"}, rest: true, capture: func(n *network) {
				n.conn(joinerIP+":4100", farIP+":47624").send(sys(2300, &wire.EnumSessions{Application: thisGame}))
			}},
		{name: "it tried", rest: true, capture: func(n *network) {
			n.conn(joinerIP+":4100", hostIP+":47624").send(sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.ask(hostIP+":4000", joinerIP+":2300")
		}},
	}
}

func init() {
	byUDP := func(n *network, s *session) {
		s.seek(joinerIP, thisGame)
		n.UDP(hostIP+":47624", joinerIP+":5000", sys(2300, &wire.EnumSessionsReply{Desc: s.desc, Name: wire.NewText("Test")}))
	}
	host := netip.MustParseAddrPort(hostIP + ":2300")
	offer := func(t captures.Transport) *Live {
		return &Live{Host: host.Addr(), Ways: []Way{{Transport: captures.UDP, Offers: []LiveOffer{{Host: host, Transport: t}}}}}
	}
	examples["reply-by-udp"] = []example{
		{name: "UDP only", want: []string{hostIP + " answered the question of " + joinerIP + " by UDP only; games wait for TCP at " + joinerIP + ":2300"},
			capture: func(n *network) { byUDP(n, newSession(n)) }},
		{name: "TCP as well", capture: func(n *network) {
			s := newSession(n)
			byUDP(n, s)
			s.offer(joinerIP + ":2300")
		}},
		{name: "live", live: offer(captures.UDP), want: []string{hostIP + ":2300 answers by UDP only"}, rest: true},
		{name: "live, over TCP", live: offer(captures.TCP)},
	}
}

func init() {
	examples["reply-wrong-port"] = []example{
		{name: "where the question came from", want: []string{hostIP + " answered " + joinerIP + " at port 5000, but it waits at port 2300"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.offer(joinerIP + ":5000")
		}},
		{name: "another program of the same machine", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.UDP(joinerIP+":5001", everyone, sys(2301, &wire.EnumSessions{Application: thisGame}))
			s.offer(joinerIP + ":2301")
		}},
		{name: "refused there", want: []string{hostIP + " wants to answer " + joinerIP + " at port 5000, but it waits at port 2300: it is refused"}, capture: func(n *network) {
			newSession(n).seek(joinerIP, thisGame)
			n.ask(hostIP+":4000", joinerIP+":5000")
			n.refuse(hostIP+":4000", joinerIP+":5000")
		}},
		{name: "both", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.offer(joinerIP + ":5000")
			s.offer(joinerIP + ":2300")
		}},
	}
}
