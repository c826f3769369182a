package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// An addressFlag is the value of a flag that takes an IPv4 address; invalid if none was given.
type addressFlag struct{ netip.Addr }

// String gives the address.
func (a *addressFlag) String() string {
	if !a.IsValid() {
		return ""
	}
	return a.Addr.String()
}

// Set takes an address.
func (a *addressFlag) Set(s string) error {
	ip, err := netip.ParseAddr(s)
	if err != nil || !ip.Is4() {
		return errors.New("must be an IPv4 address, such as 192.0.2.1: DirectPlay 4 knows no others")
	}
	a.Addr = ip
	return nil
}

// Type gives what help shows for the value.
func (a *addressFlag) Type() string { return "ADDRESS" }

// lookUp gives the IPv4 addresses of a host, or none for no host.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	if host == "" {
		return nil, nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if !ip.Unmap().Is4() {
			return nil, fmt.Errorf("%s: DirectPlay 4 knows IPv4 addresses only", host)
		}
		return []netip.Addr{ip.Unmap()}, nil
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", host)
	if err != nil {
		var dns *net.DNSError
		if errors.As(err, &dns) {
			return nil, fmt.Errorf("%s: %s", host, dns.Err)
		}
		return nil, fmt.Errorf("%s: %w", host, err)
	}
	// One is enough: the others are other ways to the same machine, and each would answer.
	return []netip.Addr{all[0].Unmap()}, nil
}
