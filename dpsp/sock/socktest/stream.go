package socktest

import (
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// A stream is an end of a TCP connection. All is guarded by the network's lock.
type stream struct {
	net           *Network
	local, remote netip.AddrPort
	peer          *stream
	out           []byte // was written, and did not arrive
	ended         bool   // nothing more is written
	in            []byte // arrived, and was not read
	fin           bool   // the peer's end arrived after it
	closed        bool
	broken        error // a reset arrived
	told          bool  // of that
	lost          bool  // something that was written did not arrive before that
	linger        int   // as SetLinger has it

	readBy, writeBy time.Time  // zero: no limit
	change          *sync.Cond // of anything
}

const (
	// window is how many octets arrive that nobody reads.
	window = 64 << 10
	// kept is how many octets a stream takes that did not arrive.
	kept = 64 << 10
)

// pair makes a connection.
func (n *Network) pair(from, to netip.AddrPort) (ours, theirs *stream) {
	ours, theirs = n.stream(from, to), n.stream(to, from)
	ours.peer, theirs.peer = theirs, ours
	return ours, theirs
}

func (n *Network) stream(local, remote netip.AddrPort) *stream {
	s := &stream{net: n, local: local, remote: remote, linger: -1, change: sync.NewCond(&n.mu)}
	n.streams[s] = true
	return s
}

// push has arrive what was written, and the end of it, as far as the peer's window goes.
func (s *stream) push() {
	p := s.peer
	if s.broken != nil || s.net.cut(s.local.Addr(), s.remote.Addr()) {
		return
	}
	if p.closed {
		if len(s.out) > 0 {
			s.reset()
		}
		s.forget()
		return
	}
	k := min(len(s.out), window-len(p.in))
	p.in = append(p.in, s.out[:k]...)
	s.out = append(s.out[:0], s.out[k:]...)
	p.fin = p.fin || s.ended && len(s.out) == 0
	p.change.Broadcast()
	s.change.Broadcast()
	s.forget()
}

// forget drops a stream that is closed and from which nothing more is to arrive.
func (s *stream) forget() {
	if s.closed && (s.broken != nil || s.peer.closed || s.peer.fin) {
		delete(s.net.streams, s)
	}
}

// reset is for a stream whose peer said that there is no connection. What it wrote is lost; what it has got can be read.
func (s *stream) reset() {
	s.broken = syscall.ECONNRESET
	if s.fin {
		s.broken = syscall.EPIPE
	}
	s.lost, s.out = len(s.out) > 0, nil
	s.change.Broadcast()
	s.forget()
}

// abort closes a stream with a reset.
func (s *stream) abort() {
	s.closed, s.in, s.out = true, nil, nil
	if !s.net.cut(s.local.Addr(), s.remote.Addr()) && !s.peer.closed && s.peer.broken == nil {
		s.peer.reset()
	}
	s.broken = syscall.ECONNRESET // so nothing more arrives
	s.change.Broadcast()
	delete(s.net.streams, s)
}

// wait waits for a change until a time, with the network locked.
func (n *Network) wait(change *sync.Cond, until time.Time) {
	if !until.IsZero() {
		t := time.AfterFunc(time.Until(until), func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			change.Broadcast()
		})
		defer t.Stop()
	}
	change.Wait()
}

// late reports whether a time limit is over.
func late(until time.Time) bool { return !until.IsZero() && !time.Now().Before(until) }

// Read waits for octets.
func (s *stream) Read(b []byte) (int, error) {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	for {
		switch {
		case s.closed:
			return 0, failed("read", "tcp", s.remote, net.ErrClosed)
		case late(s.readBy):
			return 0, failed("read", "tcp", s.remote, os.ErrDeadlineExceeded)
		case len(b) == 0:
			return 0, nil
		case len(s.in) > 0:
			n := copy(b, s.in)
			s.in = append(s.in[:0], s.in[n:]...)
			s.peer.push()
			return n, nil
		case s.fin:
			return 0, io.EOF
		case s.broken != nil:
			if s.told {
				return 0, io.EOF
			}
			s.told = true
			return 0, failed("read", "tcp", s.remote, os.NewSyscallError("read", s.broken))
		}
		s.net.wait(s.change, s.readBy)
	}
}

// Write waits until all octets have arrived or are kept.
func (s *stream) Write(b []byte) (n int, err error) {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	for {
		switch {
		case s.closed:
			return n, failed("write", "tcp", s.remote, net.ErrClosed)
		case late(s.writeBy):
			return n, failed("write", "tcp", s.remote, os.ErrDeadlineExceeded)
		case s.ended:
			return n, failed("write", "tcp", s.remote, os.NewSyscallError("write", syscall.EPIPE))
		case s.broken != nil:
			err := s.broken
			if s.told {
				err = syscall.EPIPE
			}
			s.told = true
			return n, failed("write", "tcp", s.remote, os.NewSyscallError("write", err))
		case n == len(b):
			return n, nil
		}
		if k := min(len(b)-n, kept-len(s.out)); k > 0 {
			s.out = append(s.out, b[n:n+k]...)
			n += k
			s.push()
			if n == len(b) {
				return n, nil // also if that broke the connection: the news come with the next one
			}
			continue
		}
		s.net.wait(s.change, s.writeBy)
	}
}

// CloseWrite ends what is written.
func (s *stream) CloseWrite() error {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	switch {
	case s.closed:
		return failed("close", "tcp", s.remote, net.ErrClosed)
	case s.broken != nil:
		return failed("close", "tcp", s.remote, os.NewSyscallError("shutdown", syscall.ENOTCONN))
	}
	s.ended = true
	s.push()
	s.change.Broadcast()
	return nil
}

// Close ends both directions: with a reset if something was not read, or if SetLinger said so.
func (s *stream) Close() error {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.closed {
		return failed("close", "tcp", s.remote, net.ErrClosed)
	}
	if s.broken != nil || s.linger == 0 || len(s.in) > 0 {
		s.abort()
		return nil
	}
	s.closed, s.ended = true, true
	s.push()
	s.peer.push() // what is on its way to us breaks it
	s.change.Broadcast()
	return nil
}

// SetLinger has Close reset the connection if seconds is 0.
func (s *stream) SetLinger(seconds int) error {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	s.linger = seconds
	return nil
}

// Look reports whether a read would find octets, and else whether it would find the end.
func (s *stream) Look() (octets, ended bool) {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	return !s.closed && len(s.in) > 0, s.closed || s.fin || s.broken != nil
}

// Acknowledged reports whether all that was written has arrived, and the end if there is one.
func (s *stream) Acknowledged() bool {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	return !s.closed && !s.lost && len(s.out) == 0 && (!s.ended || s.peer.fin || s.peer.closed)
}

// LocalAddr returns the address of this end.
func (s *stream) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(s.local) }

// RemoteAddr returns the address of the other end.
func (s *stream) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(s.remote) }

// SetDeadline limits reads and writes.
func (s *stream) SetDeadline(by time.Time) error { return s.limit(by, &s.readBy, &s.writeBy) }

// SetReadDeadline limits reads.
func (s *stream) SetReadDeadline(by time.Time) error { return s.limit(by, &s.readBy) }

// SetWriteDeadline limits writes.
func (s *stream) SetWriteDeadline(by time.Time) error { return s.limit(by, &s.writeBy) }

func (s *stream) limit(by time.Time, limits ...*time.Time) error {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.closed {
		return failed("set", "tcp", s.remote, net.ErrClosed)
	}
	for _, l := range limits {
		*l = by
	}
	s.change.Broadcast()
	return nil
}
