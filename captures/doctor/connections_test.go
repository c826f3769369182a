package doctor

import (
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/wire"
)

func init() {
	dial := func(answer func(n *network)) func(*network) {
		return func(n *network) {
			newSession(n).found(joinerIP)
			n.ask(joinerIP+":4100", hostIP+":2300")
			answer(n)
		}
	}
	examples["host-unreachable"] = []example{
		{name: "no answer", want: []string{joinerIP + " found the session at " + hostIP + ":2300, but cannot connect to it: nothing answers"},
			capture: dial(func(n *network) {
				n.Wait(time.Second)
				n.ask(joinerIP+":4100", hostIP+":2300")
			})},
		{name: "refused", want: []string{joinerIP + " found the session at " + hostIP + ":2300, but cannot connect to it: it is refused"},
			capture: dial(func(n *network) { n.refuse(joinerIP+":4100", hostIP+":2300") })},
		{name: "the second time", capture: dial(func(n *network) {
			n.refuse(joinerIP+":4100", hostIP+":2300")
			newSession(n).join(joinerIP, 0x100)
		})},
		{name: "nobody tries", capture: func(n *network) { newSession(n).found(joinerIP) }},
		{name: "the host tells an address of its home", rest: true,
			want:  []string{joinerIP + " found the session of " + farIP + ", which tells joiners to connect to 192.168.7.7:2300, and cannot: nothing answers"},
			shows: []string{"ENUMSESSIONSREPLY SockAddr=192.168.7.7:2300", "ICMP unreachable =" + thirdIP + " says that 192.168.7.7:2300 cannot be reached: no way to that network"},
			why:   []string{"an address of its own network", "dplay host --advertise", "the bridge"}, capture: func(n *network) {
				s := newSession(n)
				s.seek(joinerIP, thisGame)
				n.conn(farIP+":4000", joinerIP+":2300").send(sysFrom("192.168.7.7", 2300, &wire.EnumSessionsReply{Desc: s.desc, Name: wire.NewText("Test")}))
				n.ask(joinerIP+":4100", "192.168.7.7:2300")
				n.ICMP(thirdIP, layers.ICMPv4TypeDestinationUnreachable, layers.ICMPv4CodeNet, layers.IPProtocolTCP, joinerIP+":4100", "192.168.7.7:2300", 0)
			}},
	}
}

// forwarded is a session of two, the first of which is told of the second.
func forwarded(n *network) *session {
	s := newSession(n)
	s.join(joinerIP, 0x100)
	s.found(thirdIP)
	s.request(thirdIP, 0x200)
	s.toldBy(joinerIP+":2300", &wire.AddForward{Player: 0x200, Info: wire.PackedPlayer{Flags: wire.PlayerSystem, ID: 0x200, System: 0x200,
		SPData: spData(thirdIP, 2300, 2350)}})
	return s
}

func init() {
	meet := func(answer func(n *network)) func(*network) {
		return func(n *network) {
			s := forwarded(n)
			s.tell(joinerIP, &wire.AddForwardAck{ID: 0x200})
			s.toldBy(thirdIP+":2300", s.list())
			n.ask(joinerIP+":4200", thirdIP+":2300")
			answer(n)
			s.player(thirdIP, 0x200)
		}
	}
	examples["peer-unreachable"] = []example{
		{name: "no answer", want: []string{joinerIP + " cannot connect to " + thirdIP + ` ("player 513"), which is in the same session: nothing answers`},
			capture: meet(func(n *network) {
				n.Wait(time.Second)
				n.ask(joinerIP+":4200", thirdIP+":2300")
			})},
		{name: "refused", want: []string{joinerIP + " cannot connect to " + thirdIP + ` ("player 513"), which is in the same session: it is refused`},
			capture: meet(func(n *network) { n.refuse(joinerIP+":4200", thirdIP+":2300") })},
		{name: "taken", capture: meet(func(n *network) { n.conn(joinerIP+":4201", thirdIP+":2300") })},
		{name: "no member", capture: func(n *network) {
			newSession(n).join(joinerIP, 0x100)
			n.ask(joinerIP+":4200", farIP+":2300")
		}},
	}
}

func init() {
	rst := func(n *network, from, to string) { n.tcp(from, to, layers.TCP{RST: true}, nil) }
	// announced is a session of three, in which the host tells the first joiner of the other's player, who has no such
	// connection any more.
	announced := func(n *network, m wire.Message) *session {
		s := newSession(n)
		s.join(joinerIP, 0x100)
		s.join(thirdIP, 0x200)
		s.toldBy(joinerIP+":2300", m)
		return s
	}
	examples["data-refused"] = []example{
		{name: "a member that goes on", want: []string{joinerIP + ` ("player 257") answered SESSIONDESCCHANGED of ` + hostIP + " with RST in frame "},
			shows: []string{"SESSIONDESCCHANGED =to " + joinerIP + ":2300", "RST =from " + joinerIP + ":2300"}, capture: func(n *network) {
				s := announced(n, &wire.SessionDescChanged{Desc: wire.SessionDesc{Instance: instance, Application: thisGame}, Name: wire.NewText("Test")})
				rst(n, joinerIP+":2300", hostIP+":4000")
				s.n.conn(joinerIP+":4100", hostIP+":2300").send(game(2300, 0x101, 0, "still here"))
			}},
		{name: "the program is gone", capture: func(n *network) {
			announced(n, &wire.SessionDescChanged{Desc: wire.SessionDesc{Instance: instance, Application: thisGame}, Name: wire.NewText("Test")})
			rst(n, joinerIP+":2300", hostIP+":4000")
		}},
		{name: "it has said goodbye, and looks for another session", rest: true, capture: func(n *network) {
			s := announced(n, &wire.SessionDescChanged{Desc: wire.SessionDesc{Instance: instance, Application: thisGame}, Name: wire.NewText("Test")})
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x101})
			rst(n, joinerIP+":2300", hostIP+":4000")
			n.Wait(time.Second)
			s.seek(joinerIP, thisGame)
		}},
		{name: "long after the message", capture: func(n *network) {
			s := announced(n, &wire.SessionDescChanged{Desc: wire.SessionDesc{Instance: instance, Application: thisGame}, Name: wire.NewText("Test")})
			n.Wait(time.Minute)
			rst(n, joinerIP+":2300", hostIP+":4000")
			s.n.conn(joinerIP+":4100", hostIP+":2300").send(game(2300, 0x101, 0, "still here"))
		}},
	}
}
