package replay

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A windows is a machine with Windows' ping timer, by the rule that captures show (facts, 10.2): it elapses every 7.501 s,
// whoever is there, and the machine pings whom it heard nothing at all from since it elapsed last.
type windows struct {
	self, other string
	id          wire.PlayerID
	next        time.Duration
	heard       bool
	ticks       uint32
	pings       int
}

// tick lets the timer elapse, and has the other one answer.
func (w *windows) tick(m *madeUp, other *windows) {
	w.next += 7501 * time.Millisecond
	if w.heard {
		w.heard = false
		return
	}
	w.pings++
	w.ticks += 22503
	m.say(w.self, w.other, &wire.Ping{From: w.id, Tick: w.ticks})
	m.say(w.other, w.self, &wire.PingReply{From: other.id, Tick: w.ticks})
	w.heard, other.heard = true, true
}

// windowsSession is a session of Windows for some minutes. The host's timer began phase before the capture, and the
// joiner's somewhen; the two say something at the times given, in turn.
func windowsSession(t *testing.T, phase time.Duration, says ...time.Duration) (c *Capture, pings int) {
	m := newMadeUp(t)
	began := m.now
	joins(m)
	host := &windows{self: hostIP, other: joinerIP, id: system, next: 7501*time.Millisecond - phase, heard: true, ticks: 90_000}
	member := &windows{self: joinerIP, other: hostIP, id: joiner, next: 5200 * time.Millisecond, heard: true}
	for n := 0; m.now.Sub(began) < 3*time.Minute; {
		next := min(host.next, member.next)
		if n < len(says) && says[n] < next {
			m.now = began.Add(says[n])
			if n++; n%2 == 0 {
				m.say(joinerIP, hostIP, &wire.PlayerMessage{From: ann, To: 0, Payload: []byte("a move")})
				host.heard = true
			}
			continue
		}
		m.now = began.Add(next)
		if host.next == next {
			host.tick(m, member)
		} else {
			member.tick(m, host)
		}
	}
	return m.capture(), host.pings + member.pings
}

// TestWindowsRhythm replays sessions of two machines that ping as Windows does. Each pings the other every third time, as
// long as nobody says anything, so the shortest gap is 22.5 s.
func TestWindowsRhythm(t *testing.T) {
	t.Parallel()
	told := false
	for _, phase := range []time.Duration{0, time.Second, 4 * time.Second, 6900 * time.Millisecond} {
		var says []time.Duration
		for at := 11 * time.Second; at < 3*time.Minute; at += 13*time.Second + at/5 {
			says = append(says, at)
		}
		for _, says := range [][]time.Duration{nil, says} {
			c, pings := windowsSession(t, phase, says...)
			require.Greater(t, pings, 6)
			for at, p := range parties(t, c, Options{}) {
				require.Empty(t, p.NotPlayed)
				assert.Empty(t, p.Differences, "%s, the host's timer %v old", at, phase)
				told = told || slices.Contains(p.Notes,
					"its ping timer is taken to elapse every 7.501s, at fixed times, as that of Windows does")
			}
		}
	}
	assert.True(t, told)
}

// TestAnyTime replays joins whose messages have time stamps at the ends of what a file can tell: the members say goodbye at
// the end of time, or before the beginning.
func TestAnyTime(t *testing.T) {
	t.Parallel()
	year := func(n int) time.Time { return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, times := range [][2]time.Time{{year(0), year(9999)}, {year(9999), year(0)}, {year(1970), year(2262)}, {{}, year(9998)},
		{year(2000), {}}} {
		m := newMadeUp(t)
		m.now = times[0]
		joins(m)
		m.now = times[1]
		m.say(hostIP, joinerIP, &wire.Ping{From: system, Tick: 5})
		m.say(joinerIP, hostIP, &wire.PingReply{From: joiner, Tick: 5})
		m.say(hostIP, joinerIP, &wire.DeletePlayer{Player: system})
		m.say(hostIP, joinerIP, &wire.Ping{From: system, Tick: 6})
		c := m.capture()
		assert.LessOrEqual(t, c.messages[len(c.messages)-1].at, maxTime)
		assert.Len(t, parties(t, c, Options{}), 2)
	}
}
