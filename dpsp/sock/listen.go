package sock

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// listenStream opens the first free TCP port of the range, or the one that is wanted.
func listenStream(bind netip.Addr, port uint16) (*net.TCPListener, error) {
	if port != 0 {
		return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(bind, port)))
	}
	for p := uint16(firstStream); p <= lastStream; p++ {
		l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(bind, p)))
		if err == nil || !taken(err) {
			return l, err
		}
	}
	return nil, fmt.Errorf("no TCP port from %d to %d is free on %s", firstStream, lastStream, bind)
}

// listenDatagram opens the first free UDP port of the range, or the one that is wanted.
func listenDatagram(bind netip.Addr, port uint16) (*net.UDPConn, error) {
	if port != 0 {
		return net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(bind, port)))
	}
	for p := uint16(firstDatagram); p <= lastDatagram; p++ {
		c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(bind, p)))
		if err == nil || !taken(err) {
			return c, err
		}
	}
	return nil, fmt.Errorf("no UDP port from %d to %d is free on %s", firstDatagram, lastDatagram, bind)
}

// taken says whether somebody else has the port.
func taken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// portError says in the user's terms why a port cannot be had.
func portError(network string, at netip.AddrPort, err error) error {
	if !taken(err) {
		return err
	}
	text := network + " port " + strconv.Itoa(int(at.Port())) + " is taken"
	if who := holder(network, at); who != "" {
		return fmt.Errorf("%s by %s: %w", text, who, err)
	}
	return fmt.Errorf("%s by another program (dplaysvr.exe, or another host on this machine): %w", text, err)
}
