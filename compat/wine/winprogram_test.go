//go:build linux

package wine_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// Names that are in no code page together: in a message they are UTF-16, the pictures two units each.
const (
	japaneseSession = "日本語の部屋 🎮"
	japaneseHost    = "ホスト 😀"
	japaneseJoiner  = "参加者 🚀"
	japaneseChat    = "こんにちは、元気？ 🎉"
)

// A windowsBuild is dplay.exe on a machine with Wine, and dplay on one beside it.
type windowsBuild struct {
	windows, linux *wine.Machine
	environment    []string // of Wine
	program        string   // for Linux
}

// TestWineRunsOurProgram runs every command of dplay.exe that needs sockets, files or a console, as a user would, beside dplay on
// Linux.
func TestWineRunsOurProgram(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, w := newWindowsBuild(t, arch)
			if arch == "386" { // it takes as long to compile as all the rest
				t.Run("sockets", func(t *testing.T) { w.sockets(ctx, t, arch) })
			}
			t.Run("nobody", func(t *testing.T) { w.nobody(ctx, t) })
			t.Run("joins", func(t *testing.T) { w.joins(ctx, t) })
			t.Run("hosts", func(t *testing.T) { w.hosts(ctx, t) })
			t.Run("console", func(t *testing.T) { w.console(ctx, t) })
		})
	}
}

func newWindowsBuild(t *testing.T, arch string) (context.Context, *windowsBuild) {
	t.Helper()
	ctx, lab := newLab(t)
	w := &windowsBuild{program: buildDplay(t)}
	var err error
	w.linux, err = lab.Machine(ctx, "linux")
	require.NoError(t, err)
	w.boot(ctx, t, lab, arch)
	w.put(t, buildWindows(t, arch), exePath)
	return ctx, w
}

// boot plugs in the machine with Wine.
func (w *windowsBuild) boot(ctx context.Context, t *testing.T, lab *wine.Lab, arch string) {
	t.Helper()
	var err error
	w.windows, err = lab.Wine(ctx, "windows")
	missing(t, err)
	w.environment = slices.Clone(wine.WineEnvironment)
	if arch == "amd64" {
		w.environment = boot64(ctx, t, w.windows)
	}
	w.environment = append(w.environment, "LC_ALL=C.UTF-8", "XDG_RUNTIME_DIR=/tmp") // Wine takes arguments by the locale
}

// put copies a file to the Windows machine.
func (w *windowsBuild) put(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, w.windows.WriteFile(to, b))
}

// command returns a program of Windows that will run in Wine's folder /tmp.
func (w *windowsBuild) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := w.windows.Command(ctx, "sh", append([]string{"-c", `cd /tmp && exec wine "$@"`, "sh", program}, args...)...)
	cmd.Env = append(cmd.Env, w.environment...)
	return cmd
}

// run runs dplay.exe to its end, and returns what it printed and its exit status.
func (w *windowsBuild) run(ctx context.Context, t *testing.T, args ...string) (out string, status int) {
	t.Helper()
	return finished(t, w.command(ctx, exePath, args...))
}

func finished(t *testing.T, cmd *exec.Cmd) (out string, status int) {
	t.Helper()
	both, err := os.CreateTemp(t.TempDir(), "said") // no pipe: services of Wine that the program started would hold it open
	require.NoError(t, err)
	defer both.Close()
	cmd.Stdout, cmd.Stderr = both, both
	err = cmd.Run()
	said, unread := os.ReadFile(both.Name())
	require.NoError(t, unread)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if failed.ExitCode() < 0 {
			said = append(said, failed.Error()...) // which signal ended it
		}
		return string(said), failed.ExitCode()
	}
	require.NoError(t, err, "%s", said)
	return string(said), 0
}

// starts runs "dplay host" or "dplay join" on a machine until it is killed. Every line of its standard input is chat.
func (w *windowsBuild) starts(ctx context.Context, t *testing.T, m *wine.Machine, args ...string) *ours {
	t.Helper()
	args = append(args, "--events", "ndjson")
	cmd := m.Command(ctx, w.program, args...)
	if m == w.windows {
		cmd = w.command(ctx, exePath, args...)
	}
	o := begun(ctx, t, cmd)
	t.Cleanup(func() {
		if o.cmd.ProcessState == nil {
			o.kill(t)
		}
	})
	return o
}

// sockets runs tests of packages that open sockets as programs of Windows: ports that are taken are found out by Winsock's numbers.
func (w *windowsBuild) sockets(ctx context.Context, t *testing.T, arch string) {
	for pkg, tests := range map[string][]string{
		"dpsp/sock":        {"TestAdapters", "TestDatagrams", "TestPlayAtOtherPorts", "TestPorts", "TestTaken"},
		"dpsp/bridge/link": {"TestRealRelay", "TestRealDirect", "TestDoors", "TestSystem"},
	} {
		exe := filepath.Join(t.TempDir(), "tests.exe")
		cmd := exec.CommandContext(ctx, "go", "test", "-trimpath", "-c", "-o", exe, "dplay4/"+pkg)
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH="+arch)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		in := "/opt/dplay/" + filepath.Base(pkg) + ".exe"
		w.put(t, exe, in)
		said, status := finished(t, w.command(ctx, in, "-test.v", "-test.timeout=10m", "-test.run=^("+strings.Join(tests, "|")+")$"))
		assert.Zero(t, status, said)
		for _, name := range tests {
			assert.Contains(t, said, "--- PASS: "+name+" ")
		}
	}
}

// nobody looks for sessions where there are none.
func (w *windowsBuild) nobody(ctx context.Context, t *testing.T) {
	out, status := w.run(ctx, t, "sessions", "--all-interfaces", "--timeout", "300ms")
	assert.Equal(t, "dplay: no sessions; --all lists those that nobody can join at the moment as well, and \"dplay doctor --live\" looks for what stands in the way\n", out)
	assert.Zero(t, status)
	out, status = w.run(ctx, t, "doctor", "--live", "--timeout", "300ms", w.linux.Addr().String())
	assert.Equal(t, 3, status, out)
	assert.Contains(t, out, "[enum-unanswered]")
	out, status = w.run(ctx, t, "decode", `Z:\tmp\none-*.pcap`)
	assert.Equal(t, "dplay: Z:\\tmp\\none-*.pcap: no file matches\n", out)
	assert.Equal(t, 1, status)
	relay := []string{"bridge", "relay", "--public", w.windows.Addr().String(), "--for"}
	out, status = w.run(ctx, t, append(relay, "5s")...)
	assert.Zero(t, status, out)
	assert.Regexp(t, `^relay at 192[0-9.]+, listening at 192.*\n(.*\n)*open to everybody\. (.*\n)+ended\r?\n$`, out)
	other := w.command(ctx, exePath, append(relay, "1h")...)
	lines, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	defer other.Wait()         //nolint:errcheck // it is killed
	defer other.Process.Kill() //nolint:errcheck // it may have ended
	line, err := bufio.NewReader(lines).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "UDP 3478-3479, TCP 3478, TCP 5349")
	out, status = w.run(ctx, t, append(relay, "1h")...)
	assert.Equal(t, 1, status)
	assert.Regexp(t, `UDP port 3478 of 192[0-9.]+ is held by dplay\.exe \(process \d+\): end it`, out)
	asked, err := w.linux.Command(ctx, w.program, "bridge", "doctor", "--relay", w.windows.Addr().String()).CombinedOutput()
	assert.Regexp(t, `relay 192[0-9.]+: UDP [0-9.]+ ms, TCP [0-9.]+ ms, TLS [0-9.]+ ms`, string(asked), "%v", err)
}

// joins has dplay.exe find a session on Linux, look what is wrong with it, join it, record it and read that.
func (w *windowsBuild) joins(ctx context.Context, t *testing.T) {
	host := w.starts(ctx, t, w.linux, "host", "--app", application, "--name", japaneseSession, "--player", japaneseHost)
	for _, where := range [][]string{{}, {"--all-interfaces"}, {w.linux.Addr().String()}} {
		out, status := w.run(ctx, t, append([]string{"sessions", "--timeout", "5s"}, where...)...)
		assert.Zero(t, status, out)
		assert.Regexp(t, `(?m)^`+japaneseSession+` +1 +\{bdcfe03e-.* 192\.0\.2\.1:2300 `, out)
	}
	out, status := w.run(ctx, t, "doctor", "--live", "--timeout", "10s", w.linux.Addr().String())
	assert.Zero(t, status, out)
	assert.Contains(t, out, "healthy")

	joiner := w.starts(ctx, t, w.windows, "join", w.linux.Addr().String(), "--player", japaneseJoiner, "--until", "chat",
		"--record", `Z:\tmp\With 空白.pcapng`)
	joiner.told(ctx, t, host, japaneseJoiner)
	_, err := joiner.stdin.Write([]byte("Z\xfcrich\n")) // in the code page of Wine
	require.NoError(t, err)
	paged := host.wait(ctx, t, "chat in a code page", func(f fact) bool { return f.Event == "chat" && f.From == joiner.player })
	assert.Equal(t, "Zürich", paged.Text)
	host.told(ctx, t, joiner, japaneseHost) // which ends it
	joiner.end(t)
	left := host.next(ctx, t, "player_deleted")
	assert.Equal(t, joiner.player, left.ID)
	host.none(t, "peer_lost", "dropped")

	out, status = w.run(ctx, t, "decode", "W*.PcapNG", "--no-progress")
	assert.Zero(t, status, out)
	for _, text := range []string{japaneseSession, japaneseHost, japaneseJoiner, japaneseChat, "With 空白.pcapng: "} {
		assert.Contains(t, out, text)
	}
	out, status = w.run(ctx, t, "doctor", `Z:\tmp\*.pcapng`)
	assert.Zero(t, status, out)
	assert.Contains(t, out, "healthy")
	out, _ = w.run(ctx, t, "replay", "--for", "10s", "--to", w.linux.Addr().String(), `Z:\tmp\W*.pcapng`) // it may differ
	assert.Regexp(t, ` played to 192\.0\.2\.1:2300: [1-9]\d* messages sent, [1-9]\d* answers`, out)
}

// told has the other machine say the line: this one hears who said it. Both know the other's name.
func (o *ours) told(ctx context.Context, t *testing.T, to *ours, name string) {
	t.Helper()
	_, err := o.stdin.Write([]byte(japaneseChat + "\n"))
	require.NoError(t, err)
	heard := to.wait(ctx, t, "chat of "+name, func(f fact) bool { return f.Event == "chat" && f.From == o.player })
	assert.Equal(t, japaneseChat, heard.Text)
	known := slices.ContainsFunc(to.kept, func(f fact) bool {
		return f.Event == "player_created" && f.ID == o.player && f.Name == name
	})
	assert.True(t, known, "it knows the name %s: %+v", name, to.kept)
}

// hosts has dplay.exe host, beside another one that joins on the same machine, and dplay on Linux join.
func (w *windowsBuild) hosts(ctx context.Context, t *testing.T) {
	host := w.starts(ctx, t, w.windows, "host", "--app", application, "--name", japaneseSession, "--player", japaneseHost)
	beside := w.starts(ctx, t, w.windows, "join", w.windows.Addr().String(), "--player", "Beside 隣")
	linux := w.starts(ctx, t, w.linux, "join", w.windows.Addr().String(), "--player", japaneseJoiner)
	linux.told(ctx, t, host, japaneseJoiner)
	linux.told(ctx, t, beside, japaneseJoiner)
	host.told(ctx, t, linux, japaneseHost)
	beside.told(ctx, t, linux, "Beside 隣")

	out, status := w.run(ctx, t, "host", "--app", application, "--name", "second")
	assert.Equal(t, 1, status, out)
	assert.Contains(t, out, "dplay: UDP port 47624 is taken by ")
	out, status = w.run(ctx, t, "doctor", "--live", "--timeout", "10s")
	assert.Contains(t, out, japaneseSession)
	assert.Zero(t, status, out)
	out, status = finished(t, w.linux.Command(ctx, w.program, "sessions", "--timeout", "5s", w.windows.Addr().String()))
	assert.Zero(t, status, out)
	assert.Contains(t, out, japaneseSession)
	w.serves(ctx, t)
}

// serves has dplay.exe make a page of the sessions, for a browser on Linux.
func (w *windowsBuild) serves(ctx context.Context, t *testing.T) {
	t.Helper()
	cmd := w.command(ctx, exePath, "sessions", "--serve", w.windows.Addr().String()+":8080")
	require.NoError(t, cmd.Start())
	defer cmd.Wait()   //nolint:errcheck // it is killed
	defer cmd.Cancel() //nolint:errcheck // it may have ended
	const get = `until exec 3<>/dev/tcp/$0/8080; do :; done 2>/dev/null
		printf 'GET / HTTP/1.0\r\nHost: %s:8080\r\n\r\n' "$0" >&3
		cat <&3`
	out, status := finished(t, w.linux.Command(ctx, "bash", "-c", get, w.windows.Addr().String()))
	assert.Zero(t, status, out)
	assert.Contains(t, out, "200 OK")
}
