package link

import (
	"cmp"
	"math/bits"
	"net/netip"
	"slices"
	"time"
)

// When paths are probed, and what is made of it.
const (
	probeCurrent   = time.Second            // the path in use, and direct ones
	probeOther     = 3 * time.Second        // another one that answers
	probeSpare     = 20 * time.Second       // such a one over a relay, while a direct one is in use and answers
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
	pingsMost      = 16                     // without an answer that are remembered
	largeEvery     = 8                      // of so many probes one is as large as the packets of QUIC
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
	named    bool // an address that the other machine has told; otherwise one from which it called
	heard    bool // a probe of the other machine came from there
	answered bool // it has answered one of ours there

	alive    bool
	missed   int           // probes in a row without an answer
	answers  int           // in a row
	rtt      time.Duration // smoothed
	since    time.Time     // when it was added, or last answered
	next     time.Time     // when to send the next probe
	pause    time.Duration // between probes of a path that is dead
	sequence uint64        // of the next probe
	pings    []ping        // without an answer, the newest last
	history  uint32        // of the last probes, the newest in the lowest bit: 1 is lost
	counted  int           // how many there were
}

// A ping is a probe that was sent.
type ping struct {
	sequence uint64
	sent     time.Time
	lost     bool // it was given up. Its answer may still come
	count    int  // how many were counted before; -1 if it was not counted
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

// calm reports whether the path in use answers.
func (t *paths) calm() bool { return t.current != nil && t.current.alive && t.current.missed == 0 }

// add adds a path, to be probed at once. It returns nil if there are too many.
func (t *paths) add(r route, named bool, sequence uint64, now time.Time) *path {
	if p := t.find(r); p != nil {
		p.named = p.named || named
		return p
	}
	if len(t.all) >= maxPaths {
		// A named path replaces a learned one, because whoever heard a probe can have it come from anywhere.
		i := slices.IndexFunc(t.all, func(p *path) bool { return named && !p.named && p != t.current })
		if i < 0 {
			return nil
		}
		t.all = slices.Delete(t.all, i, i+1)
	}
	p := &path{route: r, named: named, since: now, next: now, pause: probeSilent, sequence: sequence}
	t.all = append(t.all, p)
	return p
}

// remove removes the paths for which is is true.
func (t *paths) remove(is func(*path) bool) {
	t.all = slices.DeleteFunc(t.all, is)
	if !slices.Contains(t.all, t.current) {
		t.current = nil
	}
	t.choose()
}

// A due is a probe to send.
type due struct {
	path     *path
	sequence uint64
	large    bool // as large as the packets of QUIC, for a way that loses those is none
}

// step gives up probes that got no answer and returns those to send now.
func (t *paths) step(now time.Time) (send []due) {
	t.remove(func(p *path) bool { return !p.named && !p.alive && now.Sub(p.since) >= forgetAfter })
	for _, p := range t.all {
		if p.waits() != nil && !now.Before(p.wake()) {
			p.lost(now)
		}
	}
	calm := t.calm()
	for _, p := range t.all {
		if !calm && p.alive && p.next.Sub(now) > probeOther {
			p.next = now // it may be needed
		}
		if now.Before(p.wake()) {
			continue
		}
		send = append(send, due{p, p.sequence, p.answers < confirmed || p.sequence%largeEvery == 0})
		p.pings = append(p.pings[max(0, len(p.pings)-pingsMost+1):], ping{sequence: p.sequence, sent: now})
		p.sequence++
		p.next = now.Add(t.every(p, calm))
	}
	t.choose()
	return send
}

// wake returns when to call step next: at, or before it if something is due then.
func (t *paths) wake(at time.Time) time.Time {
	for _, p := range t.all {
		if next := p.wake(); next.Before(at) {
			at = next
		}
	}
	return at
}

// wake returns when the answer to a probe is late, or when to send the next one if none is waited for.
func (p *path) wake() time.Time {
	if w := p.waits(); w != nil {
		return w.sent.Add(p.patience())
	}
	return p.next
}

// answer takes the answer to a probe. It is false if that was not sent, or was answered, or was sent too long ago.
func (t *paths) answer(p *path, sequence uint64, now time.Time) bool {
	i := slices.IndexFunc(p.pings, func(g ping) bool { return g.sequence == sequence })
	if i < 0 {
		return false
	}
	g := p.pings[i]
	p.pings = slices.Delete(p.pings, i, i+1)
	switch sample := max(now.Sub(g.sent), 1); {
	case !p.alive:
		p.rtt = sample
	case g.lost:
		p.rtt = max(p.rtt, sample) // so that the next one is waited for
	default:
		p.rtt += (sample - p.rtt) / 8
	}
	switch {
	case !g.lost:
		p.count(false)
	case g.count >= 0:
		p.history &^= 1 << (p.counted - 1 - g.count) // none if that is long ago
	}
	p.answered, p.alive, p.missed, p.pause, p.since = true, true, 0, probeSilent, now
	if p.answers++; p.answers < confirmed {
		p.next = now.Add(probeConfirm)
	}
	t.choose()
	return true
}

// waits returns the probe whose answer is waited for; nil if there is none.
func (p *path) waits() *ping {
	if n := len(p.pings); n > 0 && !p.pings[n-1].lost {
		return &p.pings[n-1]
	}
	return nil
}

// patience returns how long the answer may take.
func (p *path) patience() time.Duration { return max(patience, 3*p.rtt) }

// every returns the time between two probes of a path. calm says that the path in use answers.
func (t *paths) every(p *path, calm bool) time.Duration {
	switch {
	case !p.alive:
		return p.pause
	case p.missed > 0:
		return probeSuspect
	case p == t.current || p.carrier.direct(): // a direct one that failed is to be used again soon
		return probeCurrent
	case calm && t.current.carrier.direct():
		return probeSpare
	}
	return probeOther
}

// lost takes it that the probe that is waited for, or its answer, is lost.
func (p *path) lost(now time.Time) {
	g := p.waits()
	g.lost, g.count = true, -1
	p.answers = 0
	p.missed++
	switch {
	case p.alive && p.missed >= missedMost:
		p.alive, p.history, p.counted = false, 0, 0
		for i := range p.pings {
			p.pings[i].count = -1
		}
	case p.alive:
		g.count = p.counted
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
	p.counted++
}

// loss returns the part of the last probes that were lost, 32 at most.
func (p *path) loss() float64 {
	n := min(p.counted, 32)
	return float64(bits.OnesCount32(p.history<<(32-n))) / float64(max(n, 1))
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
	case c == nil:
		t.current = cmp.Or(best, t.best(func(*path) bool { return true }))
	case best != nil && (!c.alive || best.answers >= confirmed && best.cost()+max(betterBy, c.cost()/4) < c.cost()):
		t.current = best
	}
}

// best returns the cheapest of the paths that are alive and that will do.
func (t *paths) best(will func(*path) bool) *path {
	able := slices.DeleteFunc(slices.Clone(t.all), func(p *path) bool { return !p.alive || !will(p) })
	if len(able) == 0 {
		return nil
	}
	return slices.MinFunc(able, func(a, b *path) int { return cmp.Compare(a.cost(), b.cost()) })
}

// spare returns the path on which packets go as well while that in use does not answer: nil if it does, or if there is none.
func (t *paths) spare() *path {
	if t.current == nil || t.calm() {
		return nil
	}
	return t.best(func(p *path) bool { return p != t.current })
}
