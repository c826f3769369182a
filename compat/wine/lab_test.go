//go:build linux

package wine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/internal/testkit"
)

// TestNoWayOut looks from inside: a machine reaches its neighbours and nobody else, and the machine that this test
// runs on sees nothing of it.
func TestNoWayOut(t *testing.T) {
	before, err := net.Interfaces()
	require.NoError(t, err)
	ctx, lab := newLab(t)
	one, err := lab.Machine(ctx, "one")
	require.NoError(t, err)
	two, err := lab.Machine(ctx, "two")
	require.NoError(t, err)
	for i, m := range []*wine.Machine{one, two} {
		routes := fmt.Sprintf("192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.%d\n255.255.255.255 dev eth0 scope link\n",
			i+1)
		out, err := m.Command(ctx, "ip", "route").Output()
		require.NoError(t, err)
		assert.Equal(t, routes, strings.ReplaceAll(string(out), " \n", "\n"))
		out, err = m.Command(ctx, "ip", "-br", "link").Output()
		require.NoError(t, err)
		assert.Regexp(t, `^lo .*\neth0@\S+ .*\n$`, string(out))
		out, err = m.Command(ctx, "uname", "-n").Output()
		require.NoError(t, err)
		assert.Equal(t, m.Name()+"\n", string(out))
	}
	after, err := net.Interfaces()
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// TestUnplug pulls a cable and puts it back.
func TestUnplug(t *testing.T) {
	ctx, lab := newLab(t)
	one, err := lab.Machine(ctx, "one")
	require.NoError(t, err)
	two, err := lab.Machine(ctx, "two")
	require.NoError(t, err)
	link := func() string {
		out, err := two.Command(ctx, "ip", "-o", "link", "show", "eth0").Output()
		require.NoError(t, err)
		return string(out)
	}
	assert.Contains(t, link(), "LOWER_UP")
	require.NoError(t, two.Unplug(ctx))
	assert.NotContains(t, link(), "LOWER_UP")
	require.NoError(t, two.PlugIn(ctx))
	assert.Contains(t, link(), "LOWER_UP")
	require.NoError(t, one.Close())
	require.NoError(t, two.Unplug(ctx), "the others go on")
}

// runDoomedLab makes a lab in which a program runs that would not end by itself, says so, and waits for its end.
func runDoomedLab([]string) error {
	ctx := context.Background()
	lab, err := wine.NewLab(ctx)
	if err != nil {
		return err
	}
	m, err := lab.Machine(ctx, "doomed")
	if err != nil {
		return err
	}
	cmd := m.Command(ctx, "sh", "-c", "setsid sleep 1000 & echo started; wait")
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Wait()
}

// TestMakerKilled kills the maker of a lab as nothing can be done against: everything in the lab ends. All of it
// holds the pipe, so its end tells.
func TestMakerKilled(t *testing.T) {
	_, _ = newLab(t) // skips where there can be none
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), wine.InsideVariable+"=doomed-lab")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	cmd.Stdout, cmd.Stderr = w, w
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	require.NoError(t, r.SetReadDeadline(testkit.Deadline()))
	line := make([]byte, len("started\n"))
	_, err = io.ReadFull(r, line)
	require.NoError(t, err)
	require.Equal(t, "started\n", string(line))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	rest, err := io.ReadAll(r)
	require.NoError(t, err, "something of the lab lives on")
	assert.Empty(t, string(rest))
}

// TestNames refuses what cannot be.
func TestNames(t *testing.T) {
	ctx, lab := newLab(t)
	m, err := lab.Machine(ctx, "plain")
	require.NoError(t, err)
	_, err = m.Start(ctx)
	assert.ErrorContains(t, err, "machine plain has no Wine")
	require.NoError(t, lab.Close())
	require.NoError(t, lab.Close(), "twice")
	_, err = lab.Machine(ctx, "late")
	assert.ErrorContains(t, err, "the lab is closed")
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = wine.NewLab(done)
	assert.ErrorIs(t, err, context.Canceled)
}
