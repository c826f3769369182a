package sock

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// An inbound is a connection of a peer to us.
type inbound struct {
	conn        *net.TCPConn
	from, local netip.AddrPort
	born        uint64         // see loop.births
	listener    netip.AddrPort // where its peer listens, by its first message; guarded by loop.mu
	alias       netip.AddrPort // likewise, with the address that the message names, if it does
	turn        chan struct{}  // holds one if all that was read was handled
	ended       chan struct{}  // closed when it was read to its end
}

// accept takes connections until the listener is closed. Connections beyond the limit are closed at once.
func (l *loop) accept(ln *net.TCPListener) {
	defer l.group.Done()
	for {
		c, err := ln.AcceptTCP()
		if err != nil {
			if !acceptAgain(err, l.quit) {
				return
			}
			continue
		}
		i := &inbound{conn: c, from: addrPort(c.RemoteAddr()), local: addrPort(c.LocalAddr()), turn: make(chan struct{}, 1), ended: make(chan struct{})}
		if !l.admit(i) {
			c.Close()
			continue
		}
		l.group.Add(1)
		go l.read(i)
	}
}

// acceptPause is how long nothing is accepted after an error, which as a rule says that the process has no
// descriptors left.
const acceptPause = 50 * time.Millisecond

// acceptAgain waits a moment after an error of a listener, and says whether to go on.
func acceptAgain(err error, quit <-chan struct{}) bool {
	if errors.Is(err, net.ErrClosed) {
		return false
	}
	t := time.NewTimer(acceptPause)
	defer t.Stop()
	select {
	case <-quit:
		return false
	case <-t.C:
		return true
	}
}

// admit counts a connection in.
func (l *loop) admit(i *inbound) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut || len(l.inbound) >= l.limits.inbound {
		return false
	}
	l.births++
	i.born = l.births
	l.inbound[i] = true
	return true
}

// dismiss forgets a connection that was read to its end.
func (l *loop) dismiss(i *inbound) {
	i.conn.Close()
	l.mu.Lock()
	delete(l.inbound, i)
	rest := slices.DeleteFunc(l.peers[i.listener], func(x *inbound) bool { return x == i })
	if len(rest) > 0 {
		l.peers[i.listener] = rest
	} else {
		delete(l.peers, i.listener)
	}
	l.mu.Unlock()
	close(i.ended)
}

// inTurn has a connection wait, before its first message is handled, until older ones of a machine that listens at
// the same place are read as far as they go now. A machine that left and joined again at once said goodbye on the
// old one, and the goodbye must not come after the new beginning. Older ones that are merely open cost nothing.
func (l *loop) inTurn(i *inbound, at wire.SockAddr) {
	listener := netip.AddrPortFrom(i.from.Addr(), at.Port)
	l.mu.Lock()
	older := slices.Clone(l.peers[listener])
	i.listener, i.alias = listener, netip.AddrPortFrom(netip.AddrFrom4(at.Addr), at.Port)
	l.peers[listener] = append(l.peers[listener], i)
	l.mu.Unlock()
	l.hearOut(older, l.limits.order)
}

// hearOut waits until connections are read as far as they go now, but not for ever.
func (l *loop) hearOut(all []*inbound, most time.Duration) {
	if len(all) == 0 {
		return
	}
	late := time.NewTimer(most)
	defer late.Stop()
	look := time.NewTicker(hearAgain) // somebody else may wait for the same connection, and its turn is said once
	defer look.Stop()
	for _, i := range all {
		for peek(i.conn) != nothing && !isEnded(i) {
			select {
			case <-i.ended:
			case <-i.turn:
			case <-look.C:
			case <-l.quit:
				return
			case <-late.C:
				return
			}
		}
	}
}

// hearAgain is how often hearOut looks at a connection at least.
const hearAgain = 10 * time.Millisecond

// from gives the open connections of a machine that listens somewhere, those that began after an own one alone.
func (l *loop) from(listener netip.AddrPort, after uint64) (all []*inbound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.inbound {
		if (i.listener == listener || i.alias == listener) && i.born > after {
			all = append(all, i)
		}
	}
	return all
}

// calledSince says whether a machine that listens somewhere has called us since a connection of ours began, and has not
// hung up. It is there then, whatever becomes of ours: as after a failure of the network, when the news that an old
// connection is dead come late.
func (l *loop) calledSince(listener netip.AddrPort, born uint64) bool {
	return slices.ContainsFunc(l.from(listener, born), func(i *inbound) bool { return !isEnded(i) && peek(i.conn) != ended })
}

func isEnded(o *inbound) bool {
	select {
	case <-o.ended:
		return true
	default:
		return false
	}
}

// read takes messages off a connection. A connection that says nothing, dribbles, or sends what has no header is
// closed: nothing says where the next message would begin.
func (l *loop) read(i *inbound) {
	defer l.group.Done()
	defer l.dismiss(i)
	defer l.drain(i)
	c := i.conn
	r := bufio.NewReaderSize(c, readAhead)
	// A deadline is set where we may have to wait, not for each message of a burst.
	c.SetReadDeadline(time.Now().Add(l.limits.silence))
	set := true
	for first := true; ; first = false {
		if r.Buffered() == 0 {
			select {
			case i.turn <- struct{}{}:
			default:
			}
			if set && !first {
				c.SetReadDeadline(time.Time{})
				set = false
			}
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
		if first {
			l.inTurn(i, sp.SockAddr)
		}
		dribble(sp.Size)
		if !l.readMessage(r, i, sp.Size) {
			return
		}
	}
}

// drain keeps a connection open while we say our goodbyes, and takes what comes: the other side may be leaving as well,
// and must get rid of its own.
func (l *loop) drain(i *inbound) {
	if !l.isClosing() {
		return
	}
	i.conn.SetReadDeadline(time.Time{})
	var b [4096]byte
	for {
		if _, err := i.conn.Read(b[:]); err != nil {
			return
		}
	}
}

// readAhead is how much is read at once. A message that fits is not copied.
const readAhead = 16 << 10

// readMessage hands the next message, of a size of at least its header, to the engine; false at the end.
func (l *loop) readMessage(r *bufio.Reader, i *inbound, size int) bool {
	if size > r.Size() {
		b, err := readBody(r, nil, size)
		return err == nil && l.putStream(dpsp.Input{Kind: dpsp.Stream, From: i.from, Data: b}, i.local)
	}
	b, err := r.Peek(size)
	if err != nil || !l.putStream(dpsp.Input{Kind: dpsp.Stream, From: i.from, Data: b}, i.local) {
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
	local := addrPort(c.LocalAddr())
	for {
		n, from, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			if l.isClosing() || !temporary(err) {
				return
			}
			continue // Windows reports a refused earlier datagram here
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		if l.crowd.crowded() && !isPing(buf[:n]) {
			l.skipped.Add(1)
			continue
		}
		if !l.put(dpsp.Input{Kind: dpsp.Datagram, From: from, Data: buf[:n]}, local) {
			return
		}
	}
}

// isPing says whether a datagram is a ping or the answer to one. They tell the program nothing, and keep us in the
// session while it does not read.
func isPing(b []byte) bool {
	const command = wire.SPHeaderSize + 4 // after the signature
	if len(b) < command+2 || !wire.HasSignature(b[wire.SPHeaderSize:]) {
		return false
	}
	switch wire.Command(binary.LittleEndian.Uint16(b[command:])) {
	case wire.CmdPing, wire.CmdPingReply:
		return true
	}
	return false
}

// addrPort gives the address of a socket, IPv4 in its short form.
func addrPort(a net.Addr) netip.AddrPort {
	s, ok := a.(interface{ AddrPort() netip.AddrPort })
	if !ok {
		return netip.AddrPort{}
	}
	p := s.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}
