package bridge

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
)

// TestWays has a visitor ask three machines how they reach each other, one of which hears nothing for a while.
func TestWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 3)
		visitor, err := start(t, hub, all[0].code(), Options{Name: "doctor", Visit: true})
		require.NoError(t, err)
		pass(time.Second)
		began := time.Now()
		for range 3 {
			pairs, err := visitor.session.Ways(t.Context())
			require.NoError(t, err)
			var names []string
			for _, p := range pairs {
				names = append(names, p.A.Name+p.B.Name)
				assert.True(t, p.Known && p.Linked)
				assert.Equal(t, link.Way{Direct: true, RTT: time.Millisecond}, p.Way, "no address is told")
			}
			assert.Equal(t, []string{"m0m1", "m0m2", "m0doctor", "m1m2", "m1doctor", "m2doctor"}, names)
		}
		assert.WithinRange(t, time.Now(), began.Add(2*time.Second), began.Add(2200*time.Millisecond), "one answer a second")

		all[1].deaf.Store(true)
		pairs, err := all[2].session.Ways(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []bool{false, true, true, false, false, true}, linked(pairs), "what the one says for whom it is worse")
		all[1].deaf.Store(false)
		pass(2 * time.Second)
		end(append(all, visitor))
	})
}

// TestWaysUntold has machines that do not answer: what the others say of them is known.
func TestWaysUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 4)
		for _, c := range all[2:] {
			hub.Cut(all[0].net, c.net)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		pairs, err := all[0].session.Ways(ctx)
		cancel()
		require.NoError(t, err)
		var known []bool
		for _, p := range pairs {
			known = append(known, p.Known)
		}
		assert.Equal(t, []bool{true, true, true, true, true, false}, known)
		end(all)
		_, err = all[0].session.Ways(t.Context())
		assert.ErrorIs(t, err, link.ErrClosed)
	})
}

func linked(pairs []PairWay) (all []bool) {
	for _, p := range pairs {
		all = append(all, p.Linked)
	}
	return all
}
