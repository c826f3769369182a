//go:build linux

package wine_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fastest is what a game may pay for a look into an empty queue, in nanoseconds.
const fastest = 200

// TestDLLShell has programs use our DLL, each in a process of its own: what a poll costs, whether methods keep the processor's
// words, stacks of any alignment, a hundred loads, twenty threads, calls of a process that ends, faults of the game's own.
func TestDLLShell(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for arch, commands := range map[string][]string{
		"386":   {"empty", "kept", "stacks", "loads", "threads", "end", "handler"},
		"amd64": {"empty", "kept", "loads", "threads", "end", "handler"}, // there stacks are always aligned
	} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w, program := newDLLMachine(ctx, t, lab, arch, "shell")
			w.put(t, dllProgram(t, arch, "ender", "-shared"), dllFolder+"ender.dll")
			for _, command := range commands {
				t.Run(command, func(t *testing.T) { w.shell(ctx, t, program, command) })
			}
		})
	}
}

func (w *windowsBuild) shell(ctx context.Context, t *testing.T, program, command string) {
	said, status := finished(t, w.command(ctx, program, command))
	assert.Zero(t, status, said)
	assert.Contains(t, said, command+": done")
	if command != "empty" {
		return
	}
	for _, method := range []string{"Receive", "GetMessageCount"} {
		found := regexp.MustCompile(method + ` (\d+) ns`).FindStringSubmatch(said)
		require.NotNil(t, found, said)
		cost, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		t.Logf("%s: %d ns", method, cost)
		assert.Less(t, cost, fastest)
	}
}
