package sim

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
)

// What package dpsp/sock has, and what systems do.
const (
	dialTime    = 10 * time.Second       // a connection must come about within it
	grace       = 250 * time.Millisecond // between a peer's end and the news of it
	firstRetry  = 300 * time.Millisecond // before a segment is sent again; twice that the next time
	longestWait = 8 * time.Second        // between two tries
)

// errRefused is why a connection did not come about.
var errRefused = errors.New("refused")

// A conn is our TCP connection to a peer's listener. Nothing comes back on it.
type conn struct {
	w      *World
	owner  *process
	to     netip.AddrPort
	from   netip.AddrPort
	peer   *lane
	far    *process // who accepted it; nil until it is open
	dying  bool     // we closed it: what waits still goes out, and nobody is told of its end
	dead   bool
	queue  []segment
	octets int
	moving bool          // an attempt is on its way
	last   time.Duration // when the last segment arrived, or will
	stuck  time.Duration // since when nothing got through; 0: it does
	wait   time.Duration // before the next try
	hold   time.Duration // nothing gets through before that: a stall
	dialed time.Duration // when connecting began
	arrive func()        // attempt
}

type segment struct {
	data      []byte
	due       time.Duration
	delivered bool // only its acknowledgement is missing
	kept      bool // the engine sends it again, or reports it, if the connection breaks
}

// sendStream queues a message on the one connection to a listener.
func (w *World) sendStream(p *process, to netip.AddrPort, data []byte) {
	l := p.l
	c := l.connTo(to)
	if c == nil {
		w.ephemera++
		c = &conn{w: w, owner: p, to: to, from: netip.AddrPortFrom(l.addr, w.ephemera|0x8000),
			peer: w.programAt(to), dialed: w.now}
		l.out = append(l.out, c)
		c.wait = time.Second // of SYN
		c.arrive = c.attempt
		w.after(w.trip(), c.dial)
	}
	if c.octets += len(data); c.octets > w.opt.Bounds.Queue {
		w.violate(l, "bounds", "%d octets wait for %v", c.octets, to)
	}
	d := w.trip()
	for range 5 { // a lost segment comes after a retransmission
		if !w.chance(Lose, w.opt.Loss) {
			break
		}
		d += firstRetry
	}
	_, _, kept := p.engine.Renews(to)
	c.queue = append(c.queue, segment{data: w.copy(data), due: w.now + d, kept: kept})
	w.flight(1)
	c.pump()
}

// copy returns a copy of data in octets that were used before, if there are any.
func (w *World) copy(data []byte) []byte {
	n := len(w.octets)
	if n == 0 {
		return bytes.Clone(data)
	}
	b := w.octets[n-1]
	w.octets = w.octets[:n-1]
	return append(b[:0], data...)
}

// connTo returns our connection to a listener, nil for none.
func (l *lane) connTo(to netip.AddrPort) *conn {
	for _, c := range l.out {
		if c.to == to {
			return c
		}
	}
	return nil
}

// dial is one try to connect.
func (c *conn) dial() {
	w := c.w
	if c.peer != nil && c.far == nil {
		c.peer = c.peer.at(c.to.Port())
	}
	switch {
	case c.dead || c.far != nil:
	case c.peer != nil && w.reach(c.owner.l, c.peer, dpsp.TCP) && w.reach(c.peer, c.owner.l, dpsp.TCP):
		p := c.peer.proc
		if p == nil || !p.listens(c.to.Port(), p.streamPort()) {
			w.after(w.trip(), c.fail) // refused
			return
		}
		c.far, c.wait = p, firstRetry
		w.after(w.trip(), c.pump)
	case w.now-c.dialed >= dialTime:
		c.fail()
	default:
		w.after(min(c.wait, c.dialed+dialTime-w.now), c.dial)
		c.wait *= 2
	}
}

// pump sees to it that the first segment in line arrives when it is due.
func (c *conn) pump() {
	if c.dead || c.far == nil || c.moving || len(c.queue) == 0 {
		return
	}
	c.moving = true
	due := max(c.queue[0].due, c.last, c.hold)
	c.w.at(due, c.arrive)
}

// attempt is the arrival of the first segment, if it gets through.
func (c *conn) attempt() {
	w := c.w
	c.moving = false
	if c.dead || len(c.queue) == 0 {
		return
	}
	if c.hold > w.now {
		c.pump()
		return
	}
	s := &c.queue[0]
	there, back := w.reach(c.owner.l, c.peer, dpsp.TCP), w.reach(c.peer, c.owner.l, dpsp.TCP)
	if there && !s.delivered && c.far.full() {
		c.hold = w.now + longestWait // it waits here, because its receiver reads nothing
		c.pump()
		return
	}
	if there && !s.delivered {
		if c.far.gone {
			w.after(w.trip(), c.fail) // the system there resets it
			c.moving = true
			return
		}
		s.delivered = true
		w.res.Messages++
		data, far, from := s.data, c.far, c.from
		w.input(far, dpsp.Input{Kind: dpsp.Stream, From: from, Data: data})
		if c.dead || len(c.queue) == 0 {
			return // what it brought about ended the connection
		}
	}
	if c.queue[0].delivered && back {
		c.acknowledged()
		return
	}
	c.retry()
}

// acknowledged goes on with the next segment.
func (c *conn) acknowledged() {
	c.octets -= len(c.queue[0].data)
	c.w.octets = append(c.w.octets, c.queue[0].data)
	if len(c.queue) == 1 {
		c.queue = c.queue[:0] // the next one needs no memory
	} else {
		c.queue = c.queue[1:]
	}
	c.w.flight(-1)
	c.last, c.stuck, c.wait = c.w.now, 0, firstRetry
	c.tidy()
	c.pump()
}

// retry sends the first segment once more, or gives up.
func (c *conn) retry() {
	w := c.w
	if c.stuck == 0 {
		c.stuck = w.now
	}
	if w.now-c.stuck >= w.opt.Retransmit {
		c.fail()
		return
	}
	c.moving = true
	w.after(c.wait, c.arrive)
	c.wait = min(2*c.wait, longestWait)
}

// tidy ends a connection that we closed when nothing waits any more.
func (c *conn) tidy() {
	if c.dying && len(c.queue) == 0 {
		c.dead = true
	}
}

// drop ends a connection and what waits on it; false if it had ended.
func (c *conn) drop() bool {
	if c.dead {
		return false
	}
	c.dead = true
	c.w.truth.broke(c, Broke)
	c.w.flight(-len(c.queue))
	c.queue = nil
	l := c.owner.l
	if i := slices.Index(l.out, c); i >= 0 {
		l.out = slices.Delete(l.out, i, i+1)
	}
	return true
}

// fail ends a connection that broke, was refused, or was closed by the peer. Our engine is told, unless we had closed it.
func (c *conn) fail() {
	in := dpsp.Input{Kind: dpsp.StreamEnded, From: c.to, Lost: len(c.queue) > 0}
	if !c.drop() || c.dying {
		return
	}
	if c.far == nil {
		in.Err = errRefused
	}
	c.w.input(c.owner, in)
}

// closed tells an engine, after a while, that a connection ended, unless there is a new one and the peer still has its own to us.
// If the new one is still being opened, its end is told then.
func (w *World) closed(p *process, to netip.AddrPort) {
	next := p.l.connTo(to)
	if p.gone || next != nil && next.peer.calls(p) {
		return
	}
	w.input(p, dpsp.Input{Kind: dpsp.StreamClosed, From: to, Anew: next != nil && next.far != nil})
}

// calls reports whether a machine has a connection to a program.
func (l *lane) calls(p *process) bool {
	return l != nil && slices.ContainsFunc(l.out, func(c *conn) bool { return c.far == p })
}

// hangUp closes our connection to a listener, after what waits.
func (w *World) hangUp(l *lane, to netip.AddrPort) {
	c := l.connTo(to)
	if c == nil {
		return
	}
	l.out = slices.DeleteFunc(l.out, func(x *conn) bool { return x == c })
	c.dying = true
	w.truth.broke(c, Former)
	c.tidy()
}

// closePeers has the connections that a program accepted end, now that it is gone.
func (w *World) closePeers(p *process) {
	for _, l := range w.lanes {
		for _, c := range slices.Clone(l.out) {
			if c.far == p {
				w.after(w.trip(), func() { w.farewell(c, w.now) })
			}
		}
	}
}

// farewell is the arrival of a peer's FIN. Its system tries for a while.
func (w *World) farewell(c *conn, since time.Duration) {
	switch {
	case c.dead:
	case w.reach(c.peer, c.owner.l, dpsp.TCP):
		c.fail()
	case w.now-since < w.opt.Retransmit:
		w.after(2*time.Second, func() { w.farewell(c, since) })
	}
}
