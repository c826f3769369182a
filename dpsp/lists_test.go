package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
	"dplay4/wire/dpl8"
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
	for i := range maxAskers/maxAskersEach + 1 {
		out := w.add("stranger", Config{})
		want := maxAskersEach
		if i == maxAskers/maxAskersEach {
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

// The name table is sent to a member that has none, but not as often as a member says so.
func TestNameTablesAreRationed(t *testing.T) {
	w, n, _ := session(t, migrating, 1, Config{})
	large := w.must(n[0], CreatePlayer{ShortName: "large", Data: make([]byte, 100000)})
	require.NotZero(t, large)
	octets := 0
	w.cut = func(from, to *node, out Outgoing) bool {
		if from == n[0] {
			octets += len(out.Data)
		}
		return true
	}
	nothing, err := dpl8.Append(nil, &dpl8.NameTableVersion{})
	require.NoError(t, err)
	for range 100 {
		w.extend(n[1], n[0], n[1].self, &wire.ExtensionTable{Message: nothing}, false)
	}
	assert.Less(t, octets, (maxTables+1)*110000)
	assert.GreaterOrEqual(t, octets, maxTables*100000)
}
