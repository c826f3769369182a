package nat

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// A Kind says how a router translates addresses.
type Kind int

// The kinds of routers.
const (
	FullCone       Kind = iota // one outer port for an inner one, open to everybody
	PortRestricted             // one outer port for an inner one, open to whom was written to
	Symmetric                  // another outer port for each destination
	UDPBlocked                 // port-restricted, and UDP does not get out
)

// Kinds are all kinds.
var Kinds = []Kind{FullCone, PortRestricted, Symmetric, UDPBlocked}

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"full cone", "port-restricted", "symmetric", "UDP blocked"}[k]
}

// Direct reports whether two machines behind routers of these kinds can reach each other by UDP, in theory.
func Direct(a, b Kind) bool {
	switch {
	case a == UDPBlocked || b == UDPBlocked:
		return false
	case a == Symmetric && b != FullCone, b == Symmetric && a != FullCone:
		return false
	}
	return true
}

// A Home is a router, and the network behind it.
type Home struct {
	in     *Internet
	router *Machine
	number int
	ipv6   bool

	mu       sync.Mutex
	machines int
}

// Home adds a home behind a router of that kind. With ipv6 its machines have public IPv6 addresses as well, that can be reached
// by whom they wrote to.
func (i *Internet) Home(ctx context.Context, kind Kind, ipv6 bool) (*Home, error) {
	i.mu.Lock()
	i.homes++
	h := &Home{in: i, number: i.homes, ipv6: ipv6}
	i.mu.Unlock()
	var err error
	if h.router, err = i.start(ctx, fmt.Sprintf("router%d", h.number)); err != nil {
		return nil, err
	}
	err = errors.Join(
		i.attach(ctx, h.router, "pub"),
		ip(ctx, h.router.pid(),
			"link add in type bridge mcast_snooping 0",
			"addr add "+h.inner(1).String()+"/24 dev in",
			"link set in up"),
		h.router.set(ctx, "ipv4/ip_forward", "1"),
		h.router.nft(ctx, h.rules(kind)))
	if err == nil && ipv6 {
		err = h.six(ctx)
	}
	return h, err
}

// inner returns an address of the home's own network.
func (h *Home) inner(last int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 168, byte(h.number), byte(last)})
}

// inner6 returns a public IPv6 address of the home.
func (h *Home) inner6(last int) string { return fmt.Sprintf("2001:db8:%x::%x", h.number, last) }

// six gives the home public IPv6 addresses.
func (h *Home) six(ctx context.Context) error {
	outer := h.router.addr.As4()
	return errors.Join(
		h.router.set(ctx, "ipv6/conf/all/forwarding", "1"),
		ip(ctx, h.router.pid(), "addr add "+h.inner6(1)+"/64 dev in"),
		ip(ctx, h.in.hub.pid(), fmt.Sprintf("route add %s/64 via %s", h.inner6(0), public6(int(outer[3])))))
}

// rules returns those of the router's firewall.
func (h *Home) rules(kind Kind) string {
	var how, pre, first string
	switch kind {
	case FullCone:
		pre = fmt.Sprintf(`iifname "pub" meta nfproto ipv4 udp dport 1024-65535 dnat ip to %s`, h.inner(2))
	case Symmetric:
		how = " fully-random"
	case UDPBlocked:
		first = "meta l4proto udp drop"
	case PortRestricted:
	}
	return fmt.Sprintf(`table inet home {
	chain post { type nat hook postrouting priority srcnat; meta nfproto ipv4 oifname "pub" masquerade%s; }
	chain pre { type nat hook prerouting priority dstnat; %s; }
	chain forward { type filter hook forward priority filter; policy drop; %s; ct state established,related accept
		iifname "in" oifname { "pub", "in" } accept; meta l4proto ipv6-icmp accept; ct status dnat accept; }
	chain input { type filter hook input priority filter; policy drop; iifname { "in", "lo" } accept
		ct state established,related accept; meta l4proto ipv6-icmp accept; }
}
`, how, pre, first)
}

// Outer returns the router's public address.
func (h *Home) Outer() netip.Addr { return h.router.addr }

// Machine adds a machine to the home.
func (h *Home) Machine(ctx context.Context, name string) (*Machine, error) {
	m, err := h.in.start(ctx, name)
	if err != nil {
		return nil, err
	}
	m.addr, err = h.Adopt(ctx, m.pid())
	return m, err
}

// Adopt plugs the network of a process into the home, as its interface eth0, which must not be there, and returns its address.
func (h *Home) Adopt(ctx context.Context, pid int) (netip.Addr, error) {
	h.mu.Lock()
	h.machines++
	last := h.machines + 1
	h.mu.Unlock()
	port := h.in.port()
	err := ip(ctx, h.router.pid(),
		fmt.Sprintf("link add %s type veth peer name eth0 netns %d", port, pid),
		fmt.Sprintf("link set %s master in up", port))
	if err != nil {
		return netip.Addr{}, err
	}
	addr := h.inner(last)
	err = ip(ctx, pid,
		fmt.Sprintf("addr add %s/24 broadcast %s dev eth0", addr, h.inner(255)),
		"link set eth0 up",
		"route add default via "+h.inner(1).String(),
		"route add 255.255.255.255 dev eth0") // without it the broadcast of Wine fails
	if err == nil && h.ipv6 {
		err = ip(ctx, pid,
			fmt.Sprintf("addr add %s/64 dev eth0 nodad", h.inner6(last)),
			"route add default via "+h.inner6(1))
	}
	if err != nil {
		return addr, err
	}
	return addr, h.router.carries(ctx, port)
}

// Leave unplugs a network that was adopted.
func Leave(ctx context.Context, pid int) error { return ip(ctx, pid, "link del eth0") }

// Move takes the machine to another home, as from Wi-Fi to mobile: its address is another one then.
func (m *Machine) Move(ctx context.Context, to *Home) error {
	if err := Leave(ctx, m.pid()); err != nil {
		return err
	}
	var err error
	m.addr, err = to.Adopt(ctx, m.pid())
	return err
}

// Cut has nothing pass the router any more: nobody is told, packets just stop.
func (h *Home) Cut(ctx context.Context) error {
	return h.router.nft(ctx, "table inet cut { chain forward { type filter hook forward priority -10; policy drop; }; }\n")
}

// Mend ends Cut.
func (h *Home) Mend(ctx context.Context) error { return h.router.nft(ctx, "delete table inet cut\n") }

// OnlyTLS has the router let nothing out but connections to the ports of TLS: those of TURN, and of the web.
func (h *Home) OnlyTLS(ctx context.Context) error {
	return h.router.nft(ctx, `table inet tls { chain forward { type filter hook forward priority -10; policy accept;
		iifname "in" oifname "pub" tcp dport { 443, 5349 } accept; iifname "in" oifname "pub" drop; }; }
`)
}

// Lose has the router lose so many of a hundred packets, each way.
func (h *Home) Lose(ctx context.Context, percent int) error {
	return h.router.nft(ctx, fmt.Sprintf(`table inet lose { chain forward { type filter hook forward priority -5
		numgen random mod 100 < %d drop; }; }
`, percent))
}

// Forward has the router forward a port of its public address, of TCP and UDP, to a machine of the home: for comparison with what
// needs that.
func (h *Home) Forward(ctx context.Context, port int, to netip.Addr) error {
	return h.router.nft(ctx, fmt.Sprintf("add rule inet home pre iifname \"pub\" meta l4proto { tcp, udp } th dport %d dnat ip to %s\n", port, to))
}
