package plan

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// A world is machines, each with a plan, on a made-up network that loses and mends connections, by a seed.
type world struct {
	random   *rand.Rand
	now      time.Time
	queue    events
	count    uint64
	machines []*machine
	blocked  map[[2]*machine]bool
	meeting  *machine
	links    Link
	wrong    []string // what was seen that must never be
	trace    func(string, ...any)
}

type event struct {
	at time.Time
	n  uint64 // those of one time happen in the order in which they were made
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// A machine is a plan, and what its caller would know.
type machine struct {
	w      *world
	name   string
	plan   *Plan
	id     ID
	alive  bool
	off    bool // it reaches nobody
	asleep bool // and does nothing
	missed []Input
	end    *End
	placed Place
	stands map[ID]Stands
	cables map[Link]*cable
	woken  time.Time
	gone   []Gone
	fell   []ID
	moves  int
	meets  bool
}

// A cable is a link between two machines.
type cable struct {
	link  Link
	ends  [2]*machine
	up    [2]bool
	quiet [2]bool
	clear [2]time.Time // when what the other side said last arrives
	said  [2][][]byte  // what is on the way to it
}

func newWorld(seed uint64) *world {
	return &world{random: rand.New(rand.NewPCG(seed, 0)), now: time.Unix(1e9, 0), blocked: map[[2]*machine]bool{},
		trace: func(string, ...any) {}}
}

func (w *world) after(d time.Duration, do func()) {
	w.count++
	heap.Push(&w.queue, event{at: w.now.Add(d), n: w.count, do: do})
}

// between returns a time between two, by chance.
func (w *world) between(a, b time.Duration) time.Duration {
	return a + time.Duration(w.random.Int64N(int64(b-a)+1))
}

func (w *world) run(d time.Duration) {
	until := w.now.Add(d)
	for len(w.queue) > 0 && !w.queue[0].at.After(until) {
		e := heap.Pop(&w.queue).(event)
		w.now = e.at
		e.do()
	}
	w.now = until
}

// add starts a machine.
func (w *world) add(c Config) *machine {
	m := &machine{w: w, alive: true, placed: Place{Slot: -1}, stands: map[ID]Stands{}, cables: map[Link]*cable{}}
	m.name = fmt.Sprint("m", len(w.machines))
	binary.BigEndian.PutUint64(m.id[:], w.random.Uint64())
	c.ID, c.Name, c.Seed = m.id, m.name, w.random.Uint64()
	m.plan = New(c)
	w.machines = append(w.machines, m)
	w.trace("%s starts, found %v", m.name, c.Found)
	m.step(Tick{})
	return m
}

func pair(a, b *machine) [2]*machine {
	if b.id.compare(a.id) < 0 {
		a, b = b, a
	}
	return [2]*machine{a, b}
}

func (w *world) reaches(a, b *machine) bool {
	return a.alive && b.alive && !a.off && !b.off && !w.blocked[pair(a, b)]
}

// block has two machines not reach each other. Each notices after some seconds, unless it is mended before.
func (w *world) block(a, b *machine) {
	if a == b || w.blocked[pair(a, b)] {
		return
	}
	w.blocked[pair(a, b)] = true
	for _, c := range a.all() {
		if c.ends[0] == b || c.ends[1] == b {
			w.silent(c)
		}
	}
}

// silent has both sides of a cable notice that nothing comes, if nothing does.
func (w *world) silent(c *cable) {
	for i := range c.ends {
		w.after(w.between(time.Second, 3*time.Second), func() { w.listen(c, i) })
		w.after(w.between(time.Second, 12*time.Second), func() {
			if c.up[i] && !c.ends[i].asleep && !(w.reaches(c.ends[0], c.ends[1]) && c.up[1-i]) {
				w.drop(c, i, Down{Link: c.link})
			}
		})
	}
}

// listen has a side of a cable notice whether something comes.
func (w *world) listen(c *cable, i int) {
	if quiet := !w.reaches(c.ends[0], c.ends[1]); c.up[i] && !c.ends[i].asleep && c.quiet[i] != quiet {
		c.quiet[i] = quiet
		c.ends[i].step(Quiet{Link: c.link, On: quiet})
	}
}

// drop ends one side of a cable.
func (w *world) drop(c *cable, i int, d Down) {
	c.up[i] = false
	delete(c.ends[i].cables, c.link)
	c.ends[i].step(d)
	if c.up[1-i] {
		w.silent(c)
	}
}

func (w *world) mend() {
	clear(w.blocked)
	for _, m := range w.alive() {
		w.back(m)
		w.hear(m)
	}
}

// hear has both sides of a machine's cables notice that something comes again.
func (w *world) hear(m *machine) {
	for _, c := range m.all() {
		for i := range c.ends {
			w.after(w.between(0, time.Second), func() { w.listen(c, i) })
		}
	}
}

// crash ends a machine without a word.
func (w *world) crash(m *machine) {
	w.trace("%s crashes", m.name)
	m.alive = false
	for _, c := range m.all() {
		w.silent(c)
	}
}

// all returns the machine's cables in the order in which they were made.
func (m *machine) all() []*cable {
	return slices.SortedFunc(maps.Values(m.cables), func(a, b *cable) int { return cmp.Compare(a.link, b.link) })
}

func (w *world) alive() []*machine {
	var all []*machine
	for _, m := range w.machines {
		if m.alive {
			all = append(all, m)
		}
	}
	return all
}

// step hands an input to the plan, and does what it wants.
func (m *machine) step(in Input) {
	switch {
	case !m.alive:
		return
	case m.asleep:
		m.missed = append(m.missed, in)
		return
	}
	for _, o := range m.plan.Step(m.w.now, in) {
		m.do(o)
	}
	if at := m.plan.Wake(); m.alive && at != m.woken {
		m.woken = at
		if at.Before(m.w.now) {
			m.w.wrong = append(m.w.wrong, "a wake in the past")
			return
		}
		m.w.after(at.Sub(m.w.now), func() {
			if m.woken == at {
				m.woken = time.Time{}
				m.step(Tick{})
			}
		})
	}
}

func (m *machine) do(o Output) {
	w := m.w
	switch o := o.(type) {
	case Send:
		m.send(o)
	case Close:
		m.close(o)
	case Dial:
		m.call(func() *machine { return w.find(o.ID) }, Up{}, Failed{ID: o.ID})
	case Knock:
		if w.meeting == m {
			w.after(w.between(time.Millisecond, 50*time.Millisecond), func() { m.step(Unanswered{Ourselves: true}) })
			return
		}
		m.call(func() *machine { return w.meeting }, Up{Knock: true}, Unanswered{Reason: "nobody is there"})
	case Meet:
		m.meets = o.On
		if o.On && !m.off {
			w.meeting = m
		} else if w.meeting == m {
			w.meeting = nil
		}
	case Ended:
		w.trace("%s is out: %v", m.name, o.Why)
		m.end, m.alive = &o.Why, false
	case Asked: // the user says yes, after a while
		w.after(w.between(0, 5*time.Second), func() { m.step(Answer{ID: o.Machine.ID, Yes: true}) })
	case Gone:
		m.gone = append(m.gone, o)
	default:
		m.note(o)
	}
}

// note keeps what the caller is told of slots, and looks for what must never be.
func (m *machine) note(o Output) {
	w := m.w
	bad := func(format string, args ...any) {
		w.wrong = append(w.wrong, m.name+": "+fmt.Sprintf(format, args...))
	}
	switch o := o.(type) {
	case Entered:
		if m.placed.Slot >= 0 {
			bad("entered twice")
		}
		m.placed = Place(o)
		w.trace("%s is on %v", m.name, m.placed)
	case Moved:
		if m.placed.Slot < 0 {
			bad("moved before it entered")
		}
		m.moves++
		m.placed = Place(o)
		w.trace("%s moves to %v", m.name, m.placed)
		for _, s := range m.stands {
			if s.Machine.clashes(m.placed) {
				bad("moved to the slot of %s", s.Machine.Name)
			}
		}
	case Stands:
		if m.placed.Slot < 0 || o.Machine.clashes(m.placed) {
			bad("%s stands on our slot", o.Machine.Name)
		}
		for _, s := range m.stands {
			if s.Machine.clashes(o.Machine.Place) {
				bad("%s stands where %s does", o.Machine.Name, s.Machine.Name)
			}
		}
		if m.cables[o.Link] == nil {
			bad("%s stands without a link", o.Machine.Name)
		}
		m.stands[o.Machine.ID] = o
	case Falls:
		if _, ok := m.stands[o.Machine.ID]; !ok {
			bad("%s falls that did not stand", o.Machine.Name)
		}
		delete(m.stands, o.Machine.ID)
		m.fell = append(m.fell, o.Machine.ID)
	}
}

func (w *world) find(id ID) *machine {
	for _, m := range w.machines {
		if m.id == id {
			return m
		}
	}
	return nil
}

// call connects to a machine, if it is reached.
func (m *machine) call(whom func() *machine, up Up, failed Input) {
	w := m.w
	w.after(w.between(20*time.Millisecond, 200*time.Millisecond), func() {
		to := whom()
		if to == nil || to == m || !w.reaches(m, to) {
			w.after(w.between(100*time.Millisecond, 3*time.Second), func() { m.step(failed) })
			return
		}
		w.links++
		c := &cable{link: w.links, ends: [2]*machine{m, to}, up: [2]bool{true, true}}
		m.cables[c.link], to.cables[c.link] = c, c
		up.Link, up.ID, up.Ours = c.link, to.id, true
		m.step(up)
		if c.up[1] {
			to.step(Up{Link: c.link, ID: m.id})
		}
	})
}

// arrive does something at the other side of a cable, behind all that was said before.
func (w *world) arrive(c *cable, i int, do func()) {
	at := w.now.Add(w.between(time.Millisecond, 60*time.Millisecond))
	if at.Before(c.clear[i]) {
		at = c.clear[i]
	}
	c.clear[i] = at
	w.after(at.Sub(w.now), do)
}

func (m *machine) send(o Send) {
	c := m.cables[o.Link]
	if c == nil {
		m.w.wrong = append(m.w.wrong, m.name+": sends over a link that is down")
		return
	}
	if len(o.Data) > MaxMessage {
		m.w.wrong = append(m.w.wrong, m.name+": says too much")
	}
	to := 1 - slices.Index(c.ends[:], m)
	c.said[to] = append(c.said[to], o.Data)
	m.w.arrive(c, to, func() { m.w.deliver(c, to) })
}

// deliver brings the next message to a side of a cable, once it is reached.
func (w *world) deliver(c *cable, to int) {
	switch {
	case !c.up[to]:
	case !w.reaches(c.ends[0], c.ends[1]) && !c.up[1-to]: // nobody says it again
		c.said[to] = c.said[to][1:]
	case !w.reaches(c.ends[0], c.ends[1]):
		w.after(w.between(time.Millisecond, 60*time.Millisecond), func() { w.deliver(c, to) })
	default:
		data := c.said[to][0]
		c.said[to] = c.said[to][1:]
		c.ends[to].step(Heard{Link: c.link, Data: data})
	}
}

func (m *machine) close(o Close) {
	w, c := m.w, m.cables[o.Link]
	if c == nil {
		w.wrong = append(w.wrong, m.name+": closes a link that is down")
		return
	}
	i := slices.Index(c.ends[:], m)
	w.trace("%s closes its link with %s: %s", m.name, c.ends[1-i].name, o.Reason)
	c.up[i] = false
	delete(m.cables, o.Link)
	w.arrive(c, 1-i, func() {
		switch {
		case !c.up[1-i]:
		case !c.ends[1-i].alive || c.ends[0].off || c.ends[1].off || w.blocked[pair(c.ends[0], c.ends[1])]:
			w.silent(c)
		default:
			w.drop(c, 1-i, Down{Link: c.link, Reason: o.Reason})
		}
	})
}

// wrongInTheEnd returns what machines that all reach each other, and had time, do not agree on.
func (w *world) wrongInTheEnd() []string {
	wrong := w.wrong
	all := w.alive()
	keepers := map[ID]bool{}
	slots := map[int]string{}
	for _, m := range all {
		if m.placed.Slot < 0 || m.plan.self.Slot != m.placed.Slot {
			wrong = append(wrong, m.name+" has no slot")
			continue
		}
		if other, taken := slots[m.placed.Slot]; taken {
			wrong = append(wrong, fmt.Sprintf("%s and %s are both on slot %d", m.name, other, m.placed.Slot))
		}
		slots[m.placed.Slot] = m.name
		keepers[m.plan.Keeper()] = true
		if m.meets != (m.plan.Keeper() == m.id) {
			wrong = append(wrong, fmt.Sprintf("%s answers newcomers: %v", m.name, m.meets))
		}
		if m.plan.Keeper() == m.id && w.meeting != m {
			wrong = append(wrong, m.name+" is keeper, but does not have the address")
		}
		if len(m.stands) != len(all)-1 || len(m.plan.Members()) != len(all)-1 {
			wrong = append(wrong, fmt.Sprintf("%s has %d of %d others, and knows %d", m.name, len(m.stands), len(all)-1,
				len(m.plan.Members())))
		}
		for id, s := range m.stands {
			if o := w.find(id); !o.alive || o.placed != s.Machine.Place || o.name != s.Machine.Name {
				wrong = append(wrong, fmt.Sprintf("%s has %s wrong", m.name, o.name))
			}
		}
	}
	if len(all) > 0 && len(keepers) != 1 {
		wrong = append(wrong, fmt.Sprintf("%d keepers", len(keepers)))
	}
	return wrong
}
