package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

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
				n.on = 1
				n.udp(other+":1", "192.168.7.1:1", []byte("other traffic"))
				n.on = 0
			}
			s := newSession(n)
			n.udp(from+":5000", everyone, sys(2300, &wire.EnumSessions{Application: thisGame}))
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
		{name: "live, VPN", live: searching("26.1.2.3", loop, card("radmin", "26.1.2.3/8"), card("wlan0", "192.168.7.20/24")), rest: true,
			want: []string{"a search for games on the network leaves by 26.1.2.3, which is an address of the VPN Radmin"}},
		{name: "live, the VPN is where they play", live: &Live{BroadcastBy: netip.MustParseAddr("26.1.2.3"), Adapters: []Adapter{card("radmin", "26.1.2.3/32")},
			Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort("26.9.9.9:2300")}}}}}},
		{name: "live, two networks", as: Warning, live: searching("192.168.7.20", card("eth0", "10.1.2.3/24"), card("wlan0", "192.168.7.20/24")),
			want: []string{"this machine is on 2 networks, and a search for games goes to that of 192.168.7.20 only"}},
		{name: "live, one network", live: searching("192.168.7.20", loop, card("wlan0", "192.168.7.20/24"))},
	}
}
