package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// bare returns a world whose machines have programs that do nothing, all in one session of machine A's.
func bare(t *testing.T, n int) (*World, []*process) {
	t.Helper()
	o := Draw(1)
	o.Members, o.Legacy, o.Faults = n, 0, 0
	o.Complete()
	o.Checks = Checks{Migration: true, OneHost: true, Known: true, IDs: true, Final: true, Living: true, Tables: true, Objects: true}
	require.NoError(t, o.Check())
	w := newWorld(o)
	var all []*process
	for i, l := range w.lanes {
		p := &process{l: l, run: i + 1, engine: dpsp.New(dpsp.Config{})}
		p.program = program{w: w, p: p, entered: map[dpsp.AddToGroup]wire.PlayerID{}, shown: map[dpsp.AddShortcut]wire.PlayerID{}}
		p.told.reset()
		p.told.in, p.told.instance = true, wire.GUID{1}
		p.told.self, p.told.host = wire.PlayerID(100+i), 100
		l.proc = p
		all = append(all, p)
	}
	for _, p := range all {
		for i := range all {
			id := wire.PlayerID(200 + i)
			p.told.peers[wire.PlayerID(100+i)] = w.lanes[i].stream()
			p.told.hear(dpsp.PlayerCreated{ID: id, System: wire.PlayerID(100 + i), ShortName: "p", Local: p == all[i]})
		}
		p.program.players = []wire.PlayerID{200 + p.told.self - 100}
		w.truth.own(p, p.told.self)
		w.truth.entered(p)
	}
	return w, all
}

// broken returns the rules that were violated.
func (w *World) broken() (rules []string) {
	for _, v := range w.res.Violations {
		rules = append(rules, v.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// TestJudge breaks the end of a run in each way that there is a check for, and holds what is found against it.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(w *World, p []*process)
		want  []string
	}{
		"nothing":   {func(*World, []*process) {}, nil},
		"two hosts": {func(w *World, p []*process) { p[2].told.host = p[2].told.self }, []string{"hosts"}},
		"two hosts, who know each other by another": {func(w *World, p []*process) {
			p[2].told.host = p[2].told.self
			w.truth.met.forget(p[2])
			w.truth.met[[2]*process{p[1], p[2]}] = true
		}, []string{"hosts"}},
		"two hosts, strangers": {func(w *World, p []*process) {
			p[2].told.host = p[2].told.self
			w.truth.met.forget(p[2])
			for _, id := range []wire.PlayerID{200, 201, 203} {
				delete(p[2].told.players, id)
			}
			for _, q := range []*process{p[0], p[1], p[3]} {
				delete(q.told.players, 202)
			}
		}, nil},
		"no such host":    {func(w *World, p []*process) { p[2].told.host = 999 }, []string{"orphan"}},
		"host is a guest": {func(w *World, p []*process) { p[2].told.host = p[1].told.self }, []string{"orphan"}},
		"unknown to host": {func(w *World, p []*process) { delete(p[0].told.players, 202) }, []string{"forgotten", "tables"}},
		"a name differs":  {func(w *World, p []*process) { p[1].told.players[202].name = "q" }, []string{"tables"}},
		"a group more":    {func(w *World, p []*process) { p[1].told.groups[300] = &thing{} }, []string{"tables"}},
		"a member more": {func(w *World, p []*process) {
			for _, q := range p {
				q.told.groups[300] = &thing{}
			}
			p[1].told.groups[300].members = []wire.PlayerID{201}
		}, []string{"tables"}},
		"nobody's player": {func(w *World, p []*process) {
			for _, q := range p {
				q.told.players[400] = &thing{system: 999}
			}
		}, []string{"phantom"}},
		"on its way in": {func(w *World, p []*process) { p[1].told.reset(); p[1].told.joining = true },
			[]string{"phantom", "stuck", "tables"}},
		"no answer": {func(w *World, p []*process) { p[1].program.pending = []pending{{token: 1, what: "Join"}} }, []string{"stuck"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := bare(t, 4)
			c.spoil(w, p)
			if name == "on its way in" { // its player is gone from all tables but one
				delete(p[3].told.players, 201)
			}
			w.judge()
			assert.Equal(t, c.want, w.broken())
		})
	}
}

// TestJudgeExpectations checks that what is not promised is counted and is no violation.
func TestJudgeExpectations(t *testing.T) {
	w, p := bare(t, 4)
	w.opt.Checks = Checks{}
	p[2].told.host = p[2].told.self
	p[2].told.players[203].name = "other"
	delete(p[0].told.players, 201)
	w.judge()
	assert.Empty(t, w.broken())
	assert.Equal(t, 1, w.res.Stats.SplitAtEnd)
	assert.Equal(t, 1, w.res.Stats.Forgotten)
	assert.Equal(t, 1, w.res.Stats.Unequal, "D has another table than A, its host; C is its own host")
	assert.Equal(t, 2, w.res.Stats.LostOperations, "C has another name for D's player, A has not B's")
	assert.Equal(t, 12, w.res.Stats.Known)
}

// TestSplitIsCounted lets a session have a second host for a while.
func TestSplitIsCounted(t *testing.T) {
	w, p := bare(t, 3)
	change := func(to wire.PlayerID) {
		ev := dpsp.HostChanged{Old: p[2].told.host, New: to, Hosting: to == p[2].told.self}
		w.events(p[2], []dpsp.Event{ev})
	}
	change(p[2].told.self)
	w.now = 5 * time.Second
	change(100)
	w.now = 6 * time.Second
	assert.Equal(t, 1, w.res.Stats.Splits)
	assert.Equal(t, 5*time.Second, w.res.Stats.SplitTime)
}

// TestNewHostIsTimed takes the host away and gives the others another one.
func TestNewHostIsTimed(t *testing.T) {
	w, p := bare(t, 3)
	w.now = time.Second
	w.end(p[0].l, crash)
	assert.Equal(t, 1, w.res.Stats.HostsLost)
	for i, q := range p[1:] {
		w.now = time.Duration(3+i) * time.Second
		w.truth.before(q, dpsp.HostChanged{})
		q.told.host = p[1].told.self
		w.truth.after(q, dpsp.HostChanged{})
	}
	assert.Equal(t, Times{2 * time.Second, 3 * time.Second}, w.res.Stats.NewHost)
}

// TestIDs has two machines hold one id: one that the host knows to be another's, one that it took back, and one at the
// end of the run.
func TestIDs(t *testing.T) {
	w, p := bare(t, 3)
	w.truth.own(p[1], 201)
	w.truth.own(p[1], 201)
	assert.Empty(t, w.broken(), "its own again")
	w.truth.own(p[2], 201)
	assert.Equal(t, []string{"ids"}, w.broken())
	assert.Equal(t, 1, w.res.Stats.DoubleIDs)
	w, p = bare(t, 3)
	w.truth.own(p[1], 201)
	delete(p[0].told.players, 201)
	w.truth.own(p[2], 201)
	assert.Empty(t, w.broken(), "the host took it back")
	assert.Equal(t, 1, w.res.Stats.DoubleIDs)
	w, p = bare(t, 3)
	w.truth.own(p[0], 200)
	w.truth.own(p[2], 200)
	assert.Equal(t, []string{"ids"}, w.broken(), "the host's own")
	w, p = bare(t, 3)
	w.truth.own(p[1], 201)
	w.end(p[1].l, powerLoss)
	w.truth.own(p[2], 201)
	assert.Empty(t, w.broken(), "who held it is gone")
	w, p = bare(t, 3)
	for _, q := range p {
		q.told.players[300] = &thing{system: 101, local: q != p[0]}
	}
	w.judge()
	assert.Equal(t, []string{"ids"}, w.broken(), "in the end")
}

// TestTable lets a log go back.
func TestTable(t *testing.T) {
	w, p := bare(t, 2)
	w.checkVersion(p[1], 7)
	w.checkVersion(p[1], 7)
	w.checkVersion(p[1], 9)
	assert.Empty(t, w.broken())
	w.checkVersion(p[1], 0)
	w.checkVersion(p[1], 3)
	assert.Empty(t, w.broken(), "it gave its table up and began anew")
	w.tell(p[1], dpsp.SessionHealed{Host: 5})
	w.checkVersion(p[1], 2)
	assert.Empty(t, w.broken(), "it went over to another part")
	w.checkVersion(p[1], 1)
	assert.Equal(t, []string{"table"}, w.broken())
	w, p = bare(t, 2)
	w.opt.Rule, w.opt.Flags = Modern, wire.SessionMigrateHost
	p[0].version, p[1].version = 5, 4
	w.judge()
	assert.Equal(t, []string{"tables"}, w.broken(), "in the end")
}

// TestBusy has an engine ask to be woken in the past, and be stepped too often.
func TestBusy(t *testing.T) {
	w, p := bare(t, 2)
	w.schedule(p[0], time.Second, time.Second)
	assert.Equal(t, []string{"busy"}, w.broken())
	w, p = bare(t, 2)
	require.Empty(t, w.broken())
	for range w.opt.Bounds.Steps - 1 {
		w.step(p[0], dpsp.Input{})
	}
	assert.Empty(t, w.broken())
	w.step(p[0], dpsp.Input{})
	assert.Equal(t, []string{"busy"}, w.broken())
}

// TestBounds exceeds each limit by one.
func TestBounds(t *testing.T) {
	w, _ := bare(t, 2)
	w.flight(w.opt.Bounds.InFlight - 1)
	assert.Empty(t, w.broken())
	w.flight(1)
	assert.Equal(t, []string{"bounds"}, w.broken())
	w, p := bare(t, 2)
	to := dpsp.Outgoing{Transport: dpsp.TCP, To: p[1].l.stream(), Data: make([]byte, w.opt.Bounds.Queue)}
	w.send(p[0], &to)
	assert.Empty(t, w.broken())
	to.Data = []byte{1}
	w.send(p[0], &to)
	assert.Equal(t, []string{"bounds"}, w.broken())
	w, p = bare(t, 2)
	for range maxToItself {
		w.send(p[0], &dpsp.Outgoing{Transport: dpsp.UDP, To: p[0].l.stream()})
	}
	assert.Empty(t, w.broken())
	w.send(p[0], &dpsp.Outgoing{Transport: dpsp.UDP, To: p[0].l.stream()})
	assert.Equal(t, []string{"address"}, w.broken())
}

// TestDoneTwice has a command answered that nobody gave.
func TestDoneTwice(t *testing.T) {
	w, p := bare(t, 2)
	p[0].program.pending = []pending{{token: 7, what: "SetName"}}
	w.events(p[0], []dpsp.Event{dpsp.Done{Token: 7}})
	assert.Empty(t, w.broken())
	w.events(p[0], []dpsp.Event{dpsp.Done{Token: 7}})
	assert.Equal(t, []string{"done"}, w.broken())
}

// TestMigrationLost has a member lose a session that has MIGRATEHOST with its host.
func TestMigrationLost(t *testing.T) {
	w, p := bare(t, 2)
	w.events(p[1], []dpsp.Event{dpsp.SessionLost{Reason: "the host is gone: it left"}})
	assert.Contains(t, w.broken(), "migration")
	w, p = bare(t, 2)
	w.events(p[1], []dpsp.Event{dpsp.SessionLost{Reason: "the host removed us"}})
	assert.NotContains(t, w.broken(), "migration")
}
