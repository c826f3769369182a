package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// TestResetTalking types a hundred lines at each of three processes, and resets the connections between two joiners three times meanwhile.
// Each process gets each line of the others once and in order, and no process is removed from the session. It needs root.
func TestResetTalking(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 3, 0)
	a := net.newArena("talking")
	host := a.open(nil)
	for range 2 {
		a.open(host)
	}
	a.meet()
	a.talk("before")
	const lines, breaks = 100, 3
	for i := range lines {
		for _, p := range a.all {
			p.types(fmt.Sprintf("%s says %03d", p.player, i))
		}
		if i%(lines/breaks) != lines/breaks/2 {
			continue
		}
		if killed := len(net.ss(1, 2, "--kill")) + len(net.ss(2, 1, "--kill")); killed == 0 && i < lines/breaks {
			t.Skip("NO CONNECTION IS RESET: this system has no INET_DIAG_DESTROY, which ss --kill takes")
		}
	}
	for _, p := range a.all {
		p.types("the end")
	}
	heard := func(at, from *process) (texts []string) {
		for _, line := range at.output() {
			if e := parse(t, line); e["event"] == "chat" && e["from_name"] == from.player {
				texts = append(texts, e["text"].(string))
			}
		}
		return texts
	}
	for _, at := range a.all {
		for _, from := range a.all {
			if at == from {
				continue
			}
			testkit.Until(t, func() bool { return slices.Contains(heard(at, from), "the end") }, "the last line of %s at %s", from.player, at.player)
			told := heard(at, from)
			said := told[1 : len(told)-1] // between "before" and "the end"
			assert.Equal(t, "before", told[0])
			assert.True(t, slices.IsSorted(said) && len(slices.Compact(slices.Clone(said))) == len(said), "%v", said)
			assert.Len(t, said, lines, "what %s got of %s", at.player, from.player)
			assert.NotContains(t, from.written(), `"lost_at_break":true`)
		}
	}
	require.True(t, alike(a.all...))
	for _, p := range slices.Backward(a.all) {
		p.leaves()
		assert.NotContains(t, p.written(), `"event":"peer_lost"`)
	}
}
