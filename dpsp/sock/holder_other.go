//go:build !linux && !windows

package sock

import "net/netip"

// boundSockets finds nothing: here that cannot be found out.
func boundSockets(string, netip.Addr) ([]Holding, bool) { return nil, false }

// processes names nobody.
func processes(all []Holding) []string { return make([]string, len(all)) }
