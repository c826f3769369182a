package sock

import (
	"cmp"
	"math"
	"math/bits"
	"net/netip"
	"slices"
	"time"
)

// A floodDetector finds the senders whose datagrams overflow the kernel's receive buffer of a socket, where a flood drops the datagrams
// of all senders alike. The kernel then drops most datagrams of these senders before they take room in the buffer. Senders
// are told apart by address and port, because several machines can be behind one address.
type floodDetector struct {
	counts map[netip.AddrPort]int // datagrams since the last look; the port is 0 beyond maxFlows, and the address zero beyond twice that
	rules  []dropRule             // in force
	lossy  int                    // looks in a row that saw datagrams lost

	// The kernel counts what the rules drop as lost, so that part is estimated from what they pass.
	beyond float64 // lost beyond the estimate, of the looks before by memory
	spread float64 // variance of the estimate, likewise
	ended  bool    // a rule ended: the estimate lacks what it dropped since
}

// A dropRule has the kernel pass only some datagrams of a sender.
type dropRule struct {
	from netip.AddrPort // port 0: all ports of the address
	pass uint32         // of passAll, at random; a power of two
	less int            // looks in a row that saw a lower rate than pass is for
}

// passAll is the pass of a sender without a rule.
const passAll = 1 << 16

const (
	// detectEvery is the time between two looks.
	detectEvery = 10 * time.Millisecond
	// floodRate is how many datagrams a second are a flood if datagrams are lost: many times the rate of a game.
	floodRate = 10_000
	// floodPass is how many datagrams a second of a flood pass at most. A buffer of 208 kB, the usual size, holds those of 50 ms, so
	// that the process can be without a processor for so long before other datagrams are lost.
	floodPass = 5_000
	// lostShare is the part of the datagrams whose loss shows a flood at once, and lossyLooks the number of looks in a row after which
	// any loss does. A sender with congestion control loses less, and seldom for so long.
	lostShare  = 8
	lossyLooks = 4
	// easeLooks is after how many looks at a lower rate the pass of a rule is doubled, until the rule ends. A flood may only have
	// paused.
	easeLooks = 10
	// memory is the weight of the looks before in the estimate of what the rules drop, and deviations is how many standard deviations
	// beyond the estimate show that the buffer overflows.
	memory     = 7. / 8
	deviations = 4
	// fewPassed is added to the datagrams that a rule passed, in their variance: if it passed none, it may still have dropped some.
	fewPassed = 4
	// maxFlows bounds the counts of senders, and those of addresses beyond them.
	maxFlows = 1024
	// maxDropRules bounds the rules, because the kernel goes through them for each datagram.
	maxDropRules = 64
)

// count counts a datagram.
func (d *floodDetector) count(from netip.AddrPort) {
	if d.counts == nil {
		d.counts = map[netip.AddrPort]int{}
	}
	n, ok := d.counts[from]
	if !ok && len(d.counts) >= maxFlows {
		from = netip.AddrPortFrom(from.Addr(), 0)
		n, ok = d.counts[from]
	}
	if !ok && len(d.counts) >= 2*maxFlows {
		from = netip.AddrPort{} // all others, which get no rule
		n = d.counts[from]
	}
	d.counts[from] = n + 1
}

// look updates the rules, begins to count anew, and reports whether the kernel has to be given other rules. lost is the number of
// datagrams that the kernel dropped since the last look, those that the rules dropped included.
func (d *floodDetector) look(since time.Duration, lost int) bool {
	all, passed := 0, make([]int, len(d.rules)) // passed by each rule
	for from, n := range d.counts {
		all += n
		if i := d.rule(from); i >= 0 {
			passed[i] += n
		}
	}
	lost = d.overflow(passed, lost)
	d.lossy++
	if lost == 0 {
		d.lossy = 0
	}
	old := slices.Clone(d.rules)
	d.update(since, passed, lost*lostShare > all || d.lossy >= lossyLooks)
	clear(d.counts)
	return !slices.EqualFunc(old, d.rules, func(a, b dropRule) bool { return a.from == b.from && a.pass == b.pass })
}

// overflow returns how many of the lost datagrams the rules did not drop: 0 while these are within the error of the estimate.
func (d *floodDetector) overflow(passed []int, lost int) int {
	filtered := 0.
	d.spread *= memory
	for i, r := range d.rules {
		odds := passAll / float64(max(1, r.pass))
		filtered += float64(passed[i]) * (odds - 1)
		d.spread += float64(passed[i]+fewPassed) * odds * (odds - 1)
	}
	more := float64(lost) - filtered
	d.beyond = max(0, d.beyond*memory+more)
	if d.ended {
		d.ended, d.beyond = false, 0
	}
	if more <= 0 || d.beyond <= deviations*math.Sqrt(d.spread) {
		return 0
	}
	return int(more)
}

// rule returns the index of the rule for a sender, -1 if there is none.
func (d *floodDetector) rule(from netip.AddrPort) int {
	return slices.IndexFunc(d.rules, func(r dropRule) bool { return r.matches(from) })
}

// update adapts the rules to what they passed, and adds new ones only during a flood.
func (d *floodDetector) update(since time.Duration, passed []int, flood bool) {
	flows := map[netip.AddrPort]int{} // datagrams of each port that needs a rule, and of all others of an address with port 0
	for from, n := range d.counts {
		if d.rule(from) >= 0 || !from.Addr().IsValid() {
			continue
		}
		if passFor(n, since) == passAll {
			from = netip.AddrPortFrom(from.Addr(), 0)
		}
		flows[from] += n
	}
	var added []dropRule
	for from, n := range flows {
		if p := passFor(n, since); p < passAll {
			added = append(added, dropRule{from: from, pass: p})
		}
	}
	for i := range d.rules {
		r := &d.rules[i]
		sent := uint64(passed[i]) * passAll / uint64(r.pass)
		r.follow(passFor(int(sent), since))
	}
	had := len(d.rules)
	d.rules = slices.DeleteFunc(d.rules, func(r dropRule) bool { return r.pass == passAll })
	d.ended = len(d.rules) < had
	if flood {
		d.rules = append(d.rules, added...)
	}
	slices.SortFunc(d.rules, func(a, b dropRule) int { // the first match counts, so the ports of an address come before the address
		return cmp.Or(cmp.Compare(min(b.from.Port(), 1), min(a.from.Port(), 1)), cmp.Compare(a.pass, b.pass), a.from.Compare(b.from))
	})
	d.rules = d.rules[:min(len(d.rules), maxDropRules)]
}

// matches reports whether a rule is for a sender.
func (r *dropRule) matches(from netip.AddrPort) bool {
	return r.from == from || r.from == netip.AddrPortFrom(from.Addr(), 0)
}

// follow lowers the pass of a rule to fit at once, and raises it slowly.
func (r *dropRule) follow(fit uint32) {
	switch {
	case fit <= r.pass:
		r.pass, r.less = fit, 0
	case r.less < easeLooks-1:
		r.less++
	default:
		r.pass, r.less = 2*r.pass, 0
	}
}

// passFor returns the pass for a sender of n datagrams in some time: passAll unless it floods.
func passFor(n int, since time.Duration) uint32 {
	rate := float64(n) / since.Seconds()
	if rate <= floodRate {
		return passAll
	}
	return 1 << (bits.Len32(uint32(max(1, floodPass/rate*passAll))) - 1)
}
