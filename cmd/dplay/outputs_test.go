//go:build unix

package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// An outputCommand is a command line that writes a file.
type outputCommand struct {
	args    []string // the file follows them
	force   string
	private bool // passwords may be in it
}

// outputCommands returns one of each kind.
func outputCommands(t *testing.T) map[string]outputCommand {
	forced := func(private bool, args ...string) outputCommand { return outputCommand{args, "--force", private} }
	return map[string]outputCommand{
		"annotate":       forced(true, "annotate", "-q", lab(t, "02"), "-o"),
		"draw --output":  forced(true, "draw", "-q", "--format", "svg", lab(t, "02"), "-o"),
		"draw --report":  forced(true, "draw", "-q", lab(t, "02"), "--report"),
		"simulate --svg": forced(false, append(short, "--svg")...),
		"dll config":     forced(false, "dll", "config", "-o"),
		"host --record":  forced(true, newPlace(t).host("--for", "1ms", "--events", "ndjson", "--record")...),
	}
}

// writes runs the command for a file, and returns what it says on standard error.
func (c outputCommand) writes(t *testing.T, want int, file string, more ...string) string {
	t.Helper()
	args := append(append(append([]string{}, c.args...), file), more...)
	run := dplay
	if c.args[0] == "host" {
		run = func(t testing.TB, args ...string) result { return once(t.(*testing.T), args...) }
	}
	got := run(t, args...)
	assert.Equal(t, want, got.status, "%q: %s", args, got.err)
	return got.err
}

// alone checks that a folder has these files and no other, such as one that is not whole.
func alone(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	assert.ElementsMatch(t, names, there)
}

// TestOutputs holds that all commands that write a file do it by the same rules.
func TestOutputs(t *testing.T) {
	t.Parallel()
	for name, c := range outputCommands(t) {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			at := func(name string) string { return filepath.Join(folder, name) }
			file, old, link, nowhere := at("new"), at("old"), at("link"), at("nowhere")
			mode := func(name string) fs.FileMode {
				info, err := os.Stat(name)
				require.NoError(t, err)
				return info.Mode().Perm()
			}
			c.writes(t, exitOK, file)
			if c.private {
				assert.Equal(t, fs.FileMode(0o600), mode(file), "passwords may be in it")
			} else {
				usual, err := os.Create(at("usual"))
				require.NoError(t, err)
				require.NoError(t, usual.Close())
				assert.Equal(t, mode(at("usual")), mode(file))
				require.NoError(t, os.Remove(at("usual")))
			}
			whole := mustRead(t, file)
			assert.Greater(t, len(whole), 100)

			require.NoError(t, os.WriteFile(old, []byte("the only copy"), 0o600))
			require.NoError(t, os.Chmod(old, 0o640))
			require.NoError(t, os.Symlink("old", link))
			require.NoError(t, os.Symlink("missing", nowhere))
			assert.Contains(t, c.writes(t, exitInput, old), old+": file already exists and is not empty: name another one, or --force")
			assert.Contains(t, c.writes(t, exitInput, link), link+": file already exists, a symbolic link: name another file, or --force")
			assert.Contains(t, c.writes(t, exitInput, nowhere), nowhere+": a symbolic link that leads nowhere")
			assert.Equal(t, "the only copy", string(mustRead(t, old)))
			c.writes(t, exitInput, nowhere, c.force)

			c.writes(t, exitOK, link, c.force)
			assert.Greater(t, len(mustRead(t, old)), 100)
			assert.Equal(t, fs.FileMode(0o640), mode(old), "it stays")
			to, err := os.Readlink(link)
			require.NoError(t, err)
			assert.Equal(t, "old", to)
			require.NoError(t, os.WriteFile(old, nil, 0o600))
			c.writes(t, exitOK, old)
			assert.Greater(t, len(mustRead(t, old)), 100, "an empty file has nothing to lose")
			want := fs.FileMode(0o640)
			if c.private {
				want = 0o600
			}
			assert.Equal(t, want, mode(old), "it is like a new file, or stricter")
			c.writes(t, exitInput, at("no/such"))
			alone(t, folder, "new", "old", "link", "nowhere")
		})
	}
}

// TestOutputPipe writes into a pipe, and to /dev/stdout behind what is there.
func TestOutputPipe(t *testing.T) {
	t.Parallel()
	for name, c := range outputCommands(t) {
		if c.args[0] == "host" {
			continue // two would be at one place
		}
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			pipe, file := filepath.Join(folder, "pipe"), filepath.Join(folder, "file")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			got := make(chan []byte, 1)
			go func() {
				b, _ := os.ReadFile(pipe) //nolint:errcheck // it is compared
				got <- b
			}()
			c.writes(t, exitOK, pipe)
			whole, _ := testkit.Receive(t, got, "what the pipe got")
			assert.Greater(t, len(whole), 100)

			require.NoError(t, os.WriteFile(file, []byte("before\n"), 0o600))
			out, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			defer out.Close()
			cmd := asProcess(t, nil, append(append([]string{}, c.args...), "/dev/stdout")...)
			var errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = out, &errs
			require.NoError(t, cmd.Run(), "%s", &errs)
			text := mustRead(t, file)
			assert.True(t, bytes.HasPrefix(text, []byte("before\n")))
			assert.Contains(t, string(text), string(whole[:100]))
		})
	}
}

// TestOutputSignals ends a command by each signal while its file is not whole: the one that was there stays. The command reads a pipe
// that does not end.
func TestOutputSignals(t *testing.T) {
	t.Parallel()
	for _, end := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGKILL} {
		folder := t.TempDir()
		file := filepath.Join(folder, "old.svg")
		require.NoError(t, os.WriteFile(file, []byte("the only copy"), 0o600))
		cmd := asProcess(t, nil, "draw", "--no-findings", "--force", "-o", file, "-")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		parts := func() []string {
			names, err := filepath.Glob(filepath.Join(folder, ".dplay-*.part"))
			require.NoError(t, err)
			return names
		}
		testkit.Until(t, func() bool { return len(parts()) > 0 }, "the file to be begun")
		_, err = in.Write(newCapture().b)
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(end))
		if end != syscall.SIGKILL {
			testkit.Until(t, func() bool { // the signal was taken if the pipe's end is not the reason that it ends
				_, err := in.Write(make([]byte, 16))
				return err != nil
			}, "%s to end the command", end)
		}
		in.Close()
		assert.Error(t, cmd.Wait(), "%s", end)
		assert.Equal(t, "the only copy", string(mustRead(t, file)), "%s", end)
		if end != syscall.SIGKILL {
			alone(t, folder, "old.svg")
		}
	}
}

// TestAnnotateKeeps holds that an interrupt leaves the file that was to be replaced.
func TestAnnotateKeeps(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "old.pcapng")
	require.NoError(t, os.WriteFile(file, []byte("the only copy"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	assert.Equal(t, exitInput, run(ctx, []string{"annotate", lab(t, "08"), "--force", "-o", file}, strings.NewReader(""), &out, &errs))
	assert.Contains(t, errs.String(), "interrupted")
	assert.Equal(t, "the only copy", string(mustRead(t, file)))
	alone(t, folder, "old.pcapng")
}

// TestRecordUnopened holds that a session that cannot be opened leaves the recording that was to be replaced.
func TestRecordUnopened(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "old.pcapng")
	require.NoError(t, os.WriteFile(file, []byte("the only copy"), 0o600))
	got := once(t, "host", "--app", newPlace(t).app, "--name", "Test", "--bind", "203.0.113.77", "--force", "--record", file)
	assert.Equal(t, exitInput, got.status, got.err)
	assert.Equal(t, "the only copy", string(mustRead(t, file)))
	once(t, "host", "--app", newPlace(t).app, "--name", "Test", "--bind", "203.0.113.77", "--record", filepath.Join(folder, "new.pcapng"))
	alone(t, folder, "old.pcapng")
}

// TestRecordKilled holds that a recording is under its name from its first packet on: a program that is killed leaves it.
func TestRecordKilled(t *testing.T) {
	t.Parallel()
	at, folder := newPlace(t), t.TempDir()
	file := filepath.Join(folder, "old.pcapng")
	require.NoError(t, os.WriteFile(file, []byte("an older one"), 0o600))
	h := startHost(t, at)
	cmd := asProcess(t, nil, at.join("--events", "ndjson", "--force", "--record", file)...)
	require.NoError(t, cmd.Start())
	h.event("player_created", "name", "guest")
	require.NoError(t, cmd.Process.Kill())
	assert.Error(t, cmd.Wait())
	assert.NotEmpty(t, readRecording(t, file))
	alone(t, folder, "old.pcapng")
}
