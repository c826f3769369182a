package doctor

import (
	"net/netip"
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	ask := func(n *network, to string) {
		n.udp(joinerIP+":5000", to, sys(2300, &wire.EnumSessions{Application: thisGame}))
	}
	host := netip.MustParseAddr(hostIP)
	way := Way{Transport: captures.TCP, To: netip.AddrPortFrom(host, 47624), Err: "connection refused"}
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
			n.wait(time.Minute)
			newSession(n).join(joinerIP, 0x100)
			n.wait(2500 * time.Millisecond)
			n.udp(farIP+":5000", "198.51.100.1:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.now = n.now.Add(-2900 * time.Millisecond) // what comes next is the end
		}},
		{name: "it becomes host itself", capture: func(n *network) {
			s := newSession(n)
			s.seek(hostIP, thisGame)
			n.wait(time.Minute)
			s.join(joinerIP, 0x100)
		}},
		{name: "answered late", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.wait(time.Minute)
			s.offer(joinerIP + ":2300")
		}},
		{name: "the answer is not in the capture", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", s.list())
		}},
		{name: "live", live: &Live{Host: host, Waited: 2 * time.Second, Ways: []Way{way}}, shows: []string{"ENUMSESSIONS tcp " + hostIP + ":47624=connection refused"},
			want: []string{hostIP + " was asked for sessions, and nobody answered within 2.000 s"}},
		{name: "live, everybody", live: &Live{Ways: []Way{way}}, want: []string{"everybody on the network was asked"}},
		{name: "live, answered", live: searching("192.168.7.20")},
	}
}
