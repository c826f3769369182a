package sock

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"

	"dplay4/dpsp/sock/network"
)

// A DatagramSocket is a UDP socket, such as a net.UDPConn.
type DatagramSocket = network.Datagrams

// OpenDatagrams opens a UDP socket of the address's family, for what is no session. Of IPv4 it can where package net cannot, as in
// Wine 10.
func OpenDatagrams(at netip.AddrPort) (DatagramSocket, error) {
	if at.Addr().Is6() {
		c, err := net.ListenUDP("udp6", net.UDPAddrFromAddrPort(at))
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	return openDatagrams(at)
}

// A DatagramConn is a UDP socket for one other socket. Reading fails if a datagram of ours was refused there.
type DatagramConn interface {
	io.ReadWriteCloser
	LocalAddr() net.Addr
}

// DialDatagrams opens a DatagramConn from an address of ours, or from the one that leads there if it is not valid. Nothing is
// sent.
func DialDatagrams(from netip.Addr, to netip.AddrPort) (DatagramConn, error) {
	if !to.Addr().Unmap().Is4() {
		return nil, errors.New("DirectPlay 4 knows IPv4 addresses only")
	}
	c, err := dialDatagrams(cmp.Or(from, netip.IPv4Unspecified()), netip.AddrPortFrom(to.Addr().Unmap(), to.Port()))
	if err != nil {
		return nil, err
	}
	return c, nil
}

// A datagram is one that came to a socket.
type datagram struct {
	from netip.AddrPort
	data []byte
	told []byte // what the system says of it, where it was asked to
}

const (
	// largest is the largest datagram that there can be.
	largest = 1 << 16
	// toldMost is more than the system says of a datagram.
	toldMost = 128
	// datagramRoom is the memory that the system is asked for, for datagrams that we have not read yet. It gives less where it likes.
	// What comes in a burst, or while the system lets others run before us, has room there.
	datagramRoom = 1 << 20
)

// enlarge asks the system for a receive buffer of some size, unless the socket has a larger one.
func enlarge(s DatagramSocket, size int) {
	c, ok := s.(*net.UDPConn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err != nil || receiveBuffer(raw) < size {
		c.SetReadBuffer(size)
	}
}

// A plainReader takes datagrams off a socket, one at a time.
type plainReader struct {
	conn DatagramSocket
	data []byte
	told []byte
}

func newPlainReader(c DatagramSocket) *plainReader {
	return &plainReader{c, make([]byte, largest), make([]byte, toldMost)}
}

// read waits until a datagram is there and hands it over, which is valid during the call.
func (r *plainReader) read(hand func(datagram)) error {
	runtime.Gosched() // a call of the system that waits keeps a processor for a while: first whoever has something to do
	n, told, _, from, err := r.conn.ReadMsgUDPAddrPort(r.data, r.told)
	if err != nil {
		return err
	}
	hand(datagram{netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), r.data[:n], r.told[:told]})
	return nil
}
