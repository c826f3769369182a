//go:build !linux && !windows

package local

import (
	"net"
	"net/netip"
)

// bindTo is where the sockets are that stand for others: at 127.0.0.1 they would not keep a game from all addresses.
var bindTo = netip.IPv4Unspecified()

// listenTCP opens a listener.
func listenTCP(at netip.AddrPort) (*net.TCPListener, error) {
	return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
}
