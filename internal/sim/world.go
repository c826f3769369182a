package sim

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"dplay4/wire"
)

// A World is machines on a seeded network. Everything happens in the order of its queue.
type World struct {
	opt     Options
	now     time.Duration
	queue   queue
	doing   uint64 // the number of what is being done
	lanes   []*lane
	cut     [][]int    // by sender and receiver: how many faults keep packets from coming through
	blocked [][][2]int // likewise those of TCP and of UDP alone
	watches []watch
	aimed   *aim
	decoder wire.Decoder
	net     *rand.Rand // delays, losses
	chaos   *rand.Rand // faults
	hash    fingerprint
	scratch []byte
	packets []*packet // to use again
	octets  [][]byte  // likewise, of segments

	quiet    bool // the faults are over
	settled  bool // programs begin nothing new
	inFlight int
	ephemera uint16 // the port that the last connection came from
	runs     int    // programs that were started so far
	owners   map[owned]*process
	truth    *truth
	res      Result
}

// A Result is what a run gave.
type Result struct {
	Options    Options
	Hash       string        // of every input and output of every engine, hexadecimal
	Names      []string      // of the lanes
	End        time.Duration // when the run ended
	Steps      int
	Messages   int // that arrived
	Timeline   []Moment
	Spans      []Span
	Cuts       []Cut
	Violations []Violation
	Stats      Stats
}

// A Violation is something that must not be.
type Violation struct {
	At   time.Duration
	Lane int    // -1 for the whole world
	Rule string // a stable name
	Text string
}

// maxViolations bounds the list: one mistake is often made again and again.
const maxViolations = 100

// Run does a run. It fails only for options that make no sense; violations are in the result.
func Run(opt Options) (*Result, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	w := newWorld(opt)
	w.plan()
	for _, l := range w.lanes {
		w.at(l.firstStart, func() { w.boot(l) })
	}
	w.loop(opt.FaultsEnd())
	w.endFaults()
	w.loop(opt.FaultsEnd() + opt.Bounds.Converge/2)
	w.settled = true
	w.rollCall()
	w.loop(opt.Time)
	for _, l := range w.lanes {
		if l.proc != nil {
			w.checkObjects(l.proc, true)
		}
	}
	w.judge()
	w.life()
	w.finish()
	return &w.res, nil
}

func newWorld(opt Options) *World {
	w := &World{
		opt: opt, net: source(opt.Seed, forNetwork), chaos: source(opt.Seed, forFaults),
		owners: map[owned]*process{}, ephemera: 49152,
	}
	w.truth = &truth{w: w, met: acquainted{}, dropped: map[*lane]Excuse{}}
	w.res.Options = opt
	clocks := source(opt.Seed, forClocks)
	for i := range opt.Members {
		l := &lane{w: w, i: i, name: laneName(i), addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), on: true, rate: 1}
		l.rng, l.toys = source(opt.Seed, forPrograms+uint64(i)), source(opt.Seed, forObjects+uint64(i))
		if opt.has(Clocks) {
			l.rate = 1 + (clocks.Float64()*2-1)*opt.Skew
		}
		if i > 0 {
			l.firstStart = 500*time.Millisecond + between(l.rng, 0, 20*time.Second)
			if l.rng.IntN(4) == 0 {
				l.firstStart += between(l.rng, 0, opt.FaultsEnd()/2)
			}
		}
		l.legacy = i >= opt.Members-opt.Legacy
		l.older = !l.legacy && i >= opt.Members-opt.Legacy-opt.OlderMembers()
		l.mates = []*lane{l}
		w.lanes = append(w.lanes, l)
		w.cut = append(w.cut, make([]int, opt.Members))
		w.blocked = append(w.blocked, make([][2]int, opt.Members))
		w.res.Names = append(w.res.Names, l.name)
	}
	w.outdate()
	w.shareAddresses()
	return w
}

// laneName returns A to Z, then A1 and so on.
func laneName(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}

// at has something done at a time, not before now, and returns its number.
func (w *World) at(t time.Duration, do func()) uint64 { return w.queue.add(max(t, w.now), do) }

func (w *World) after(d time.Duration, do func()) { w.at(w.now+d, do) }

// loop does what is due until a time.
func (w *World) loop(until time.Duration) {
	for len(w.queue.items) > 0 && w.queue.items[0].at < until && len(w.res.Violations) < maxViolations {
		it, _ := w.queue.next()
		w.now, w.doing = it.at, it.seq
		it.do()
	}
	w.now = max(w.now, min(until, w.opt.Time))
}

// violate notes that something is wrong.
func (w *World) violate(l *lane, rule, format string, args ...any) {
	if len(w.res.Violations) >= maxViolations {
		return
	}
	v := Violation{At: w.now, Lane: -1, Rule: rule, Text: fmt.Sprintf(format, args...)}
	if l != nil {
		v.Lane = l.i
	}
	w.res.Violations = append(w.res.Violations, v)
	w.moment(l, "violation", "%s: %s", rule, v.Text)
}

// finish makes the result.
func (w *World) finish() {
	w.res.End = w.now
	w.res.Hash = w.hash.String()
	for _, l := range w.lanes {
		l.span("")
	}
	w.endCuts()
}
