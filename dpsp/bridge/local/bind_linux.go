package local

import (
	"net"
	"net/netip"
)

// bindTo is where the sockets are that stand for others: on Linux that keeps a game from all addresses.
var bindTo = loopback

// listenTCP opens a listener.
func listenTCP(at netip.AddrPort) (*net.TCPListener, error) {
	return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
}
