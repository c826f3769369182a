package sock

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// Winsock's own error numbers, for which package syscall has others.
const (
	wsaNotSupported syscall.Errno = 10045
	wsaNetReset     syscall.Errno = 10052
	wsaConnReset    syscall.Errno = 10054
	wsaTimedOut     syscall.Errno = 10060
)

// openDatagrams opens a UDP socket: Go's, or what stands in where Go cannot have one. Go 1.26 sets SIO_UDP_NETRESET on each of its
// own and fails if that does; Wine 10 does not know it (facts, 10.9).
func openDatagrams(at netip.AddrPort) (DatagramSocket, error) {
	alone := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(h uintptr) { keepToItself(syscall.Handle(h)) })
	}}
	c, err := alone.ListenPacket(context.Background(), "udp4", net.UDPAddrFromAddrPort(at).String())
	if err == nil {
		return c.(*net.UDPConn), nil
	}
	if !errors.Is(err, wsaNotSupported) {
		return nil, err
	}
	return StandIn(at)
}

// receiveBuffer returns the size of the receive buffer of a socket, 0 if it is not known.
func receiveBuffer(raw syscall.RawConn) (size int) {
	raw.Control(func(h uintptr) {
		size, _ = syscall.GetsockoptInt(syscall.Handle(h), syscall.SOL_SOCKET, syscall.SO_RCVBUF)
	})
	return size
}

// StandIn opens the UDP sockets of sessions where Go cannot have one. A program whose threads of C wait for the network has them
// here instead, from before its first session on.
var StandIn = func(at netip.AddrPort) (DatagramSocket, error) {
	s, err := openPlain(at)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// keepToItself has a socket not share its port with one that is bound to all addresses, or to one where it is bound to all.
// Windows lets both have it otherwise, and one of them hears nothing any more: a game that hosts, once Bind is one of its
// addresses. TCP is left as it is: there, others found, Windows gives a port only minutes later to whoever asks for it like this,
// as long as old connections linger.
func keepToItself(h syscall.Handle) {
	const exclusiveAddrUse = ^syscall.SO_REUSEADDR
	syscall.SetsockoptInt(h, syscall.SOL_SOCKET, exclusiveAddrUse, 1) //nolint:errcheck // it is a matter of courtesy
}

// dialDatagrams opens a socket that is connected. It is never Go's, which does not tell of what was refused: it turns
// SIO_UDP_CONNRESET off.
func dialDatagrams(from netip.Addr, to netip.AddrPort) (*connectedSocket, error) {
	s, err := openPlain(netip.AddrPortFrom(from, 0))
	if err != nil {
		return nil, err
	}
	if err = syscall.Connect(s.handle, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
		err = os.NewSyscallError("connect", err)
	} else if s.local, err = localOf(s.handle); err == nil {
		return &connectedSocket{s, to}, nil
	}
	s.Close()
	return nil, err
}

// A plainSocket is a UDP socket that is read by a call of the system that waits. That call ends by itself every now and then, for
// whoever closes the socket: closed under a call, its handle could be somebody else's by the time of the next one.
type plainSocket struct {
	local *net.UDPAddr

	mu     sync.RWMutex // held for reading while handle is in use
	handle syscall.Handle
	closed bool
}

// rcvTimeo is SO_RCVTIMEO, and waits how long a call that reads waits, in milliseconds.
const (
	rcvTimeo = 0x1006
	waits    = 100
)

func openPlain(at netip.AddrPort) (_ *plainSocket, err error) {
	h, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, syscall.IPPROTO_UDP)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			syscall.Closesocket(h)
		}
	}()
	for option, value := range map[int]int{syscall.SO_BROADCAST: 1, rcvTimeo: waits} {
		if err := syscall.SetsockoptInt(h, syscall.SOL_SOCKET, option, value); err != nil {
			return nil, os.NewSyscallError("setsockopt", err)
		}
	}
	keepToItself(h)
	to := syscall.SockaddrInet4{Port: int(at.Port())}
	if at.Addr().Is4() {
		to.Addr = at.Addr().As4()
	}
	if err := syscall.Bind(h, &to); err != nil {
		return nil, os.NewSyscallError("bind", err)
	}
	local, err := localOf(h)
	if err != nil {
		return nil, err
	}
	return &plainSocket{handle: h, local: local}, nil
}

// localOf returns the address that a socket is bound to.
func localOf(h syscall.Handle) (*net.UDPAddr, error) {
	name, err := syscall.Getsockname(h)
	if err != nil {
		return nil, os.NewSyscallError("getsockname", err)
	}
	own, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		return nil, errors.New("a socket for IPv4 has another address")
	}
	return &net.UDPAddr{IP: own.Addr[:], Port: own.Port}, nil
}

// LocalAddr returns the address that the socket is bound to.
func (s *plainSocket) LocalAddr() net.Addr { return s.local }

// Close ends calls that wait, within 100 ms, and closes the socket.
func (s *plainSocket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = true
	return os.NewSyscallError("closesocket", syscall.Closesocket(s.handle))
}

// WriteToUDPAddrPort sends a datagram.
func (s *plainSocket) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	addr := to.Addr().Unmap()
	switch {
	case s.closed:
		return 0, net.ErrClosed
	case !addr.Is4():
		return 0, syscall.EAFNOSUPPORT
	}
	var sent uint32
	buf := syscall.WSABuf{Len: uint32(len(b)), Buf: unsafe.SliceData(b)}
	err := syscall.WSASendto(s.handle, &buf, 1, &sent, 0, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: addr.As4()}, nil, nil)
	return int(sent), os.NewSyscallError("wsasendto", err)
}

// ReadMsgUDPAddrPort waits for a datagram. It tells nothing else of it: oobn and flags are 0.
func (s *plainSocket) ReadMsgUDPAddrPort(b, _ []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	for {
		n, from, err = s.receive(b)
		if !isAny(err, wsaTimedOut, wsaConnReset, wsaNetReset) {
			return n, 0, 0, from, err
		}
	}
}

// receive waits for a datagram, or until the call ends by itself: wsaTimedOut. The other two errors that are none tell of a
// datagram of ours that did not arrive.
func (s *plainSocket) receive(b []byte) (int, netip.AddrPort, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return 0, netip.AddrPort{}, net.ErrClosed
	}
	var (
		n, flags uint32
		from     syscall.RawSockaddrAny
		size     = int32(unsafe.Sizeof(from))
		buf      = syscall.WSABuf{Len: uint32(len(b)), Buf: unsafe.SliceData(b)}
	)
	if err := syscall.WSARecvFrom(s.handle, &buf, 1, &n, &flags, &from, &size, nil, nil); err != nil {
		return 0, netip.AddrPort{}, os.NewSyscallError("wsarecvfrom", err)
	}
	name, err := from.Sockaddr()
	if err != nil {
		return 0, netip.AddrPort{}, err
	}
	at, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		return 0, netip.AddrPort{}, syscall.EAFNOSUPPORT
	}
	return int(n), netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port)), nil
}

// A connectedSocket is a plainSocket for one other socket.
type connectedSocket struct {
	*plainSocket
	to netip.AddrPort
}

// Write sends a datagram.
func (s *connectedSocket) Write(b []byte) (int, error) { return s.WriteToUDPAddrPort(b, s.to) }

// Read waits for a datagram, or for the news that one of ours was refused.
func (s *connectedSocket) Read(b []byte) (int, error) {
	for {
		n, _, err := s.receive(b)
		if !isAny(err, wsaTimedOut, wsaNetReset) {
			return n, err
		}
	}
}
