//go:build linux

package wine_test

import (
	"archive/zip"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// released returns the file of a release whose name matches. DPLAY_RELEASE names the folder; "make release-test" makes it.
func released(t *testing.T, pattern string) []byte {
	t.Helper()
	dir := os.Getenv("DPLAY_RELEASE")
	if dir == "" {
		t.Skip("it needs a release: make release-wine runs it")
	}
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	require.Len(t, names, 1, pattern)
	b, err := os.ReadFile(names[0])
	require.NoError(t, err)
	return b
}

// trialCapture is where the machines have a capture of the project.
const trialCapture = "/opt/dplay/game.pcap"

// TestReleaseWindows unpacks the archives for Windows and runs what is in them under Wine: the first commands, and the menu that
// a double click shows.
func TestReleaseWindows(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			archive := released(t, "dplay-*-windows-"+arch+".zip")
			ctx, lab := newLab(t)
			m, err := lab.Wine(ctx, "windows")
			missing(t, err)
			putCapture(t, m)
			z, err := zip.NewReader(strings.NewReader(string(archive)), int64(len(archive)))
			require.NoError(t, err)
			for _, f := range z.File {
				base := path.Base(f.Name)
				if base != "dplay.exe" && base != "dplayx.dll" {
					continue
				}
				r, err := f.Open()
				require.NoError(t, err)
				b, err := io.ReadAll(r)
				require.NoError(t, err)
				to := exePath
				if base == "dplayx.dll" { // beside it, as in the archive
					to = path.Join(path.Dir(exePath), "dll", path.Base(path.Dir(f.Name)), base)
					require.NoError(t, m.Command(ctx, "mkdir", "-p", path.Dir(to)).Run())
				}
				require.NoError(t, m.WriteFile(to, b))
			}
			environment := wine.WineEnvironment
			if arch == "amd64" {
				environment = boot64(ctx, t, m)
			}
			run := func(stdin string, args ...string) string {
				cmd := m.Command(ctx, "wine", append([]string{exePath}, args...)...)
				cmd.Env = append(cmd.Env, environment...)
				cmd.Stdin = strings.NewReader(stdin)
				out, err := cmd.Output()
				require.NoError(t, err, args)
				return strings.ReplaceAll(string(out), "\r", "")
			}
			assert.Regexp(t, `^dplay v\d.*, commit [0-9a-f]{12} of \d{4}-.*, windows/`+arch+`\n$`, run("", "version"))
			assert.Contains(t, run("", "help"), "Topics:\n")
			assert.Contains(t, run("", "decode", trialCapture), "PLAYERMESSAGE")
			game := `Z:\opt\dplay\client.exe`
			assert.Regexp(t, `(?m)^placed +dplayx\.dll: dplay's v\d.*, 32 bits$`, run("", "dll", "install", "--game", game))
			assert.Regexp(t, `(?m)^386 +dplayx\.dll +dplay's v\d.*: it is beside the game$`, run("", "dll", "status", "--game", game))
			assert.Contains(t, run("", "dll", "remove", "--game", game), "removed   dplayx.dll: ")
			menu := run("x\nh\n\nq\n", "menu")
			assert.Contains(t, menu, "Please type a number from 1 to ")
			assert.Contains(t, menu, "This runs: dplay help start\n")
			assert.Contains(t, menu, "dplay sessions 192.0.2.7\n", "what it runs is seen")
			assert.Equal(t, 3, strings.Count(menu, "Number or first letter: "), "it goes on, and ends")

			loader := "wine"
			if arch == "amd64" {
				loader = "/usr/lib/wine/wine64" // Debian's wine is the one of 32 bits, which leaves it to a second program in the console
			}
			clicked := m.Command(ctx, loader, exePath) // as a double click does: a console for it alone, and no arguments
			clicked.Env = append(clicked.Env, environment...)
			c := newConsole(t, clicked)
			c.shows(ctx, t, "Number or first letter:")
			c.keys(t, "w\r")
			c.shows(ctx, t, "just look around")
			c.keys(t, "\r")
			c.shows(ctx, t, "This runs: dplay doctor --live")
			c.keys(t, "\x03") // it ends what runs, if that has not ended, and not the menu
			c.shows(ctx, t, "Press Enter for the menu.")
			c.keys(t, "\rq\r")
			c.ends(t)
		})
	}
}

// TestReleaseDebian installs the packages in the Debian of the lab, which forgets it, and runs what they install.
func TestReleaseDebian(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "i386"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			deb := released(t, "dplay4_*_"+arch+".deb")
			ctx, lab := newLab(t)
			m, err := lab.Wine(ctx, "debian")
			missing(t, err)
			putCapture(t, m)
			require.NoError(t, m.WriteFile("/opt/dplay/dplay4.deb", deb))
			said := inDebian(ctx, t, m, "dpkg", "-i", "/opt/dplay/dplay4.deb")
			assert.NotContains(t, said, "warning")
			assert.Empty(t, inDebian(ctx, t, m, "dpkg", "-V", "dplay4"), "all files are as in the package")
			assert.Regexp(t, `^dplay v\d.*, commit [0-9a-f]{12} of `, inDebian(ctx, t, m, "dplay", "version"))
			assert.Contains(t, inDebian(ctx, t, m, "dplay", "decode", "-q", trialCapture), "PLAYERMESSAGE")
			assert.Contains(t, inDebian(ctx, t, m, "dplay", "help"), "Topics:\n")
			list := inDebian(ctx, t, m, "dpkg", "-L", "dplay4")
			for _, name := range []string{"/usr/bin/dplay", "/usr/share/man/man1/dplay-doctor.1.gz", "/usr/share/man/man7/dplay-start.7.gz",
				"/usr/share/bash-completion/completions/dplay", "/usr/share/zsh/vendor-completions/_dplay",
				"/usr/lib/dplay/windows-386/dplayx.dll", "/usr/lib/dplay/windows-amd64/dplayx.dll",
				"/usr/lib/systemd/system/dplay-relay.service", "/etc/default/dplay-relay",
				"/usr/share/fish/vendor_completions.d/dplay.fish", "/usr/share/doc/dplay4/copyright", "/usr/share/doc/dplay4/START-HERE.txt"} {
				assert.Contains(t, list, name+"\n")
			}
			assert.Contains(t, inDebian(ctx, t, m, "zcat", "/usr/share/man/man1/dplay.1.gz"), "\n.SH NAME\ndplay ")
			assert.Contains(t, inDebian(ctx, t, m, "bash", "-c", "bash -n /usr/share/bash-completion/completions/dplay && echo good"), "good")
			assert.Regexp(t, `(?m)^placed +dplayx\.dll: dplay's v\d.*, 32 bits$`,
				inDebian(ctx, t, m, "dplay", "dll", "install", "--dry-run", "--game", "/opt/dplay/client.exe"))
			inDebian(ctx, t, m, "dpkg", "-r", "dplay4")
			_, err = m.Command(ctx, "dplay", "version").Output()
			assert.Error(t, err, "it is gone")
		})
	}
}

// putCapture gives a machine a capture to try.
func putCapture(t *testing.T, m *wine.Machine) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "captures", "lab", "04-rzhost-w10join-unreliable-udp.pcap"))
	require.NoError(t, err)
	require.NoError(t, m.WriteFile(trialCapture, b))
}

// inDebian runs a program that has to succeed, and returns what it says.
func inDebian(ctx context.Context, t *testing.T, m *wine.Machine, program string, args ...string) string {
	t.Helper()
	out, err := m.Command(ctx, program, args...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, args, out)
	return string(out)
}
