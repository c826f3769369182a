package sock

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// An outbound is our connection to a peer: opened on demand, written by a goroutine of its own so that a slow
// peer holds up nobody else, while there is something to write. What waits is one run of octets, so that many small messages
// go out in one write. A peer that closed the connection gets what waits over a new one: it may have ended and begun anew.
type outbound struct {
	to    netip.AddrPort
	until time.Time // then what is left to write is thrown away; zero until it is ended; guarded by loop.mu
	conn  net.Conn  // once there is one; guarded by loop.mu
	born  uint64    // when that began, see loop.births; guarded by loop.mu

	machine  bool   // it is for a machine of the session, which said itself, or of which the host said, where it listens
	stranger bool   // it is for who is not in the session, as far as we know; guarded by loop.mu
	place    *guest // what a stranger has one for; guarded by loop.mu

	life    context.Context    // ends at until, and when the loop aborts: what is left to write is thrown away
	abandon context.CancelFunc // ends life

	writer *writer // the connection; nil if there is to be one yet. For who writes alone
	unsent batch   // messages of which a connection that broke took nothing. For who writes alone

	mu     sync.Mutex
	queue  *batch        // waits to be written; nil: nothing
	octets int           // in queue, and taken out of it but not written yet
	list   int           // of those, up to the end of the last list of players
	since  time.Time     // when the oldest of them began to wait, or a while before
	next   time.Time     // when the oldest in queue began to wait
	queued *atomic.Int64 // octets of all connections, these included; of one that was given up, these alone
	busy   bool          // somebody writes
	ended  bool          // closed by us; changed with loop.mu locked as well, so either lock is enough to look
	empty  chan struct{} // closed when octets is 0; nil if nobody waits for that
}

const (
	// chunk is how many octets are written at once, and have limits.write to go: a peer that takes any is alive.
	chunk = 64 << 10
	// keep is the largest buffer that is kept for later.
	keep = 256 << 10
)

// newOutbound returns a connection to a peer, which is yet to be opened.
func (l *loop) newOutbound(to netip.AddrPort, machine bool) *outbound {
	o := &outbound{to: to, machine: machine, queued: &l.queued}
	o.life, o.abandon = context.WithCancel(l.abort)
	return o
}

// add queues a copy of a message; false if it has no room.
func (o *outbound) add(data []byte, most int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.octets+len(data) > most {
		return false
	}
	if o.queue == nil {
		o.queue, o.next = batches.Get().(*batch), time.Now()
		if o.octets == 0 {
			o.since = o.next
		}
	}
	o.queue.octets, o.queue.sizes = append(o.queue.octets, data...), append(o.queue.sizes, len(data))
	o.octets += len(data)
	o.queued.Add(int64(len(data)))
	return true
}

// A batch is messages that are written at once.
type batch struct {
	octets []byte
	sizes  []int // of the messages
}

// batches has those that are free: who has nothing to say needs no memory for it.
var batches = sync.Pool{New: func() any { return new(batch) }}

// free gives a batch back.
func (b *batch) free() {
	if cap(b.octets) > keep {
		return
	}
	b.octets, b.sizes = b.octets[:0], b.sizes[:0]
	batches.Put(b)
}

// take returns all that is queued, nil if nothing is.
func (o *outbound) take() *batch {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.queue
	o.queue, o.since = nil, o.next
	return b
}

// waiting returns how many octets are not written yet.
func (o *outbound) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.octets
}

// idle says whether everything was written.
func (o *outbound) idle() bool { return o.waiting() == 0 }

// wrote makes room.
func (o *outbound) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.octets -= n
	o.list = max(0, o.list-n)
	o.queued.Add(-int64(n))
	o.noteEmpty()
}

// emptied returns a channel that is closed once everything was written.
func (o *outbound) emptied() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.empty == nil {
		o.empty = make(chan struct{})
	}
	empty := o.empty
	o.noteEmpty()
	return empty
}

// noteEmpty closes the channel of emptied if nothing waits any more; under mu.
func (o *outbound) noteEmpty() {
	if o.octets == 0 && o.empty != nil {
		close(o.empty)
		o.empty = nil
	}
}

// outbounds returns our connections as they are.
func (l *loop) outbounds() []*outbound {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.outbound))
}

// sendStream queues a message for a peer. It is copied: the engine's memory is its own.
func (l *loop) sendStream(to netip.AddrPort, data []byte, list dpsp.List) {
	l.mu.Lock()
	o := l.outbound[to]
	if o == nil {
		o = l.newOutbound(to, l.engine.MachineAt(to) != 0)
		if !l.mayDial(o) {
			l.mu.Unlock()
			o.abandon()
			l.refuse(refusedDial, to.Addr())
			return
		}
		l.outbound[to] = o
	} else if list == dpsp.ListAgain && o.debt().list > 0 {
		l.mu.Unlock()
		l.refuse(refusedList, to.Addr())
		return
	}
	room := o.add(data, l.limits.octets) && l.charge(o) // inside, so that none comes after its end
	if list != dpsp.NoList {
		o.listed()
	}
	l.rouse(o)
	l.mu.Unlock()
	l.keepBudget()
	switch {
	case !room:
		l.giveUp(o)
		l.hurry(o)
	case l.causer != nil && o.waiting() > press:
		l.causer.on(o, len(data))
	}
}

// rouse has somebody write what waits for a peer, or end the connection. It never waits.
func (l *loop) rouse(o *outbound) {
	o.mu.Lock()
	defer o.mu.Unlock() // who ended it before close waits for the writers has counted this one
	if o.busy {
		return
	}
	o.busy = true
	l.writers.Add(1)
	l.group.Go(func() { l.write(o) })
}

// giveUp ends a connection that cannot go on, and tells the engine.
func (l *loop) giveUp(o *outbound) {
	if l.forget(o) {
		l.givenUp(o)
	}
}

// givenUp tells the engine that a connection cannot go on.
func (l *loop) givenUp(o *outbound) { l.later(dpsp.Input{Kind: dpsp.StreamClosed, From: o.to}) }

// closedByPeer ends a connection that the peer closed, or that did not come about for the reason why, if nothing waits for it
// or always; false otherwise. What the peer said last is still on its way, on its own connection: a DELETEPLAYER must come
// before the news that it is gone. There are none if it called again by then, if we are connected again, or if somebody else
// has its place.
func (l *loop) closedByPeer(o *outbound, always bool, why error) bool {
	renews, kept := false, false
	if why == nil {
		_, renews, kept = l.renews(o.to)
	}
	l.mu.Lock()
	if !always && !o.idle() {
		l.mu.Unlock()
		return false
	}
	first, born, stranger := l.end(o), o.born, o.stranger
	lost := o.writer != nil && o.writer.lost()
	switch waits := len(o.unsent.octets) > 0 || !o.idle(); {
	case first && renews && l.quit.Err() == nil && waits:
		l.handOver(o, kept)
	case waits:
		lost = true
	}
	l.mu.Unlock()
	if !first || stranger { // the engine knows of none at a stranger's
		return true
	}
	l.later(dpsp.Input{Kind: dpsp.StreamEnded, From: o.to, Err: why, Lost: lost})
	before := l.machine(o.to)
	if !pause(l.limits.grace, l.quit.Done()) {
		return true
	}
	l.hearOut(l.from(o.to, 0), l.limits.farewell)
	l.mu.Lock()
	next := l.outbound[o.to]
	anew := next != nil && next.conn != nil
	// A new connection of ours may lead to whoever has the listener now: one who left and looks for sessions is answered.
	if anew || next != nil && o.conn != nil { // one that never came about is no excuse for another
		born = 0
	}
	l.mu.Unlock()
	if !l.calledSince(o.to, born) && l.machine(o.to) == before {
		l.later(dpsp.Input{Kind: dpsp.StreamClosed, From: o.to, Anew: anew})
	}
	return true
}

// machine gives the system player of the machine that listens somewhere, 0 if there is none.
func (l *loop) machine(at netip.AddrPort) (id wire.PlayerID) {
	l.do(func(e *dpsp.Engine) { id = e.MachineAt(at) })
	return id
}

// forget ends a connection; false if it had ended already.
func (l *loop) forget(o *outbound) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end(o)
}

// end is forget under loop.mu.
func (l *loop) end(o *outbound) bool {
	if o.ended {
		return false
	}
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	l.rouse(o)
	o.until = time.Now().Add(l.limits.linger)
	time.AfterFunc(l.limits.linger, o.abandon)
	if o.conn != nil { // a write that waits for the peer must not wait much longer
		o.conn.SetWriteDeadline(o.until)
	}
	if l.outbound[o.to] == o {
		delete(l.outbound, o.to)
	}
	l.ending[o] = true
	return true
}

// write connects to a peer and writes what is queued, over one connection after the other if the peer closes them, until
// nothing is.
func (l *loop) write(o *outbound) {
	defer l.writers.Done()
	var b *batch
	for {
		if o.writer == nil && !l.connect(o) {
			break
		}
		next := o.writer.run(&b)
		if next == resting {
			return // and not the last one to write
		}
		o.writer.hangUp()
		o.writer = nil
		if next == over {
			break
		}
	}
	l.left(o)
}

// connect opens a connection; false if there is to be none.
func (l *loop) connect(o *outbound) bool {
	for {
		l.mu.Lock()
		l.births++
		o.born = l.births
		l.mu.Unlock()
		c, err := l.dial(o)
		switch {
		case err == nil:
			l.opened(o, c)
			return true
		case o.life.Err() != nil || !l.calledSince(o.to, o.born): // otherwise it is there again
			l.closedByPeer(o, true, err)
			return false
		}
	}
}

// opened begins to use a connection.
func (l *loop) opened(o *outbound, c network.Stream) {
	l.mu.Lock()
	o.conn = c
	c.SetWriteDeadline(o.until)
	l.mu.Unlock()
	o.writer = &writer{loop: l, outbound: o, conn: c, gone: make(chan struct{})}
	l.group.Add(1)
	go o.writer.watch()
}

// A writer is one connection of an outbound.
type writer struct {
	*loop
	*outbound
	conn   network.Stream
	gone   chan struct{} // closed when the peer closed its end
	used   bool          // something was written, or tried
	broken bool          // something could not be written
	cut    bool          // a part of a message was written alone
}

// closed reports whether the peer closed its end, whether or not watch was told already.
func (w *writer) closed() bool { return isClosed(w.gone) || peek(w.conn) == ended }

// A fate is what becomes of a connection that nothing more is to be written on now.
type fate uint8

const (
	resting  fate = iota // it is there, and nobody writes
	replaced             // what is left goes over a new one
	over
)

// rest ends the work of who writes, unless more came.
func (w *writer) rest() (is state) {
	o := w.outbound
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.queue != nil:
		return more
	case o.ended:
		return closed
	case isClosed(w.gone):
		return left
	}
	o.busy = false
	return idle
}

// A state is what there is to do for who writes on a connection.
type state uint8

const (
	more   state = iota // octets wait
	closed              // we closed it, and all that was queued before, a DELETEPLAYER as a rule, got out
	left                // the peer closed its end
	idle                // nothing
)

// run writes until nothing is left or the connection is over. What it has yet to write is in b. A connection that was closed
// before it took anything is not replaced: its peer wants none.
func (w *writer) run(b **batch) fate {
	for {
		if *b == nil {
			*b = w.take()
		}
		if *b != nil {
			if w.used && w.closed() {
				kind, now, kept := w.renews(w.to)
				if kind && !now {
					w.unsent = **b
					w.closedByPeer(w.outbound, true, nil)
					return over
				}
				if kept {
					w.wrote((*b).drop())
				}
				if kind {
					w.later(dpsp.Input{Kind: dpsp.StreamEnded, From: w.to, Lost: w.lost()})
				}
				return replaced
			}
			w.used = true
			if !w.writeAll(*b) {
				return over
			}
			(*b).free()
			*b = nil
			continue
		}
		switch w.rest() {
		case closed:
			return over
		case left:
			if w.closedByPeer(w.outbound, !w.used, nil) {
				return over
			}
		case idle:
			return resting
		}
	}
}

// writeAll writes octets; false if the peer does not take them. A connection that we closed has its last deadline.
func (w *writer) writeAll(b *batch) bool {
	done, local := 0, addrPort(w.conn.LocalAddr())
	for m := range b.messages() {
		w.recorded(dpsp.TCP, local, w.to, m)
	}
	for part := range slices.Chunk(b.octets, chunk) {
		w.loop.mu.Lock()
		if !w.ended {
			w.conn.SetWriteDeadline(time.Now().Add(w.limits.write))
		}
		w.loop.mu.Unlock()
		n, err := w.conn.Write(part)
		done += n
		w.wrote(len(part))
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			w.broken = true
			w.giveUp(w.outbound)
			return false
		default:
			w.broken = true
			w.unsent = b.unsent(done)
			w.cut = done+len(w.unsent.octets) < len(b.octets)
			w.closedByPeer(w.outbound, true, nil)
			return false
		}
	}
	return true
}

// watch notices that a peer closes its end. Nothing is ever to be read on our connection: answers come on the
// peer's own (facts, 2.10). It waits with a small stack, for there is one of it for each peer; what comes all the same needs more.
func (w *writer) watch() {
	defer w.group.Done()
	var b [1]byte
	if _, err := w.conn.Read(b[:]); err == nil {
		io.Copy(io.Discard, w.conn)
	}
	close(w.gone)
	w.rouse(w.outbound)
}

// closeStream closes our connection to a peer, after what is queued.
func (l *loop) closeStream(to netip.AddrPort) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.outbound[to]; o != nil {
		l.end(o)
	}
}
