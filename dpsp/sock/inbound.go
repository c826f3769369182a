package sock

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// An inbound is a connection of a peer to us.
type inbound struct {
	conn        network.Stream
	from, local netip.AddrPort
	born        uint64         // see loop.births
	listener    netip.AddrPort // where its peer listens, by its first message; guarded by loop.mu
	alias       netip.AddrPort // likewise, with the address that the message names, if it does
	known       atomic.Bool    // somebody that the engine knows talked over it
	calls       atomic.Bool    // what a member may say came over it
	turn        chan struct{}  // holds one if all that was read was handled
	ended       chan struct{}  // closed when it was read to its end

	// For who reads it alone.
	place    *guest
	evicted  chan struct{} // closed when it has lost its place
	source   *source       // its turns
	intake   intake
	said     bool          // a message began, and so
	listens  wire.SockAddr // where its peer says that it listens is known
	standing dpsp.Standing
	useful   bool        // since the last check it said something that we have a use for
	check    time.Time   // when it is to be seen whether it may stay
	begun    bool        // the message that is waited for has a deadline
	deadline time.Time   // of reads
	cut      bool        // the rest of a message that began does not come
	answers  bool        // a session was found over it
	waned    atomic.Bool // our end was closed: it may say a last word

	awaited atomic.Int64 // the size of the message that is not whole yet; 0: none
}

// accept takes connections until the listener is closed.
func (l *loop) accept(ln net.Listener) {
	full := l.evictions.Load()
	network.Accept(ln, l.quit.Done(), func(c network.Stream) {
		i := &inbound{
			conn: c, from: addrPort(c.RemoteAddr()), local: addrPort(c.LocalAddr()), source: &l.strangers,
			turn: make(chan struct{}, 1), ended: make(chan struct{}), evicted: make(chan struct{}),
		}
		i.place = &guest{addr: i.from.Addr(), leave: func() {
			l.evictions.Add(1)
			l.refuse(refusedConnection, i.from.Addr())
			c.Close()
			close(i.evicted)
		}}
		i.intake = intake{conn: c, appetite: appetites[dpsp.Stranger], room: func(octets int) bool { return l.guests.hold(i.place, octets) }}
		if l.admit(i) {
			l.group.Add(1)
			go l.read(i) // without the frame of group.Go, because there is one for each connection
		} else {
			c.Close()
		}
		if n := l.evictions.Load(); n != full {
			full = n
			pause(evictPause, l.quit.Done())
		}
	})
}

// evictPause is how long nothing is accepted after somebody had to make room: who opens connections all the time gets
// two thousand a second at most.
const evictPause = 500 * time.Microsecond

// pause waits; false if quit was closed meanwhile.
func pause(d time.Duration, quit <-chan struct{}) bool {
	select {
	case <-quit:
		return false
	case <-time.After(d):
		return true
	}
}

// signal puts one into a channel that holds one at most.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// isClosed reports whether a channel that nobody sends on is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// admit counts a connection in.
func (l *loop) admit(i *inbound) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.guests.enter(i.place) {
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
	l.guests.exit(i.place)
	l.sourceGone(i.source)
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
	for n := len(older) - maxOlder; n > 0; n-- { // a stranger may have many
		if k := slices.IndexFunc(older, func(o *inbound) bool { return !o.known.Load() }); k >= 0 {
			older = slices.Delete(older, k, k+1)
		}
	}
	i.listener, i.alias = listener, netip.AddrPortFrom(netip.AddrFrom4(at.Addr), at.Port)
	l.peers[listener] = append(l.peers[listener], i)
	l.mu.Unlock()
	l.hearOut(older, l.limits.order)
}

// hearOut waits until connections are read as far as they go now, but not for ever.
func (l *loop) hearOut(all []*inbound, most time.Duration) {
	ctx, cancel := context.WithTimeout(l.quit, most)
	defer cancel()
	look := time.NewTicker(hearAgain) // somebody else may wait for the same connection, and its turn is said once
	defer look.Stop()
	for _, i := range all {
		for peek(i.conn) != nothing && !isClosed(i.ended) {
			select {
			case <-i.ended:
			case <-i.turn:
			case <-look.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// maxOlder is how many older connections of strangers are heard out, the last ones.
const maxOlder = 4

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

// calledSince says whether a machine that listens somewhere has called us since a connection of ours began, to say
// more than that it looks for sessions or has one, and has not hung up. It is there then, whatever becomes of ours: as after
// a failure of the network, when the news that an old connection is dead come late.
func (l *loop) calledSince(listener netip.AddrPort, born uint64) bool {
	return slices.ContainsFunc(l.from(listener, born), func(i *inbound) bool {
		return i.calls.Load() && !isClosed(i.ended) && peek(i.conn) != ended
	})
}

// read takes messages off a connection. A connection that says nothing, dribbles, or sends what has no header is
// closed: nothing says where the next message would begin. So is a stranger's after a while, whatever it says.
func (l *loop) read(i *inbound) {
	defer l.group.Done()
	defer l.dismiss(i)
	defer l.drain(i)
	defer l.unfinished(i)
	r := &i.intake
	i.check = time.Now().Add(l.limits.silence)
	for {
		i.begun = false
		if !l.await(i, 1) || !l.await(i, wire.SPHeaderSize) {
			return
		}
		size, err := wire.FrameSize(r.waiting())
		if err != nil {
			l.misread(i, r.waiting()[:wire.SPHeaderSize]) // the engine says what is wrong with it
			return
		}
		if !i.said && !l.greet(i, wire.ParseSockAddr(r.waiting()[4:])) {
			return
		}
		if i.standing == dpsp.Stranger && size > l.limits.strange {
			l.refuse(refusedSize, i.from.Addr())
			return
		}
		i.awaited.Store(int64(size))
		if !l.await(i, size) {
			return
		}
		i.awaited.Store(0)
		if !l.handle(i, size) {
			return
		}
		r.rest()
	}
}

// handle has the next message handled, of a size that is there, and those after it that are, for a turn. It waits while
// the program has too much to read already, with nothing locked.
func (l *loop) handle(i *inbound, size int) bool {
	for room := l.crowd.wait(i.source); room != nil; room = l.crowd.wait(i.source) {
		select {
		case <-room:
		case <-time.After(stall):
		case <-l.quit.Done():
			return false
		}
	}
	l.relax(i)
	if !l.stepping.enter(i.source, i.evicted) {
		return false
	}
	by, work, began := i.source, 0, time.Now()
	defer func() {
		l.stepping.leave(by, work)
		if work > heavy {
			pause(min(heavyRest*time.Since(began), heavyMost), l.quit.Done())
		}
	}()
	for size > 0 && work < turn && !l.stopped {
		b := i.intake.waiting()[:size]
		if !dpsp.FromOutside(b) {
			i.calls.Store(true)
		}
		events := l.feed(dpsp.Input{Kind: dpsp.Stream, From: i.from, Data: b}, i.local, by)
		i.intake.handled(size)
		work += size + overhead
		if !l.judge(i, events) {
			return false
		}
		if i.source != by || l.crowd.crowded(by) {
			break
		}
		size = i.whole(l.limits.strange)
	}
	return !l.stopped
}

// Who has much handled at once, such as a name of 200 kB that all have to be told, rests for some times as long as that
// took: so what others say as a rule finds nobody at work, for it cannot interrupt.
const (
	heavy     = 64 << 10
	heavyRest = 3
	heavyMost = 50 * time.Millisecond
)

// whole returns the size of the next message if all of it is there, and nothing is to be said against it; 0 otherwise.
func (i *inbound) whole(strange int) int {
	b := i.intake.waiting()
	size, _ := wire.FrameSize(b) // 0 with an error
	if len(b) < size || i.standing == dpsp.Stranger && size > strange {
		return 0
	}
	return size
}

// unfinished tells the engine of a message whose end does not come: it may be the answer that it waits for.
func (l *loop) unfinished(i *inbound) {
	if i.cut {
		l.misread(i, i.intake.waiting())
	}
}

// misread gives the engine what is no message, for it to say why.
func (l *loop) misread(i *inbound, octets []byte) {
	l.do(func(*dpsp.Engine) {
		l.feed(dpsp.Input{Kind: dpsp.Stream, From: i.from, Data: octets}, i.local, i.source)
	})
}

// await waits until n octets of a message are there; false if they will not come.
func (l *loop) await(i *inbound, n int) bool {
	r := &i.intake
	switch came := len(r.waiting()); { // a deadline is set where we may have to wait, not for each message of a burst
	case came >= n:
		return true
	case came == 0:
		signal(i.turn)
		i.readBy(i.check)
	case !i.begun:
		i.begun = true
		by := time.Now().Add(l.limits.dribble)
		if i.standing != dpsp.Member && by.After(i.check) {
			by = i.check
		}
		i.readBy(by)
	}
	for {
		err := r.fill(n)
		switch {
		case err == nil:
			return true
		case errors.Is(err, errRoom{}):
			l.refuse(refusedOctets, i.from.Addr())
			return false
		case len(r.waiting()) > 0:
			i.cut = isAny(err, os.ErrDeadlineExceeded, io.EOF)
			return false
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return false
		case l.mayStay(i):
			i.check = time.Now().Add(l.limits.silence)
		case l.wanes(i):
			i.check = time.Now().Add(l.limits.lastWord)
		default:
			return false
		}
		i.readBy(i.check)
	}
}

// readBy sets the deadline of reads.
func (i *inbound) readBy(deadline time.Time) {
	if i.deadline != deadline {
		i.deadline = deadline
		i.conn.SetReadDeadline(deadline)
	}
}

// greet takes note of where the other end of a connection listens, by its first header; false if it may not stay.
func (l *loop) greet(i *inbound, at wire.SockAddr) bool {
	i.said, i.listens = true, at
	l.trials.answered(i.from.Addr())
	if !l.look(i) {
		return false
	}
	l.inTurn(i, at)
	return true
}

// look asks the engine who somebody is; false if it may not stay.
func (l *loop) look(i *inbound) bool {
	if !l.stepping.enter(i.source, i.evicted) {
		return false
	}
	i.standing = l.engine.Standing(i.from, i.listens)
	l.stepping.leave(i.source, overhead)
	return l.rank(i)
}

// rank shares by a connection's standing; false if it lost its place.
func (l *loop) rank(i *inbound) bool {
	i.intake.appetite = appetites[i.standing]
	if i.standing == dpsp.Stranger {
		l.sourceGone(i.source)
		i.source = &l.strangers
	} else {
		i.known.Store(true)
		i.source = l.sourceAt(netip.AddrPortFrom(i.from.Addr(), i.listens.Port), i.source)
	}
	if l.guests.rank(i.place, i.standing) {
		return true
	}
	l.refuse(refusedConnection, i.from.Addr())
	return false
}

// judge looks, between steps, what a message made of who sent it.
func (l *loop) judge(i *inbound, events []dpsp.Event) bool {
	if i.standing == dpsp.Member {
		return true
	}
	if slices.ContainsFunc(events, func(e dpsp.Event) bool { _, found := e.(dpsp.SessionFound); return found }) {
		i.useful, i.answers = true, true // we look for sessions, and a host may keep what it answers on
	}
	s := l.engine.Standing(i.from, i.listens)
	i.useful = i.useful || s == dpsp.Newcomer
	if s == i.standing {
		return true
	}
	i.standing = s
	return l.rank(i)
}

// mayStay says whether a connection that says nothing now may be open any longer: a member's, and one over which
// something of use came lately. A stranger who sends pings stays no longer for it.
func (l *loop) mayStay(i *inbound) bool {
	if !i.said || !l.look(i) {
		return false
	}
	useful := i.useful
	i.useful = false
	return useful || i.standing == dpsp.Member
}

// wanes closes our end of a connection over which a host answered a search, long ago, and reports whether to go on reading
// it: the host may have kept it, as Windows does, and answer over it when we join at last.
func (l *loop) wanes(i *inbound) bool {
	if !i.answers || i.waned.Load() {
		return false
	}
	i.waned.Store(true)
	return i.conn.CloseWrite() == nil
}

// drain keeps a connection open while we say our goodbyes, and takes what comes: the other side may be leaving as well,
// and must get rid of its own.
func (l *loop) drain(i *inbound) {
	if l.quit.Err() != nil {
		i.conn.SetReadDeadline(time.Time{})
		io.Copy(io.Discard, i.conn)
	}
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
