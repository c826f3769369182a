package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

func objectCreated(id wire.ObjectID, owner wire.PlayerID, counter uint32) dpsp.ObjectCreated {
	return dpsp.ObjectCreated{ObjectCreated: object.ObjectCreated{ID: id, Owner: owner, Counter: counter, State: []byte("new")}}
}

func objectUpdated(id wire.ObjectID, owner wire.PlayerID) dpsp.ObjectUpdated {
	return dpsp.ObjectUpdated{ObjectUpdated: object.ObjectUpdated{ID: id, Owner: owner, State: []byte("changed")}}
}

func objectMigrated(id wire.ObjectID, from, to wire.PlayerID, counter uint32) dpsp.ObjectMigrated {
	return dpsp.ObjectMigrated{ObjectMigrated: object.ObjectMigrated{ID: id, From: from, To: to, Counter: counter,
		State: []byte("moved")}}
}

func objectDestroyed(id wire.ObjectID) dpsp.ObjectDestroyed {
	return dpsp.ObjectDestroyed{ObjectDestroyed: object.ObjectDestroyed{ID: id}}
}

// TestToldObjects goes on from toldIn with a history about objects, the last event of which must be complained about
// with these words.
func TestToldObjects(t *testing.T) {
	id, other := wire.ObjectID{Creator: 2, Number: 7}, wire.ObjectID{Creator: 2, Number: 8}
	there := objectCreated(id, 2, 3)
	for name, c := range map[string]toldCase{
		"made":                   {[]dpsp.Event{there, objectCreated(other, 2, 0)}, ""},
		"made twice":             {[]dpsp.Event{there, there}, "there already"},
		"unknown changed":        {[]dpsp.Event{there, objectUpdated(other, 2)}, "no object"},
		"changed":                {[]dpsp.Event{there, objectUpdated(id, 2)}, ""},
		"changed by another":     {[]dpsp.Event{there, objectUpdated(id, 1)}, "changed it"},
		"unknown migrated":       {[]dpsp.Event{there, objectMigrated(other, 2, 1, 9)}, "no object"},
		"migrated":               {[]dpsp.Event{there, objectMigrated(id, 2, 1, 4)}, ""},
		"confirmed":              {[]dpsp.Event{there, objectMigrated(id, 2, 2, 4)}, ""},
		"from another":           {[]dpsp.Event{there, objectMigrated(id, 5, 1, 4)}, "was 0x00000002's"},
		"to a lower owner":       {[]dpsp.Event{there, objectMigrated(id, 2, 1, 3)}, ""},
		"to a higher owner":      {[]dpsp.Event{there, objectMigrated(id, 2, 5, 3)}, "went back"},
		"to a lower counter":     {[]dpsp.Event{there, objectMigrated(id, 2, 1, 2)}, "went back"},
		"unknown destroyed":      {[]dpsp.Event{there, objectDestroyed(other)}, "no object"},
		"destroyed twice":        {[]dpsp.Event{there, objectDestroyed(id), objectDestroyed(id)}, "no object"},
		"alive again":            {[]dpsp.Event{there, objectDestroyed(id), there}, ""},
		"after the session":      {[]dpsp.Event{there, dpsp.SessionLost{}, objectUpdated(id, 2)}, "no session"},
		"in the next session":    {[]dpsp.Event{there, dpsp.SessionLost{}, there}, "no session"},
		"whole with another one": {[]dpsp.Event{dpsp.SessionHealed{Host: 5, System: 9}}, "its host was"},
	} {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

// TestDidObjects does what only the owner may do, and holds the engine's objects against what came of it.
func TestDidObjects(t *testing.T) {
	var told told
	told.reset()
	told.in, told.self = true, 1
	mine, theirs := wire.ObjectID{Creator: 1, Number: 1}, wire.ObjectID{Creator: 2, Number: 1}
	require.Empty(t, told.did(dpsp.CreateObject{State: []byte("a")}, mine))
	require.Empty(t, told.hear(objectCreated(theirs, 2, 0)))
	assert.Contains(t, told.did(dpsp.CreateObject{}, mine), "there already")
	assert.Contains(t, told.did(dpsp.UpdateObject{ID: theirs}, theirs), "not ours")
	assert.Contains(t, told.did(dpsp.DestroyObject{ID: theirs}, theirs), "not ours")
	require.Empty(t, told.did(dpsp.UpdateObject{ID: mine, State: []byte("b")}, mine))
	list := func() []object.Object {
		return []object.Object{{ID: mine, Owner: 1, State: []byte("b")}, {ID: theirs, Owner: 2, State: []byte("new")}}
	}
	assert.Empty(t, told.againstObjects(list()))
	assert.NotEmpty(t, told.againstObjects(list()[:1]))
	for _, spoil := range []func(o *object.Object){
		func(o *object.Object) { o.ID.Number++ }, func(o *object.Object) { o.Owner++ },
		func(o *object.Object) { o.Counter++ }, func(o *object.Object) { o.State = nil },
	} {
		l := list()
		spoil(&l[0])
		assert.NotEmpty(t, told.againstObjects(l))
	}
	require.Empty(t, told.did(dpsp.DestroyObject{ID: mine}, mine))
	assert.Empty(t, told.againstObjects(list()[1:]))
}

// TestJudgeObjects breaks the end of a run in each way that there is a check for: machine A hosts, C owns an object.
func TestJudgeObjects(t *testing.T) {
	id := wire.ObjectID{Creator: 102, Number: 1}
	gone := wire.ObjectID{Creator: 102, Number: 2}
	for name, c := range map[string]struct {
		spoil func(w *World, p []*process)
		want  []string
	}{
		"nothing":       {func(*World, []*process) {}, nil},
		"two owners":    {func(_ *World, p []*process) { p[1].told.objects[id].owner = 101 }, []string{"objects"}},
		"counters":      {func(_ *World, p []*process) { p[1].told.objects[id].counter++ }, []string{"objects"}},
		"states":        {func(_ *World, p []*process) { p[1].told.objects[id].state = []byte("x") }, []string{"objects"}},
		"one has none":  {func(_ *World, p []*process) { delete(p[3].told.objects, id) }, []string{"objects"}},
		"nobody's":      {func(_ *World, p []*process) { giveAll(p, gone, 999) }, []string{"objects"}},
		"legacy member": {func(_ *World, p []*process) { p[3].l.legacy = true; delete(p[3].told.objects, id) }, nil},
		"legacy host, nobody's": {func(_ *World, p []*process) {
			p[0].l.legacy = true
			giveAll(p[1:3], gone, 999)
		}, nil},
		"legacy host": {func(_ *World, p []*process) { p[0].l.legacy = true; delete(p[1].told.objects, id) }, []string{"objects"}},
		"not promised": {func(w *World, p []*process) {
			w.opt.Checks.Objects = false
			delete(p[1].told.objects, id)
		}, nil},
		"no extension": {func(w *World, p []*process) { w.opt.Rule = DPlay4; delete(p[1].told.objects, id) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := bare(t, 4)
			w.opt.Rule, w.opt.Flags = Modern, wire.SessionMigrateHost
			giveAll(p, id, 102)
			c.spoil(w, p)
			w.judge()
			assert.Equal(t, c.want, w.broken())
		})
	}
}

// giveAll tells programs of an object.
func giveAll(p []*process, id wire.ObjectID, owner wire.PlayerID) {
	for _, q := range p {
		q.told.objects[id] = &toy{owner: owner, state: []byte("s")}
	}
}

// TestObjectsOfLegacyMachines has objects where there is no extension.
func TestObjectsOfLegacyMachines(t *testing.T) {
	for rule, want := range map[Rule][]string{Modern: nil, DPlay4: {"objects"}} {
		w, p := bare(t, 2)
		w.opt.Rule, w.opt.Flags = rule, wire.SessionMigrateHost
		p[1].program.pending = []pending{{token: 1, what: "CreateObject", command: dpsp.CreateObject{}}}
		p[1].program.done(dpsp.Done{Token: 1, Object: wire.ObjectID{Creator: 101}})
		assert.Equal(t, want, w.broken())
	}
}
