package local

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// bindTo is where the sockets are that stand for others: at 127.0.0.1 they would not keep a game from all addresses.
var bindTo = netip.IPv4Unspecified()

// inWine reports whether we run in Wine.
var inWine = sync.OnceValue(func() bool { return syscall.NewLazyDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil })

// listenTCP opens a listener that shares its port with nobody, whatever options a game sets. Where connections of before linger
// Windows refuses that for some minutes: then it is opened without. In Wine 10 it always is: a program that tries a port that
// nobody else may have is told WSAEACCES there, where Windows says WSAEADDRINUSE, and Wine's dplayx then does not try the next
// one.
func listenTCP(at netip.AddrPort) (*net.TCPListener, error) {
	if inWine() {
		return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	}
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
