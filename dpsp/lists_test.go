package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// A stranger is sent the list as often as a program of a player asks for it, and a member as often as one that comes back does.
func TestListsAreRationed(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{Compatible: true})
	lists := 0
	w.cut = func(from, to *node, out Outgoing) bool {
		if from == n[0] && out.List != NoList {
			lists++
		}
		return false
	}
	asks := func(from *node, times int) int {
		lists = 0
		for range times {
			w.say(from, n[0], &wire.EnumPlayer{})
		}
		return lists
	}
	assert.Equal(t, maxLists, asks(n[1], 100))
	assert.Equal(t, maxLists, asks(n[1], maxLists)+maxLists, "the same period")
	w.now += DefaultPeriod
	assert.Equal(t, 1, asks(n[1], 1))
	for i := range admit.MaxAskers/admit.MaxAskersEach + 1 {
		out := w.add("stranger", Config{})
		want := admit.MaxAskersEach
		if i == admit.MaxAskers/admit.MaxAskersEach {
			want = 0
		}
		assert.Equal(t, want, asks(out, 100), "stranger %d", i)
	}
	w.now += time.Second
	assert.Equal(t, 1, asks(w.nodes[len(w.nodes)-1], 1))
	assert.Contains(t, dropped(n[0]), LimitReached)
	// A machine that asks once more to be let in got no list, as far as it knows.
	w.now += DefaultPeriod
	lists = 0
	for range 100 {
		w.say(n[1], n[0], &wire.AddForwardRequest{Player: n[1].self})
	}
	assert.Equal(t, maxLists, lists)
}
