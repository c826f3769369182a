//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSignals ends joiners by the signals that users and systems end programs with: each takes leave, and its recording is whole. One that
// was started with SIGHUP ignored, as nohup does, goes on when it comes.
func TestSignals(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	at := newPlace(t)
	h := startHost(t, at)
	nohup := []string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`}
	for _, c := range []struct {
		before  []string
		ignored os.Signal // it comes first
		ends    os.Signal
	}{
		{ends: os.Interrupt}, {ends: syscall.SIGTERM}, {ends: syscall.SIGHUP}, {before: nohup, ignored: syscall.SIGHUP, ends: syscall.SIGTERM},
	} {
		if c.ends == syscall.SIGHUP && signal.Ignored(syscall.SIGHUP) {
			continue // these tests run under nohup, and with them what they start
		}
		file := filepath.Join(t.TempDir(), "join.pcapng")
		var errs bytes.Buffer
		command := slices.Concat(c.before, []string{self}, at.join("--events", "ndjson", "--record", file))
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill() })
		guest := h.event("player_created", "name", "guest")["id"]
		lines := bufio.NewScanner(out)
		if c.ignored != nil {
			require.NoError(t, cmd.Process.Signal(c.ignored))
			h.say("still there?")
			for lines.Scan() && parse(t, lines.Text())["event"] != "chat" {
			}
			require.NoError(t, lines.Err())
		}
		require.NoError(t, cmd.Process.Signal(c.ends))
		last := ""
		for lines.Scan() {
			last = lines.Text()
		}
		assert.NoError(t, cmd.Wait(), "%s: %s", c.ends, &errs)
		assert.Equal(t, "session_closed", parse(t, last)["event"])
		h.event("player_deleted", "id", guest)
		var commands []string
		for _, m := range readRecording(t, file) {
			if !strings.HasPrefix(m.command, "EXTENSION") { // what the host tells of our player may still come
				commands = append(commands, m.command)
			}
		}
		require.Greater(t, len(commands), 2)
		assert.Equal(t, []string{"DELETEPLAYER", "DELETEPLAYER"}, commands[len(commands)-2:], "our player, then our machine")
	}
}
