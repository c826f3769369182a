//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// TestDLLDirectPlay1 plays by IDirectPlay, with the same interface and later ones on the other machine.
func TestDLLDirectPlay1(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			host, program := newDLLMachine(ctx, t, lab, arch, "directplay1")
			join, _ := newDLLMachine(ctx, t, lab, arch, "directplay1")
			for _, c := range []struct {
				name       string
				host, join []string
			}{
				{"dplayx.dll", []string{"dplayx.dll", "host"}, []string{"dplayx.dll", "join"}},
				{"dplay.dll", []string{"dplay.dll", "host"}, []string{"dplay.dll", "join"}},
				{"later joins", []string{"dplay.dll", "host"}, []string{"dplayx.dll", "join", "later"}},
				{"later hosts", []string{"dplayx.dll", "host", "later"}, []string{"dplayx.dll", "join", "to-later"}},
			} {
				t.Run(c.name, func(t *testing.T) {
					done(t, host.begin(ctx, t, program, c.host...), join.begin(ctx, t, program, c.join...))
				})
			}
			t.Run("both in one process", func(t *testing.T) { done(t, host.begin(ctx, t, program, "both")) })
			t.Run("visits dplay", func(t *testing.T) { join.visits(ctx, t, lab, program) })
		})
	}
}

// A running is a program that was started, and what it said.
type running struct {
	*exec.Cmd
	said bytes.Buffer
}

// begin starts a program, which ends by itself or with ctx.
func (w *windowsBuild) begin(ctx context.Context, t *testing.T, program string, args ...string) *running {
	t.Helper()
	r := &running{Cmd: w.command(ctx, program, args...)}
	r.Stdout, r.Stderr = &r.said, &r.said
	require.NoError(t, r.Start())
	return r
}

// done waits until programs have done all that they do.
func done(t *testing.T, all ...*running) {
	t.Helper()
	for _, r := range all {
		assert.NoError(t, r.Wait())
		assert.Contains(t, r.said.String(), "\nok done")
	}
}

// visits has a game of IDirectPlay enter the session of "dplay host".
func (w *windowsBuild) visits(ctx context.Context, t *testing.T, lab *wine.Lab, program string) {
	linux, err := lab.Machine(ctx, "linux")
	require.NoError(t, err)
	l := &windowsBuild{linux: linux, program: buildDplay(t)}
	host := l.starts(ctx, t, linux, "host", "--app", application, "--name", "Old friends", "--player", "Zoë")
	said, status := finished(t, w.command(ctx, program, "dplay.dll", "visit"))
	assert.Zero(t, status, said)
	assert.Contains(t, said, "ok found Old friends")
	assert.Contains(t, said, "ok met Zo\xeb, ", "in the game's 8 bits")
	assert.Contains(t, said, "\nok done")
	joined := host.next(ctx, t, "player_created")
	assert.Equal(t, "Bob", joined.Name)
	assert.Equal(t, "Bob of the south", joined.LongName)
	host.next(ctx, t, "message")
	host.next(ctx, t, "player_deleted")
	host.none(t, "peer_lost", "dropped")
}
