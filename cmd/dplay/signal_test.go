//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSignals ends joiners by the signals that users and systems end programs with: each takes leave, and its
// recording is whole.
func TestSignals(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	at := newPlace(t)
	h := startHost(t, at)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		file := filepath.Join(t.TempDir(), "join.pcapng")
		var errs bytes.Buffer
		cmd := exec.Command(self, at.join("--events", "ndjson", "--record", file)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill() })
		guest := h.event("player_created", "name", "guest")["id"]
		require.NoError(t, cmd.Process.Signal(s))
		last := ""
		for lines := bufio.NewScanner(out); lines.Scan(); {
			last = lines.Text()
		}
		assert.NoError(t, cmd.Wait(), "%s: %s", s, &errs)
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
