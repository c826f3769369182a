//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A said is what a program wrote so far.
type said struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed and made anew
}

func newSaid() *said { return &said{changed: make(chan struct{})} }

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.text.String(), "\r", "")
}

// wait waits until a launcher wrote a text.
func (s *said) wait(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	for {
		s.mu.Lock()
		changed := s.changed
		found, ended := strings.Contains(s.text.String(), text), strings.Contains(s.text.String(), "launcher: end")
		s.mu.Unlock()
		if found {
			return
		}
		require.False(t, ended, s)
		select {
		case <-changed:
		case <-ctx.Done():
			require.Fail(t, "it never said "+text, s.String())
		}
	}
}

// lobbyPrograms puts the launcher and its game beside our DLLs, and registers those with COM.
func (w *windowsBuild) lobbyPrograms(ctx context.Context, t *testing.T, arch string) {
	t.Helper()
	flags := []string{"-ldxguid"}
	if arch == "amd64" { // with the interfaces for UTF-16
		flags = append(flags, "-DUNICODE", "-D_UNICODE", "-municode")
	}
	w.putDLLs(ctx, t, arch, dllProgram(t, arch, "launcher", flags...))
	w.put(t, dllProgram(t, arch, "lobbied", flags...), dllFolder+"lobbied.exe")
	out, status := finished(t, w.command(ctx, "regsvr32", "/s", windowsFolder+"dplayx.dll"))
	require.Zero(t, status, out)
}

// windowsFolder is dllFolder as Windows names it.
var windowsFolder = "Z:" + strings.ReplaceAll(dllFolder, "/", `\`)

// launch starts the launcher.
func (w *windowsBuild) launch(ctx context.Context, t *testing.T, args ...string) (*exec.Cmd, *said) {
	t.Helper()
	cmd := w.command(ctx, dllFolder+"launcher.exe", args...)
	s := newSaid()
	cmd.Stdout, cmd.Stderr = s, s
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s:\n%s", args[0], s)
		}
	})
	return cmd, s
}

// TestDLLLobby has a launcher start a lobbied game that hosts, and another launcher one that joins from another subnet, where no
// broadcast gets, by the address that it is given. Both games know what to do from their settings alone, their launchers hear of
// it, and all four end by themselves. One pair of launchers has agreed on the GUID of the session.
func TestDLLLobby(t *testing.T) {
	wineTest(t)
	t.Parallel()
	for _, arch := range [][2]string{{"386", "386"}, {"amd64", "386"}} {
		settings, agree := `{00000000-0000-0000-0000-000000000000}`, []string{} // the GUID in the settings
		if arch[0] == "amd64" {
			settings, agree = "{4d2e11aa-0c5b-4f7e-9a3d-21436587a9cb}", []string{"agreed"}
		}
		t.Run(arch[0]+" hosts", func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			near, far := new(windowsBuild), new(windowsBuild)
			for i, w := range []*windowsBuild{near, far} {
				w.boot(ctx, t, lab, arch[i])
				w.lobbyPrograms(ctx, t, arch[i])
			}
			require.NoError(t, lab.Apart(ctx, near.windows, far.windows))

			hosting, host := near.launch(ctx, t, append([]string{"host", windowsFolder}, agree...)...)
			host.wait(ctx, t, "connect succeeded")
			joining, joiner := far.launch(ctx, t, append([]string{"join", windowsFolder, near.windows.Addr().String()}, agree...)...)
			require.NoError(t, joining.Wait(), joiner)
			require.NoError(t, hosting.Wait(), host)

			instance := regexp.MustCompile(`game: session (\{.*\}) the lobby's session\n`).FindStringSubmatch(host.String())
			require.NotNil(t, instance, host)
			if len(agree) > 0 {
				assert.Equal(t, settings, instance[1])
			}
			followed(t, host.String(), "flags 2 player Host password sesame address of 60 octets", settings, instance[1])
			followed(t, joiner.String(), "flags 1 player Joiner password sesame address of ", settings, instance[1])
			assert.Contains(t, host.String(), "game: Joiner came\n")
			assert.Contains(t, host.String(), "game: heard hello\n")
			assert.Contains(t, joiner.String(), "game: heard welcome\n")
		})
	}
}

// followed says that a launcher and its game went from beginning to end. asked is the instance GUID of the settings, instance that of
// the session.
func followed(t *testing.T, said, settings, asked, instance string) {
	t.Helper()
	asked, instance = regexp.QuoteMeta(asked), regexp.QuoteMeta(instance)
	at := 0
	for _, line := range []string{
		"launcher: listed A lobbied game size \\d+ flags 0", "launcher: started a process: yes",
		"launcher: heard settings read " + asked, "launcher: heard connect succeeded " + instance,
		`launcher: heard getproperty 40 octets`, "launcher: heard its own words",
		"launcher: heard terminated " + instance, "launcher: end",
	} {
		found := regexp.MustCompile("(?m)^" + line).FindStringIndex(said[at:])
		if assert.NotNil(t, found, "%s\nin\n%s", line, said) {
			at += found[1]
		}
	}
	for _, line := range []string{`game: run as ".*lobbied.exe" "two words" /lobby`, "game: settings " + settings,
		"game: the launcher answers type 8 flags 2 request 7: 1\n", "game: end\n"} {
		assert.Regexp(t, line, said)
	}
}
