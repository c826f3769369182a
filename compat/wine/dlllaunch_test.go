//go:build linux

package wine_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDLLLaunch has "dplay launch" on Linux start two games under Wine, on two machines: one hosts, the other joins it at its
// address. The games are told what to do through the environment, and what they say comes back.
func TestDLLLaunch(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	program := buildDplay(t)
	machine := func() *windowsBuild {
		w := new(windowsBuild)
		w.boot(ctx, t, lab, "386")
		w.putDLLs(ctx, t, "386", dllProgram(t, "386", "lobbied", "-ldxguid"))
		w.put(t, program, "/opt/dplay/dplay")
		return w
	}
	host, guest := machine(), machine()
	hosts, hosting := host.launched(ctx, t, "--host", "--name", "Castle", "--player", "Ann")
	hosting.wait(ctx, t, "the game is in the session")
	joins, joining := guest.launched(ctx, t, "--join", host.windows.Addr().String(), "--player", "Bob")
	require.NoError(t, joins.Wait(), joining)
	require.NoError(t, hosts.Wait(), hosting)
	for _, s := range []*said{hosting, joining} {
		for _, line := range []string{"\nthe game has read what it was given\n", "\nthe game is in the session\n", "the launcher answers type 8",
			"the game sent 5 octets to its lobby\n", "game: end\n", "\nthe game has ended\n"} {
			assert.Contains(t, s.String(), line)
		}
	}
	assert.Contains(t, hosting.String(), `to host "Castle"`)
	assert.Contains(t, hosting.String(), "game: Bob came\n")
	assert.Contains(t, hosting.String(), "game: heard hello\n")
	assert.Contains(t, joining.String(), `to join "Castle" at `+host.windows.Addr().String())
	assert.Contains(t, joining.String(), "game: heard welcome\n")
}

// TestDLLLaunchHeldPort has "dplay launch" name the program that keeps a game under Wine from hosting. The DLL's log says so as well.
func TestDLLLaunchHeldPort(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	w := new(windowsBuild)
	w.boot(ctx, t, lab, "386")
	w.putDLLs(ctx, t, "386", dllProgram(t, "386", "lobbied", "-ldxguid"))
	w.put(t, buildDplay(t), "/opt/dplay/dplay")
	holder := begun(ctx, t, w.windows.Command(ctx, "/opt/dplay/dplay", "host", "--app", application, "--name", "Holder", "--events", "ndjson"))
	defer holder.kill(t)
	w.environment = append(w.environment, `DPLAY_LOG=Z:\opt\dplay\dll.log`)
	launch, said := w.launched(ctx, t, "--host", "--name", "Castle", "--player", "Ann")
	assert.Error(t, launch.Wait())
	assert.Regexp(t, `(?m)^the game could not get into the session: UDP port 47624 is taken by dplay \(process \d+\)$`, said.String())
	log, err := w.windows.Command(ctx, "cat", "/opt/dplay/dll.log").Output()
	require.NoError(t, err)
	assert.Contains(t, string(log), "UDP port 47624 is taken by ")
	t.Logf("%s", log)
}

// launched begins "dplay launch" on a machine. What its game writes comes with what it says itself.
func (w *windowsBuild) launched(ctx context.Context, t *testing.T, args ...string) (*exec.Cmd, *said) {
	t.Helper()
	args = append(append([]string{"launch", "--app", application}, args...), "--", "wine", dllFolder+"lobbied.exe")
	cmd := w.windows.Command(ctx, "/opt/dplay/dplay", args...)
	cmd.Env = append(cmd.Env, w.environment...)
	s := newSaid()
	cmd.Stdout, cmd.Stderr = s, s
	require.NoError(t, cmd.Start())
	return cmd, s
}
