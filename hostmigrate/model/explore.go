package model

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options say which world is explored, and how far.
type Options struct {
	Machines int // 2 to 5
	Legacy   int // how many of them, from the last, are legacy machines
	Outside  int // how many modern ones, before those, are in no session at first
	Split    int // the first machines, which lost all the others, that form a part of their own; 0: there is one part
	// LegacyHost has the first machine be a legacy machine, which hosts.
	LegacyHost bool
	// BadLink says that the connection between the machines of Bad never works, while everything else does.
	BadLink bool
	Bad     [2]int

	// How many of these things can happen in all.
	Changes, Groups, Suspicions, Restarts, Leaves, Claims, Forgeries, LegacyActs int8

	Epochs  int8 // the highest epoch
	Without Rule // the rule that is taken out; "": none

	States int    // how many states are explored, in order of the steps that they take
	Walks  int    // instead of that: how many random walks
	Depth  int    // of a walk
	Seed   uint64 // of the walks
	Live   int    // every so many states a fair network has to bring all into one view; 0: never
}

// A Report says how far an exploration came.
type Report struct {
	States  int
	Depth   int
	Tried   int // states from which a fair network was let do
	Periods int // that this took at most
	All     bool
}

// A Fault is a state that must not be, and the way there.
type Fault struct {
	Text string
	Path []string
}

func (f *Fault) Error() string {
	return f.Text + "\n    " + strings.Join(f.Path, "\n    ")
}

type world struct{ Options }

// Explore goes through the states of a world. Its error is a *Fault if something is not as it must be.
func Explore(o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	w := &world{o}
	if o.Walks > 0 {
		return w.walk()
	}
	return w.all()
}

// check says what is wrong with options.
func (o *Options) check() error {
	modern := o.Machines - o.Legacy - o.Outside // that are in the session
	if o.LegacyHost {
		modern--
	}
	switch {
	case o.Machines < 2 || o.Machines > machines:
		return fmt.Errorf("%d machines: there are 2 to %d", o.Machines, machines)
	case o.Legacy < 0 || o.Outside < 0 || modern < 1:
		return errors.New("no modern machine is in the session: lower Legacy or Outside")
	case o.Split < 0 || o.Split > 0 && (o.Split >= modern || o.LegacyHost):
		return fmt.Errorf("split after machine %d: both parts need a modern machine, and a modern host", o.Split)
	case o.BadLink && (o.Bad[0] == o.Bad[1] || min(o.Bad[0], o.Bad[1]) < 0 || max(o.Bad[0], o.Bad[1]) >= o.Machines):
		return fmt.Errorf("a connection between machines %d and %d: there are 0 to %d", o.Bad[0], o.Bad[1], o.Machines-1)
	case o.Without != "" && !slices.Contains(Rules(), o.Without):
		return fmt.Errorf("no rule is called %q: see Rules", o.Without)
	}
	return nil
}

// open has a machine open a session.
func (w *world) open(s *state, i int, epoch int8) {
	x := &s.m[i]
	x.index = 1
	x.list = list{host: int8(i + 1)}
	x.list.members[i] = member{inc: x.inc, id: 1, join: 1, data: x.data, said: x.made}
	x.view = view{epoch: epoch, join: 1, id: 1, inc: x.inc}
	x.prom = x.view
}

// initial returns the first state: the session was opened by the first machine, and the others joined one after another.
func (w *world) initial() *state {
	s := &state{left: left{w.Changes, w.Groups, w.Suspicions, w.Restarts, w.Leaves, w.Claims, w.Forgeries, w.LegacyActs}}
	for i := range w.Machines {
		s.lives++
		s.m[i].legacy = i >= w.Machines-w.Legacy || w.LegacyHost && i == 0
		w.begin(s, i)
	}
	first, leader := 0, 0
	if w.LegacyHost {
		leader = 1
	}
	var l list
	for i := range w.Machines {
		if i < w.Machines-w.Legacy && i >= w.Machines-w.Legacy-w.Outside {
			continue
		}
		l.members[i] = member{inc: s.m[i].inc, id: int8(i + 1), join: int8(i + 1), legacy: s.m[i].legacy}
	}
	l.host = int8(first + 1)
	part := func(from, to, leader, host int, epoch int8) {
		mine := l
		mine.host = int8(host + 1)
		for i := range mine.members {
			if e := mine.members[i]; e.inc != 0 && !e.legacy && (i < from || i >= to) {
				mine.remove(i)
				mine.lost[i] = e
			}
		}
		if from > 0 { // it let somebody in since, by an id that the other part has as well
			mine.members[to-1].id = 1
		}
		e := mine.members[leader]
		v := view{epoch: epoch, join: e.join, id: e.id, inc: e.inc}
		if mine.mixed() {
			v.join = 0
		}
		for i := from; i < to; i++ {
			if x := &s.m[i]; l.members[i].inc != 0 && !x.legacy {
				x.view, x.prom, x.index, x.list = v, v, int8(w.Machines), mine
			}
		}
	}
	if w.Split > 0 {
		part(0, w.Split, leader, first, 1)
		part(w.Split, w.Machines-w.Legacy-w.Outside, w.Split, w.Split, 2)
		for i := range s.m {
			if s.m[i].legacy && w.Legacy > 0 {
				for k := w.Split; k < w.Machines-w.Legacy; k++ {
					s.m[k].list.remove(i)
				}
			}
		}
	} else {
		part(0, w.Machines, leader, first, 1)
	}
	if w.LegacyHost {
		s.m[0].list = l
	}
	return s
}

type came struct {
	from hash
	act  act
}

// all explores states in the order of their distance from the first one.
func (w *world) all() (r Report, err error) {
	first := w.initial()
	seen := map[hash]came{first.key(): {}}
	level := []*state{first}
	path := func(k hash) []string {
		var acts []act
		for k != first.key() {
			acts = append(acts, seen[k].act)
			k = seen[k].from
		}
		slices.Reverse(acts)
		return w.replay(acts)
	}
	var acts []act
	for len(level) > 0 {
		r.Depth++
		var after []*state
		for _, s := range level {
			from := s.key()
			acts = w.acts(s, acts[:0])
			for _, a := range acts {
				to := w.do(s, a)
				if bad := w.check(s, to); bad != "" {
					return r, &Fault{bad, append(path(from), w.describe(s, a))}
				}
				k := to.key()
				if _, known := seen[k]; known {
					continue
				}
				seen[k] = came{from, a}
				r.States++
				after = append(after, to)
				if w.Live > 0 && r.States%w.Live == 0 {
					if err := w.try(to, &r, func() []string { return path(k) }); err != nil {
						return r, err
					}
				}
				if r.States >= w.States {
					return r, nil
				}
			}
		}
		level = after
	}
	r.All = true
	return r, nil
}

// replay describes acts.
func (w *world) replay(acts []act) (path []string) {
	s := w.initial()
	for _, a := range acts {
		path = append(path, w.describe(s, a))
		s = w.do(s, a)
	}
	return path
}

// try lets a fair network do.
func (w *world) try(s *state, r *Report, path func() []string) error {
	r.Tried++
	periods, end := w.fair(s)
	if periods < 0 {
		return &Fault{"a network without faults does not bring all into one view after:", append(path(), end.describe(w)...)}
	}
	r.Periods = max(r.Periods, periods)
	return nil
}

// walk takes random steps.
func (w *world) walk() (r Report, err error) {
	random := rand.New(rand.NewPCG(w.Seed, 1))
	var acts []act
	for range w.Walks {
		s := w.initial()
		var path []act
		for range w.Depth {
			acts = w.acts(s, acts[:0])
			if len(acts) == 0 {
				break
			}
			a := w.choose(random, acts)
			to := w.do(s, a)
			path = append(path, a)
			r.States++
			if bad := w.check(s, to); bad != "" {
				return r, &Fault{bad, w.replay(path)}
			}
			s = to
		}
		r.Depth = max(r.Depth, len(path))
		if w.Live > 0 {
			if err := w.try(s, &r, func() []string { return w.replay(path) }); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// choose draws an act: half of the time one of a machine's own, as there soon are many more messages than those.
func (w *world) choose(random *rand.Rand, acts []act) act {
	own := slices.IndexFunc(acts, func(a act) bool { return a.kind != aDeliver && a.kind != aSilent })
	switch {
	case own < 0 || own == 0:
		return acts[random.IntN(len(acts))]
	case random.IntN(5) < 2:
		return acts[own+random.IntN(len(acts)-own)]
	case random.IntN(2) == 0 && own > 6: // what was sent last
		return acts[own-1-random.IntN(6)]
	}
	return acts[random.IntN(own)]
}

// String returns what an exploration did.
func (r Report) String() string {
	how := "not all"
	if r.All {
		how = "all there are"
	}
	return fmt.Sprintf("%d states (%s), up to %d steps; %d tried for liveness, each whole after at most %d periods",
		r.States, how, r.Depth, r.Tried, r.Periods)
}
