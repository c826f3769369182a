package reliable

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A picker makes the choices of a link: a seeded generator, or the octets of a fuzzer.
type picker interface{ IntN(n int) int }

// A link is a sender that keeps to the rules (24 messageids outstanding, 128 frames of a message under way) and
// a network that loses, repeats and reorders what it sends. It knows what an Assembler must say to each frame.
type link struct {
	p        picker
	a        Assembler
	messages []*sent
	base     int // the first message that is not settled: it came, or what is missing of it was lost
	newest   int // the newest message of which a frame came, -1 before
	came     [][2]int
	dropped  int // verdicts that were met, for the tests that none of them is empty
	repeated int
	complete int
}

// A sent message is one as its sender knows it.
type sent struct {
	id       uint8
	reliable bool
	whole    []byte
	frames   []Frame
	lost     []bool
	came     []bool
	gone     int // frames that came or were lost
	missing  int // first frame that has not come
	count    int // frames that came ...
	octets   int // ... and their data
}

func (m *sent) isComplete() bool { return m.count == len(m.frames) }

// newLink plans n messages. With loss, frames of unreliable messages get lost, and of all if capture says so.
func newLink(p picker, n int, loss, capture bool) *link {
	l := &link{p: p, newest: -1, a: Assembler{Capture: capture}}
	id, sequence := uint8(p.IntN(256)), uint8(p.IntN(256))
	for i := range n {
		// Some are reliable whatever is picked, so that the newest messageid never moves by 128 at once.
		m := &sent{id: id, reliable: p.IntN(2) == 0 || !capture && i%20 == 0}
		count := 1
		switch k := p.IntN(12); {
		case k == 0 && (m.reliable && !capture || !loss):
			count = 100 + p.IntN(400)
		case k < 4:
			count = 2 + p.IntN(30)
		}
		for k := range count {
			f := Frame{Flags: CMD, MessageID: id, Sequence: sequence, Serial: uint8(k)}
			if m.reliable {
				f.Flags |= RLY
			}
			if k == 0 {
				f.Flags |= STA
			}
			if k == count-1 {
				f.Flags |= EOM
			}
			for range p.IntN(6) {
				f.Data = append(f.Data, byte(i), byte(k))
			}
			m.whole = append(m.whole, f.Data...)
			m.frames = append(m.frames, f)
			lost := loss && (capture && i%20 != 0 || !m.reliable) && p.IntN(5) == 0
			m.lost = append(m.lost, lost)
			if lost {
				m.gone++
			}
			sequence++
		}
		m.came = make([]bool, count)
		l.messages = append(l.messages, m)
		id++
	}
	return l
}

// run sends everything and checks every verdict.
func (l *link) run(t testing.TB) {
	for l.settle(); l.base < len(l.messages); l.settle() {
		i, k := l.next()
		l.deliver(t, i, k)
		for len(l.came) > 0 && l.p.IntN(4) == 0 {
			l.repeat(t)
		}
	}
	var want []Dropped
	for i := max(0, l.newest-Window+1); i < len(l.messages); i++ {
		want = l.expectDrop(want, i, Unfinished)
	}
	require.Equal(t, want, l.a.Flush())
	for i, m := range l.messages {
		for k := range m.frames {
			require.True(t, m.came[k] != m.lost[k], "message %d frame %d", i, k)
		}
	}
}

func (l *link) settle() {
	for l.base < len(l.messages) && l.messages[l.base].gone == len(l.messages[l.base].frames) {
		l.base++
	}
}

// next picks a frame that may be sent.
func (l *link) next() (i, k int) {
	i = l.base + l.p.IntN(min(Window, len(l.messages)-l.base))
	for l.messages[i].gone == len(l.messages[i].frames) {
		i-- // ends at base at the latest
	}
	m := l.messages[i]
	k = m.missing + l.p.IntN(min(inFlight, len(m.frames)-m.missing))
	for m.came[k] || m.lost[k] {
		if k++; k == min(m.missing+inFlight, len(m.frames)) {
			k = m.missing
		}
	}
	return i, k
}

// deliver hands over a frame that is new.
func (l *link) deliver(t testing.TB, i, k int) {
	m := l.messages[i]
	m.came[k] = true
	m.gone++
	m.count++
	m.octets += len(m.frames[k].Data)
	for m.missing < len(m.frames) && m.came[m.missing] {
		m.missing++
	}
	var want Result
	for j := max(0, l.newest-Window+1); j <= i-Window; j++ {
		want.Dropped = l.expectDrop(want.Dropped, j, Expired)
	}
	l.newest = max(l.newest, i)
	l.dropped += len(want.Dropped)
	want.Verdict = Kept
	if m.isComplete() {
		want.Verdict, want.Message = Complete, m.whole
		l.complete++
	}
	got := l.a.Add(&m.frames[k])
	require.Equal(t, want.Verdict, got.Verdict, "message %d frame %d: %v", i, k, got.Verdict)
	require.True(t, bytes.Equal(want.Message, got.Message), "message %d", i)
	require.Equal(t, want.Dropped, got.Dropped)
	l.came = append(l.came, [2]int{i, k})
	checkInvariants(t, &l.a)
}

// expectDrop adds message j if frames of it came, but not all.
func (l *link) expectDrop(list []Dropped, j int, reason Reason) []Dropped {
	m := l.messages[j]
	if m.count == 0 || m.isComplete() {
		return list
	}
	return append(list, Dropped{m.id, m.reliable, m.count, m.octets, reason})
}

// repeat hands over a frame again that came before: with another serial, and damaged, which must not matter.
func (l *link) repeat(t testing.TB) {
	c := l.came[l.p.IntN(len(l.came))]
	i, k := c[0], c[1]
	m := l.messages[i]
	if i < l.newest-100 || !m.isComplete() && k < m.missing-inFlight {
		return // older than any network keeps it: 8 bits cannot tell it from a new one
	}
	want := Repeated
	if i <= l.newest-Window {
		want = Outside
	}
	l.repeated++
	f := m.frames[k]
	f.Serial += 77
	f.Data = []byte("damaged")
	require.Equal(t, Result{Verdict: want}, l.a.Add(&f), "message %d frame %d", i, k)
	checkInvariants(t, &l.a)
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ loss, capture bool }{{false, false}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("loss=%v capture=%v", c.loss, c.capture), func(t *testing.T) {
			dropped, repeated, complete := 0, 0, 0
			for seed := range uint64(15) {
				l := newLink(rand.New(rand.NewPCG(seed, 4)), 150, c.loss, c.capture)
				l.run(t)
				dropped, repeated, complete = dropped+l.dropped, repeated+l.repeated, complete+l.complete
				if !c.loss {
					require.Equal(t, len(l.messages), l.complete, "seed %d", seed)
				}
			}
			require.Equal(t, c.loss, dropped > 0)
			require.Greater(t, repeated, 500)
			require.Greater(t, complete, 750)
		})
	}
}
