//go:build linux

package wine_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/compat/wine"
)

// winePatience is what all of Wine's tests may take on a machine that is busy with other things; a quiet one needs two minutes.
const winePatience = 9 * time.Minute

func newWineTestsLab(t *testing.T) (context.Context, *wine.Lab) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), winePatience)
	t.Cleanup(cancel)
	lab, err := wine.NewLab(ctx)
	missing(t, err)
	t.Cleanup(func() { assert.NoError(t, lab.Close()) })
	return ctx, lab
}

// TestDLLWineTestsBuiltin runs them with Wine's own DLL: it says what the same program and the same lab make of a DLL that can
// join and not host.
func TestDLLWineTestsBuiltin(t *testing.T) {
	wineTest(t)
	if os.Getenv("DPLAY_LONG") == "" {
		t.Skip("it measures Wine, not this project: DPLAY_LONG runs it")
	}
	t.Parallel()
	w := newWineTests(t, "386")
	ctx, lab := newWineTestsLab(t)
	all := w.run(ctx, t, lab, nil)
	slices.SortFunc(all, func(a, b outcome) int { return int(b.took - a.took) })
	for _, o := range all {
		t.Logf("%6.1f s %4d of %4d %s", o.took.Seconds(), o.executed-o.failed, o.executed, o.name)
	}
	quiet, hosting := sum(all, false), sum(all, true)
	t.Logf("non-interactive: %s", quiet)
	t.Logf("interactive: %s", hosting)
	assert.Equal(t, 20, quiet.ended)
	assert.GreaterOrEqual(t, quiet.executed, 3700) // it varies: test_EnumSessions searches until it finds
	assert.Equal(t, 39, quiet.executed-quiet.passed)
	assert.Equal(t, totals{functions: 23, ended: 17, crashed: 6, executed: 1198, passed: 551}, hosting)
}

// TestWineTestsOutcome reads what a function printed that failed, and one that crashed.
func TestWineTestsOutcome(t *testing.T) {
	f := wineFunction{name: "test_Open"}
	o := newOutcome(f, "dplayx.c:12: Tests skipped: none\ndplayx.c:34: Test failed: expected=1 got=2\n"+
		"dplayx.c:34: Test failed: expected=3 got=4\ndplayx.c:56: 7: Test failed: expected=5 got=6\n"+
		"0128:test_Open: 9 tests executed (0 marked as todo, 0 as flaky, 3 failures), 1 skipped.\n", false)
	assert.True(t, o.ended)
	assert.False(t, o.crashed)
	assert.Equal(t, map[int]int{34: 2, 56: 1}, o.lines)
	assert.Equal(t, totals{functions: 1, ended: 1, executed: 9, passed: 6}, sum([]outcome{o}, false))
	assert.Equal(t, totals{}, sum([]outcome{o}, true))
	o = newOutcome(f, "0128:test_Open: unhandled exception c0000005 at 00000000\n", false)
	assert.Equal(t, totals{functions: 1, crashed: 1}, sum([]outcome{o}, false))
	assert.Equal(t, totals{functions: 1}, sum([]outcome{newOutcome(f, "", true)}, false))
}
