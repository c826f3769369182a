//go:build !windows

package sock

import (
	"net"
	"net/netip"
)

// A datagramSocket is a UDP socket.
type datagramSocket = *net.UDPConn

// openDatagrams opens a UDP socket.
func openDatagrams(at netip.AddrPort) (datagramSocket, error) {
	return net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
}

// dialDatagrams opens a UDP socket that is connected.
func dialDatagrams(from netip.Addr, to netip.AddrPort) (datagramSocket, error) {
	return net.DialUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from, 0)), net.UDPAddrFromAddrPort(to))
}
