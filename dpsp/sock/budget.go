package sock

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// What waits to be sent over connections is bounded in all, because a stranger may join with many machines that read nothing. Who reads
// least pays for it: the connection whose oldest octets have waited longest is given up, of those that have at least the mean.

// listed notes that the message that was queued last is a list of players.
func (o *outbound) listed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = o.octets
}

// A debt is what waits for a peer, and since when.
type debt struct {
	*outbound
	octets int
	list   int // of the octets, up to the end of the last list of players
	since  time.Time
	queued *atomic.Int64 // what the octets are counted in
}

func (o *outbound) debt() debt {
	o.mu.Lock()
	defer o.mu.Unlock()
	return debt{o, o.octets, o.list, o.since, o.queued}
}

// settled takes what waits for a peer out of the sum, because its connection is being given up.
func (o *outbound) settled() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queued.Add(-int64(o.octets))
	o.queued = new(atomic.Int64)
	o.queued.Add(int64(o.octets))
}

// keepBudget gives peers up until what waits for all of them is within the budget.
func (l *loop) keepBudget() {
	for all := l.queued.Load(); all > l.limits.queues.soft; all = l.queued.Load() {
		o := l.furthestBehind(all > l.limits.queues.hard)
		if o == nil {
			return
		}
		l.refuse(refusedQueue, o.to.Addr())
		l.mu.Lock()
		first := l.end(o) // before it is settled, so that no new connection takes its octets
		o.settled()
		l.mu.Unlock()
		if first {
			l.givenUp(o)
		}
		l.hurry(o)
	}
}

// furthestBehind returns the connection to give up, nil if there is none. It is the one whose oldest octets have waited longest, of
// those that have at least the mean and, unless all is true, have waited for limits.queues.behind. Connections that were ended and still
// write count as well. Of equals the one with the most octets goes first, then the lowest address.
func (l *loop) furthestBehind(all bool) *outbound {
	var debts []debt
	sum := 0
	l.mu.Lock()
	for _, o := range slices.AppendSeq(slices.Collect(maps.Keys(l.ending)), maps.Values(l.outbound)) {
		if d := o.debt(); d.octets > 0 && d.queued == &l.queued { // others were given up
			debts, sum = append(debts, d), sum+d.octets
		}
	}
	l.mu.Unlock()
	latest := time.Now().Add(-l.limits.queues.behind)
	debts = slices.DeleteFunc(debts, func(d debt) bool { return d.octets*len(debts) < sum || !all && d.since.After(latest) })
	if len(debts) == 0 {
		return nil
	}
	return slices.MinFunc(debts, func(a, b debt) int {
		return cmp.Or(a.since.Compare(b.since), b.octets-a.octets, a.to.Compare(b.to))
	}).outbound
}
