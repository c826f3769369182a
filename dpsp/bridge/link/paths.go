package link

import (
	"math/bits"
	"net/netip"
	"slices"
	"time"
)

// When paths are probed, and what is made of it.
const (
	probeCurrent   = time.Second            // the path in use
	probeOther     = 3 * time.Second        // one that answers, but is not in use
	probeConfirm   = 30 * time.Millisecond  // one that has answered once
	probeSuspect   = 100 * time.Millisecond // one that did not answer
	probeSilent    = 200 * time.Millisecond // one that has never answered, at first
	probeSilentMax = 4 * time.Second        // later
	patience       = 250 * time.Millisecond // for an answer, at least
	missedMost     = 5                      // without an answer in a row, after which a path is dead
	confirmed      = 2                      // answers until a path is used rather than one that works
	relayedCost    = 50 * time.Millisecond  // a relay is used rather than a direct path that is this much slower
	lossCost       = 400 * time.Millisecond // of a path that loses all
	betterBy       = 5 * time.Millisecond   // at least, for a change
	forgetAfter    = 30 * time.Second       // a path that was learned and is dead
	maxPaths       = 16                     // to one machine
)

// A carrier takes packets to other machines: our allocation on a relay, or a direct connection with one machine.
type carrier interface {
	send(b []byte, to netip.AddrPort) // does not block, and keeps nothing of b
	direct() bool
	String() string // for people
}

// A route is one way to a machine, and tells where a packet came from.
type route struct {
	carrier carrier
	to      netip.AddrPort // on a relay; none of a direct connection
}

// A path is a route and how well it does.
type path struct {
	route
	named bool // an address that the other machine has told; otherwise one from which it called

	alive    bool
	missed   int           // probes in a row without an answer
	answers  int           // in a row
	rtt      time.Duration // smoothed
	since    time.Time     // when it was added, or last answered
	next     time.Time     // when to send the next probe
	pause    time.Duration // between probes of a path that is dead
	sequence uint64        // of the next probe
	sent     time.Time     // the last probe; zero when it is answered, or given up
	late     bool          // whether the answer to lateOne, the last one that was given up, may still come
	lateOne  uint64
	history  uint32 // of the last probes, the newest in the lowest bit: 1 is lost
	counted  int    // how many of them there are
}

// A paths is all that is known of how to reach one machine. It has no clock and sends nothing.
type paths struct {
	all     []*path
	current *path // in use
}

// find returns the path over a route, nil if there is none.
func (t *paths) find(r route) *path {
	for _, p := range t.all {
		if p.route == r {
			return p
		}
	}
	return nil
}

// add adds a path, to be probed at once. It returns nil if there are too many.
func (t *paths) add(r route, named bool, sequence uint64, now time.Time) *path {
	if p := t.find(r); p != nil {
		p.named = p.named || named
		return p
	}
	if len(t.all) >= maxPaths && named { // whoever heard a probe can have it come from anywhere, so what is learned does not keep this out
		if i := slices.IndexFunc(t.all, func(p *path) bool { return !p.named && p != t.current }); i >= 0 {
			t.all = slices.Delete(t.all, i, i+1)
		}
	}
	if len(t.all) >= maxPaths {
		return nil
	}
	p := &path{route: r, named: named, since: now, next: now, pause: probeSilent, sequence: sequence}
	t.all = append(t.all, p)
	return p
}

// remove removes the paths for which is is true.
func (t *paths) remove(is func(*path) bool) {
	kept := t.all[:0]
	for _, p := range t.all {
		if !is(p) {
			kept = append(kept, p)
		} else if t.current == p {
			t.current = nil
		}
	}
	clear(t.all[len(kept):])
	t.all = kept
	t.choose()
}

// A due is a probe to send.
type due struct {
	path     *path
	sequence uint64
}

// step gives up probes that got no answer and returns those to send now.
func (t *paths) step(now time.Time) (send []due) {
	t.remove(func(p *path) bool { return !p.named && !p.alive && now.Sub(p.since) >= forgetAfter })
	for _, p := range t.all {
		if !p.sent.IsZero() && now.Sub(p.sent) >= p.patience() {
			p.lost(now)
		}
		if !now.Before(p.next) && p.sent.IsZero() {
			send = append(send, due{p, p.sequence})
			p.sequence++
			p.sent, p.next = now, now.Add(p.every(p == t.current))
		}
	}
	t.choose()
	return send
}

// wake returns when to call step next; zero if there is nothing to wait for.
func (t *paths) wake() (at time.Time) {
	for _, p := range t.all {
		next := p.next
		if !p.sent.IsZero() {
			next = p.sent.Add(p.patience())
		}
		if at.IsZero() || next.Before(at) {
			at = next
		}
	}
	return at
}

// answer takes the answer to a probe. It is false if this is none to the last one, or the last that was given up.
func (t *paths) answer(p *path, sequence uint64, now time.Time) bool {
	switch {
	case sequence == p.sequence-1 && !p.sent.IsZero():
		sample := now.Sub(p.sent)
		if !p.alive {
			p.rtt = max(sample, 1)
		} else {
			p.rtt += (sample - p.rtt) / 8
		}
		p.count(false)
		p.sent = time.Time{}
	case p.late && sequence == p.lateOne:
		p.late = false
		p.rtt = max(p.rtt, patience)
		p.history &^= 1
	default:
		return false
	}
	p.alive, p.missed, p.pause, p.since = true, 0, probeSilent, now
	if p.answers++; p.answers < confirmed {
		p.next = now.Add(probeConfirm)
	}
	t.choose()
	return true
}

// patience returns how long the answer may take.
func (p *path) patience() time.Duration { return max(patience, 3*p.rtt) }

// every returns the time between two probes.
func (p *path) every(current bool) time.Duration {
	switch {
	case p.alive && p.missed > 0:
		return probeSuspect
	case p.alive && current:
		return probeCurrent
	case p.alive:
		return probeOther
	}
	return p.pause
}

// lost takes it that a probe, or its answer, is lost.
func (p *path) lost(now time.Time) {
	p.sent, p.answers = time.Time{}, 0
	p.late, p.lateOne = true, p.sequence-1
	p.missed++
	switch {
	case p.alive && p.missed >= missedMost:
		p.alive, p.history, p.counted = false, 0, 0
	case p.alive:
		p.count(true)
		p.next = now
	default:
		p.pause = min(2*p.pause, probeSilentMax)
		p.next = now.Add(p.pause)
	}
}

func (p *path) count(lost bool) {
	p.history <<= 1
	if lost {
		p.history |= 1
	}
	p.counted = min(p.counted+1, 32)
}

// loss returns the part of the last probes that were lost.
func (p *path) loss() float64 {
	if p.counted == 0 {
		return 0
	}
	return float64(bits.OnesCount32(p.history<<(32-p.counted))) / float64(p.counted)
}

// cost is what paths are compared by.
func (p *path) cost() time.Duration {
	c := p.rtt + time.Duration(p.loss()*float64(lossCost))
	if !p.carrier.direct() {
		c += relayedCost
	}
	return c
}

// choose changes the path in use, if it is dead or another one is clearly better.
func (t *paths) choose() {
	best := t.best(func(p *path) bool { return p.missed == 0 })
	switch c := t.current; {
	case best == nil || best == c:
		if c == nil {
			t.current = t.best(func(*path) bool { return true })
		}
	case c == nil || !c.alive:
		t.current = best
	case best.answers >= confirmed && best.cost()+max(betterBy, c.cost()/4) < c.cost():
		t.current = best
	}
}

// best returns the cheapest of the paths that are alive and that will do.
func (t *paths) best(will func(*path) bool) (best *path) {
	for _, p := range t.all {
		if p.alive && will(p) && (best == nil || p.cost() < best.cost()) {
			best = p
		}
	}
	return best
}

// spare returns the path on which packets go as well while that in use does not answer: nil if it does, or if there is none.
func (t *paths) spare() *path {
	c := t.current
	if c == nil || c.alive && c.missed == 0 {
		return nil
	}
	return t.best(func(p *path) bool { return p != c })
}
