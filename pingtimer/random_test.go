package pingtimer_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dplay4/internal/testkit"
	"dplay4/pingtimer"

	"github.com/stretchr/testify/require"
)

// A watched peer of the model: everything that was sent to it and heard from it.
type watched struct {
	id    int
	word  time.Duration   // its last one, or when it was added
	spoke bool            // since the timer elapsed
	pings []time.Duration // since its last word, but for those after a sleep
}

// model is the rule of the package documentation, without regard to cost.
type model struct {
	period time.Duration
	probes int
	due    time.Duration
	peers  []*watched
}

func (m *model) find(id int) *watched {
	for _, w := range m.peers {
		if w.id == id {
			return w
		}
	}
	return nil
}

func (m *model) look(now time.Duration) (ping, lost []int) {
	if len(m.peers) == 0 || now < m.due {
		return nil, nil
	}
	slept := now >= m.due+m.period
	var rest []*watched
	for _, w := range m.peers {
		switch {
		case w.spoke:
		case !slept && len(w.pings) == m.probes:
			lost = append(lost, w.id)
			continue
		default:
			ping = append(ping, w.id)
			if !slept {
				w.pings = append(w.pings, now)
			}
		}
		w.spoke = false
		rest = append(rest, w)
	}
	m.peers, m.due = rest, now+m.period
	return ping, lost
}

// TestRandom compares timers with the model over random events, and checks what is promised of every one that is lost.
func TestRandom(t *testing.T) {
	lostInAll := 0
	for seed := range testkit.Part(uint64(100)) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := &model{period: time.Duration(1+r.IntN(50)) * time.Second, probes: 1 + r.IntN(8)}
		p := pingtimer.New[int](pingtimer.Config{Period: m.period, Probes: m.probes, Tick: r.Uint32()})
		now := time.Duration(0)
		for range 2000 {
			switch r.IntN(40) {
			case 0:
				now += time.Duration(r.Int64N(int64(20 * m.period))) // asleep
			case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
				if next := p.Next(); next != pingtimer.Never {
					require.Equal(t, m.due, next)
					now = max(now, next) // as an engine does
				}
			default:
				now += time.Duration(r.Int64N(int64(m.period) / 4))
			}
			id := r.IntN(6)
			w := m.find(id)
			switch r.IntN(12) {
			case 0, 1:
				require.Equal(t, w == nil, p.Add(id, now))
				if w == nil {
					if len(m.peers) == 0 {
						m.due = now + m.period
					}
					m.peers = append(m.peers, &watched{id: id, word: now})
				}
			case 2:
				require.Equal(t, w != nil, p.Heard(id))
				if w != nil {
					w.word, w.spoke, w.pings = now, true, nil
				}
			case 3:
				if r.IntN(10) == 0 {
					require.Equal(t, w != nil, p.Remove(id))
					m.peers = slices.DeleteFunc(m.peers, func(x *watched) bool { return x.id == id })
				}
			case 4:
				if w != nil && len(w.pings) > 0 {
					require.True(t, p.Heard(id))
					w.word, w.spoke, w.pings = now, true, nil
				}
			}
			before := map[int]watched{}
			for _, w := range m.peers {
				before[w.id] = *w
			}
			wantPing, wantLost := m.look(now)
			ping, lost := p.Look(now)
			require.Equal(t, wantPing, append([]int(nil), ping...), "seed %d at %v", seed, now)
			require.Equal(t, wantLost, append([]int(nil), lost...), "seed %d at %v", seed, now)
			require.Equal(t, len(m.peers), p.Len())
			require.Greater(t, p.Next(), now, "no busy loop")
			for _, id := range lost {
				lostInAll++
				w := before[id]
				require.Len(t, w.pings, m.probes)
				for i, at := range append(w.pings[1:], now) {
					require.GreaterOrEqual(t, at-w.pings[i], m.period, "each ping has a whole period for its answer")
				}
				require.GreaterOrEqual(t, w.pings[0], w.word)
			}
			for _, w := range m.peers {
				chatter, missed, known := p.Status(w.id)
				require.True(t, known)
				require.Equal(t, len(w.pings), missed)
				require.Equal(t, w.spoke, chatter > 0)
			}
		}
	}
	require.Greater(t, lostInAll, 500, "the events are too tame")
}
