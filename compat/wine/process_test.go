//go:build linux

package wine_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process runs in a machine until its standard input ends, and says a line of JSON for each thing that happens to it.
type process[T any] struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  chan T
	kept  []T  // said, and passed over by those who waited for something else
	fails bool // it may end with an error
}

// start starts a program that speaks like that. It ends with the test, without an error unless fails is set.
func start[T any](t *testing.T, cmd *exec.Cmd) *process[T] {
	t.Helper()
	p := &process[T]{cmd: cmd, said: make(chan T, 10000)}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p.stdin, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	go func() {
		defer close(p.said)
		for d := json.NewDecoder(stdout); ; {
			var s T
			if err := d.Decode(&s); err != nil {
				return // its end
			}
			p.said <- s
		}
	}()
	t.Cleanup(func() { p.end(t) })
	return p
}

// end ends the process and waits until it has. It may be called twice.
func (p *process[T]) end(t *testing.T) {
	t.Helper()
	if p.cmd.ProcessState != nil {
		return
	}
	assert.NoError(t, p.stdin.Close())
	for range p.said { // to the end: Wait closes the pipe
	}
	if err := p.cmd.Wait(); !p.fails {
		assert.NoError(t, err)
	}
}

// kill ends the process by SIGKILL: its sockets close, it says nothing.
func (p *process[T]) kill(t *testing.T) {
	t.Helper()
	p.fails = true
	require.NoError(t, p.cmd.Cancel(), "Cancel kills the group that was started")
	p.end(t)
}

// line returns what was said next. want is for the case that nothing is.
func (p *process[T]) line(ctx context.Context, t *testing.T, want string) T {
	t.Helper()
	if len(p.kept) > 0 {
		s := p.kept[0]
		p.kept = p.kept[1:]
		return s
	}
	return p.fresh(ctx, t, want)
}

// fresh returns what was said next and nobody has seen.
func (p *process[T]) fresh(ctx context.Context, t *testing.T, want string) (s T) {
	t.Helper()
	select {
	case s, ok := <-p.said:
		require.True(t, ok, "it has ended; waiting for %s", want)
		return s
	case <-ctx.Done():
		require.NoError(t, ctx.Err(), "it never said %s; but %+v", want, p.kept)
	}
	return s
}

// find returns the first thing said that fits, and keeps the others for later.
func (p *process[T]) find(ctx context.Context, t *testing.T, want string, fits func(T) bool) T {
	t.Helper()
	for {
		if i := slices.IndexFunc(p.kept, fits); i >= 0 {
			s := p.kept[i]
			p.kept = slices.Delete(p.kept, i, i+1)
			return s
		}
		p.kept = append(p.kept, p.fresh(ctx, t, want))
	}
}
