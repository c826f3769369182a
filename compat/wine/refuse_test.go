//go:build linux

package wine_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// refuses gives the client what is no command. It says why, does nothing, and goes on.
func refuses(ctx context.Context, t *testing.T, _ *wine.Lab, m *wine.Machine) {
	c, err := m.Start(ctx)
	require.NoError(t, err)
	r, err := c.Do(ctx, wine.Cmd("players"))
	require.NoError(t, err)
	assert.Equal(t, "open-provider comes first", r.Problem)
	do(ctx, t, c, wine.Cmd("open-provider", "tcpip"))
	for _, bad := range []struct {
		command wine.Command
		problem string
	}{
		{wine.Cmd("dance"), "no such command"},
		{wine.Cmd("enum"), "words are missing"},
		{wine.Cmd("enum", application, "more"), "too many words, or an option that the command does not know"},
		{wine.Cmd("enum", "GUID"), "not a GUID: GUID"},
		{wine.Cmd("enum", application+"x"), "not a GUID: " + application + "x"},
		{wine.Cmd("enum", application).With("flags", "many"), "not a number: many"},
		{wine.Cmd("enum", application).With("flags", "0x100000000"), "not a number: 0x100000000"},
		{wine.Cmd("enum", application).With("flags", "-1"), "not a number: -1"},
		{wine.Cmd("enum", application).Flag("flags"), "this option needs a value: flags"},
		{wine.Cmd("enum", application).With("colour", "red"), "too many words, or an option that the command does not know"},
		{wine.Cmd("send", "1", "abc"), "not hexadecimal octets: abc"},
		{wine.Cmd("send", "1", "ag"), "not hexadecimal octets: ag"},
		{wine.Cmd("send", "one", "ab"), "not a number: one"},
		{wine.Cmd("send", "1", "ab").With("guaranteed", "yes"), "this option has no value: guaranteed=yes"},
		{wine.Cmd("join", "\xff"), "not UTF-8: "},
		{wine.Cmd("wait", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17"),
			"too many words"},
	} {
		r, err := c.Do(ctx, bad.command)
		require.NoError(t, err)
		assert.False(t, r.OK, bad.command)
		assert.Equal(t, bad.problem, r.Problem, bad.command)
		assert.Empty(t, r.HR, "DirectPlay was asked: %s", bad.command)
	}
	refused(ctx, t, c, "DPERR_TIMEOUT", wine.Cmd("expect", "message").With("timeout", 10))
	do(ctx, t, c, wine.Cmd("wait", "10"))
	require.NoError(t, c.Quit(ctx))
	assert.Len(t, c.Pending(), 0)
}

// alone runs the client with a script, as one would on Windows; and lets it outlive its life.
func alone(ctx context.Context, t *testing.T, _ *wine.Lab, m *wine.Machine) {
	script := "# a comment\n\nopen-provider tcpip\r\ncaps\nexpect message timeout=1\n bogus \nwait 1" // no last line end
	cmd := m.Command(ctx, "sh", "-c", `cat >"$HOME/script" && exec wine "$0" 'Z:\opt\dplay\script'`, wine.ClientPath)
	cmd.Env = append(cmd.Env, wine.WineEnvironment...)
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.Output()
	require.NoError(t, err)
	var said []string
	for line := range strings.Lines(string(out)) {
		e, r, err := wine.ParseLine([]byte(line))
		require.NoError(t, err)
		if e != nil {
			said = append(said, e.Name)
		} else {
			said = append(said, r.Name+" "+r.HR+r.Problem)
		}
	}
	assert.Equal(t, []string{"ready", "open-provider DP_OK", "caps DP_OK", "expect DPERR_TIMEOUT",
		"bogus no such command", "wait DP_OK", "quit DP_OK"}, said)

	cmd = m.Command(ctx, "wine", wine.ClientPath, "--life", "1")
	cmd.Env = append(cmd.Env, wine.WineEnvironment...)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	out, err = cmd.Output()
	var status *exec.ExitError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 3, status.ExitCode())
	assert.Contains(t, string(out), `{"event":"overrun",`)
}
