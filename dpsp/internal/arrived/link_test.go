package arrived

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const period = time.Second

// A program is one of two, with its end of the link and its connection to the other one.
type program struct {
	Link
	name     string
	made     uint64 // messages in all incarnations
	reported uint64 // up to this one, its user was told that they may be lost
	plain    map[uint64]bool
	void     map[uint64]bool // given up
	apart    bool            // it lost the other one
	got      uint64          // the newest message of the other one
	born     uint64          // what the other one had made when this incarnation began
	pipe     *pipe
	port     uint16
	met      uint32
}

// A pipe is a connection, in order. A broken one can still have something to read.
type pipe struct {
	from  netip.AddrPort
	items []item
}

// An item is a note or a message.
type item struct {
	note   *Note
	number uint64
	to     uint64 // the incarnation that it is for; 0: the sender did not know
}

// A pair is two programs, and all connections that there ever were.
type pair struct {
	t    *testing.T
	r    *rand.Rand
	now  time.Duration
	ends [2]*program
	old  [2][]*pipe // to each, broken
	log  []string
}

func newPair(t *testing.T, seed uint64) *pair {
	w := &pair{t: t, r: rand.New(rand.NewPCG(seed, 1))}
	for i := range w.ends {
		w.ends[i] = &program{name: string(rune('A' + i)), plain: map[uint64]bool{}, void: map[uint64]bool{}}
		w.begin(i)
	}
	w.hello(0)
	w.hello(1)
	return w
}

// begin has a program begin anew.
func (w *pair) begin(i int) {
	p := w.ends[i]
	p.met++
	p.Link = New(End{Incarnation: w.r.Uint64() | 1, Meeting: p.met})
	p.reported, p.apart = p.made, false
	if q := w.ends[1-i]; q != nil {
		p.got, p.born = q.made, q.made
	}
	w.dial(i)
}

// dial opens a connection to the other program.
func (w *pair) dial(i int) {
	p := w.ends[i]
	p.port++
	p.pipe = &pipe{from: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), p.port)}
}

// hello is what leads to the first note.
func (w *pair) hello(i int) { w.say(i, new(w.ends[i].Note(w.now))) }

func (w *pair) say(i int, n *Note) {
	if n != nil {
		w.ends[i].pipe.items = append(w.ends[i].pipe.items, item{note: n})
	}
}

func message(n uint64) []byte { return bytes.Repeat([]byte{byte(n), byte(n >> 8)}, 2000) }

// numberOf returns the number of a message.
func numberOf(message []byte) uint64 { return uint64(message[0]) | uint64(message[1])<<8 }

func (w *pair) send(i int) {
	p := w.ends[i]
	if p.apart {
		return
	}
	p.made++
	if !p.Counts() {
		p.plain[p.made] = true
		p.pipe.items = append(p.pipe.items, item{number: p.made})
		return
	}
	x := item{number: p.made, to: p.theirs.Incarnation}
	note, now := p.Put(w.now, message(p.made))
	w.say(i, note)
	if now {
		p.pipe.items = append(p.pipe.items, x)
	}
}

// breaks loses a part of what is on the connection of a program. Some of the rest may be read later.
func (w *pair) breaks(i int) {
	p := w.ends[i]
	old := p.pipe
	old.items = old.items[:w.r.IntN(len(old.items)+1)]
	w.old[1-i] = append(w.old[1-i], old)
	w.dial(i)
	p.Broke(w.now)
	switch {
	case p.apart:
	case !p.Counts():
		w.hello(i)
	case w.r.IntN(4) > 0:
		w.say(i, p.Greet(w.now))
	}
}

// part has a program lose the other one.
func (w *pair) part(i int) {
	w.ends[i].apart = true
	w.ends[i].Part(w.now)
}

// meet has it meet the same program again, and give up some of the messages that it did not get.
func (w *pair) meet(i int) {
	p := w.ends[i]
	p.apart = false
	p.Void(func(m []byte) bool {
		n := numberOf(m)
		p.void[n] = p.void[n] || n%3 == 0
		return n%3 == 0
	})
	w.say(i, p.Greet(w.now))
}

// close has both lose all that was on connections, as a system does where one of two closes them.
func (w *pair) close() {
	for i := range w.ends {
		w.ends[i].pipe.items = nil
		w.breaks(i)
	}
	w.old = [2][]*pipe{}
}

// read has a program read one thing from a connection, and reports whether there was one.
func (w *pair) read(i int, from *pipe) bool {
	if len(from.items) == 0 {
		return false
	}
	p, q, x := w.ends[i], w.ends[1-i], from.items[0]
	from.items = from.items[1:]
	switch {
	case p.apart: // nobody reads it
	case x.note != nil:
		fx := p.Take(w.now, *x.note, from.from)
		if fx.Wrong != "" {
			require.Equal(w.t, "it is from another program than before", fx.Wrong, "%v", w.log)
			p.met++
			p.reported = p.made
			p.Anew(End{p.mine.Incarnation, p.met})
			w.hello(i)
			break
		}
		w.say(i, fx.Say)
		for _, m := range fx.Again {
			n := numberOf(m)
			require.Equal(w.t, message(n), m, "%v", w.log)
			p.pipe.items = append(p.pipe.items, item{number: n, to: p.theirs.Incarnation})
		}
		if fx.Lost {
			p.reported = p.made - uint64(len(fx.Again))
		}
	case p.Arrived(w.now, from.from, 4000):
		w.say(i, p.Due(w.now, period))
		if x.to == 0 || x.number <= p.born { // as where nothing is counted
			p.got = max(p.got, x.number)
			break
		}
		require.Equal(w.t, p.mine.Incarnation, x.to, "it is for who was here before: %v", w.log)
		require.Greater(w.t, x.number, p.got, "%s gets a message twice, or out of order: %v", p.name, w.log)
		for n := p.got + 1; n < x.number; n++ {
			require.True(w.t, q.plain[n] || q.void[n] || n <= q.reported, "%s misses message %d before %d: %v", p.name, n, x.number, w.log)
		}
		p.got = x.number
	}
	return true
}

// step does one thing at random.
func (w *pair) step(restarts bool) {
	i := w.r.IntN(2)
	p, q := w.ends[i], w.ends[1-i]
	w.now += time.Duration(w.r.IntN(3)) * period / 8
	switch k := w.r.IntN(40); {
	case k < 16:
		w.log = append(w.log, p.name+" reads")
		w.read(i, q.pipe)
	case k < 18 && len(w.old[i]) > 0:
		w.log = append(w.log, p.name+" reads from an old connection")
		w.read(i, w.old[i][w.r.IntN(len(w.old[i]))])
	case k < 30:
		w.log = append(w.log, p.name+" sends")
		w.send(i)
	case k < 33:
		w.log = append(w.log, p.name+" breaks")
		w.breaks(i)
	case k < 36 && !p.apart:
		w.log = append(w.log, p.name+" looks at its clock")
		w.say(i, p.Due(w.now, period))
	case k == 36 && restarts:
		w.log = append(w.log, p.name+" begins anew")
		w.close()
		w.begin(i)
		w.hello(i)
	case k >= 38 && p.apart:
		w.log = append(w.log, p.name+" meets the other one again")
		w.meet(i)
	case k >= 38 && p.Counts():
		w.log = append(w.log, p.name+" parts")
		w.part(i)
	case k == 37 && restarts && p.Counts() && !p.apart:
		w.log = append(w.log, p.name+" lost the other one, and is back")
		p.met++
		w.close()
		p.reported = p.made
		p.Link = New(End{p.mine.Incarnation, p.met})
		w.hello(i)
	}
}

// calm has everything arrive.
func (w *pair) calm() {
	for i, p := range w.ends {
		if p.apart {
			w.meet(i)
		}
	}
	for range 12 {
		w.now += period
		for i, p := range w.ends {
			for w.read(i, w.ends[1-i].pipe) {
			}
			w.say(i, p.Due(w.now, period))
		}
	}
}

// Whatever breaks, whoever begins anew or loses the other one for a while, and however late old connections are read: no message comes twice, out of order, or to another
// incarnation, and none is lost without a report, unless it was given up. When nothing breaks any more all arrive.
func TestRandom(t *testing.T) {
	for seed := range uint64(600) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newPair(t, seed)
			for range 60 + w.r.IntN(400) {
				w.step(seed%2 == 1)
			}
			w.calm()
			for i, p := range w.ends {
				q := w.ends[1-i]
				last := q.made + 1
				w.send(1 - i)
				w.calm()
				if p.got < last { // the other one did not know yet that it had been lost
					require.Equal(t, last, q.reported, "%v", w.log)
					last++
					w.send(1 - i)
					w.calm()
				}
				require.Equal(t, last, p.got, "the last message arrives: %v", w.log)
				require.True(t, p.Counts())
				require.Zero(t, p.out.kept.len(), "all is known to have arrived")
			}
		})
	}
}

// met returns two ends that count each other's messages, over connections 1 and 2.
func met(t *testing.T) *pair {
	w := newPair(t, 1)
	w.calm()
	require.True(t, w.ends[0].Resumed() && w.ends[1].Resumed())
	return w
}

func at(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), port)
}

// What no honest program says is refused, and does not change what is known.
func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		note func(n *Note)
		want string
	}{
		"as it is":             {func(*Note) {}, ""},
		"no incarnation":       {func(n *Note) { n.Mine.Incarnation = 0 }, "no program counts like this"},
		"too high a number":    {func(n *Note) { n.Next = 1<<62 + 1 }, "no program counts like this"},
		"beyond what was sent": {func(n *Note) { n.Count = 6 }, "it counts more messages than were sent"},
		"the highest count":    {func(n *Note) { n.Count = 1<<64 - 1 }, "it counts more messages than were sent"},
		"a message that came":  {func(n *Note) { n.Next = 3 }, "it begins with a message that arrived before"},
		"a gap":                {func(n *Note) { n.Next = 6 }, "messages before it are missing"},
		"an old connection":    {func(n *Note) { n.Connection = 0; n.Count = 99 }, ""},
		"an older meeting":     {func(n *Note) { n.Mine.Meeting--; n.Count = 99 }, ""},
		"another connection":   {func(n *Note) { n.Read++; n.Count = 99 }, ""},
	} {
		w := met(t)
		a, b := w.ends[0], w.ends[1]
		for range 3 {
			w.send(1)
			w.send(0)
		}
		w.calm()
		n := b.Note(w.now)
		c.note(&n)
		before := *a
		fx := a.Take(w.now, n, b.pipe.from)
		assert.Equal(t, c.want, fx.Wrong, name)
		assert.Empty(t, fx.Again, name)
		assert.Equal(t, before.out.confirmed, a.out.confirmed, name)
		assert.Equal(t, uint64(3), a.Count(), name)
	}
}

// A count that goes backwards is late while messages go out; when they wait for it, it is wrong.
func TestBackwards(t *testing.T) {
	w := met(t)
	a, b := w.ends[0], w.ends[1]
	for range 3 {
		w.send(0)
	}
	w.calm()
	w.send(0)
	n := b.Note(w.now)
	n.Count--
	assert.Empty(t, a.Take(w.now, n, b.pipe.from).Wrong)
	assert.EqualValues(t, 3, a.out.confirmed)
	a.Broke(w.now)
	n.Read = a.Greet(w.now).Connection
	fx := a.Take(w.now, n, b.pipe.from)
	assert.Equal(t, "it counts fewer messages than before", fx.Wrong)
	assert.False(t, a.Resumed())
}

// A note for who was here before is answered with who is here now, and changes nothing that is counted.
func TestOtherIncarnation(t *testing.T) {
	w := met(t)
	a, b := w.ends[0], w.ends[1]
	n := b.Note(w.now)
	n.Yours.Incarnation++
	n.Connection += 5
	fx := a.Take(w.now, n, at(99))
	assert.Equal(t, a.mine, fx.Say.Mine)
	assert.True(t, a.Arrived(w.now, b.pipe.from, 1))

	assert.False(t, a.Arrived(w.now, at(99), 1), "what follows is for the other one")

	// Another program has both begin anew, and who is there answers.
	n = Note{Mine: End{7, 1}, Yours: a.mine, Connection: 1, Next: 1}
	assert.Equal(t, "it is from another program than before", a.Take(w.now, n, at(100)).Wrong)
	assert.Equal(t, b.mine, a.theirs)
	assert.False(t, a.Anew(End{a.mine.Incarnation, 2}), "all that was sent arrived")
	w.hello(0)
	w.send(1)
	w.calm()
	assert.Equal(t, b.mine, a.theirs)
	assert.True(t, a.Resumed() && b.Resumed())
	assert.EqualValues(t, 1, b.reported)
}

// What is kept is bounded, whatever is sent, and what was more is reported once.
func TestKeep(t *testing.T) {
	for _, size := range []int{0, 1, 1000, Keep / 2, Keep - entry, Keep - entry + 1, 1 << 20} {
		w := met(t)
		a, b := w.ends[0], w.ends[1]
		a.Broke(w.now)
		w.dial(0)
		for range 4*Keep/(size+entry) + 3 {
			note, now := a.Put(w.now, make([]byte, size))
			w.say(0, note)
			if now && note == nil && !a.Resumed() || a.out.kept.used() > Keep || cap(a.out.kept.octets) > 2*Keep {
				require.Fail(t, "a message goes out alone, or too much is kept", "%d: %d octets of %d", size, a.out.kept.used(), cap(a.out.kept.octets))
			}
		}
		kept := a.out.kept.len()
		assert.Equal(t, min(kept, Keep/(size+entry)), kept)
		a.Broke(w.now)
		n := b.Note(w.now)
		n.Read = a.Greet(w.now).Connection
		fx := a.Take(w.now, n, b.pipe.from)
		assert.True(t, fx.Lost, size)
		assert.Len(t, fx.Again, kept, size)
		assert.Equal(t, a.out.made+1-uint64(kept), fx.Say.Next, size)
		fx = a.Take(w.now, n, b.pipe.from)
		assert.False(t, fx.Lost, "once")
		assert.Empty(t, fx.Again)
	}
}

// Counts come once a period, and once for each Often octets.
func TestCounts(t *testing.T) {
	w := met(t)
	a, b := w.ends[0], w.ends[1]
	assert.Equal(t, never, a.Next(period))
	require.True(t, a.Arrived(w.now, b.pipe.from, 10))
	assert.Equal(t, w.now+period, a.Next(period))
	assert.Nil(t, a.Due(w.now+period-1, period))
	assert.EqualValues(t, 1, a.Due(w.now+period, period).Count)
	assert.Equal(t, never, a.Next(period))
	require.True(t, a.Arrived(w.now, b.pipe.from, Often))
	assert.EqualValues(t, 2, a.Due(w.now, period).Count)
}

// Before both ends know each other nothing is counted, and what is said goes as it always did.
func TestUncounted(t *testing.T) {
	l := New(End{1, 1})
	assert.False(t, l.Counts())
	assert.True(t, l.Arrived(0, at(1), 5))
	assert.Zero(t, l.Count())
	assert.Nil(t, l.Greet(0))
	assert.Nil(t, l.Due(time.Hour, period))
	assert.Equal(t, Note{Mine: End{1, 1}}, l.Note(0))

	// What another program says from the same listener is none of it.
	w := met(t)
	a, b := w.ends[0], w.ends[1]
	assert.False(t, a.Arrived(w.now, at(999), 5))
	a.Uncounted(at(999))
	assert.True(t, a.Arrived(w.now, at(999), 5))
	assert.Zero(t, a.Count())
	assert.True(t, a.Arrived(w.now, b.pipe.from, 5))
	assert.EqualValues(t, 1, a.Count())
}

// A connection may lead to a program that began anew where a former one listened, with a note for that one on it. The new program
// cannot tell what the other end counts for it, and neither loses a message: it counts none before a note names it.
func TestNoteForFormerProgram(t *testing.T) {
	former, met, anew := End{5, 1}, End{7, 1}, End{7, 2} // the other end meets the new program with another number
	for _, late := range []Note{
		{Mine: met},
		{Mine: met, Yours: former},
		{Mine: met, Yours: former, Connection: 1, Next: 3, Read: 1, Count: 4},
	} {
		l, other := New(End{6, 1}), New(anew)
		fx := l.Take(0, late, at(1))
		assert.Equal(t, &Note{Mine: End{6, 1}, Yours: met}, fx.Say)
		assert.False(t, l.Counts(), "what is sent now is not kept for the meeting of another")
		assert.Equal(t, late.Connection == 0, l.Arrived(0, at(1), 1), "what follows is for the former program, if it counts")

		fx = other.Take(0, *fx.Say, at(2))
		assert.True(t, other.Arrived(0, at(2), 1), "this does not count")
		require.Equal(t, &Note{Mine: anew, Yours: End{6, 1}}, fx.Say)
		fx = l.Take(0, *fx.Say, at(1))
		assert.False(t, fx.Lost)
		assert.True(t, l.Counts() && l.Resumed())
		fx = other.Take(0, *fx.Say, at(2))
		l.Put(0, []byte("a message"))
		assert.True(t, other.Counts() && other.Arrived(0, at(2), 1))
		assert.EqualValues(t, 1, other.Count())
		assert.Empty(t, l.Take(0, *fx.Say, at(1)).Wrong)
		assert.True(t, l.Arrived(0, at(1), 1))
		assert.EqualValues(t, 1, l.Count())
	}
}

// Messages for another program are refused on each connection that greeted it, in whatever order these are read.
func TestConnectionsOfOthers(t *testing.T) {
	l := New(End{6, 1})
	for port := range uint16(2 * mostOthers) {
		l.Take(0, Note{Mine: End{7, 1}, Yours: End{5, 1}, Connection: 1 + uint32(port)}, at(port))
		assert.LessOrEqual(t, len(l.in.others), mostOthers)
	}
	for port := range uint16(mostOthers) {
		assert.False(t, l.Arrived(0, at(mostOthers+port), 1))
	}
	l.Take(0, Note{Mine: End{7, 2}}, at(mostOthers))
	assert.True(t, l.Arrived(0, at(mostOthers), 1), "now it is for whoever reads it")
	assert.False(t, l.Arrived(0, at(mostOthers+1), 1))
}

// TestVoid: a message that was given up is not sent again and does not count as lost. One that is not kept does, then and later.
func TestVoid(t *testing.T) {
	w := met(t)
	a, b := w.ends[0], w.ends[1]
	again := func() (numbers []uint64, lost bool) { // over a new connection
		a.Broke(w.now)
		b.Take(w.now, *a.Greet(w.now), at(uint16(a.out.connection)))
		fx := a.Take(w.now, b.Note(w.now), b.pipe.from)
		require.Empty(t, fx.Wrong)
		for _, m := range fx.Again {
			numbers = append(numbers, numberOf(m))
		}
		return numbers, fx.Lost
	}
	odd := func(m []byte) bool { return numberOf(m)%2 == 1 }
	for range 3 {
		w.send(0)
	}
	a.Void(odd)
	numbers, lost := again()
	assert.Equal(t, []uint64{2}, numbers)
	assert.False(t, lost)
	numbers, lost = again() // none of that arrived
	assert.Equal(t, []uint64{2}, numbers)
	assert.False(t, lost, "those given up are not lost the next time either")
	a.Void(func([]byte) bool { return true })
	numbers, lost = again()
	assert.Empty(t, numbers)
	assert.False(t, lost)
	b.Take(w.now, a.Note(w.now), at(uint16(a.out.connection)))
	a.Take(w.now, b.Note(w.now), b.pipe.from)
	require.Equal(t, a.out.made, a.out.confirmed, "it is beyond them")
	fit := most / (entry + len(message(0)))
	for range fit + 1 {
		w.send(0)
	}
	a.Void(func(m []byte) bool { return numberOf(m) == uint64(fit)+4 })
	numbers, lost = again()
	assert.True(t, lost, "one more than is kept")
	require.Len(t, numbers, fit-1)
	assert.EqualValues(t, fit+3, numbers[fit-2])
}

// A link takes at most Keep octets of memory for messages, whatever their sizes, and keeps the newest ones.
func TestQueueBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{1, 100, 5000, 70 << 10, 400 << 10} {
		var q queue
		var sizes []int
		for range 30_000 / (1 + most/500) {
			size := 1 + r.IntN(most)
			q.add(make([]byte, size))
			sizes = append(sizes, size)
			require.LessOrEqual(t, cap(q.octets), Keep)
			if r.IntN(1000) == 0 {
				q.trim(q.len() / 2)
			}
		}
		all, octets := q.all(), 0
		require.Len(t, all, q.len())
		for i, m := range all {
			require.Len(t, m, sizes[len(sizes)-len(all)+i])
			octets += len(m) + entry
		}
		assert.Equal(t, octets, q.used())
	}
}

// TestAwaited: what is put before the other end named itself waits, and arrives in order. If it is another program than the awaited one,
// that is lost, and told.
func TestAwaited(t *testing.T) {
	for name, c := range map[string]struct {
		is   uint64
		lost bool
	}{"the awaited one": {7, false}, "another one": {8, true}} {
		a, b := New(End{Incarnation: 1, Meeting: 1}), New(End{Incarnation: c.is, Meeting: 3})
		a.Await(7)
		require.True(t, a.Takes(true))
		require.False(t, a.Takes(false), "greeted already, and none waits")
		for n := range uint64(3) {
			say, now := a.Put(0, message(1+n))
			require.Nil(t, say)
			require.False(t, now)
		}
		require.True(t, a.Holds())
		assert.Equal(t, never, a.Next(period), "nobody can be greeted")
		fx := a.Take(0, b.Note(0), at(1))
		assert.Equal(t, c.lost, fx.Lost, name)
		assert.Equal(t, !c.lost, a.Holds(), name)
		assert.Equal(t, !c.lost, a.Takes(false), "the next one goes behind those that wait, though the other end does not count yet")
		var got []uint64
		for from, to := &a, &b; fx.Say != nil; from, to = to, from {
			say := *fx.Say
			fx = to.Take(0, say, at(uint16(1+from.mine.Meeting)))
			for _, m := range fx.Again {
				got = append(got, numberOf(m))
			}
		}
		assert.True(t, a.Resumed(), name)
		if !c.lost {
			assert.Equal(t, []uint64{1, 2, 3}, got, name)
		}
	}
}
