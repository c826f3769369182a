package local

import (
	"context"
	"net"
	"net/netip"
	"syscall"
)

// bindTo is where the sockets are that stand for others: at 127.0.0.1 they would not keep a game from all addresses.
var bindTo = netip.IPv4Unspecified()

// listenTCP opens a listener that shares its port with nobody, whatever options a game sets. Where connections of before linger
// Windows refuses that for some minutes: then it is opened without.
func listenTCP(at netip.AddrPort) (*net.TCPListener, error) {
	alone := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		const exclusiveAddrUse = ^syscall.SO_REUSEADDR
		return raw.Control(func(h uintptr) {
			syscall.SetsockoptInt(syscall.Handle(h), syscall.SOL_SOCKET, exclusiveAddrUse, 1) //nolint:errcheck // it is a courtesy
		})
	}}
	c, err := alone.Listen(context.Background(), "tcp4", at.String())
	if err != nil {
		return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	}
	return c.(*net.TCPListener), nil
}
