package link

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/stdnet"

	"dplay4/dpsp/sock"
)

// lookNetwork is how often the machine's own addresses are looked at.
const lookNetwork = 2 * time.Second

// A system is the network of the system. What package net cannot do everywhere goes by package sock: Wine 10 has no UDP sockets
// for Go, and does not list its adapters.
type system struct{ stdnet.Net }

func newSystem() *system { return new(system) }

// udpAddr is the same address, for package net.
func udpAddr(a netip.AddrPort) *net.UDPAddr { return net.UDPAddrFromAddrPort(a) }

// Interfaces returns the adapters that are up now.
func (*system) Interfaces() ([]*transport.Interface, error) {
	list, err := sock.Adapters()
	if err != nil {
		return nil, err
	}
	all := make([]*transport.Interface, len(list))
	for i, a := range list {
		flags := net.FlagUp
		if a.Loopback {
			flags |= net.FlagLoopback
		}
		all[i] = transport.NewInterface(net.Interface{Index: a.Index, Name: a.Name, MTU: packetMost, Flags: flags})
		for _, p := range a.Addrs {
			all[i].AddAddress(&net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())})
		}
	}
	return all, nil
}

// ListenPacket opens a UDP socket.
func (s *system) ListenPacket(network, address string) (net.PacketConn, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return s.Net.ListenPacket(network, address)
	}
	return s.ListenUDP(network, udpAddr(at))
}

// socketBuffer is how many octets the system is asked to keep of what came and was not read: Windows keeps 64 KiB otherwise, a few
// milliseconds of a game's map.
const socketBuffer = 1 << 20

// ListenUDP opens a UDP socket.
func (s *system) ListenUDP(network string, at *net.UDPAddr) (transport.UDPConn, error) {
	c, err := s.listenUDP(network, at)
	if err == nil {
		c.SetReadBuffer(socketBuffer) //nolint:errcheck // as much as it gives
	}
	return c, err
}

func (s *system) listenUDP(network string, at *net.UDPAddr) (transport.UDPConn, error) {
	from := unmapped(at.AddrPort()) // of nil it is the zero value
	if network == "udp6" || from.Addr().Is6() {
		return s.Net.ListenUDP(network, at)
	}
	if !from.Addr().IsValid() {
		from = netip.AddrPortFrom(netip.IPv4Unspecified(), from.Port())
	}
	c, err := sock.OpenDatagrams(from)
	if err != nil {
		return nil, err
	}
	if u, ok := c.(*net.UDPConn); ok {
		return u, nil
	}
	return newPlain(c), nil
}

// monitor tells the directors and the tenants when the machine's addresses change.
func (m *Mesh) monitor() {
	ticker := time.NewTicker(lookNetwork)
	defer ticker.Stop()
	before := addressesOf(m.config.Net)
	for {
		if _, err := Next(m.ctx, m.ctx, ticker.C); err != nil {
			return
		}
		now := addressesOf(m.config.Net)
		if now != before && now != "" {
			m.moved()
		}
		before = now
	}
}

// moved has all look for new ways.
func (m *Mesh) moved() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.links {
		nudge(c)
	}
	for _, t := range slices.Concat(m.tenants, m.meeting) {
		nudge(t.recheck)
	}
}

// nudge wakes whoever waits for the channel.
func nudge(c chan<- struct{}) { Offer(c, struct{}{}) }

// Next returns the next value of a channel, the zero one once it is closed. It fails with the cause of the context that is done first:
// of the caller's, or of what the channel belongs to.
func Next[T any](ctx, up context.Context, c <-chan T) (v T, err error) {
	select {
	case v = <-c:
	case <-up.Done():
		err = context.Cause(up)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return v, err
}

// Offer sends a value if the channel has room for it, and reports whether it did.
func Offer[T any](c chan<- T, v T) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

// addressesOf returns all addresses of the machine as a text; "" if they cannot be told.
func addressesOf(n transport.Net) string {
	list, err := n.Interfaces()
	if err != nil {
		return ""
	}
	var all []string
	for _, i := range list {
		if i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addrs, _ := i.Addrs() // an error is for none
		for _, a := range addrs {
			all = append(all, a.String())
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
