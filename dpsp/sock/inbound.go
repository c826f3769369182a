package sock

import (
	"bufio"
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
	r := bufio.NewReaderSize(c, readAhead)
	// A deadline is set where we may have to wait, not for each message of a burst.
	c.SetReadDeadline(time.Now().Add(l.limits.silence))
	set := true
	for first := true; ; first = false {
		if r.Buffered() == 0 && set && !first {
			c.SetReadDeadline(time.Time{})
			set = false
		}
		if _, err := r.Peek(1); err != nil {
			return
		}
		late := false
		dribble := func(size int) {
			if r.Buffered() < size && !late {
				c.SetReadDeadline(time.Now().Add(l.limits.dribble))
				set, late = true, true
			}
		}
		dribble(wire.SPHeaderSize)
		head, err := r.Peek(wire.SPHeaderSize)
		if err != nil {
			return
		}
		sp, err := wire.ParseSPHeader(head)
		if err != nil {
			return
		}
		dribble(sp.Size)
		if !l.readMessage(r, from, sp.Size) {
			return
		}
	}
}

// readAhead is how much is read at once. A message that fits is not copied.
const readAhead = 16 << 10

// readMessage hands the next message, of a size of at least its header, to the engine; false at the end.
func (l *loop) readMessage(r *bufio.Reader, from netip.AddrPort, size int) bool {
	if size > r.Size() {
		b, err := readBody(r, nil, size)
		return err == nil && l.put(dpsp.Input{Kind: dpsp.Stream, From: from, Data: b})
	}
	b, err := r.Peek(size)
	if err != nil || !l.put(dpsp.Input{Kind: dpsp.Stream, From: from, Data: b}) {
		return false
	}
	r.Discard(size)
	return true
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
		if !l.put(dpsp.Input{Kind: dpsp.Datagram, From: from, Data: buf[:n]}) {
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
