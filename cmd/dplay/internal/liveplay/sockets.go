package liveplay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// sockets are the sockets of a replay to a running host: a listener and a UDP socket of our own, and the one
// connection to the host. What comes from another address is thrown away.
type sockets struct {
	ip       netip.Addr // the host's
	own      netip.Addr // ours that leads to it
	listener *net.TCPListener
	datagram sock.DatagramSocket
	out      map[netip.AddrPort]net.Conn
	came     chan message
	over     chan struct{}
	work     sync.WaitGroup

	mu   sync.Mutex
	port uint16 // of the host's listener: what its answer to an enumeration says, if it gave one
}

// A message is a message of the host.
type message struct {
	transport captures.Transport
	data      []byte
}

// How many connections of the host are read, and how long a message to it may take.
const (
	maxConns  = 64
	writeTime = 5 * time.Second
)

// open opens the sockets, at the address of ours that leads to the host.
func open(host netip.AddrPort) (*sockets, error) {
	s := &sockets{ip: host.Addr(), own: netip.IPv4Unspecified(), port: host.Port(), out: map[netip.AddrPort]net.Conn{},
		came: make(chan message, 64), over: make(chan struct{})}
	if host.Addr().IsLoopback() {
		s.own = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	var err error
	s.listener, err = cli.FirstFree(wire.StreamPorts, wire.StreamPorts.First, func(port uint16) (*net.TCPListener, error) {
		return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.own, port)))
	})
	if err != nil {
		return nil, fmt.Errorf("TCP ports %s: %w", wire.StreamPorts, err)
	}
	s.datagram, err = cli.FirstFree(wire.DatagramPorts, wire.DatagramPorts.First, func(port uint16) (sock.DatagramSocket, error) {
		return sock.OpenDatagrams(netip.AddrPortFrom(s.own, port))
	})
	if err != nil {
		s.listener.Close()
		return nil, fmt.Errorf("UDP ports %s: %w", wire.DatagramPorts, err)
	}
	s.work.Go(s.accept)
	s.work.Go(s.datagrams)
	return s, nil
}

func (s *sockets) streamPort() uint16 {
	return s.listener.Addr().(*net.TCPAddr).AddrPort().Port()
}

func (s *sockets) datagramPort() uint16 {
	return s.datagram.LocalAddr().(*net.UDPAddr).AddrPort().Port()
}

// close closes everything and waits for what reads.
func (s *sockets) close() {
	close(s.over)
	s.listener.Close()
	s.datagram.Close()
	for _, c := range s.out {
		c.Close()
	}
	s.work.Wait()
}

// accept takes the host's connections, and closes them in the end.
func (s *sockets) accept() {
	for n := 0; ; {
		c, err := s.listener.AcceptTCP()
		if err != nil {
			<-s.over
			return
		}
		if c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap() != s.ip || n >= maxConns {
			c.Close()
			continue
		}
		n++
		defer c.Close()
		s.work.Go(func() { s.stream(c) })
	}
}

// stream reads the messages of a connection.
func (s *sockets) stream(c net.Conn) {
	defer c.Close()
	for {
		head := make([]byte, wire.SPHeaderSize)
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		sp, err := wire.ParseSPHeader(head)
		if err != nil {
			return // where the next message begins is not known
		}
		data := make([]byte, sp.Size) // at most wire.MaxMessage
		copy(data, head)
		if _, err := io.ReadFull(c, data[len(head):]); err != nil {
			return
		}
		s.found(data, sp.SockAddr.Port)
		s.deliver(message{captures.TCP, data})
	}
}

// host returns the host's TCP listener.
func (s *sockets) host() netip.AddrPort {
	s.mu.Lock()
	defer s.mu.Unlock()
	return netip.AddrPortFrom(s.ip, s.port)
}

// found learns the host's listener from its answer to an enumeration.
func (s *sockets) found(data []byte, port uint16) {
	if replay.NameOf(captures.TCP, data, wire.Options{}) != wire.CmdEnumSessionsReply.String() || port == 0 {
		return
	}
	s.mu.Lock()
	s.port = port
	s.mu.Unlock()
}

func (s *sockets) datagrams() {
	b := make([]byte, 1<<16)
	for {
		n, _, _, from, err := s.datagram.ReadMsgUDPAddrPort(b, nil)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil, from.Addr().Unmap() != s.ip: // err: a datagram of ours was refused, and what else comes is still read
			continue
		}
		s.deliver(message{captures.UDP, bytes.Clone(b[:n])})
	}
}

// deliver hands a message over. After close it drops the message, because nobody waits for it.
func (s *sockets) deliver(m message) {
	select {
	case s.came <- m:
	case <-s.over:
	}
}

// send sends a message to the host.
func (s *sockets) send(ctx context.Context, a *replay.Act) error {
	to := s.host()
	switch {
	case a.Enum:
		to = netip.AddrPortFrom(s.ip, wire.EnumPort)
	case a.Transport == captures.UDP:
		to = netip.AddrPortFrom(s.ip, a.Port)
	}
	if a.Transport == captures.UDP {
		_, err := s.datagram.WriteToUDPAddrPort(a.Data, to)
		return hostError(to, err)
	}
	if c := s.out[to]; c != nil {
		err := write(c, a.Data)
		if err == nil {
			return nil
		}
		c.Close()
		delete(s.out, to)
		if !closed(err) {
			return hostError(to, err)
		}
	}
	d := net.Dialer{Timeout: writeTime, LocalAddr: &net.TCPAddr{IP: s.own.AsSlice()}}
	c, err := d.DialContext(ctx, "tcp4", to.String())
	if err != nil {
		return hostError(to, err)
	}
	s.out[to] = c
	return hostError(to, write(c, a.Data))
}

// write sends octets over a connection.
func write(c net.Conn, data []byte) error {
	c.SetWriteDeadline(time.Now().Add(writeTime)) //nolint:errcheck // then Write fails as well
	_, err := c.Write(data)
	return err
}

// closed reports whether a write failed because its connection has ended: a host may close one after each question. The numbers are
// Windows' own, which no other system has and which package syscall does not take for its own there.
func closed(err error) bool {
	const wsaAborted, wsaReset syscall.Errno = 10053, 10054
	ends := []error{net.ErrClosed, syscall.EPIPE, syscall.ECONNRESET, wsaAborted, wsaReset}
	return slices.ContainsFunc(ends, func(e error) bool { return errors.Is(err, e) })
}

// hostError says which socket of the host an error is about, and why, without what is known anyway.
func hostError(to netip.AddrPort, err error) error {
	var oe *net.OpError
	if errors.As(err, &oe) {
		err = oe.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the host at %s: %w", to, err)
}
