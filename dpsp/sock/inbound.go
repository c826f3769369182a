package sock

import (
	"io"
	"net"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// accept takes connections until the listener is closed. Connections beyond the limit are closed at once.
func (l *loop) accept(ln *net.TCPListener) {
	defer l.group.Done()
	for {
		c, err := ln.AcceptTCP()
		if err != nil {
			return
		}
		if !l.admit(c) {
			c.Close()
			continue
		}
		l.group.Add(1)
		go l.read(c)
	}
}

// admit counts a connection in.
func (l *loop) admit(c *net.TCPConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || len(l.inbound) >= l.limits.inbound {
		return false
	}
	l.inbound[c] = true
	return true
}

// read takes messages off a connection. A connection that says nothing, dribbles, or sends what has no header is
// closed: nothing says where the next message would begin.
func (l *loop) read(c *net.TCPConn) {
	defer l.group.Done()
	defer func() {
		c.Close()
		l.mu.Lock()
		delete(l.inbound, c)
		l.mu.Unlock()
	}()
	from := addrPort(c.RemoteAddr())
	wait := time.Now().Add(l.limits.silence)
	for {
		c.SetReadDeadline(wait)
		var head [wire.SPHeaderSize]byte
		if _, err := io.ReadFull(c, head[:1]); err != nil {
			return
		}
		c.SetReadDeadline(time.Now().Add(l.limits.dribble))
		if _, err := io.ReadFull(c, head[1:]); err != nil {
			return
		}
		sp, err := wire.ParseSPHeader(head[:])
		if err != nil {
			return
		}
		b, err := readBody(c, head[:], sp.Size)
		if err != nil || !l.put(dpsp.Input{Kind: dpsp.Stream, From: from, Data: b}) {
			return
		}
		wait = time.Time{}
	}
}

// readBody reads the rest of a message. Memory grows with what comes, not with what the header says.
func readBody(r io.Reader, head []byte, size int) ([]byte, error) {
	const step = 16 << 10
	b := append(make([]byte, 0, min(size, step)), head...)
	for len(b) < size {
		n := min(size-len(b), max(step, len(b)))
		at := len(b)
		b = append(b, make([]byte, n)...)
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// receive takes datagrams until the socket is closed.
func (l *loop) receive(c *net.UDPConn) {
	defer l.group.Done()
	buf := make([]byte, 1<<16)
	for {
		n, from, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			if l.isClosing() || !temporary(err) {
				return
			}
			continue // Windows reports a refused earlier datagram here
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		if !l.put(dpsp.Input{Kind: dpsp.Datagram, From: from, Data: append([]byte(nil), buf[:n]...)}) {
			return
		}
	}
}

func addrPort(a net.Addr) netip.AddrPort {
	if t, ok := a.(*net.TCPAddr); ok {
		p := t.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
