//go:build !windows

package sock

import (
	"net"
	"net/netip"
	"syscall"

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

// receiveBuffer returns the size of the receive buffer of a socket, 0 if it is not known. Linux returns twice the size that was set,
// as it counts its own bookkeeping.
func receiveBuffer(raw syscall.RawConn) (size int) {
	raw.Control(func(fd uintptr) { size, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF) })
	return size
}
