package reliable

import "time"

// A Path is the way to a machine, as all links there see it: how long a round trip takes, and how many octets fit on it. The
// zero Path is ready. It is for one goroutine.
type Path struct {
	links    int
	measured bool
	mean     time.Duration // of the round trip
	dev      time.Duration // its mean deviation
	least    [2]time.Duration
	sampled  time.Duration // when the last one was measured
	slowest  longest       // round trips of late
	lossy    bool          // much of what was sent of late was lost
	leastAt  time.Duration // when least[0] began to be measured; least[1] is of the time before

	window   int // octets that may be under way
	underway int // octets that are: sent, and neither acknowledged nor given up

	round    time.Duration // when the window was judged last
	worst    time.Duration // least round trip since then
	full     bool          // the window was used up since then
	arrived  int           // octets that arrived since then
	slow     bool          // the round trip was long once: the window does not double any more
	credit   float64       // octets that may be sent at once
	credited time.Duration // when credit was counted

	shared bool    // it was seen to have one space of messageids for all links (D2)
	used   []*Link // by messageid, the link on which the machine used it last; only with several links
}

const (
	firstWindow = 8 * defaultFrame
	leastWindow = 4 * defaultFrame
	burst       = 4 * defaultFrame
	mostWindow  = 64 << 20
	leastSpan   = 10 * time.Second      // how long a least round trip counts at least
	queueing    = 25 * time.Millisecond // how much longer than the least a round trip may be
	unpaced     = 2 * time.Millisecond  // round trips below are not paced: clocks are too coarse
)

// A longest is the longest of the latest times, of which there were lastTimes at least, in latestSpan at least. So a
// new time is longer than that once in lastTimes times, if times come from one distribution.
type longest struct {
	now, before time.Duration
	count       int           // of times in now
	since       time.Duration // when now began
}

const (
	lastTimes  = 64
	latestSpan = 10 * time.Second
)

// add takes a time.
func (l *longest) add(at, t time.Duration) {
	if l.count >= lastTimes && at-l.since > latestSpan {
		*l = longest{before: l.now, since: at}
	}
	l.now, l.count = max(l.now, t), l.count+1
}

func (l *longest) value() time.Duration { return max(l.now, l.before) }

// exact takes the time from a sending that asked for an acknowledgment to that acknowledgment. The timeout follows these times:
// a process that waits for a processor answers late, and will do so again. RFC 6298 has a minimum of a second for this, which
// players would notice. If spurious, the frame was repeated before the acknowledgment came, and the timeout grows further, as
// in RFC 4015.
func (p *Path) exact(now, rtt time.Duration, spurious bool) {
	late := rtt
	if spurious {
		late *= 2
	}
	p.slowest.add(now, late)
	p.sample(now, rtt)
}

// sample takes a round trip that was measured.
func (p *Path) sample(now, rtt time.Duration) {
	rtt, p.sampled = max(rtt, 0), now
	if !p.measured {
		p.measured, p.mean, p.dev = true, rtt, rtt/2
		p.least = [2]time.Duration{rtt, rtt}
		p.leastAt, p.worst = now, rtt
	}
	// A round trip is measured too long when an ACK was lost, and never too short: what is shorter than the mean counts for more.
	if d := rtt - p.mean; d >= 0 {
		p.mean += d / 8
		p.dev += (d - p.dev) / 4
	} else {
		p.mean += d / 2
		p.dev += (-d/2 - p.dev) / 4
	}
	if now-p.leastAt > leastSpan {
		p.least[1], p.least[0], p.leastAt = p.least[0], rtt, now
	}
	p.least[0] = min(p.least[0], rtt)
	p.worst = min(p.worst, rtt)
	p.judge(now)
}

func (p *Path) shortest() time.Duration { return min(p.least[0], p.least[1]) }

// timeout returns how long to wait for an acknowledgment: the mean and three deviations (3.1.2), within bounds. It is longer
// than the slowest one of late, unless much is lost: then one repeat too many costs less than to wait for it.
func (p *Path) timeout() time.Duration {
	if !p.measured {
		return firstTimeout
	}
	t := p.mean + max(3*p.dev, leastTimeout)
	if !p.lossy {
		t = max(t, min(p.slowest.value(), mostSlow)+leastTimeout)
	}
	return min(t, mostTimeout)
}

// atMost takes a round trip that may have been shorter than what was measured. It counts if it is shorter than the mean, which
// then is too long; without this, a first round trip with a loss in it would slow down a way on which most frames are repeated.
// Otherwise it counts if there was none for long, as when all is repeated because the way became slower; and then for little,
// because it can be any time longer.
func (p *Path) atMost(now, rtt time.Duration) {
	switch {
	case !p.measured || rtt < p.mean:
		p.sample(now, rtt)
	case now-p.sampled > max(4*p.timeout(), givingUp/16):
		p.sample(now, min(rtt, 2*p.mean+queueing))
	}
}

// again returns how long after a frame it can be sent again because the peer lacks it: before that it may be on its way.
func (p *Path) again() time.Duration {
	if !p.measured {
		return firstTimeout / 2
	}
	return max(leastAgain, p.shortest())
}

// judge opens or closes the window, once in a round trip.
func (p *Path) judge(now time.Duration) {
	p.init()
	if now-p.round < max(p.mean, time.Millisecond) {
		return
	}
	switch {
	case p.worst > p.shortest()+max(queueing, p.shortest()/2): // what is sent waits on the way
		p.slow = true
		p.window = max(leastWindow, min(p.window*7/8, p.arrived+defaultFrame))
	case !p.full:
	case p.slow:
		p.window += defaultFrame
	default:
		p.window *= 2
	}
	p.window = min(p.window, mostWindow)
	p.round, p.worst, p.full, p.arrived = now, 1<<62, false, 0
}

func (p *Path) init() {
	if p.window == 0 {
		p.window, p.credit = firstWindow, burst
	}
}

// may reports whether n octets may be sent now, and counts them. A link that has nothing under way may send a frame although
// the window is used up by others. If not, at says when to ask again; Never means when something was acknowledged.
func (p *Path) may(now time.Duration, n int, first bool) (ok bool, at time.Duration) {
	p.init()
	if !first && p.underway > 0 && p.underway+n > p.window {
		p.full = true
		return false, Never
	}
	if p.measured && p.mean > unpaced {
		rate := 1.25 * float64(p.window) / p.mean.Seconds()
		most := max(burst, rate*0.002)
		p.credit = min(most, p.credit+rate*(now-p.credited).Seconds())
		p.credited = now
		if p.credit < float64(min(n, burst)) {
			wait := time.Duration((float64(n) - p.credit) / rate * float64(time.Second))
			return false, now + max(wait, time.Millisecond)
		}
		p.credit -= float64(n)
	}
	p.underway += n
	return true, now
}

// elsewhere reports whether the machine used a messageid last on another link: it may have one space for all (D2).
func (p *Path) elsewhere(l *Link, id uint8) bool {
	return p.used != nil && p.used[id] != nil && p.used[id] != l
}

// uses notes the link on which the machine used a messageid. That tells of its spaces only if it is not ours.
func (p *Path) uses(l *Link, id uint8) {
	if l.ours || p.links < 2 {
		return
	}
	if p.used == nil {
		p.used = make([]*Link, 256)
	}
	p.used[id], p.used[id+128] = l, nil // what it knows is of the last 128
}

// leave forgets a link that is closed.
func (p *Path) leave(l *Link) {
	p.links--
	for i := range p.used {
		if p.used[i] == l {
			p.used[i] = nil
		}
	}
}

// tight reports whether n more octets will not be let out before something is acknowledged.
func (p *Path) tight(n int) bool { return p.underway+n > p.window }

// drop takes octets off what is under way: they arrived or were lost.
func (p *Path) drop(n int) { p.underway = max(0, p.underway-n) }
