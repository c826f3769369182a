package doctor

import "net/netip"

// nets are the address ranges that are of use on one network only, and what people call them.
var nets = []struct {
	net  netip.Prefix
	kind string
}{
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address, which a machine gives itself when no router gives it one"},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address behind a provider's NAT, or of the VPN Tailscale"},
	{netip.MustParsePrefix("25.0.0.0/8"), "an address of the VPN Hamachi"},
	{netip.MustParsePrefix("26.0.0.0/8"), "an address of the VPN Radmin"},
	{netip.MustParsePrefix("127.0.0.0/8"), "an address of the machine itself, loopback"},
}

// localKind gives what an address is that only one network knows; "" for one that the internet knows.
func localKind(a netip.Addr) string {
	for _, n := range nets {
		if n.net.Contains(a.Unmap()) {
			return n.kind
		}
	}
	return ""
}

// linkLocal and VPN addresses are those by which a question seldom reaches the network that is meant.
func oddAdapter(a netip.Addr) bool {
	a = a.Unmap()
	for _, n := range nets[3:7] {
		if n.net.Contains(a) {
			return true
		}
	}
	return false
}

// global says whether the internet knows an address.
func global(a netip.Addr) bool {
	return a.Is4() && localKind(a) == "" && !broadcast(a) && !a.IsUnspecified() && !a.IsMulticast()
}

// broadcast says whether an address means everybody on a network, as far as that shows: 255.255.255.255, or one that
// ends in 255.
func broadcast(a netip.Addr) bool { return a.Is4() && a.As4()[3] == 255 }

// sameNetwork says whether two addresses can be on one network. Networks of homes are /24 or smaller.
func sameNetwork(a, b netip.Addr) bool {
	if a.IsLoopback() && b.IsLoopback() {
		return true
	}
	p, err := a.Prefix(24)
	if err != nil {
		return false
	}
	return p.Contains(b)
}

// usual says whether a port is one that people forward to their machine for DirectPlay.
func usual(port uint16) bool { return port >= 2300 && port <= 2400 || port == enumPort }

// enumPort is where hosts are asked for their sessions.
const enumPort = 47624
