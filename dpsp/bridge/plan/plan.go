package plan

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"
)

// A Plan is one machine's part in a bridged session.
type Plan struct {
	self    Machine
	placed  Place          // our place, as the caller was told
	stood   []Stands       // the machines on the others, as the caller was told
	meeting netip.AddrPort // where we answer newcomers, if the code has to name it
	ask     bool
	asked   []Machine // newcomers about whom our user is asked, the first one first
	random  *rand.Rand

	since time.Time // of our entry; before it, of our search
	lone  bool      // others are in, and none of them is linked with us
	awake time.Time // before it nobody is dialed, see Slept

	peers  map[ID]*peer
	links  map[Link]*line
	in     map[ID]bool     // the machines that a keeper let in
	moves  int             // counts the changes of in
	never  recent          // the machines that cannot come again
	kicked []ID            // the last ones that we sent away as keeper
	rest   map[int]resting // slots that a machine has left
	orders uint64          // the highest that we know of

	keeper  ID // none: the zero ID
	knockAt time.Time
	strikes int    // knocks of ours as keeper that another machine answered
	excuse  string // why the last knock failed
	waits   bool   // the keeper's user is asked about us
	ended   bool

	now  time.Time
	out  []Output
	wake time.Time
}

// New returns a plan. The first Step begins it.
func New(c Config) *Plan {
	p := &Plan{ask: c.Ask, random: rand.New(rand.NewPCG(c.Seed, 14)), placed: Place{Slot: -1}, peers: map[ID]*peer{},
		links: map[Link]*line{}, in: map[ID]bool{}, never: recent{ids: map[ID]bool{}}, rest: map[int]resting{}}
	p.self = Machine{ID: c.ID, Name: CleanName(c.Name), Place: Place{Slot: -1}}
	if c.Ports.usable() {
		p.self.Ports = c.Ports
	}
	if c.Found {
		p.self.Order, p.orders, p.keeper = 1, 1, c.ID
	}
	return p
}

// Step takes an input, and returns what is to be done for it, in that order. Time does not go backwards.
func (p *Plan) Step(now time.Time, in Input) []Output {
	p.now, p.out, p.wake = now, nil, now.Add(idle)
	if p.ended {
		return nil
	}
	if p.since.IsZero() {
		p.since = now
		if p.keeps() {
			p.meet()
		}
	}
	in.input(p)
	p.settle()
	return p.out
}

// A view is what the rules of settle make of what each machine says of itself, and read of one another.
type view struct {
	keeper ID
	at     Place
	moves  int // machines that were let in or sent away
}

func (p *Plan) view() view { return view{p.keeper, p.self.Place, p.moves} }

// settle derives all else from what each machine says of itself. The rules of the loop read one another's results. They run
// until none changes any, so a rule need not care which result is new.
func (p *Plan) settle() {
	for was := (view{}); was != p.view(); {
		was = p.view()
		p.hints()
		p.follow()
		p.elect()
		p.seat()
		p.letIn()
	}
	p.forget()
	p.unask()
	p.stand()
	if p.due(p.awake) {
		p.dial()
		p.knock()
	}
	p.tell()
	p.wantWays()
}

// Wake returns when Step is to be called with a Tick if nothing happens before.
func (p *Plan) Wake() time.Time { return p.wake }

// Keeper returns the machine that lets newcomers in, the zero ID if we do not know it yet.
func (p *Plan) Keeper() ID { return p.keeper }

// Meeting returns where the keeper answers newcomers, not valid if it is where the code says without naming it.
func (p *Plan) Meeting() netip.AddrPort {
	if p.keeps() {
		return p.meeting
	}
	return p.peer(p.keeper, 0).said.Meeting
}

// Asks reports whether newcomers wait for a user's answer.
func (p *Plan) Asks() bool { return p.ask }

// Self returns what we say of ourselves.
func (p *Plan) Self() Machine { return p.self }

// A Member is a machine as we know it.
type Member struct {
	Machine
	Link Link // 0 while we have none
}

// Members returns the other machines of the session, in the order of their slots. It includes those that vanished a moment ago, and
// those that we never reached, which have no name.
func (p *Plan) Members() (all []Member) {
	for _, q := range p.those(func(q *peer) bool { return p.in[q.id] && q.shown() }) {
		all = append(all, Member{q.machine(), q.link})
	}
	slices.SortFunc(all, func(a, b Member) int { return cmp.Or(cmp.Compare(a.Slot, b.Slot), a.compare(b.Machine)) })
	return all
}

// Asking returns the newcomers that wait for Answer, the first one first.
func (p *Plan) Asking() []Machine { return slices.Clone(p.asked) }

func (Tick) input(*Plan)       {}
func (in Slept) input(p *Plan) { p.awake = p.now.Add(waking) }
func (in Leave) input(p *Plan) { p.end(End{Reason: Left}) }

func (in Reached) input(p *Plan) {
	p.self.At, p.meeting = in.At[:min(len(in.At), maxAt)], in.Meeting
}

// do adds an output. None follows Ended.
func (p *Plan) do(o Output) {
	if !p.ended {
		p.out = append(p.out, o)
	}
}

// due reports whether the time has come, and otherwise asks for a Tick then.
func (p *Plan) due(t time.Time) bool {
	due := !p.now.Before(t)
	if !due && t.Before(p.wake) {
		p.wake = t
	}
	return due
}

// jitter returns about as much time, so that machines that saw the same do not all act at once.
func (p *Plan) jitter(d time.Duration) time.Duration {
	return d*3/4 + time.Duration(p.random.Int64N(int64(d)/2))
}

// known returns the peers in the order of their IDs, so that the same inputs give the same outputs.
func (p *Plan) known() []*peer {
	return slices.SortedFunc(maps.Values(p.peers), func(a, b *peer) int { return a.id.compare(b.id) })
}

// those returns the peers for which is holds, in the order of their IDs.
func (p *Plan) those(is func(*peer) bool) []*peer {
	return slices.DeleteFunc(p.known(), func(q *peer) bool { return !is(q) })
}

// members returns the peers that are in and linked with us. Until we are in ourselves, all that are linked count as in.
func (p *Plan) members() []*peer {
	return p.those(func(q *peer) bool { return q.talks() && (p.in[q.id] || p.self.Order == 0) })
}

// end ends our part.
func (p *Plan) end(why End) {
	reason := Left
	if why.Reason == Kicked {
		reason = Out // the others may hear of it from us first
	}
	for _, l := range slices.Sorted(maps.Keys(p.links)) {
		p.do(Close{Link: l, Reason: reason})
	}
	p.do(Meet{})
	p.do(Ended{Why: why})
	p.ended = true
}

// admit notes that a machine is in. The note outlives its links, so that it comes back without being asked about.
func (p *Plan) admit(id ID) {
	if p.barred(id) || p.in[id] {
		return
	}
	if len(p.in) >= 2*maxKnown {
		maps.DeleteFunc(p.in, func(id ID, _ bool) bool { return p.peers[id] == nil })
	}
	p.in[id] = true
	p.moves++
}

// barred reports whether a machine cannot come in: it was sent away, or left, or is this one.
func (p *Plan) barred(id ID) bool { return id == p.self.ID || p.never.has(id) }

// ban ends what we have with a machine, for good.
func (p *Plan) ban(id ID, reason string) {
	q := p.peer(id, 0)
	p.cut(q.line, reason)
	p.gone(q, reason)
	if !p.never.has(id) {
		p.moves++
	}
	p.never.add(id)
	delete(p.in, id)
}
