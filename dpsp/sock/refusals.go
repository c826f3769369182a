package sock

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
)

// A refusal is what somebody may not have of us because others have it, or because it has its share.
type refusal uint8

const (
	refusedConnection refusal = iota // to us
	refusedDial                      // from us
	refusedOctets
	refusedSize
	refusedList
	refusedQueue
	refusedTrial
	refusals // how many there are
)

var refusalTexts = [refusals]string{
	"connections were closed: too many are open to us",
	"answers were not sent: too many connections are being opened to strangers",
	"connections were closed: too much that is not complete came over them",
	"connections were closed: a stranger's message is larger than any that we expect of one",
	"lists of players were not sent: the one before still waits for its receiver",
	"peers were given up: too much waits to be sent to all, and they read least",
	"connections to machines of the session wait: none ever came from their address, and others wait for it, too",
}

// refusalPause is how long after a report of a refusal the next one follows, with the number of those in between: a flood
// is not to become one of events.
const refusalPause = time.Second

// A complaint book counts refusals until the program is told.
type complaints struct {
	mu   sync.Mutex
	kind [refusals]struct {
		count int
		from  netip.Addr // the last one
		told  time.Time
	}
}

// refuse counts a refusal. It may be called from anywhere, and the program is told soon after.
func (l *loop) refuse(why refusal, from netip.Addr) {
	c := &l.complaints
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &c.kind[why]
	k.count++
	k.from = from
	if k.count == 1 { // otherwise a report is under way
		time.AfterFunc(max(0, refusalPause-time.Since(k.told)), l.wakeUp)
	}
}

// take returns the reports that are due.
func (c *complaints) take(now time.Time) (all []dpsp.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for why := range c.kind {
		k := &c.kind[why]
		if k.count == 0 || now.Sub(k.told) < refusalPause {
			continue
		}
		text := fmt.Sprintf("%d %s; the last one of %s", k.count, refusalTexts[why], k.from)
		all = append(all, dpsp.Dropped{From: netip.AddrPortFrom(k.from, 0), Reason: dpsp.LimitReached, Text: text})
		k.count, k.told = 0, now
	}
	return all
}
