package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// object has a machine do something with an object, and gives its id.
func (w *world) object(n *node, c Command) wire.ObjectID {
	w.t.Helper()
	d := w.do(n, c)
	require.NoError(w.t, d.Err, "%s: %T", n.name, c)
	return d.Object
}

// sameObjects checks that machines have the same objects in the same state.
func sameObjects(t *testing.T, n []*node, objects int) {
	t.Helper()
	for _, p := range n {
		assert.Equal(t, n[0].Objects(), p.Objects(), p.name)
		assert.Len(t, p.Objects(), objects, p.name)
	}
}

// An object is made, changed, given away, taken over from a machine that died, and destroyed; a newcomer sees it.
func TestObjects(t *testing.T) {
	w, n, ids := session(t, migrating, 3, Config{Period: time.Second, Probes: 3})
	rock := w.object(n[1], CreateObject{State: []byte("at the top")})
	sameObjects(t, n, 1)
	assert.Equal(t, []byte("at the top"), eventsOf[ObjectCreated](n[2].events)[0].State)
	w.object(n[1], UpdateObject{ID: rock, State: []byte("rolling")})
	sameObjects(t, n, 1)
	assert.Equal(t, []byte("rolling"), eventsOf[ObjectUpdated](n[3].events)[0].State)
	assert.Error(t, w.do(n[2], UpdateObject{ID: rock, State: []byte("mine")}).Err)

	w.object(n[3], MigrateObject{ID: rock, To: ids[2]})
	sameObjects(t, n, 1)
	assert.Equal(t, n[2].self, n[1].Objects()[0].Owner)
	w.object(n[2], UpdateObject{ID: rock, State: []byte("caught")})
	sameObjects(t, n, 1)

	w.kill(n[2])
	left := []*node{n[0], n[1], n[3]}
	sameObjects(t, left, 1)
	owner := n[0].Objects()[0].Owner
	assert.NotEqual(t, n[2].self, owner)
	assert.Equal(t, []byte("caught"), n[0].Objects()[0].State)

	q := w.add("newcomer", Config{})
	w.join(q, n[0], "")
	left = append(left, q)
	sameObjects(t, left, 1)
	for _, p := range left {
		if p.self == owner {
			w.object(p, DestroyObject{ID: rock})
		}
	}
	sameObjects(t, left, 0)
	assert.Len(t, eventsOf[ObjectDestroyed](q.events), 1)
	w.sane(migrating)
}

// The host dies with an object of its own: the next host decides who has it.
func TestObjectOfTheHost(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{Period: time.Second, Probes: 3})
	rock := w.object(n[0], CreateObject{State: []byte("rock")})
	w.kill(n[0])
	w.run(w.now + time.Minute)
	left := n[1:]
	sameObjects(t, left, 1)
	assert.NotEqual(t, n[0].self, left[0].Objects()[0].Owner)
	w.object(left[0], BalanceObjects{})
	assert.Error(t, w.do(left[1], BalanceObjects{}).Err)
	assert.Equal(t, rock, left[0].Objects()[0].ID)
}

// Both parts of a session that broke go on with an object; one of its states is what all have in the end.
func TestObjectsAfterASplit(t *testing.T) {
	w, n, _ := session(t, migrating, 4, Config{Period: time.Second, Probes: 3})
	rock := w.object(n[3], CreateObject{State: []byte("whole")})
	mine := w.object(n[0], CreateObject{State: []byte("the host's")})
	w.parts(n[:2], n[2:])
	w.run(w.now + 30*time.Second)
	sameObjects(t, n[:2], 2)
	sameObjects(t, n[2:], 2)
	for _, p := range n {
		for _, o := range p.Objects() {
			if o.Owner == p.self {
				w.object(p, UpdateObject{ID: o.ID, State: []byte("of " + p.name)})
			}
		}
	}
	w.whole(time.Minute)
	agree(t, n, 5)
	sameObjects(t, n, 2)
	for _, o := range n[0].Objects() {
		assert.Contains(t, []wire.ObjectID{rock, mine}, o.ID)
		for _, p := range n {
			if p.self == o.Owner {
				w.object(p, UpdateObject{ID: o.ID, State: []byte("agreed")})
			}
		}
	}
	sameObjects(t, n, 2)
	w.sane(migrating)
}

// No objects where there is no extension.
func TestNoObjects(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{Legacy: true})
	assert.ErrorIs(t, w.do(n[0], CreateObject{}).Err, ErrNoObjects)
	assert.Empty(t, n[0].Objects())
	w, n, _ = session(t, wire.SessionMulticastServer, 1, Config{})
	assert.ErrorIs(t, w.do(n[1], CreateObject{}).Err, ErrNoObjects)
	assert.ErrorIs(t, w.do(w.add("nobody", Config{}), CreateObject{}).Err, ErrNoSession)
}

// An object beyond its maker's share is dropped with the reason limit.
func TestShareOfObjects(t *testing.T) {
	w, n, _ := session(t, migrating, 1, Config{})
	for i := range 2*object.MaxMade/object.MaxState + 1 {
		w.extend(n[1], n[0], n[1].self, &wire.ExtensionObject{Op: wire.KindObjectCreate, Owner: n[1].self,
			Object: wire.ObjectID{Creator: n[1].self, Number: uint32(i)}, State: make([]byte, object.MaxState)}, false)
	}
	refused := take[Dropped](n[0])
	require.Len(t, refused, 1)
	assert.Equal(t, LimitReached, refused[0].Reason)
	assert.Contains(t, refused[0].Text, "2048 KiB")
	assert.Len(t, n[0].Objects(), 2*object.MaxMade/object.MaxState)
}
