package cli

import (
	"fmt"
	"net/netip"
)

// Exposed returns a warning if others can reach the address at which a flag has this program serve something; "" for loopback.
func Exposed(flag string, at netip.AddrPort, what string) string {
	where := at.Addr().Unmap().WithZone("")
	switch {
	case where.IsLoopback():
		return ""
	case where.IsUnspecified():
		return fmt.Sprintf("%s at all addresses: everybody who reaches this machine can read %s; 127.0.0.1:%d is for this machine alone",
			flag, what, at.Port())
	}
	return fmt.Sprintf("%s at %s: everybody who reaches that address can read %s; 127.0.0.1:%d is for this machine alone",
		flag, where, what, at.Port())
}
