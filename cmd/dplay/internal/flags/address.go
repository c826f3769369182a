package flags

import (
	"errors"
	"net/netip"
)

// An Address is an IPv4 address; invalid if none was given.
type Address struct{ netip.Addr }

// String returns the address.
func (a *Address) String() string {
	if !a.IsValid() {
		return ""
	}
	return a.Addr.String()
}

// Set takes an address.
func (a *Address) Set(s string) error {
	ip, err := netip.ParseAddr(s)
	if err != nil || !ip.Is4() {
		return errors.New("must be an IPv4 address, such as 192.0.2.1: DirectPlay 4 knows no others")
	}
	a.Addr = ip
	return nil
}

// Type returns what help shows for the value.
func (a *Address) Type() string { return "ADDRESS" }
