package sock

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp"
)

// An outbound is our connection to a peer: opened on demand, written by a goroutine of its own so that a slow
// peer holds up nobody else. What waits is one run of octets, so that many small messages go out in one write.
type outbound struct {
	to    netip.AddrPort
	ready chan struct{} // holds one if octets came to an empty buffer
	quit  chan struct{}
	dying bool     // closed by us; guarded by loop.mu
	conn  net.Conn // once there is one; guarded by loop.mu

	mu     sync.Mutex
	buf    []byte // waits to be written
	octets int    // in buf, and taken out of it but not written yet
}

const (
	// chunk is how many octets are written at once, and have limits.write to go: a peer that takes any is alive.
	chunk = 64 << 10
	// keep is the largest buffer that is kept for later.
	keep = 256 << 10
)

// add queues a copy of a message; false if it has no room.
func (o *outbound) add(data []byte, most int) bool {
	o.mu.Lock()
	if o.octets+len(data) > most {
		o.mu.Unlock()
		return false
	}
	first := len(o.buf) == 0
	o.buf = append(o.buf, data...)
	o.octets += len(data)
	o.mu.Unlock()
	if first {
		select {
		case o.ready <- struct{}{}:
		default:
		}
	}
	return true
}

// take gives all that is queued, in exchange for a buffer that is free again.
func (o *outbound) take(free []byte) []byte {
	if cap(free) > keep {
		free = nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.buf
	o.buf = free[:0]
	return b
}

// wrote makes room.
func (o *outbound) wrote(n int) {
	o.mu.Lock()
	o.octets -= n
	o.mu.Unlock()
}

// sendStream queues a message for a peer. It is copied: the engine's memory is its own.
func (l *loop) sendStream(to netip.AddrPort, data []byte) {
	l.mu.Lock()
	o := l.outbound[to]
	if o == nil {
		o = &outbound{to: to, ready: make(chan struct{}, 1), quit: make(chan struct{})}
		l.outbound[to] = o
		l.group.Add(1)
		go l.write(o)
	}
	l.mu.Unlock()
	if !o.add(data, l.limits.octets) {
		l.giveUp(o)
	}
}

// giveUp ends a connection that cannot go on, and tells the engine.
func (l *loop) giveUp(o *outbound) {
	if l.forget(o) {
		l.later(dpsp.Input{Kind: dpsp.StreamClosed, From: o.to})
	}
}

// closedByPeer ends a connection that the peer closed. What it said last is still on its way, on its own connection:
// a DELETEPLAYER must come before the news that it is gone. If we are connected again by then, it is not.
func (l *loop) closedByPeer(o *outbound) {
	if !l.forget(o) {
		return
	}
	time.AfterFunc(l.limits.grace, func() {
		l.mu.Lock()
		again := l.outbound[o.to] != nil
		l.mu.Unlock()
		if !again {
			l.later(dpsp.Input{Kind: dpsp.StreamClosed, From: o.to})
		}
	})
}

// forget ends a connection; false if it had ended already.
func (l *loop) forget(o *outbound) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.dying {
		return false
	}
	o.dying = true
	close(o.quit)
	if o.conn != nil { // a write that waits for the peer must not wait much longer
		o.conn.SetWriteDeadline(time.Now().Add(l.limits.linger))
	}
	if l.outbound[o.to] == o {
		delete(l.outbound, o.to)
	}
	return true
}

// write connects to a peer and writes what is queued.
func (l *loop) write(o *outbound) {
	defer l.group.Done()
	// Closing it meanwhile does not stop that: what is queued is still to get out.
	d := net.Dialer{Timeout: l.limits.dial, LocalAddr: l.localTCP()}
	c, err := d.DialContext(l.abort, "tcp4", o.to.String())
	if err != nil {
		l.giveUp(o)
		return
	}
	defer c.Close()
	l.mu.Lock()
	o.conn = c
	if o.dying {
		c.SetWriteDeadline(time.Now().Add(l.limits.linger))
	}
	l.mu.Unlock()
	l.group.Add(1)
	go l.watch(o, c)
	var b []byte
	for {
		b = o.take(b)
		if len(b) > 0 {
			if !l.writeAll(o, c, b) {
				return
			}
			continue
		}
		select {
		case <-o.ready:
		case <-o.quit:
			// What was queued before we closed it, a DELETEPLAYER as a rule, should still get out.
			l.writeAll(o, c, o.take(nil))
			return
		}
	}
}

// writeAll writes octets; false if the peer does not take them. A connection that we closed has its last deadline.
func (l *loop) writeAll(o *outbound, c net.Conn, b []byte) bool {
	for part := range slices.Chunk(b, chunk) {
		l.mu.Lock()
		if !o.dying {
			c.SetWriteDeadline(time.Now().Add(l.limits.write))
		}
		l.mu.Unlock()
		_, err := c.Write(part)
		o.wrote(len(part))
		if err != nil {
			l.giveUp(o)
			return false
		}
	}
	return true
}

// watch notices that a peer closes its end. Nothing is ever to be read on our connection: answers come on the
// peer's own (facts, 2.10). What comes all the same is skipped.
func (l *loop) watch(o *outbound, c net.Conn) {
	defer l.group.Done()
	var b [512]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			l.closedByPeer(o)
			c.Close()
			return
		}
	}
}

// closeStream closes our connection to a peer, after what is queued.
func (l *loop) closeStream(to netip.AddrPort) {
	l.mu.Lock()
	o := l.outbound[to]
	l.mu.Unlock()
	if o != nil {
		l.forget(o)
	}
}
