package view_test

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"dplay4/hostmigrate/view"
	"dplay4/playerlist"
	"dplay4/wire"
)

// The times of a world.
const (
	period   = time.Second
	probe    = 400 * time.Millisecond
	patience = 3 * time.Second
	silence  = 2 * time.Second // after which a program that does not answer is asked
	faults   = 40 * time.Second
	calm     = 90 * time.Second
)

// options say what can happen in a world.
type options struct {
	programs   int
	steps      int  // faults and changes
	suspicions bool // wrong ones
	kills      bool
	joins      bool
	pauses     bool
	cuts       bool
	leaves     bool
	breaks     bool
	mute       bool // datagrams between some addresses are lost
	parts      bool // lists go in many messages
}

// A world is a session of programs, each with a core and a list, and the network between them. Everything is drawn from a seed.
type world struct {
	options
	r       *rand.Rand
	now     time.Duration
	seq     int
	events  events
	at      []*program // the program at each address
	conns   map[[2]*program]*conn
	cut     map[[2]int]bool // datagrams from one address to another one are lost, and connections between both stand still
	mended  bool            // no faults any more
	noticed func(p *program, e view.Effect)
	room    func(*playerlist.List) func(playerlist.Op) bool // of leaders; nil: all fits
	next    int                                             // number of the next change
	closed  bool                                            // nobody may come in
	liar    *program                                        // a member of which nothing is checked
	killed  map[wire.PlayerID]bool
	muted   map[[2]int]bool
	gone    map[wire.Incarnation]time.Duration // programs that were killed or stood still, when
	cast    map[wire.Incarnation]wire.View     // programs that a leader lost, in which view
	bad     map[[2]int]time.Duration           // when two addresses last could not reach each other
	joint   map[link]*membership
	born    map[wire.PlayerID]int // how often an id was given
	trace   []string
	lists   map[position]*playerlist.List
	wrong   error
	streams time.Duration // when the last message went over a connection
}

type position struct {
	view  wire.View
	index uint32
}

type link struct{ group, member wire.PlayerID }

// A membership is what a program did last about one: it is in effect in the end, if nobody else touched it.
type membership struct {
	maker *program
	is    bool
	other bool // somebody else did something about it
}

// A program is one run of a program at an address.
type program struct {
	w       *world
	n       int
	inc     wire.Incarnation
	core    *view.Core // nil: it is not in the session yet
	list    *playerlist.List
	self    wire.PlayerID
	down    bool // it was killed, or it left
	left    bool
	paused  bool
	since   time.Duration // it asks to be let in since
	seen    map[wire.Incarnation]time.Duration
	asked   map[wire.PlayerID]bool
	unmet   map[wire.PlayerID]time.Duration
	said    map[wire.PlayerID]*saying // its players and groups
	members []wire.ViewMember         // of the last view
	was     wire.View
	index   uint32
	working bool
	checked *playerlist.List // the last confirmed list that was looked at, and where
	at      position
	timer   time.Duration
}

// A saying is what a program said of a player or group of its own.
type saying struct {
	group bool
	name  wire.Text
	data  []byte
}

// A conn is a connection between two programs.
type conn struct{ queues [2][]any }

// What goes over connections.
type (
	told    struct{ op playerlist.Op } // like a message of DirectPlay 4
	goodbye struct{}
	hello   struct{ who wire.ViewMember }
	admits  struct {
		id   wire.PlayerID
		list *playerlist.List
	}
	asks struct{ who *program }
)

type event struct {
	at  time.Duration
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}

func (w *world) after(d time.Duration, do func()) {
	w.seq++
	heap.Push(&w.events, event{w.now + d, w.seq, do})
}

func (w *world) logf(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%8.3f ", w.now.Seconds())+fmt.Sprintf(format, args...))
}

func (w *world) fail(format string, args ...any) {
	if w.wrong == nil {
		w.wrong = fmt.Errorf(format, args...)
		w.logf("WRONG: %v", w.wrong)
	}
}

func (w *world) chance(percent int) bool { return w.r.IntN(100) < percent }

// split cuts the network into parts, by the number of each address.
func (w *world) split(part func(n int) int) {
	for a := range w.at {
		for b := range w.at {
			if part(a) != part(b) {
				w.cut[[2]int{a, b}] = true
			}
		}
	}
}

// address returns where a program listens. Its number is in the octets that mean nothing.
func address(n int) wire.SockAddr {
	return wire.SockAddr{Family: 2, Port: 2300, Addr: [4]byte{10, 0, 0, byte(n + 1)}, Zero: [8]byte{byte(n)}}
}

// unspecified returns an address as its program has it, which does not know where others reach it.
func unspecified(a wire.SockAddr) wire.SockAddr {
	a.Addr = [4]byte{}
	return a
}

// from returns a message in which the address is filled in that its sender left out.
func (p *program) from(q *program, m *wire.ExtensionView) *wire.ExtensionView {
	c := *m
	c.Members, c.Lost = slices.Clone(m.Members), slices.Clone(m.Lost)
	fill := func(m *wire.ViewMember) {
		if m.Stream.Addr == [4]byte{} {
			m.Stream, m.Datagram = address(number(m.Stream)), address(number(m.Stream))
		}
	}
	fill(&c.From)
	for _, all := range [][]wire.ViewMember{c.Members, c.Lost} {
		for i := range all {
			if all[i].Incarnation != p.inc {
				fill(&all[i])
			}
		}
	}
	return &c
}

func (p *program) member() wire.ViewMember {
	return wire.ViewMember{System: p.self, Incarnation: p.inc, Stream: address(p.n), Datagram: address(p.n)}
}

func (p *program) String() string { return fmt.Sprintf("%d/%x", p.n, p.inc&0xfff) }

// start runs a program at an address.
func (w *world) start(n int) *program {
	p := &program{w: w, n: n, inc: wire.Incarnation(w.r.Uint64() | 1), seen: map[wire.Incarnation]time.Duration{},
		asked: map[wire.PlayerID]bool{}, unmet: map[wire.PlayerID]time.Duration{}, said: map[wire.PlayerID]*saying{}}
	w.at[n] = p
	p.apartFrom()
	w.after(time.Duration(w.r.Int64N(int64(period))), p.live)
	return p
}

func (p *program) begin(list *playerlist.List, self wire.PlayerID) {
	p.list, p.self = list, self
	me := p.member()
	me.Stream, me.Datagram = unspecified(me.Stream), unspecified(me.Datagram)
	p.core = view.New(view.Config{Self: me, Period: period, Probe: probe, Patience: patience, Random: p.w.r.Uint32,
		List:  func() *playerlist.List { return p.list },
		Admit: func(playerlist.Session) bool { return !p.w.closed },
		Room: func(l *playerlist.List) func(playerlist.Op) bool {
			if p.w.room == nil {
				return func(playerlist.Op) bool { return true }
			}
			return p.w.room(l)
		},
		IDs: func(l *playerlist.List) *playerlist.IDs { return p.ids(l) }})
	p.was, p.index, p.timer = wire.View{}, 0, 0
}

// ids returns where a leader takes ids: two leaders often give the same ones.
func (p *program) ids(l *playerlist.List) *playerlist.IDs { return l.IDs(uint16(p.w.r.IntN(3))) }

// spData returns the data of a program that bears our mark.
func spData(a wire.SockAddr) []byte {
	d := wire.SPData{Stream: a, Datagram: a}
	d.Mark()
	return d.Append(nil)
}

func systemEntry(id wire.PlayerID, n int) playerlist.Entry {
	return playerlist.Entry{ID: id, Flags: wire.PlayerSystem, Dialect: 14, SPData: spData(address(n))}
}

// host opens a session. low is where its ids begin.
func (p *program) host(low uint16) {
	l, _ := playerlist.New(playerlist.Session{Name: wire.NewText("views"), Desc: wire.SessionDesc{Reserved1: 0x284cb}})
	id, _ := l.IDs(low).Reserve()
	e := systemEntry(id, p.n)
	e.SPData = spData(unspecified(address(p.n)))
	e.Flags |= wire.PlayerNameServer
	_, _ = l.Apply(playerlist.AddPlayer{Entry: e})
	p.begin(l, id)
	p.core.Host(p.w.now, l)
	p.after()
}

// ok reports whether what one program sends reaches another one.
func (w *world) ok(from, to int) bool {
	return w.at[from] != nil && w.at[to] != nil && !w.cut[[2]int{from, to}]
}

// reaches reports whether a program answers another one.
func (p *program) reaches(n int, inc wire.Incarnation) bool {
	q := p.w.who(address(n))
	return q != nil && q.inc == inc && !q.down && !q.paused && p.w.ok(p.n, n) && p.w.ok(n, p.n)
}

func number(a wire.SockAddr) int { return int(a.Zero[0]) }

// who returns the program at an address; nil: there is none.
func (w *world) who(a wire.SockAddr) *program {
	if n := number(a); n >= 0 && n < len(w.at) {
		return w.at[n]
	}
	return nil
}

// live does what a program does all the time.
func (p *program) live() {
	w := p.w
	if p.down || p.left || w.at[p.n] != p {
		return
	}
	defer w.after(period/2, p.live)
	if p.paused {
		return
	}
	if p.core == nil || p.core.List() == nil {
		p.join()
		return
	}
	for _, m := range slices.Clone(p.core.Members()) {
		if m.Incarnation == p.inc {
			continue
		}
		if _, known := p.seen[m.Incarnation]; !known || p.reaches(number(m.Stream), m.Incarnation) {
			p.seen[m.Incarnation] = w.now
		}
		if w.now-p.seen[m.Incarnation] > silence {
			p.ask(m.System)
		}
	}
	if !p.core.Leads() {
		clear(p.unmet)
		return
	}
	for _, id := range p.list.AppendSystems(nil) {
		if slices.ContainsFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.System == id }) {
			delete(p.unmet, id)
			continue
		}
		if _, ok := p.unmet[id]; !ok {
			p.unmet[id] = w.now
		}
		if w.now-p.unmet[id] > 3*period {
			p.remove(id)
		}
	}
}

// join asks to be let in.
func (p *program) join() {
	w := p.w
	if w.now-p.since > 8*period {
		p.core, p.list, p.since = nil, nil, w.now // from the beginning
		clear(p.said)
	}
	if p.core != nil {
		for _, q := range p.listed() {
			p.send(q, hello{p.member()})
			p.core.AskIn(w.now, q.member())
		}
		p.after()
		return
	}
	n := w.r.IntN(len(w.at))
	q := w.at[n]
	if q == nil || q == p || !p.reaches(n, q.inc) || q.core == nil || q.core.List() == nil {
		return
	}
	for range 3 { // to the leader
		l := slices.IndexFunc(q.core.Members(), func(m wire.ViewMember) bool { return m.Incarnation == q.core.View().Incarnation })
		if q.core.Leads() || l < 0 {
			break
		}
		m := q.core.Members()[l]
		if !p.reaches(number(m.Stream), m.Incarnation) {
			return
		}
		if q = w.who(m.Stream); q.core == nil || q.core.List() == nil {
			return
		}
	}
	p.send(q, asks{p})
}

// listed returns the programs of a newcomer's list that it reaches.
func (p *program) listed() (all []*program) {
	for _, id := range p.list.AppendSystems(nil) {
		e, _ := p.list.Look(id)
		d, _ := wire.ParseSPData(e.SPData)
		if q := p.w.at[number(d.Stream)]; q != nil && q != p && p.reaches(q.n, q.inc) && q.core != nil {
			all = append(all, q)
		}
	}
	return all
}

// admit lets a program in.
func (p *program) admit(q *program) {
	if p.core == nil || !p.core.Leads() {
		return
	}
	for _, e := range p.list.Players() {
		d, _ := wire.ParseSPData(e.SPData)
		if e.Flags&wire.PlayerSystem != 0 && d.Stream == address(q.n) {
			if slices.ContainsFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.System == e.ID && m.Incarnation == q.inc }) {
				return
			}
			p.remove(e.ID) // of an attempt before this one, or of the program that was there before
		}
	}
	id, err := p.ids(p.list).Reserve()
	if err != nil {
		return
	}
	p.do(playerlist.AddPlayer{Entry: systemEntry(id, q.n)})
	p.send(q, admits{id, reload(p.list)})
}

func reload(l *playerlist.List) *playerlist.List {
	c, err := playerlist.Load(l.State())
	if err != nil {
		panic(err)
	}
	return c
}

// remove removes a machine, which is not told.
func (p *program) remove(id wire.PlayerID) {
	for _, op := range p.list.Departed(id) {
		p.doWithout(op, id)
	}
}

// do has a program change its list, and tells the others.
func (p *program) do(op playerlist.Op) bool { return p.doWithout(op, 0) }

func (p *program) doWithout(op playerlist.Op, but wire.PlayerID) bool {
	p.w.logf("%v does %T%v", p, op, op)
	if _, err := p.list.Apply(op); err != nil {
		return false
	}
	p.core.Did(p.w.now, p.self, op)
	for _, m := range slices.Clone(p.core.Members()) {
		if q := p.w.who(m.Stream); q != nil && q.inc == m.Incarnation && q != p && m.System != but {
			p.send(q, told{op})
		}
	}
	return true
}

// conn returns the connection between two programs, and the side that the first one is.
func (w *world) conn(a, b *program) (*conn, int) {
	side := 0
	if a.n > b.n {
		a, b, side = b, a, 1
	}
	c := w.conns[[2]*program{a, b}]
	if c == nil {
		c = new(conn)
		w.conns[[2]*program{a, b}] = c
	}
	return c, side
}

// send sends something over the connection to a program.
func (p *program) send(q *program, x any) {
	p.w.streams = p.w.now
	c, side := p.w.conn(p, q)
	c.queues[side] = append(c.queues[side], x)
	if len(c.queues[side]) == 1 {
		p.w.after(p.w.latency(), func() { p.w.arrive(c, side, p, q) })
	}
}

func (w *world) latency() time.Duration {
	d := time.Duration(1+w.r.IntN(20)) * time.Millisecond
	if w.chance(3) && !w.mended {
		d *= time.Duration(1 + w.r.IntN(50))
	}
	return d
}

// arrive has the first message of a queue arrive, unless the connection broke or stands still.
func (w *world) arrive(c *conn, side int, p, q *program) {
	if now, _ := w.conn(p, q); now != c || q.down {
		return
	}
	if !w.ok(p.n, q.n) || !w.ok(q.n, p.n) || q.paused {
		w.after(50*time.Millisecond, func() { w.arrive(c, side, p, q) })
		return
	}
	x := c.queues[side][0]
	c.queues[side] = c.queues[side][1:]
	if len(c.queues[side]) > 0 {
		w.after(w.latency()/4, func() { w.arrive(c, side, p, q) })
	}
	q.receive(p, x)
}

// breaks breaks the connection between two programs: what is on the way is lost.
func (w *world) breakUp(a, b *program) {
	if a.n > b.n {
		a, b = b, a
	}
	delete(w.conns, [2]*program{a, b})
}

// receive takes in what came over a connection.
func (p *program) receive(q *program, x any) {
	w := p.w
	var from wire.ViewMember
	if p.core != nil {
		if k := slices.IndexFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.Incarnation == q.inc }); k >= 0 {
			from = p.core.Members()[k]
		}
	}
	switch x := x.(type) {
	case asks:
		p.admit(x.who)
	case admits:
		if p.core == nil {
			p.since = w.now
			p.begin(x.list, x.id)
			p.core.Join(w.now, x.id)
			for _, r := range p.listed() {
				p.send(r, hello{p.member()})
			}
		}
	case hello:
		if p.core != nil {
			p.core.Meet(w.now, x.who)
		}
	case goodbye:
		if p.core != nil && from.System != 0 {
			delete(p.asked, from.System) // it will not be missed
			p.core.Left(w.now, from.System)
		}
	case told:
		if p.core != nil && from.System != 0 {
			w.logf("%v <= %v: %T%v", p, q, x.op, x.op)
			p.hear(from.System, x.op)
		}
	case *wire.ExtensionView:
		if p.core != nil {
			w.logf("%v <- %v: %s", p, q, show(x))
			p.core.Handle(w.now, p.peer(q), p.from(q, x))
		}
	}
	p.after()
}

// peer returns the id by which a program knows another one, a member or not; 0: it does not.
func (p *program) peer(q *program) wire.PlayerID {
	if k := slices.IndexFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.Incarnation == q.inc }); k >= 0 {
		return p.core.Members()[k].System
	}
	if e, ok := p.list.Look(q.self); ok && q.core != nil && e.Flags&wire.PlayerSystem != 0 {
		if d, ok := wire.ParseSPData(e.SPData); ok && number(d.Stream) == q.n {
			return q.self
		}
	}
	return 0
}

// hear takes in a message of DirectPlay 4.
func (p *program) hear(from wire.PlayerID, op playerlist.Op) {
	owner := func(id wire.PlayerID) bool {
		system, ok := p.list.System(id)
		return !ok || system == from || p.core.View().Leader == from
	}
	switch o := op.(type) {
	case playerlist.AddPlayer:
		if o.Entry.System != from && o.Entry.Flags&wire.PlayerSystem == 0 {
			return
		}
	case playerlist.AddGroup:
		if o.Entry.System != from {
			return
		}
	case playerlist.DeletePlayer:
		if !owner(o.ID) {
			return
		}
		if o.ID == from && p.core.View().Leader != from {
			p.core.Left(p.w.now, from)
		}
	case playerlist.SetInfo:
		if !owner(o.ID) {
			return
		}
	case playerlist.SetDesc:
		if p.core.View().Leader != from {
			return
		}
	}
	if p.core.Covers(op) {
		return
	}
	if _, err := p.list.Apply(op); err == nil {
		p.core.Did(p.w.now, from, op)
	}
}

// datagram sends a datagram.
func (p *program) datagram(to wire.SockAddr, m *wire.ExtensionView) {
	w := p.w
	for range 1 + w.r.IntN(2)*w.r.IntN(2) {
		if !w.mended && w.chance(10) || w.muted[[2]int{p.n, number(to)}] {
			continue
		}
		d := w.latency()
		if !w.mended && w.chance(5) {
			d += time.Duration(w.r.IntN(4000)) * time.Millisecond
		}
		w.after(d, func() {
			q := w.who(to)
			if q == nil || q.down || q.paused || q.core == nil || !w.ok(p.n, q.n) {
				return
			}
			c := q.from(p, m)
			if c.Step != wire.ViewPosition {
				w.logf("%v <~ %v: %s", q, p, show(c))
			}
			q.core.Handle(w.now, q.peer(p), c)
			q.after()
		})
	}
}

// ask finds out whether a member answers.
func (p *program) ask(id wire.PlayerID) {
	k := slices.IndexFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.System == id })
	if p.asked[id] || k < 0 {
		return
	}
	m := p.core.Members()[k]
	p.asked[id] = true
	tries := 0
	var try func()
	try = func() {
		if p.down || !p.asked[id] {
			return
		}
		tries++
		switch {
		case p.paused:
			tries = 0
		case p.reaches(number(m.Stream), m.Incarnation):
			p.seen[m.Incarnation] = p.w.now
			delete(p.asked, id)
			return
		case tries > 3:
			delete(p.asked, id)
			p.suspect(m)
			return
		}
		p.w.after(probe/4, try)
	}
	try()
}

func (p *program) suspect(m wire.ViewMember) {
	if p.core == nil || !slices.Contains(p.core.Members(), m) {
		return
	}
	if q := p.w.who(m.Stream); q != nil && q.inc == m.Incarnation {
		p.w.breakUp(p, q)
	}
	p.w.logf("%v suspects %d/%x", p, number(m.Stream), m.Incarnation&0xfff)
	p.core.Suspect(p.w.now, m.System)
	p.after()
}

// after carries out what a core wants, checks it, and sets its timer.
func (p *program) after() {
	if p.working || p.core == nil {
		return
	}
	p.working = true
	for p.core != nil {
		all := p.core.Take()
		if len(all) == 0 {
			break
		}
		for _, e := range all {
			p.effect(e)
		}
	}
	p.working = false
	p.w.check(p)
	if next := p.core.Next(); next != view.Never && (p.timer == 0 || next < p.timer) {
		p.timer = next
		core := p.core
		p.w.after(max(0, next-p.w.now), func() { p.tick(core) })
	}
}

func (p *program) tick(core *view.Core) {
	if p.down || p.core != core {
		return
	}
	if p.paused {
		p.w.after(50*time.Millisecond, func() { p.tick(core) })
		return
	}
	p.timer = 0
	if p.core.Next() <= p.w.now {
		p.core.Tick(p.w.now)
		if p.core.Next() <= p.w.now {
			p.w.fail("%v: its next tick is not after the last one", p)
			return
		}
	}
	p.after()
}

func (p *program) effect(e view.Effect) {
	w := p.w
	if w.noticed != nil {
		w.noticed(p, e)
	}
	switch e := e.(type) {
	case view.Send:
		if e.Datagram {
			p.datagram(e.To.Datagram, e.Message)
		} else if q := w.who(e.To.Stream); q != nil && q != p && q.inc == e.To.Incarnation && !q.down {
			m := *e.Message
			p.send(q, &m)
		}
	case view.Show:
		if !p.core.Lacks(e.Op) {
			return
		}
		if _, err := p.list.Apply(e.Op); err != nil {
			p.core.Refused()
		}
	case view.Install:
		if p.core.Leads() {
			for _, m := range p.members {
				if !slices.ContainsFunc(e.Members, func(x wire.ViewMember) bool { return x.Incarnation == m.Incarnation }) {
					w.throws(p, m)
				}
			}
			w.leavesBehind(p, e.Members)
		}
		w.logf("%v installs %s of %d, as %x, renamed %v", p, viewString(p.core.View()), len(e.Members), uint32(e.Self), e.Renamed)
		p.list, p.self = reload(e.List), e.Self
		said := map[wire.PlayerID]*saying{}
		for id, s := range p.said {
			for _, r := range e.Renamed {
				if r.Old == id {
					w.killed[r.New] = w.killed[r.New] || w.killed[id]
					id = r.New
					break
				}
			}
			said[id] = s
		}
		p.said = said
		if e.Leader == e.Self {
			for _, q := range w.running() { // that said hello
				if q.core != nil && q.core.List() == nil && p.reaches(q.n, q.inc) {
					p.core.Meet(w.now, q.member())
				}
			}
		}
	case view.Ask:
		p.ask(e.ID)
	case view.Lose:
		if k := slices.IndexFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.System == e.ID }); k >= 0 {
			w.throws(p, p.core.Members()[k])
			w.cast[p.core.Members()[k].Incarnation] = p.core.View()
		}
		w.logf("%v loses %x: %s", p, uint32(e.ID), e.Reason)
		p.remove(e.ID)
	}
}

func viewString(v wire.View) string {
	return fmt.Sprintf("(%d,%d,%x,%x)", v.Epoch, v.Join, uint32(v.Leader), v.Incarnation&0xfff)
}

func show(m *wire.ExtensionView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v from %x view %s place %s index %d base %d", m.Step, m.From.Incarnation&0xfff, viewString(m.View), viewString(m.Place), m.Index, m.Base)
	for _, x := range m.Members {
		fmt.Fprintf(&b, " %d/%x", number(x.Stream), x.Incarnation&0xfff)
	}
	if m.Parts > 1 {
		fmt.Fprintf(&b, " part %d of %d", m.Part, m.Parts)
	}
	return b.String()
}

// check looks at a program after each step.
func (w *world) check(p *program) {
	l, v := p.core.List(), p.core.View()
	if l == nil {
		return
	}
	switch {
	case p.was.Newer(v):
		w.fail("%v goes back from view %s to %s", p, viewString(p.was), viewString(v))
	case p.was == v && l.Version() < p.index:
		w.fail("%v goes back from index %d to %d", p, p.index, l.Version())
	}
	p.was, p.index, p.members = v, l.Version(), p.core.Members()
	if !slices.ContainsFunc(p.core.Members(), func(m wire.ViewMember) bool { return m.Incarnation == p.inc && m.System == p.self }) {
		w.fail("%v is not among its own members", p)
	}
	if player, _ := l.Kind(p.self); !player {
		w.fail("%v is not in its own confirmed list", p)
	}
	if player, _ := p.list.Kind(p.self); !player {
		w.fail("%v is not in its own list", p)
	}
	seen := map[wire.PlayerID]bool{}
	for _, m := range p.core.Members() {
		if f, _ := l.Flags(m.System); f&wire.PlayerSystem == 0 || seen[m.System] {
			w.fail("%v has a member %x that is not in its list, or twice", p, uint32(m.System))
		}
		seen[m.System] = true
	}
	w.listeners(p, l)
	at := position{v, l.Version()}
	switch o := w.lists[at]; {
	case p.checked == l && p.at == at: // nothing changed
	case o == nil:
		w.lists[at] = reload(l)
	case !playerlist.Equal(o, l):
		w.fail("%v has another list at %s %d than somebody else: %v", p, viewString(v), l.Version(), playerlist.Diff(o, l))
	}
	p.checked, p.at = l, at
	for id, s := range p.said {
		if p == w.liar {
			break
		}
		e, ok := p.list.Look(id)
		switch {
		case w.killed[id]:
			if !ok || e.System != p.self {
				delete(p.said, id)
			}
		case !ok:
			w.fail("%v lost its own %x (%+v)", p, uint32(id), *s)
		case !bytes.Equal(e.ShortName, s.name) || !bytes.Equal(e.Data, s.data):
			w.fail("%v has older names or data of its own %x", p, uint32(id))
		}
	}
	if p.core.Leads() && len(playerlist.Diff(p.list, l)) > 0 && !p.core.Frozen() {
		w.fail("%v leads, and its list is not the confirmed one: %v", p, playerlist.Diff(p.list, l))
	}
}

// listeners checks that a list has one machine at each listener.
func (w *world) listeners(p *program, l *playerlist.List) {
	if p.checked == l && p.at.index == l.Version() {
		return
	}
	if p.core.Leads() { // a member follows it with two operations
		seen := map[int]bool{}
		for _, m := range p.core.Members() {
			if seen[number(m.Stream)] {
				w.fail("%v has two members at the listener of %d", p, number(m.Stream))
			}
			seen[number(m.Stream)] = true
		}
	}
	at := map[wire.SockAddr]wire.PlayerID{}
	for _, e := range l.Players() {
		d, ok := wire.ParseSPData(e.SPData)
		if e.Flags&wire.PlayerSystem == 0 || !ok {
			continue
		}
		if other, taken := at[d.Stream]; taken {
			w.fail("%v has %x and %x at the listener of %d", p, uint32(other), uint32(e.ID), number(d.Stream))
		}
		at[d.Stream] = e.ID
	}
}

// did notes what a program did about a membership or a shortcut.
func (w *world) did(p *program, group, member wire.PlayerID, is bool) {
	x := link{group, member}
	if m := w.joint[x]; m != nil && m.maker != p {
		m.other = true
		return
	}
	w.joint[x] = &membership{maker: p, is: is}
}

// apart notes that two addresses cannot reach each other.
func (w *world) apart(a, b int) { w.bad[[2]int{min(a, b), max(a, b)}] = w.now }

// apartFrom notes that a program could not be reached.
func (p *program) apartFrom() {
	for n := range p.w.at {
		p.w.apart(p.n, n)
	}
}

// throws checks that a leader removes nobody who answers it.
func (w *world) throws(p *program, m wire.ViewMember) {
	q := w.who(m.Stream)
	if w.suspicions || q == nil || q.inc != m.Incarnation || q.left || !p.reaches(q.n, q.inc) {
		return
	}
	if q.core == nil || q.core.View().Newer(p.was) {
		return // it is in another part
	}
	if at, ok := w.gone[p.was.Incarnation]; ok && w.now-at < 2*time.Second {
		return // the leader may have answered it
	}
	for _, r := range w.in() {
		if r != p && r.core.Leads() && slices.ContainsFunc(r.core.Members(), func(x wire.ViewMember) bool { return x.Incarnation == q.inc }) {
			return
		}
	}
	for a := range q.w.cut {
		w.apart(a[0], a[1])
	}
	if at, ok := w.bad[[2]int{min(p.n, q.n), max(p.n, q.n)}]; !ok || w.now-at > 12*period {
		w.fail("%v throws %v out, which answers", p, q)
	}
}

// leavesBehind checks that the leader after one that is gone asked all who are in its view and answer, also those that joined just before.
// It cannot ask a newcomer of which nobody heard who is left: they come together later.
func (w *world) leavesBehind(p *program, members []wire.ViewMember) {
	if slices.ContainsFunc(w.running(), func(q *program) bool { return q.inc == p.was.Incarnation && !q.left }) {
		return // it may have refused
	}
	for _, q := range w.in() {
		apart := q.core.View() != p.was || p.core.View() == p.was || q.core.Frozen() || w.cast[q.inc] == p.was
		if q == p || w.suspicions || q.left || apart || !w.heardOf(q, p.was) || !p.reaches(q.n, q.inc) {
			continue
		}
		for a := range w.cut {
			w.apart(a[0], a[1])
		}
		at, ok := w.bad[[2]int{min(p.n, q.n), max(p.n, q.n)}]
		in := slices.ContainsFunc(members, func(x wire.ViewMember) bool { return x.Incarnation == q.inc })
		if !in && (!ok || w.now-at > 12*period || !w.cuts && !w.pauses) {
			w.fail("%v leaves %v behind, which answers", p, q)
		}
	}
}

// heardOf reports whether a program other than q that is in a view has q among its members.
func (w *world) heardOf(q *program, v wire.View) bool {
	return slices.ContainsFunc(w.in(), func(p *program) bool {
		return p != q && p.was == v && slices.ContainsFunc(p.members, func(m wire.ViewMember) bool { return m.Incarnation == q.inc })
	})
}

// running returns the programs that run.
func (w *world) running() (all []*program) {
	for _, p := range w.at {
		if p != nil && !p.down {
			all = append(all, p)
		}
	}
	return all
}

// in returns those that are in a view.
func (w *world) in() []*program {
	return slices.DeleteFunc(w.running(), func(p *program) bool { return p.core == nil || p.core.List() == nil })
}

// act has one thing happen: a fault, or a change.
func (w *world) act() {
	all := w.in()
	if len(all) == 0 {
		return
	}
	p := all[w.r.IntN(len(all))]
	q := all[w.r.IntN(len(all))]
	switch k := w.r.IntN(100); {
	case k < 55:
		if !p.paused {
			for range 1 + w.r.IntN(3) {
				p.change()
			}
			p.after()
		}
	case k < 62:
		if w.cuts {
			w.cuttings()
		}
	case k < 65:
		if w.cuts {
			w.mend()
		}
	case k < 68:
		if w.cuts {
			w.mendPair(p.n, q.n)
		}
	case k < 76:
		if w.breaks && p != q {
			w.logf("the connection of %v and %v breaks", p, q)
			w.breakUp(p, q)
		}
	case k < 80:
		if w.kills && len(all) > 2 {
			w.kill(p)
		}
	case k < 83:
		if w.leaves && len(all) > 2 && !p.paused {
			p.leave()
		}
	case k < 87:
		if w.pauses && !p.paused {
			w.logf("%v stands still", p)
			w.gone[p.inc] = w.now
			p.paused = true
			w.after(time.Duration(w.r.IntN(9000))*time.Millisecond, func() { p.goOn() })
		}
	case k < 92:
		if w.suspicions && p != q && !p.paused {
			if m := p.core.Members(); len(m) > 0 {
				x := m[w.r.IntN(len(m))]
				if x.Incarnation != p.inc && !p.core.Leads() {
					p.suspect(x)
				}
			}
		}
	default:
		if n := w.r.IntN(len(w.at)); w.joins && (w.at[n] == nil || w.at[n].down) {
			w.logf("a program starts at %d", n)
			w.start(n)
		}
	}
}

// mend ends all cuts.
func (w *world) mend() {
	w.logf("all is mended")
	for c := range w.cut {
		w.apart(c[0], c[1])
	}
	clear(w.cut)
}

// mendPair ends the cuts between two addresses.
func (w *world) mendPair(a, b int) {
	w.logf("%d and %d are mended", a, b)
	for _, c := range [][2]int{{a, b}, {b, a}} {
		if w.cut[c] {
			w.apart(a, b)
			delete(w.cut, c)
		}
	}
}

func (w *world) kill(p *program) {
	w.logf("%v is killed", p)
	w.gone[p.inc] = w.now
	p.down = true
	if w.joins && w.chance(50) {
		w.after(time.Duration(w.r.IntN(3000))*time.Millisecond, func() {
			if w.at[p.n] == p {
				w.logf("a program starts again at %d", p.n)
				w.start(p.n)
			}
		})
	}
}

func (p *program) goOn() {
	if p.paused {
		p.w.logf("%v goes on", p)
		p.apartFrom()
		p.paused = false
	}
}

// cuttings cuts the network: into parts, or one pair, or one direction.
func (w *world) cuttings() {
	n := len(w.at)
	switch w.r.IntN(3) {
	case 0:
		a, b := w.r.IntN(n), w.r.IntN(n)
		w.cut[[2]int{a, b}], w.cut[[2]int{b, a}] = true, true
		w.logf("%d and %d are cut", a, b)
	case 1:
		a, b := w.r.IntN(n), w.r.IntN(n)
		w.cut[[2]int{a, b}] = true
		w.logf("%d to %d is cut", a, b)
	default:
		part := make([]int, n)
		for i := range part {
			part[i] = w.r.IntN(2 + w.r.IntN(2))
		}
		for a := range n {
			for b := range n {
				if part[a] != part[b] {
					w.cut[[2]int{a, b}] = true
				}
			}
		}
		w.logf("parts %v", part)
	}
}

// leave has a program leave.
func (p *program) leave() {
	p.w.logf("%v leaves", p)
	p.w.gone[p.inc] = p.w.now
	p.left = true
	members := slices.Clone(p.core.Members())
	departed := p.list.Departed(p.self)
	for _, m := range members {
		if q := p.w.who(m.Stream); q != nil && q.inc == m.Incarnation && q != p {
			for _, op := range departed {
				p.send(q, told{op})
			}
			p.send(q, goodbye{})
		}
	}
	p.w.after(300*time.Millisecond, func() { p.down = true })
	p.core, p.list = nil, nil
}

// change has a program change something.
func (p *program) change() {
	w := p.w
	w.next++
	own := slices.Sorted(maps.Keys(p.said))
	pick := func(all []wire.PlayerID) wire.PlayerID {
		if len(all) == 0 {
			return 0
		}
		return all[w.r.IntN(len(all))]
	}
	groups, players := p.list.AppendGroups(nil), p.list.AppendPlayers(nil)
	players = slices.DeleteFunc(players, func(id wire.PlayerID) bool {
		f, _ := p.list.Flags(id)
		return f&wire.PlayerSystem != 0
	})
	text := wire.NewText(fmt.Sprint("n", w.next%7))
	data := []byte(fmt.Sprint("d", w.next%5))
	switch k := w.r.IntN(13); {
	case k == 12:
		if p.core.Leads() && !p.core.Frozen() {
			d := p.list.Session()
			d.Name = text
			p.do(playerlist.SetDesc{Session: d})
		}
	case k < 2 || len(own) == 0:
		id := wire.PlayerID(0x80000000 + w.next<<4)
		if p.core.Leads() && !p.core.Frozen() {
			id, _ = p.ids(p.list).Reserve() // the leader of another part may give it as well
		}
		group := w.r.IntN(2) == 0
		e := playerlist.Entry{ID: id, System: p.self, ShortName: text, Data: data}
		var op playerlist.Op = playerlist.AddPlayer{Entry: e}
		if group {
			if w.chance(30) {
				e.Parent = pick(groups)
			}
			op = playerlist.AddGroup{Entry: e}
		}
		if p.do(op) {
			w.born[id]++
			p.said[id] = &saying{group, text, data}
			if e.Parent != 0 {
				w.killed[id] = true // it goes with the group that it is in
			}
		}
	case k < 7:
		id := pick(own)
		if p.do(playerlist.SetInfo{ID: id, ShortName: text, Data: data}) {
			p.said[id].name, p.said[id].data = text, data
		}
	case k < 8:
		id := pick(own)
		if s := p.said[id]; s.group {
			w.kills_(p.list.Subtree(id))
			if p.do(playerlist.DeleteGroup{ID: id}) {
				delete(p.said, id)
			}
		} else if p.do(playerlist.DeletePlayer{ID: id}) {
			delete(p.said, id)
		}
	case k < 9 && w.chance(40):
		if id := pick(groups); id != 0 {
			w.kills_(p.list.Subtree(id))
			p.do(playerlist.DeleteGroup{ID: id})
		}
	case k < 11:
		g, m := pick(groups), pick(players)
		if p.list.IsMember(g, m) {
			p.do(playerlist.RemoveMember{Group: g, Player: m})
			w.did(p, g, m, false)
		} else if p.do(playerlist.AddMember{Group: g, Player: m}) {
			w.did(p, g, m, true)
		}
	default:
		g, m := pick(groups), pick(groups)
		if slices.Contains(p.list.AppendShortcuts(nil, g), m) {
			p.do(playerlist.RemoveShortcut{Parent: g, Child: m})
			w.did(p, g, m, false)
		} else if p.do(playerlist.AddShortcut{Parent: g, Child: m}) {
			w.did(p, g, m, true)
		}
	}
}

// kills_ notes that groups were deleted: they may come back or not, for their owners.
func (w *world) kills_(ids []wire.PlayerID) {
	for _, id := range ids {
		w.killed[id] = true
	}
}

// errTooLong ends a run whose steps do not end.
var errTooLong = errors.New("more steps than a run has")

// run runs a world until a time.
func (w *world) run(until time.Duration) {
	for steps := 0; w.events.Len() > 0 && w.wrong == nil && w.events[0].at <= until; steps++ {
		if steps > 400_000 {
			w.wrong = errTooLong
			return
		}
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
	}
	w.now = until
}

// newWorld returns a world in which all programs are in one view.
func newWorld(seed uint64, o options) *world {
	view.SetPart(1 << 18)
	if o.parts {
		view.SetPart(300)
	}
	w := &world{options: o, r: rand.New(rand.NewPCG(seed, 28)), at: make([]*program, o.programs), conns: map[[2]*program]*conn{},
		cut: map[[2]int]bool{}, killed: map[wire.PlayerID]bool{}, joint: map[link]*membership{}, born: map[wire.PlayerID]int{}, bad: map[[2]int]time.Duration{}, muted: map[[2]int]bool{}, gone: map[wire.Incarnation]time.Duration{}, cast: map[wire.Incarnation]wire.View{}, lists: map[position]*playerlist.List{}}
	w.mended = true
	for a := range o.programs {
		for b := range o.programs {
			if o.mute && w.chance(40) {
				w.muted[[2]int{a, b}] = true
			}
		}
	}
	for n := range o.programs {
		p := w.start(n)
		if n == 0 {
			p.host(0)
		}
	}
	w.run(10 * time.Second)
	if w.wrong == nil {
		w.whole()
	}
	return w
}

// drawn returns the options of a seed.
func drawn(seed uint64) options {
	r := rand.New(rand.NewPCG(seed, 29))
	half := func() bool { return r.IntN(2) == 0 }
	return options{programs: 2 + r.IntN(6), steps: 5 + r.IntN(80), suspicions: half(), kills: half(), joins: half(), pauses: half(),
		cuts: half(), leaves: r.IntN(3) == 0, breaks: half(), mute: r.IntN(4) == 0, parts: r.IntN(4) == 0}
}

// try runs a seed: a time of faults, then one without them.
func try(seed uint64, o options) *world {
	w := newWorld(seed, o)
	if w.wrong != nil {
		return w
	}
	w.mended = false
	begin := w.now
	for range o.steps {
		w.after(time.Duration(w.r.Int64N(int64(faults))), w.act)
	}
	w.run(begin + faults)
	w.logf("no more faults")
	w.mended = true
	w.mend()
	for _, p := range w.running() {
		p.goOn()
	}
	w.run(begin + faults + calm)
	if w.wrong == nil {
		w.whole()
	}
	return w
}

// knows reports whether a part of the session knows somebody in another one.
func (p *program) knows(q *program) bool {
	for _, m := range slices.Concat(p.core.Lost(), p.core.Members()) {
		x := p.w.who(m.Stream)
		if x != nil && x.inc == m.Incarnation && x.core != nil && x.core.View() == q.core.View() {
			return true
		}
	}
	return false
}

// whole checks that all who live are in one view, with what each of them said.
func (w *world) whole() {
	all := w.running()
	all = slices.DeleteFunc(all, func(p *program) bool { return p.left })
	for _, p := range all {
		if p.core == nil || p.core.List() == nil {
			w.fail("%v is not in the session", p)
			return
		}
	}
	for i, p := range all {
		for _, q := range all[:i] {
			if p.core.View() != q.core.View() && (p.knows(q) || q.knows(p)) {
				w.fail("%v is in %s, %v in %s", p, viewString(p.core.View()), q, viewString(q.core.View()))
				return
			}
		}
	}
	for _, p := range all {
		if d := playerlist.Diff(p.list, p.core.List()); len(d) > 0 {
			w.fail("%v sees another list than the confirmed one: %v; %+v", p, d, p.list.Session())
		}
		var part []*program
		for _, q := range all {
			if q.core.View() != p.core.View() {
				continue
			}
			part = append(part, q)
			if !playerlist.Equal(p.core.List(), q.core.List()) {
				w.fail("%v and %v have other lists: %d, %d", p, q, p.core.List().Version(), q.core.List().Version())
			}
		}
		if len(p.core.Members()) != len(part) || len(p.list.AppendSystems(nil)) != len(part) {
			w.fail("%v has %d members and %d system players, not %d", p, len(p.core.Members()), len(p.list.AppendSystems(nil)), len(part))
		}
		w.truth(p, part)
	}
	if !w.cuts && !w.pauses && !w.suspicions { // nobody was lost
		for x, m := range w.joint {
			w.effective(x, m, all[0].list)
		}
	}
	if w.now > calm && w.now-w.streams < calm/6 && !w.mute && w.liar == nil { // a liar may have had somebody lost who never was
		w.fail("there are still messages over connections")
	}
}

// effective checks that what a program did about a membership is in effect, if nobody else touched it and nobody deleted what it is of.
func (w *world) effective(x link, m *membership, l *playerlist.List) {
	_, group := l.Kind(x.group)
	player, other := l.Kind(x.member)
	if m.other || m.maker.down || w.born[x.group] > 1 || w.born[x.member] > 1 || w.killed[x.group] || w.killed[x.member] || !group || !player && !other {
		return
	}
	if is := l.IsMember(x.group, x.member) || slices.Contains(l.AppendShortcuts(nil, x.group), x.member); is != m.is {
		w.fail("%x in %x is %v, but %v made it %v", uint32(x.member), uint32(x.group), is, m.maker, m.is)
	}
}

// truth checks that the list is what its owners said.
func (w *world) truth(p *program, part []*program) {
	for _, q := range part {
		if q == w.liar {
			continue
		}
		for id, s := range q.said {
			e, ok := p.list.Look(id)
			switch {
			case !ok && w.killed[id]:
			case !ok || e.System != q.self:
				w.fail("%v lacks %x of %v", p, uint32(id), q)
			case !bytes.Equal(e.ShortName, s.name) || !bytes.Equal(e.Data, s.data):
				w.fail("%v has older names or data of %x of %v", p, uint32(id), q)
			}
		}
		for _, e := range slices.Concat(p.list.Players(), p.list.Groups()) {
			if _, ok := q.said[e.ID]; !ok && !w.killed[e.ID] && e.System == q.self && e.Flags&wire.PlayerSystem == 0 {
				w.fail("%v has %x, which %v does not have", p, uint32(e.ID), q)
			}
		}
	}
}
