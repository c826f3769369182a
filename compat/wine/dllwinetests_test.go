//go:build linux

package wine_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayBeLate is how many functions may fail on a machine that is busy with other things, if they do not when they run alone: many
// look for a message without waiting for it.
const mayBeLate = 4

// TestDLLWineTests runs Wine's own tests, in which most of the assertions were proven on Windows, with our DLL. What fails is in
// the list of known failures, which says why.
func TestDLLWineTests(t *testing.T) {
	wineTest(t)
	t.Parallel()
	w := newWineTests(t, "386", filepath.Join(dll(t, "386"), "dplayx.dll"))
	ctx, lab := newLab(t)
	all := w.run(ctx, t, lab)
	again := 0
	for i, o := range all {
		if again < mayBeLate && !o.asKnown() {
			again++
			o.tell(t)
			m, err := w.machine(ctx, lab)
			require.NoError(t, err)
			all[i] = w.one(ctx, m, o.wineFunction)
		}
		all[i].check(t)
	}
	quiet, hosting := sum(all, false), sum(all, true)
	t.Logf("non-interactive: %s", quiet)
	t.Logf("interactive: %s", hosting)
	assert.Equal(t, 20, quiet.ended)
	assert.GreaterOrEqual(t, quiet.executed, 3700)
	assert.GreaterOrEqual(t, quiet.passed, 3690)
	assert.Equal(t, 23, hosting.ended)
	assert.Zero(t, hosting.crashed)
	assert.GreaterOrEqual(t, hosting.executed, 1300)
	assert.GreaterOrEqual(t, hosting.passed*100, hosting.executed*97)
}

// asKnown says whether the function ended, and only what is known to fail failed.
func (o *outcome) asKnown() bool {
	return o.ended && maps.Equal(o.lines, knownLines(o.name))
}

// check holds the function against the list of known failures, both ways.
func (o *outcome) check(t *testing.T) {
	t.Helper()
	ok := assert.True(t, o.ended, "%s: it did not end", o.name)
	ok = assert.Equal(t, knownLines(o.name), o.lines, "%s: how often which line of dplayx.c fails", o.name) && ok
	if !ok {
		o.tell(t)
	}
}

func knownLines(function string) map[int]int {
	for _, k := range knownFailures {
		if k.function == function {
			return k.lines
		}
	}
	return map[int]int{}
}

// TestDLLWineTestsAMD64 runs them as a program of 64 bits. Nobody has proven that on Windows: many of its assertions count the
// octets of structures with pointers of four, and what it sends as a host has fields of eight where the protocol has four, so that
// test_EnumSessions searches again and again: a busy machine is too late with it.
func TestDLLWineTestsAMD64(t *testing.T) {
	wineTest(t)
	if os.Getenv("DPLAY_LONG") == "" {
		t.Skip("it is for a machine that is not busy: DPLAY_LONG runs it")
	}
	t.Parallel()
	w := newWineTests(t, "amd64", filepath.Join(dll(t, "amd64"), "dplayx.dll"))
	ctx, lab := newLab(t)
	all := w.run(ctx, t, lab)
	quiet, hosting := sum(all, false), sum(all, true)
	t.Logf("non-interactive: %s", quiet)
	t.Logf("interactive: %s", hosting)
	assert.Equal(t, 20, quiet.ended)
	assert.Equal(t, 23, hosting.ended)
	assert.GreaterOrEqual(t, (quiet.passed+hosting.passed)*100, (quiet.executed+hosting.executed)*97)
}

// TestDLLWineTestsBuiltin runs them with Wine's own DLL: it says what the same program and the same lab make of a DLL that can
// join and not host.
func TestDLLWineTestsBuiltin(t *testing.T) {
	wineTest(t)
	if os.Getenv("DPLAY_LONG") == "" {
		t.Skip("it measures Wine, not this project: DPLAY_LONG runs it")
	}
	t.Parallel()
	w := newWineTests(t, "386", "")
	ctx, lab := newLab(t)
	all := w.run(ctx, t, lab)
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
