package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/menu"
	"dplay4/internal/testkit"
)

// TestMenuChoices checks that each command line of the menu is one of this program.
func TestMenuChoices(t *testing.T) {
	testkit.User(t)
	root := newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	for _, keys := range []string{"find\n", "join\n", "share\n203.0.113.5\n", "code\n" + aCode + "\n", "why\n", "record\n", "help\n"} {
		ran := false
		m := &menu.Menu{Streams: cli.Streams{In: strings.NewReader(keys + "\n\n\n\n\n"), Out: io.Discard}}
		m.Run = func(args []string) error {
			ran = true
			if args[0] == "help" { // which cobra adds when it runs
				assert.Equal(t, exitOK, dplay(t, args...).status)
				return io.EOF
			}
			cmd, rest, err := root.Find(args)
			if assert.NoError(t, err, args) {
				assert.NoError(t, cmd.ParseFlags(rest), args)
			}
			return io.EOF
		}
		assert.NoError(t, m.Show(nil))
		assert.True(t, ran, keys)
	}
}

// TestInWindow checks what is run where Windows opened a window for this program.
func TestInWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "help.pcap")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, c := range []struct {
		window cli.Window
		args   []string
		want   []string
	}{
		{cli.NoWindow, nil, nil},
		{cli.NoWindow, []string{file}, []string{file}},
		{cli.OnlyWindow, nil, []string{"menu", "--"}},
		{cli.OnlyWindow, []string{file}, []string{file}},
		{cli.ExplorersWindow, nil, []string{"menu", "--"}},
		{cli.ExplorersWindow, []string{file, file}, []string{"menu", "--", file, file}},
		{cli.ExplorersWindow, []string{"sessions"}, []string{"sessions"}},
		{cli.ExplorersWindow, []string{t.TempDir()}, nil},
	} {
		got := inWindow(slices.Clone(c.args), c.window)
		if c.want == nil {
			c.want = c.args
		}
		assert.Equal(t, c.want, got)
	}
	if runtime.GOOS != "windows" {
		assert.Equal(t, cli.NoWindow, cli.OwnWindow())
	}
}
