package sock

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
)

// stands has a goroutine wait in a line, and returns once it does.
func stands(t *testing.T, q *line, s *source, then func()) {
	t.Helper()
	before := len(s.waiting)
	go func() {
		q.enter(s, nil)
		then()
	}()
	synctest.Wait()
	require.Len(t, s.waiting, before+1)
}

// TestLineTakesTurns has one source with many who wait: another one comes after one of them, whoever came first.
func TestLineTakesTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q line
		var greedy, modest source
		var mu sync.Mutex
		order := ""
		var group sync.WaitGroup
		wait := func(s *source, name string, work int) {
			group.Add(1)
			stands(t, &q, s, func() {
				defer group.Done()
				mu.Lock()
				order += name
				mu.Unlock()
				q.leave(s, work)
			})
		}
		q.Lock()
		for range 4 {
			wait(&greedy, "g", 0)
		}
		wait(&modest, "m", 0)
		wait(&modest, "m", 0)
		q.Unlock()
		group.Wait()
		assert.Equal(t, "gmgmgg", order)

		order = ""
		q.Lock()
		for range 3 {
			wait(&greedy, "g", 3*turn) // as much as three turns
		}
		for range 4 {
			wait(&modest, "m", 100)
		}
		q.Unlock()
		group.Wait()
		assert.Equal(t, "gmmmgmg", order)
		assert.False(t, q.busy)
		q.Lock()
		assert.True(t, q.busy)
		q.Unlock()
	})
}

// TestSourceHasItsShare has one source with all that it may have waiting for the program: it waits, and no other one does.
func TestSourceHasItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBacklog(room{events: 1000, octets: 1000}, room{events: 4, octets: 100})
		var loud, quiet source
		for range 3 {
			b.add([]dpsp.Event{dpsp.Dropped{}}, &loud)
		}
		assert.EqualValues(t, 1, b.reports.Load(), "reports take half of it")
		b.add([]dpsp.Event{dpsp.PlayerDeleted{ID: 1}, dpsp.PlayerDeleted{ID: 2}}, &loud)
		assert.True(t, b.crowded(&loud))
		room := b.wait(&loud)
		require.NotNil(t, room)
		assert.Nil(t, b.wait(&quiet))
		assert.False(t, b.crowded(&quiet))
		list, _ := b.take()
		b.delivered(list[0])
		select {
		case <-room:
			t.Error("three are too many")
		default:
		}
		b.delivered(list[1])
		<-room
		assert.Nil(t, b.wait(&loud))

		b.add([]dpsp.Event{dpsp.Message{Payload: make([]byte, 100)}}, &quiet)
		require.NotNil(t, b.wait(&quiet), "octets count as well")
		<-time.After(stall - 1)
		require.NotNil(t, b.wait(&quiet))
		<-time.After(1)
		assert.Nil(t, b.wait(&quiet), "the program reads nothing")
	})
}
