package sock

import (
	"net/netip"

	"dplay4/dpsp/sock/network"
)

// A Network opens the sockets of a session.
type Network = network.Network

// A system is the network of this machine. It has UDP sockets also where package net has none, as in Wine 10.
type system struct{ network.System }

// ListenDatagrams opens a UDP socket.
func (system) ListenDatagrams(at netip.AddrPort) (DatagramSocket, error) { return openDatagrams(at) }

// isSystem reports whether a network is that of this machine, with its adapters and processes.
func isSystem(n Network) bool {
	_, is := n.(system)
	return is
}
