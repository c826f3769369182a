//go:build !linux

package sock

import "net/netip"

// holder names the process that has a port; here that cannot be found out.
func holder(string, netip.AddrPort) string { return "" }
