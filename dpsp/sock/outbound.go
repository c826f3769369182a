package sock

import (
	"net"
	"net/netip"
	"time"

	"dplay4/dpsp"
)

// An outbound is our connection to a peer: opened on demand, written by a goroutine of its own so that a slow
// peer holds up nobody else.
type outbound struct {
	to     netip.AddrPort
	queue  chan []byte
	octets int // in queue; guarded by loop.mu
	quit   chan struct{}
	dying  bool     // closed by us; guarded by loop.mu
	conn   net.Conn // once there is one; guarded by loop.mu
}

// sendStream queues a message for a peer. It is copied: the engine's memory is its own.
func (l *loop) sendStream(to netip.AddrPort, data []byte) {
	l.mu.Lock()
	o := l.outbound[to]
	if o == nil {
		o = &outbound{to: to, queue: make(chan []byte, l.limits.queue), quit: make(chan struct{})}
		l.outbound[to] = o
		l.group.Add(1)
		go l.write(o)
	}
	full := o.octets+len(data) > l.limits.octets
	if !full {
		select {
		case o.queue <- append([]byte(nil), data...):
			o.octets += len(data)
		default:
			full = true
		}
	}
	l.mu.Unlock()
	if full {
		l.giveUp(o)
	}
}

// giveUp ends a connection that cannot go on, and tells the engine.
func (l *loop) giveUp(o *outbound) {
	if l.forget(o) {
		l.later(dpsp.Input{Kind: dpsp.StreamClosed, From: o.to})
	}
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
	l.mu.Unlock()
	l.group.Add(1)
	go l.watch(o, c)
	for {
		select {
		case b := <-o.queue:
			if !l.writeOne(o, c, b) {
				return
			}
		case <-o.quit:
			l.drain(o, c)
			return
		}
	}
}

func (l *loop) writeOne(o *outbound, c net.Conn, b []byte) bool {
	l.mu.Lock()
	if !o.dying {
		c.SetWriteDeadline(time.Now().Add(l.limits.write))
	}
	l.mu.Unlock()
	_, err := c.Write(b)
	l.mu.Lock()
	o.octets -= len(b)
	l.mu.Unlock()
	if err != nil {
		l.giveUp(o)
		return false
	}
	return true
}

// drain writes what was queued before the connection was closed by us: a DELETEPLAYER should still get out.
func (l *loop) drain(o *outbound, c net.Conn) {
	c.SetWriteDeadline(time.Now().Add(l.limits.linger))
	for {
		select {
		case b := <-o.queue:
			if _, err := c.Write(b); err != nil {
				return
			}
		default:
			return
		}
	}
}

// watch notices that a peer closes its end. Nothing is ever to be read on our connection: answers come on the
// peer's own (facts, 2.10). What comes all the same is skipped.
func (l *loop) watch(o *outbound, c net.Conn) {
	defer l.group.Done()
	var b [512]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			l.giveUp(o)
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
