package relay

import (
	"errors"
	"net"
	"net/netip"

	"dplay4/dpsp/sock"
)

// datagrams is the way of UDP.
type datagrams struct {
	timeless
	*front
	socket    sock.DatagramSocket
	alternate sock.DatagramSocket // nil if there is none
}

// buffered is how many octets the system is asked to keep for us, until we read them.
const buffered = 2 << 20

// openDatagrams opens a socket. For IPv4 it is one that Wine has as well.
func openDatagrams(at netip.AddrPort) (sock.DatagramSocket, error) {
	var s sock.DatagramSocket
	var err error
	if at.Addr().Is4() {
		s, err = sock.OpenDatagrams(at)
	} else {
		s, err = net.ListenUDP("udp6", net.UDPAddrFromAddrPort(at))
	}
	if err != nil {
		return nil, err
	}
	if b, ok := s.(interface{ SetReadBuffer(int) error }); ok {
		b.SetReadBuffer(buffered) //nolint:errcheck // as much as the system gives
	}
	return s, nil
}

// receive waits for a datagram. It fails when the socket is closed.
func receive(s sock.DatagramSocket, b []byte) (int, netip.AddrPort, error) {
	const inARow = 1000 // others are what the network said of a datagram that we sent
	var err error
	for range inARow {
		var n int
		var from netip.AddrPort
		if n, _, _, from, err = s.ReadMsgUDPAddrPort(b, nil); err == nil {
			return n, netip.AddrPortFrom(from.Addr().Unmap().WithZone(""), from.Port()), nil
		}
		if errors.Is(err, net.ErrClosed) {
			break
		}
	}
	return 0, netip.AddrPort{}, err
}

// ReadFrom waits for a packet that is for the TURN server.
func (d *datagrams) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := receive(d.socket, b)
		if err != nil {
			return 0, nil, err
		}
		if p, a := d.admit(from, b[:n]); p != nil {
			return len(p), a, nil // p is the beginning of b
		}
	}
}

// answerAlternate answers Binding requests at the alternate port, until it is closed.
func (d *datagrams) answerAlternate() {
	var b [largest]byte
	for {
		n, from, err := receive(d.alternate, b[:])
		switch {
		case err != nil:
			return
		case kindOf(b[:n]) != binding:
			d.server.counts.add(droppedStranger, 1)
		case !d.allow(from.Addr(), false):
			d.server.counts.add(droppedFlood, 1)
		default:
			d.bind(b[:n], from, true)
		}
	}
}

// WriteTo sends what the TURN server answers.
func (d *datagrams) WriteTo(b []byte, to net.Addr) (int, error) {
	at := addrPort(to)
	if _, err := d.socket.WriteToUDPAddrPort(d.challenge(b, at), at); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (d *datagrams) send(b []byte, to netip.AddrPort) {
	d.socket.WriteToUDPAddrPort(b, to) //nolint:errcheck // it may get lost on its way as well
}

func (d *datagrams) sendElsewhere(b []byte, to netip.AddrPort) bool {
	if d.alternate == nil {
		return false
	}
	d.alternate.WriteToUDPAddrPort(b, to) //nolint:errcheck // likewise
	return true
}

// address returns it with 16 octets, as the TURN server compares them.
func (d *datagrams) address(at netip.AddrPort) net.Addr {
	ip := at.Addr().As16()
	return &net.UDPAddr{IP: ip[:], Port: int(at.Port())}
}

func (d *datagrams) reaches(netip.AddrPort) bool { return true }

func (d *datagrams) released(netip.AddrPort) {}

// Close ends it.
func (d *datagrams) Close() error {
	err := d.socket.Close()
	if d.alternate != nil {
		err = errors.Join(err, d.alternate.Close())
	}
	return err
}

// LocalAddr returns the address of the socket.
func (d *datagrams) LocalAddr() net.Addr { return d.socket.LocalAddr() }
