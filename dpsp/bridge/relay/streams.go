package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// streams is the way of TCP and of TLS. To the TURN server it is one socket, whose packets come over many connections.
type streams struct {
	timeless
	*front
	listener net.Listener
	tls      *tls.Config // nil for TCP

	inbox  chan *packet
	closed context.Context
	end    context.CancelFunc

	mu    sync.Mutex
	conns map[netip.AddrPort]*stream
}

// How long a client may take.
const (
	handshakeTime = 10 * time.Second
	strangerTime  = 20 * time.Second // between two packets, without an allocation
	clientTime    = time.Hour        // with one, which the TURN server takes away before
	writeTime     = 10 * time.Second // to take what waits
)

func newStreams(f *front, l net.Listener, t *tls.Config) *streams {
	s := &streams{front: f, listener: l, tls: t, inbox: make(chan *packet, 64), conns: map[netip.AddrPort]*stream{}}
	s.closed, s.end = context.WithCancel(context.Background())
	return s
}

// accept takes connections until the listener is closed.
func (s *streams) accept() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		c, err := s.listener.Accept()
		switch {
		case err == nil:
			s.take(c)
		case errors.Is(err, net.ErrClosed):
			return
		default: // such as too many open files
			pause.Reset(100 * time.Millisecond)
			select {
			case <-pause.C:
			case <-s.closed.Done():
				return
			}
		}
	}
}

// toSend is how many octets the system is asked to keep for a client. What waits there is late, and no part of Limits.Memory.
const toSend = 64 << 10

// take serves a connection in a goroutine of its own, or closes it if there are too many.
func (s *streams) take(c net.Conn) {
	at := addrPort(c.RemoteAddr())
	switch {
	case !s.allow(at.Addr(), true):
		s.server.counts.add(droppedFlood, 1)
	case !s.server.connections.enter(at.Addr()):
		s.server.counts.add(refusedConnections, 1)
	default:
		if t, ok := c.(*net.TCPConn); ok {
			t.SetWriteBuffer(toSend) //nolint:errcheck // it would be better, no more
		}
		s.front.connections.Add(1)
		go func() {
			defer s.front.connections.Add(-1)
			defer s.server.connections.leave(at.Addr())
			defer c.Close()
			s.serve(c, at)
		}()
		return
	}
	c.Close()
}

// serve reads the packets of a connection until it ends, or says what is none.
func (s *streams) serve(c net.Conn, at netip.AddrPort) {
	if s.tls != nil {
		t := tls.Server(c, s.tls)
		ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
		err := t.HandshakeContext(ctx)
		cancel()
		if err != nil {
			s.server.counts.add(droppedMalformed, 1)
			return
		}
		c = t
	}
	one := &stream{conn: c, out: make(chan *packet, s.server.config.Limits.Queue)}
	if !s.add(at, one) {
		return
	}
	go one.write(s.server.store)
	one.read(s, at)
	s.remove(at, one)
	close(one.out) // send does not find it any more
	if a := s.server.exchange.of(client{s.front, at}); a != nil {
		a.Close()
	}
}

// add has packets to the client go over the connection; not if we are closed.
func (s *streams) add(at netip.AddrPort, one *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Err() != nil {
		return false
	}
	s.conns[at] = one
	return true
}

func (s *streams) remove(at netip.AddrPort, one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	deleteOnly(s.conns, at, one)
}

func (s *streams) of(at netip.AddrPort) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns[at]
}

// ReadFrom waits for a packet that is for the TURN server.
func (s *streams) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case p := <-s.inbox:
		n, from := copy(b, p.data[:p.size]), p.from
		s.server.store.unpack(p)
		return n, from, nil
	case <-s.closed.Done():
		return 0, nil, net.ErrClosed
	}
}

// WriteTo has a packet wait until the client takes it.
func (s *streams) WriteTo(b []byte, to net.Addr) (int, error) {
	s.send(b, addrPort(to))
	return len(b), nil
}

func (s *streams) send(b []byte, to netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock() // to the end: what waits for a connection is dropped once when it is removed
	one := s.conns[to]
	if one == nil {
		return // too late
	}
	p := s.server.store.pack(nil, b)
	if p == nil {
		s.server.counts.add(droppedMemory, 1)
		return
	}
	select {
	case one.out <- p:
	default:
		s.server.store.unpack(p)
		s.server.counts.add(droppedQueue, 1)
	}
}

func (s *streams) sendElsewhere([]byte, netip.AddrPort) bool { return false }

func (s *streams) address(at netip.AddrPort) net.Addr {
	ip := at.Addr().As16()
	return &net.TCPAddr{IP: ip[:], Port: int(at.Port())}
}

func (s *streams) reaches(at netip.AddrPort) bool { return s.of(at) != nil }

// released leaves the connection of a client without an allocation as long as that of any stranger.
func (s *streams) released(at netip.AddrPort) {
	if one := s.of(at); one != nil {
		one.conn.SetReadDeadline(time.Now().Add(strangerTime)) //nolint:errcheck // then it is closed
	}
}

// Close ends all connections.
func (s *streams) Close() error {
	s.end()
	err := s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.conns {
		one.conn.Close()
	}
	return err
}

// LocalAddr returns the address of the listener.
func (s *streams) LocalAddr() net.Addr { return s.listener.Addr() }
