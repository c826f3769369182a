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
