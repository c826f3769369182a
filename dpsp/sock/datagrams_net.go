//go:build !windows

package sock

import (
	"net"
	"net/netip"

	"dplay4/dpsp/sock/network"
)

// openDatagrams opens a UDP socket.
func openDatagrams(at netip.AddrPort) (DatagramSocket, error) {
	return network.System{}.ListenDatagrams(at)
}

// dialDatagrams opens a UDP socket that is connected.
func dialDatagrams(from netip.Addr, to netip.AddrPort) (*net.UDPConn, error) {
	return net.DialUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from, 0)), net.UDPAddrFromAddrPort(to))
}
