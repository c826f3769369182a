//go:build !linux

package sock

import "net/netip"

// listenBroadcasts opens nothing: see the package's documentation.
func listenBroadcasts(netip.Addr) ([]ear, error) { return nil, nil }
