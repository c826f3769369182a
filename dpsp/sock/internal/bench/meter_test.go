package bench

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// payloadSize is what a game sends at a time, in octets.
	payloadSize = 64
	// overhead is what goes before it over TCP: SP header and two ids. Over UDP it is the ids only.
	overhead = 28
	ids      = 8
	// burst is how many messages are sent without looking up, and window how many may be under way to a member over
	// TCP. Both sides have the same: without the window, the session's queue would measure memory.
	burst  = 256
	window = 16 * burst
)

// A meter counts what the members of one round received.
type meter struct {
	received []atomic.Int64
	news     chan struct{} // holds one when something came
}

func newMeter(members int) *meter {
	return &meter{received: make([]atomic.Int64, members), news: make(chan struct{}, 1)}
}

// count counts one message for a member. The sender is woken now and then only.
func (m *meter) count(member int) {
	if m.received[member].Add(1)%burst == 0 {
		select {
		case m.news <- struct{}{}:
		default:
		}
	}
}

// least returns how many messages every member has, and total how many came in all.
func (m *meter) least() (least, total int64) {
	for i := range m.received {
		n := m.received[i].Load()
		if i == 0 || n < least {
			least = n
		}
		total += n
	}
	return least, total
}

// run sends bursts for a time and gives how many messages a second came. Guaranteed messages all have to come;
// of the others those count that came while we sent.
func (m *meter) run(ctx context.Context, guaranteed bool, d time.Duration, send func() error) (float64, error) {
	start := time.Now()
	for sent := int64(0); time.Since(start) < d; sent += burst {
		for range burst {
			if err := send(); err != nil {
				return 0, err
			}
		}
		if guaranteed {
			if err := m.wait(ctx, sent+burst-window); err != nil {
				return 0, err
			}
		}
	}
	_, total := m.least()
	return float64(total) / time.Since(start).Seconds(), nil
}

// wait waits until every member has n messages, or ctx ends.
func (m *meter) wait(ctx context.Context, n int64) error {
	for {
		if least, _ := m.least(); least >= n {
			return nil
		}
		select {
		case <-m.news:
		case <-ctx.Done():
			return errLate
		}
	}
}
