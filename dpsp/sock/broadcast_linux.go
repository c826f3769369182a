package sock

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/net/ipv4"

	"dplay4/dpsp"
)

// listenBroadcasts opens sockets for what is broadcast to the port for enumerations on the network of an address: on
// Linux a socket that is bound to the address itself gets none of it. Other processes that do the same may share them,
// and each gets everything. What came in through another interface is left out.
func listenBroadcasts(bind netip.Addr) (all []ear, err error) {
	for _, n := range networks(bind) {
		if bind.IsUnspecified() || n.Loopback {
			continue // bound to no address, or none is broadcast to
		}
		to := []netip.Addr{netip.AddrFrom4([4]byte{255, 255, 255, 255})}
		if n.bits < 31 { // smaller networks have no address for everybody
			to = append(to, n.ask)
		}
		for _, a := range to {
			e, err := listenBroadcast(a, n.Index)
			if errors.Is(err, syscall.EADDRNOTAVAIL) {
				continue // the network was given another one
			}
			if err != nil {
				for _, e := range all {
					e.Close()
				}
				return nil, err
			}
			all = append(all, e)
		}
	}
	return all, nil
}

func listenBroadcast(to netip.Addr, card int) (ear, error) {
	at := netip.AddrPortFrom(to, dpsp.EnumPort)
	c := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) {
			failed = errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
				syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1))
		})
		return errors.Join(err, failed)
	}}
	p, err := c.ListenPacket(context.Background(), "udp4", at.String())
	if err != nil {
		return ear{}, takenError("UDP", to, enumPorts, Holders, err)
	}
	return ear{DatagramSocket: p.(*net.UDPConn), here: func(told []byte) bool {
		var m ipv4.ControlMessage
		return m.Parse(told) == nil && m.IfIndex == card
	}}, nil
}
