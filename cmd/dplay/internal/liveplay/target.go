package liveplay

import (
	"cmp"
	"fmt"
	"net/netip"

	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// ParseTarget reads the address of a host, with a port or without. What is not one host is refused.
func ParseTarget(s string) (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(s)
	if err != nil {
		ip, err := netip.ParseAddr(s)
		if err != nil {
			return at, fmt.Errorf("%s: must be an IPv4 address, such as 127.0.0.1 or 192.0.2.1:2300", s)
		}
		at = netip.AddrPortFrom(ip, wire.StreamPorts.First)
	}
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	if err := refuseTarget(at, networksAt(at.Addr(), sock.Adapters)); err != nil {
		return at, fmt.Errorf("%s: %w", s, err)
	}
	return at, nil
}

// networksAt lists this machine's networks. Where they cannot be listed, the one that an address may be in has 256 addresses,
// as most have that people play in.
func networksAt(ip netip.Addr, adapters func() ([]sock.Adapter, error)) (all []netip.Prefix) {
	list, err := adapters()
	if err != nil {
		return []netip.Prefix{netip.PrefixFrom(ip, 24)}
	}
	for _, a := range list {
		all = append(all, a.Addrs...)
	}
	return all
}

// refuseTarget returns why nothing may be played to an address, nil if it may.
func refuseTarget(at netip.AddrPort, networks []netip.Prefix) error {
	ip := at.Addr()
	wrong := cmp.Or(
		flags.Refuse(!ip.Is4(), "DirectPlay 4 knows IPv4 addresses only"),
		flags.Refuse(at.Port() == 0, "port 0 is nobody's"),
		flags.Refuse(ip.IsUnspecified(), "name the host's address"),
		flags.Refuse(ip.IsMulticast(), "a multicast address is not one host"),
		flags.Refuse(ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}), "a broadcast address is not one host"))
	for _, n := range networks {
		is := n.Bits() < 31 && n.Contains(ip) && !n.Contains(ip.Next())
		wrong = cmp.Or(wrong, flags.Refuse(is, "it is the broadcast address of %s", n.Masked()))
	}
	return wrong
}
