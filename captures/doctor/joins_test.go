package doctor

import (
	"slices"
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
		{name: "a member does not confirm the newcomer", rest: true, want: []string{noList},
			shows: []string{"ADDFORWARD PlayerID=0x00000200"}, capture: func(n *network) {
				s := newSession(n)
				s.join(joinerIP, 0x100)
				s.found(thirdIP)
				s.request(thirdIP, 0x200)
				s.toldBy(joinerIP+":2300", &wire.AddForward{Player: 0x200})
			}},
		{name: "it was let in, and the list is not in the capture", capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.player(joinerIP, 0x100)
		}},
		{name: "only the joiner's side is in the capture", rest: true, capture: func(n *network) {
			s, side := newSession(n), n.midway(joinerIP+":4100", farIP+":2300")
			side.send(sys(2300, &wire.RequestPlayerID{Flags: wire.PlayerSystem}))
			side.send(sys(2300, s.newcomer(0x100)))
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

func init() {
	reply := sys(2300, &wire.RequestPlayerReply{ID: 0x100})
	// answered is a join up to the id, which comes in octets of the test's.
	answered := func(b []byte) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			n.conn(hostIP+":4000", joinerIP+":2300").send(b)
		}
	}
	const more = hostIP + " sent more octets of the id (REQUESTPLAYERREPLY) to " + joinerIP + " than its size has, and the join stops there; left over: "
	const less = hostIP + " cut its answer to the request for an id (REQUESTPLAYERID) of " + joinerIP + " short: "
	endless := slices.Clone(reply)
	copy(endless, []byte{0xff, 0xff, 0xbf, 0xfa}) // its size says 1 MiB
	examples["reply-cut-short"] = []example{
		{name: "the size is one octet short", want: []string{more + "1 octets of a message, then the end of the stream"}, why: []string{"20 octets"},
			capture: answered(append(slices.Clone(reply), 0))},
		{name: "the size is one octet short, at the end", ends: true, want: []string{more + "1 octets"}, capture: answered(append(slices.Clone(reply), 0))},
		{name: "the size is thirty octets short", want: []string{more + "30 octets skipped: no header where one should be"}, capture: answered(append(slices.Clone(reply), make([]byte, 30)...))},
		{name: "the reply is one octet short", want: []string{less + "67 of 68 octets of a message (REQUESTPLAYERREPLY)"}, capture: answered(reply[:len(reply)-1])},
		{name: "a reply that never ends", want: []string{less + "68 of 1048575 octets of a message"}, capture: answered(endless)},
		{name: "the list is one octet short", want: []string{hostIP + " cut its answer to the request to be let in (ADDFORWARDREQUEST) of " + joinerIP + " short: "}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			list := sys(2300, s.list())
			n.conn(hostIP+":4000", joinerIP+":2300").send(list[:len(list)-1])
		}},
		{name: "the answer to the search is cut short", want: []string{hostIP + " cut its answer to the question of " + joinerIP + " for sessions short: 60 of 144 octets"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.conn(hostIP+":4000", joinerIP+":2300").send(sys(2300, &wire.EnumSessionsReply{Desc: s.desc, Name: wire.NewText("Lords2 Session1")})[:60])
		}},
		{name: "the joiner goes on all the same", rest: true, capture: func(n *network) {
			answered(append(slices.Clone(reply), 0))(n)
			s := newSession(n)
			s.tell(joinerIP, s.newcomer(0x100))
			n.conn(hostIP+":4001", joinerIP+":2300").send(sys(2300, s.list()))
		}},
		{name: "the capture ends in the middle of the list", rest: true, ends: true, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			n.conn(hostIP+":4000", joinerIP+":2300").send(sys(2300, s.list())[:100])
		}},
		{name: "the capture ends in the middle of another message", rest: true, ends: true, capture: func(n *network) {
			answered(reply)(n)
			n.conn(hostIP+":4000", joinerIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x300})[:30])
		}},
		{name: "the capture lacks other octets, and the id has more than its size has", rest: true, capture: func(n *network) {
			answered(append(slices.Clone(reply), 0))(n)
			s := newSession(n)
			s.join(thirdIP, 0x200)
			n.seq[[2]string{thirdIP + ":4100", hostIP + ":2300"}] += 8
			s.tell(thirdIP, &wire.DeletePlayer{Player: 0x201})
		}},
		{name: "the capture lacks the end", rest: true, capture: func(n *network) {
			answered(reply[:60])(n)
			n.seq[[2]string{hostIP + ":4000", joinerIP + ":2300"}] += 8
			newSession(n).toldBy(joinerIP+":2300", &wire.DeletePlayer{Player: 0x300})
		}},
		{name: "whole", capture: healthy},
	}
}
