package doctor

import (
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/wire"
)

func init() {
	const noID = hostIP + " did not answer the request for an id (REQUESTPLAYERID) of " + joinerIP
	const noList = hostIP + " did not answer the request to be let in (ADDFORWARDREQUEST) of " + thirdIP
	unanswered := func(n *network) {
		s := newSession(n)
		if n.Frames == 0 {
			s.found(joinerIP)
		}
		s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
	}
	examples["join-unanswered"] = []example{
		{name: "no id", want: []string{hostIP + " did not answer the request for an id (REQUESTPLAYERID) of " + joinerIP + " within 3.0"}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
		}},
		{name: "no list", want: []string{hostIP + " did not answer the request to be let in (ADDFORWARDREQUEST) of " + joinerIP + " within 3.0"}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
		}},
		{name: "asked three times", want: []string{noID + ", asked 3 times, within 6.003 s"}, capture: func(n *network) {
			for range 3 {
				unanswered(n)
				n.Wait(time.Second)
			}
		}},
		{name: "recorded by the joiner itself, up to its last message", as: Warning, want: []string{noID + " within 0.000 s"}, why: []string{"its last message"},
			ends: true, capture: unanswered},
		{name: "answered with RST", want: []string{noID + " within 3.002 s: RST came instead in frame 8"}, shows: []string{"RST =from " + hostIP + ":2300"},
			capture: func(n *network) {
				unanswered(n)
				n.tcp(hostIP+":2300", joinerIP+":4100", layers.TCP{RST: true}, nil)
			}},
		{name: "the host hangs up", want: []string{noID + " within 3.002 s, but ended the connection in frame 8"}, capture: func(n *network) {
			unanswered(n)
			n.tcp(hostIP+":2300", joinerIP+":4100", layers.TCP{FIN: true, ACK: true}, nil)
		}},
		{name: "the host cannot connect back", rest: true, want: []string{noID + " within 3.003 s: its connection to " + joinerIP + ":2300 was refused in frame "},
			capture: func(n *network) {
				unanswered(n)
				n.ask(hostIP+":4001", joinerIP+":2300")
				n.refuse(hostIP+":4001", joinerIP+":2300")
			}},
		{name: "something else comes", want: []string{noID + " within 3.002 s: what came instead cannot be read: "}, capture: func(n *network) {
			unanswered(n)
			n.conn(hostIP+":4000", joinerIP+":2300").send([]byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"))
		}},
		{name: "an answer that never ends", want: []string{noID + " within 3.002 s: what came instead cannot be read: "}, capture: func(n *network) {
			unanswered(n)
			long := sys(2300, &wire.RequestPlayerReply{ID: 0x100})
			copy(long, []byte{0xff, 0xff, 0xbf, 0xfa}) // its size says 1 MiB
			n.conn(hostIP+":4000", joinerIP+":2300").send(long)
		}},
		{name: "a member does not confirm the newcomer", rest: true, want: []string{noList},
			shows: []string{"ADDFORWARD PlayerID=0x00000200"}, capture: func(n *network) {
				s := newSession(n)
				s.join(joinerIP, 0x100)
				s.found(thirdIP)
				s.request(thirdIP, 0x200)
				s.toldBy(joinerIP+":2300", &wire.AddForward{Player: 0x200})
			}},
		{name: "a list of a client/server session", capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", &wire.EnumPlayersReply{Desc: s.desc, Name: wire.NewText("Test")})
		}},
	}
}

// kept is a join at a host that keeps the connection of its answer to the search, as Windows does (facts, 10.1): it says all
// on that, and the joiner has closed it, with its listener, and joins from another one at port.
func kept(n *network, port string, rst bool) {
	s := newSession(n)
	s.found(joinerIP)
	n.tcp(joinerIP+":2300", hostIP+":4000", layers.TCP{FIN: true, ACK: true}, nil)
	listener := map[string]uint16{"2300": 2300, "2301": 2301}[port]
	n.conn(joinerIP+":4101", hostIP+":2300").send(sys(listener, &wire.RequestPlayerID{Flags: wire.PlayerSystem}))
	s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{ID: 0x100})
	if rst {
		n.tcp(joinerIP+":2300", hostIP+":4000", layers.TCP{RST: true}, nil)
	}
}

func init() {
	const stopped = joinerIP + " stopped joining after the id (REQUESTPLAYERREPLY) of " + hostIP
	answered := func(n *network, reply []byte) {
		s := newSession(n)
		s.found(joinerIP)
		s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
		n.conn(hostIP+":4000", joinerIP+":2300").send(reply)
	}
	examples["join-abandoned"] = []example{
		{name: "the reply is answered with RST", want: []string{stopped + ", which " + joinerIP + " answered with RST in frame 10: it had closed that connection in frame 5"},
			shows: []string{"RST =from " + joinerIP + ":2300 to " + hostIP + ":4000", "FIN =from " + joinerIP + ":2300"}, why: []string{"Windows' hosts"},
			capture: func(n *network) { kept(n, "2300", true) }},
		{name: "and the joiner listens elsewhere now", want: []string{joinerIP + ":2301 stopped joining"}, shows: []string{"RST =from " + joinerIP + ":2300"},
			capture: func(n *network) { kept(n, "2301", true) }},
		{name: "at the host's firewall nothing comes back", as: Warning, want: []string{stopped + ": nothing came from it for 3.0"},
			capture: func(n *network) { kept(n, "2300", false) }},
		{name: "the joiner changes its mind", as: Warning, want: []string{stopped + ": nothing came from it for 3.0"}, capture: func(n *network) {
			answered(n, sys(2300, &wire.RequestPlayerReply{ID: 0x100}))
		}},
		{name: "the reply cannot be read", want: []string{stopped + ", which cannot be read: REQUESTPLAYERREPLY"}, capture: func(n *network) {
			b := sys(2300, &wire.RequestPlayerReply{ID: 0x100})
			b = b[:len(b)-6]
			b[0] = byte(len(b)) // its size says so, too
			answered(n, b)
		}},
		{name: "the list is answered with RST", want: []string{joinerIP + " stopped joining after the list of players (SUPERENUMPLAYERSREPLY) of " + hostIP + ", which " + joinerIP +
			" answered with RST in frame 11"}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", s.list())
			n.tcp(joinerIP+":2300", hostIP+":4000", layers.TCP{RST: true, ACK: true}, nil)
		}},
		{name: "it tries again, and gets in", rest: true, capture: func(n *network) {
			kept(n, "2300", true)
			clear(n.known) // with other connections
			clear(n.seq)
			newSession(n).join(joinerIP, 0x200)
		}},
		{name: "all is well, and the connections end with RST", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x101})
			s.tell(joinerIP, &wire.DeletePlayer{Player: 0x100})
			n.tcp(joinerIP+":2300", hostIP+":4000", layers.TCP{RST: true, ACK: true}, nil)
			n.tcp(hostIP+":2300", joinerIP+":4100", layers.TCP{RST: true, ACK: true}, nil)
		}},
	}
}
