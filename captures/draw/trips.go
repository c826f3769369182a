package draw

import (
	"cmp"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// A trip is a ping that was answered, or a frame.
type trip struct {
	at   time.Duration // when the reply came
	took time.Duration
}

// trips measure how long pings take to be answered, by pairs of machines, as seen where the capture was made.
type trips struct {
	open  show.Pings[openPing]
	by    map[[2]int][]trip // by the endpoints of the one who asked and the other
	count int
	every int // round trips that one point stands for, at most
}

type openPing struct {
	at       time.Duration
	from, to int
}

func newTrips() *trips { return &trips{by: map[[2]int][]trip{}, every: 1} }

// add looks whether a message is a ping or its reply, or an ACK of the reliable protocol.
func (t *trips) add(r *captures.Record, at time.Duration, from, to int) {
	if r.Step != nil && r.Step.Trip > 0 {
		t.keep([2]int{to, from}, trip{at, r.Step.Trip})
	}
	switch m := r.Envelope.Message.(type) {
	case *wire.Ping:
		t.open.Add(show.NewPingKey(r.Src.Addr(), r.Dst.Addr(), r.Conversation, 0, m.Tick), openPing{at, from, to})
	case *wire.PingReply:
		p, ok := t.open.Take(show.NewPingKey(r.Dst.Addr(), r.Src.Addr(), r.Conversation, 0, m.Tick))
		if ok && at >= p.at {
			t.keep([2]int{p.from, p.to}, trip{at, at - p.at})
		}
	}
}

// keep adds a round trip. When there are too many, the longer one of two neighbours stays.
func (t *trips) keep(pair [2]int, v trip) {
	t.by[pair] = append(t.by[pair], v)
	if t.count++; t.count <= maxTrips {
		return
	}
	t.count = 0
	t.every *= 2
	for pair, list := range t.by {
		var out []trip
		for two := range slices.Chunk(list, 2) {
			out = append(out, slices.MaxFunc(two, func(a, b trip) int { return cmp.Compare(a.took, b.took) }))
		}
		t.by[pair] = out
		t.count += len(out)
	}
	if t.count > maxTrips/2+maxTrips/4 { // more pairs than a plot could show
		t.by, t.count = map[[2]int][]trip{}, 0
	}
}

// tripLine is what a page plots of a pair of machines.
type tripLine struct {
	From int       `json:"from"` // lane
	To   int       `json:"to"`
	T    []float64 `json:"t"`  // seconds
	MS   []float64 `json:"ms"` // milliseconds
	list []trip
}

// lines returns the round trips by pairs of lanes, those with the most first.
func (t *trips) lines(lanes []int) []tripLine {
	pairs := map[[2]int]*tripLine{}
	var out []*tripLine
	for pair, list := range t.by {
		k := [2]int{lanes[pair[0]], lanes[pair[1]]}
		l := pairs[k]
		if l == nil {
			l = &tripLine{From: k[0], To: k[1]}
			pairs[k] = l
			out = append(out, l)
		}
		l.list = append(l.list, list...)
	}
	slices.SortFunc(out, func(a, b *tripLine) int {
		return cmp.Or(cmp.Compare(len(b.list), len(a.list)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	lines := []tripLine{}
	for _, l := range out[:min(len(out), maxTripLines)] {
		slices.SortFunc(l.list, func(a, b trip) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.took, b.took)) })
		for _, v := range l.list {
			l.T = append(l.T, float64(v.at.Microseconds())/1e6)
			l.MS = append(l.MS, float64(v.took.Microseconds())/1e3)
		}
		lines = append(lines, *l)
	}
	return lines
}
