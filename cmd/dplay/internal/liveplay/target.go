package liveplay

import (
	"fmt"
	"net"
	"net/netip"

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
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return at, fmt.Errorf("%s: which addresses are broadcast addresses? %w", s, err)
	}
	if why := refuseTarget(at, interfaces); why != "" {
		return at, fmt.Errorf("%s: %s", s, why)
	}
	return at, nil
}

// refuseTarget says why nothing may be played to an address, "" if it may.
func refuseTarget(at netip.AddrPort, interfaces []net.Addr) string {
	ip := at.Addr()
	switch {
	case !ip.Is4():
		return "DirectPlay 4 knows IPv4 addresses only"
	case at.Port() == 0:
		return "port 0 is nobody's"
	case ip.IsUnspecified():
		return "name the host's address"
	case ip.IsMulticast():
		return "a multicast address is not one host"
	case ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return "a broadcast address is not one host"
	}
	for _, a := range interfaces {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.To4() == nil || len(n.Mask) != net.IPv4len {
			continue
		}
		last, mask := ip.As4(), n.Mask
		if ones, _ := mask.Size(); ones >= 31 || !n.Contains(last[:]) {
			continue
		}
		all := true
		for i := range last {
			all = all && last[i]|mask[i] == 0xFF
		}
		if all {
			return "it is the broadcast address of " + n.String()
		}
	}
	return ""
}
