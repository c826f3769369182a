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
			n.wait(time.Minute)
			newSession(n).join(joinerIP, 0x100)
			n.wait(2500 * time.Millisecond)
			n.udp(farIP+":5000", "198.51.100.1:47624", sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.now = n.now.Add(-2900 * time.Millisecond) // what comes next is the end
		}},
		{name: "behind a NAT, an answer was tried", rest: true, capture: func(n *network) {
			n.udp(farIP+":5000", hostIP+":47624", sysFrom("192.168.1.5", 2300, &wire.EnumSessions{Application: thisGame}))
			n.ask(hostIP+":4000", "192.168.1.5:2300")
		}},
		{name: "behind a NAT, nothing was tried", want: []string{farIP + " asked " + hostIP}, shows: []string{"answers are wanted at 192.168.1.5:2300"}, rest: true, capture: func(n *network) {
			n.udp(farIP+":5000", hostIP+":47624", sysFrom("192.168.1.5", 2300, &wire.EnumSessions{Application: thisGame}))
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
			want: []string{hostIP + " was asked for sessions, and nobody answered within 2.000 s"}, why: []string{"the machine is there, and refuses", "opened its session"}},
		{name: "live, one way refused", live: &Live{Host: host, Ways: []Way{silent, way, away}}, want: []string{hostIP}, why: []string{"the machine is there"}},
		{name: "live, no way", live: &Live{Host: host, Ways: []Way{silent, away}}, want: []string{hostIP}, why: []string{"no way to that address", "whether the address is right"}},
		{name: "live, silence", live: &Live{Host: host, Ways: []Way{silent}}, want: []string{hostIP}, why: []string{"no game is hosted at that address", "forward UDP and TCP 47624"}},
		{name: "live, everybody", live: &Live{Ways: []Way{silent}}, want: []string{"everybody on the network was asked"}, why: []string{"nobody hosts a game on the network", "dplay doctor --live HOST"}},
		{name: "live, everybody, without a network", live: &Live{Ways: []Way{away}}, want: []string{"everybody on the network was asked"}, why: []string{"this machine has no network"}},
		{name: "live, answered", live: searching("192.168.7.20")},
	}
}
