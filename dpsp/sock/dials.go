package sock

import (
	"context"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// causes are the standings by which connections to strangers count, by the inputs from the network that caused them.
var causes = map[dpsp.Kind]dpsp.Standing{dpsp.Datagram: dpsp.Stranger, dpsp.Stream: dpsp.Newcomer}

// isMember reports whether a member, or the host that we ask for something, listens somewhere. It is called between
// steps.
func (l *loop) isMember(to netip.AddrPort) bool {
	return l.engine.Standing(to, wire.SockAddr{Port: to.Port()}) == dpsp.Member
}

// mayDial takes a place for a connection that the last step wants, if it is to a stranger because of what came from the network; false
// if there is none. It counts for who caused it. It is called between steps.
func (l *loop) mayDial(o *outbound) bool {
	standing, came := causes[l.cause.Kind]
	if !came || l.isMember(o.to) {
		return true
	}
	o.stranger = true
	o.place = &guest{addr: l.cause.From.Addr().Unmap(), standing: standing, leave: func() {
		l.refuse(refusedDial, o.to.Addr())
		go l.evict(o)
	}}
	return l.dials.enter(o.place)
}

// evict ends a connection to a stranger for the sake of another one. One who became a member meanwhile, and was sent
// something since, keeps it.
func (l *loop) evict(o *outbound) {
	l.mu.Lock()
	if !o.stranger {
		l.mu.Unlock()
		return
	}
	l.end(o)
	l.mu.Unlock()
	l.hurry(o)
}

// hurry ends a connection that was ended at once: what waits for it is lost.
func (l *loop) hurry(o *outbound) {
	l.mu.Lock()
	o.until = time.Now()
	conn := o.conn
	l.mu.Unlock()
	o.abandon() // also a connection that is yet to be opened
	if conn != nil {
		conn.Close()
	}
}

// charge counts the octets that wait for a stranger; false if they are too many. Who became a member needs no place
// any more. It is called with loop.mu held, between steps.
func (l *loop) charge(o *outbound) bool {
	switch {
	case !o.stranger:
	case l.isMember(o.to):
		o.stranger = false
		l.dials.exit(o.place)
		o.place = nil
	case o.place != nil:
		return l.dials.hold(o.place, o.waiting())
	}
	return true
}

// dial opens a connection to a peer. Those to members wait in line if too many are being opened.
func (l *loop) dial(o *outbound) (network.Stream, error) {
	l.mu.Lock()
	place := o.place
	l.mu.Unlock()
	if o.machine {
		waits := func() { l.refuse(refusedTrial, o.to.Addr()) }
		if err := l.trials.enter(o.life, o.to.Addr(), l.limits.dial, waits); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	if place == nil {
		select {
		case l.dialing <- struct{}{}:
			defer func() { <-l.dialing }()
		case <-o.life.Done():
			return nil, o.life.Err()
		}
	}
	// Closing it meanwhile does not stop that at once: what is queued is still to get out.
	ctx, cancel := context.WithTimeout(o.life, l.limits.dial)
	defer cancel()
	c, err := l.opt.Network.DialStream(ctx, l.opt.Bind, o.to)
	switch {
	case place == nil:
	case err != nil:
		l.mu.Lock()
		o.place = nil
		l.mu.Unlock()
		time.AfterFunc(l.limits.dialHold-time.Since(began), func() { l.dials.exit(place) })
	case !l.dials.rank(place, dpsp.Member):
		go l.evict(o)
	}
	return c, err
}

// left is for a connection on which nobody writes any more: what waits is lost, and a stranger is no guest any more.
func (l *loop) left(o *outbound) {
	o.wrote(o.waiting())
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ending, o)
	l.dials.exit(o.place)
}
