package sock

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"dplay4/wire"
)

func listenStream(n Network, bind netip.Addr, ports wire.Ports) (net.Listener, error) {
	return firstFree("TCP", bind, ports, holdersOn(n), n.ListenStream)
}

func listenDatagram(n Network, bind netip.Addr, ports wire.Ports) (DatagramSocket, error) {
	return firstFree("UDP", bind, ports, holdersOn(n), n.ListenDatagrams)
}

// A naming names the processes that have ports of a range.
type naming func(network string, at netip.Addr, ports wire.Ports) []string

// holdersOn returns the naming of a network: only that of the system knows processes.
func holdersOn(n Network) naming {
	if isSystem(n) {
		return Holders
	}
	return func(string, netip.Addr, wire.Ports) []string { return nil }
}

// firstFree opens the first port of a range that nobody has.
func firstFree[S any](network string, bind netip.Addr, ports wire.Ports, by naming, open func(netip.AddrPort) (S, error)) (s S, err error) {
	if ports.First == 0 || ports.Last < ports.First {
		return s, fmt.Errorf("%s ports %s are no range", network, ports)
	}
	for p := int(ports.First); p <= int(ports.Last); p++ {
		if s, err = open(netip.AddrPortFrom(bind, uint16(p))); !taken(err) {
			return s, err
		}
	}
	return s, takenError(network, bind, ports, by, err)
}

// taken reports whether an error says that somebody else has the port. The numbers are Windows' own, which no other system has
// and which package syscall does not take for its EADDRINUSE there: it is in use, or kept for one program or for the system.
func taken(err error) bool {
	const wsaAccess, wsaAddrInUse syscall.Errno = 10013, 10048
	return isAny(err, syscall.EADDRINUSE, wsaAddrInUse, wsaAccess)
}

// isAny reports whether an error is one of some. Numbers above 10000 are Windows' own, which no other system has.
func isAny(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(x error) bool { return errors.Is(err, x) })
}

// CanHost returns why no session can be hosted at an address of this machine: another program has UDP or TCP port 47624, as far as the
// tables of the system tell. The error is that of [Session.Host]. The invalid address stands for all. No port is opened.
func CanHost(bind netip.Addr) error {
	for _, network := range []string{"UDP", "TCP"} {
		if names := Holders(network, bind, enumPorts); len(names) > 0 {
			return newTakenError(network, enumPorts, names, syscall.EADDRINUSE)
		}
	}
	return nil
}

// takenError says in the user's terms that all ports of a range are taken, and by whom.
func takenError(network string, bind netip.Addr, ports wire.Ports, by naming, err error) error {
	if !taken(err) {
		return err
	}
	return newTakenError(network, ports, by(network, bind, ports), err)
}

func newTakenError(network string, ports wire.Ports, names []string, err error) error {
	text := network + " port " + ports.String() + " is taken"
	if ports.First != ports.Last {
		text = "all " + network + " ports of " + ports.String() + " are taken"
	}
	others := "other programs"
	if ports.First == wire.EnumPort {
		others = "another program (dplaysvr.exe, or another host on this machine)"
	}
	return &TakenError{Ports: ports, By: names, text: text + " by " + cmp.Or(strings.Join(names, ", "), others), err: err}
}

// A TakenError is why a socket could not be opened where other programs have all ports that it may have. It says itself what the
// system's error under it says in words of its own.
type TakenError struct {
	Ports wire.Ports
	By    []string // who has them, as By names it; none if that cannot be found out
	text  string
	err   error
}

func (e *TakenError) Error() string { return e.text }

func (e *TakenError) Unwrap() error { return e.err }
