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
	ask    bool
	asked  []Machine // newcomers about whom our user is asked, the first one first
	random *rand.Rand

	self    Machine
	meeting netip.AddrPort // where we answer newcomers, if the code has to name it
	placed  place          // where our stand-ins leave room for our game
	since   time.Time
	with    bool      // others of the session are linked with us
	lone    bool      // they were, and none is any more
	awake   time.Time // until then nobody is called, see Slept

	peers  map[ID]*peer
	links  map[Link]*line
	in     map[ID]bool     // whom a keeper let in
	never  recent          // who is not to come again
	kicked []ID            // whom we sent away as keeper, the last ones
	rest   map[int]resting // slots that a machine has left
	orders uint64          // the highest that we know of

	keeper   ID // none: the zero ID
	meets    bool
	knocking bool
	knockAt  time.Time
	strikes  int    // knocks of ours as keeper that another machine answered
	excuse   string // why the last knock came to nothing
	waits    bool   // the keeper's user is asked about us
	ended    bool
	met      uint64 // how many machines we have met

	now  time.Time
	out  []Output
	wake time.Time
}

// A place is where a machine is.
type place struct {
	slot  int
	ports Ports
}

// clashes reports whether two machines cannot be there both.
func (a place) clashes(b place) bool {
	return a.slot == b.slot || a.ports.TCP == b.ports.TCP || a.ports.UDP == b.ports.UDP
}

// A resting slot is not given to others than who had it.
type resting struct {
	id    ID
	until time.Time
}

// New returns a plan. The first Step begins it.
func New(c Config) *Plan {
	p := &Plan{ask: c.Ask, random: rand.New(rand.NewPCG(c.Seed, 14)), placed: place{slot: -1},
		peers: map[ID]*peer{}, links: map[Link]*line{}, in: map[ID]bool{}, rest: map[int]resting{}}
	p.self = Machine{ID: c.ID, Name: CleanName(c.Name), Slot: -1, Ports: c.Ports}
	if !c.Ports.usable() {
		p.self.Ports = Ports{}
	}
	if c.Found {
		p.self.Order, p.orders = 1, 1
	}
	return p
}

// Step takes an input, and returns what is to be done for it, in that order. Time does not go backwards.
func (p *Plan) Step(now time.Time, in Input) []Output {
	if p.ended {
		return nil
	}
	p.now, p.out = now, nil
	if p.since.IsZero() {
		p.since = now
	}
	p.take(in)
	for !p.ended && p.settle() {
	}
	return p.out
}

// Wake returns when Step is to be called with a Tick if nothing happens before; zero: never.
func (p *Plan) Wake() time.Time { return p.wake }

// Keeper returns who is to let newcomers in, the zero ID if we do not know yet.
func (p *Plan) Keeper() ID { return p.keeper }

// Meeting returns where the keeper answers newcomers, not valid if it is where the code says without naming it.
func (p *Plan) Meeting() netip.AddrPort {
	if p.keeps() {
		return p.meeting
	}
	if k := p.peers[p.keeper]; k != nil && k.said != nil {
		return k.said.Meeting
	}
	return netip.AddrPort{}
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

// Members returns the machines that are in the session besides us, those that vanished a moment ago and those that we never reached
// included, in the order of their slots. These have no name.
func (p *Plan) Members() []Member {
	var all []Member
	for id, q := range p.peers {
		if p.in[id] && q.shown() {
			all = append(all, Member{q.machine(), q.link})
		}
	}
	slices.SortFunc(all, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Order, b.Order), slices.Compare(a.ID[:], b.ID[:]))
	})
	return all
}

// Asking returns the newcomers that wait for Answer, the first one first.
func (p *Plan) Asking() []Machine { return slices.Clone(p.asked) }

func (p *Plan) take(in Input) {
	switch in := in.(type) {
	case Up:
		p.up(in)
	case Down:
		p.down(in)
	case Quiet:
		if w := p.links[in.Link]; w != nil {
			w.quiet = in.On
		}
	case Heard:
		p.heard(in)
	case Failed:
		if q := p.peers[in.ID]; q != nil {
			q.dialing = false
		}
	case Unanswered:
		p.unanswered(in)
	case Reached:
		p.self.At, p.meeting = in.At[:min(len(in.At), maxAt)], in.Meeting
	case Answer:
		p.answer(in)
	case Kick:
		p.kick(in)
	case Slept:
		p.awake = p.now.Add(waking)
	case AskWays:
		p.askWays()
	case TellWays:
		p.tellWays(in)
	case Leave:
		p.end(End{Reason: Left})
	}
}

// settle makes of what we know what follows from it. It returns whether there may be more.
func (p *Plan) settle() bool {
	p.wake = time.Time{}
	p.hints()
	p.forget()
	if p.ended {
		return false
	}
	p.reunite()
	again := p.electKeeper()
	again = p.seat() || again
	again = p.letIn() || again
	p.unask()
	p.stand()
	if again {
		return true
	}
	if p.due(p.awake) {
		p.dial()
		p.knock()
	}
	p.tell()
	p.wantWays()
	return false
}

func (p *Plan) do(o Output) { p.out = append(p.out, o) }

// at asks for a Tick at the time.
func (p *Plan) at(t time.Time) {
	if p.wake.IsZero() || t.Before(p.wake) {
		p.wake = t
	}
}

// due reports whether the time has come, and otherwise asks for a Tick then.
func (p *Plan) due(t time.Time) bool {
	if p.now.Before(t) {
		p.at(t)
		return false
	}
	return true
}

// known returns the peers in the order of their IDs, so that the same inputs give the same outputs.
func (p *Plan) known() []*peer {
	return slices.SortedFunc(maps.Values(p.peers), func(a, b *peer) int { return slices.Compare(a.id[:], b.id[:]) })
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
	if p.meets {
		p.do(Meet{})
	}
	p.do(Ended{Why: why})
	p.ended, p.wake = true, time.Time{}
}

// electKeeper finds who is keeper: of us and those whom we are linked with and who are in, the one that came first. A newcomer
// believes the first of those that say that they are.
func (p *Plan) electKeeper() bool {
	var first *Machine
	if p.self.Order > 0 {
		first = &p.self
	}
	for _, q := range p.known() {
		if q.link == 0 || q.said == nil || q.said.Order == 0 || p.links[q.link].quiet {
			continue
		}
		if p.self.Order > 0 && !p.in[q.id] || p.self.Order == 0 && !q.said.Keeper {
			continue
		}
		if m := q.machine(); first == nil || m.before(*first) {
			first = &m
		}
	}
	var id ID
	if first != nil {
		id = first.ID
	}
	if id == p.keeper {
		return false
	}
	p.keeper = id
	if id != (ID{}) && p.self.Order > 0 {
		p.do(Keeps{ID: id})
	}
	p.follow()
	if p.keeps() {
		p.knockAt = time.Time{}
	} else if p.meets {
		p.meets = false
		p.do(Meet{})
	}
	return true
}

// keeps reports whether we are keeper.
func (p *Plan) keeps() bool { return p.keeper == p.self.ID && p.self.Order > 0 }

// follow takes from our keeper who is in, who is sent away, and whether users are asked.
func (p *Plan) follow() {
	k := p.peers[p.keeper]
	if k == nil || k.said == nil {
		return
	}
	p.ask = p.ask || k.said.Ask
	for _, h := range k.said.Peers {
		p.admit(h.ID)
	}
	for _, id := range k.said.Kicked {
		q := p.peers[id]
		if id == p.self.ID || id == p.keeper || p.never.has(id) || q != nil && q.met < k.met {
			continue // who was here before the keeper is not sent away by it
		}
		p.ban(id, Kicked)
	}
}

// admit notes that a machine is in. The note outlives its links, so that it comes back without being asked about.
func (p *Plan) admit(id ID) {
	if id == p.self.ID {
		return
	}
	if len(p.in) >= 2*maxKnown {
		maps.DeleteFunc(p.in, func(id ID, _ bool) bool { return p.peers[id] == nil })
	}
	p.in[id] = true
}

// ban ends what we have with a machine, for good.
func (p *Plan) ban(id ID, reason string) {
	if q := p.peers[id]; q != nil {
		p.hangUp(q, reason)
		p.gone(q, reason)
	}
	p.never.add(id)
	delete(p.in, id)
}
