//go:build linux

package wine_test

import (
	"context"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// An installing is a machine with Wine, dplay for Linux, our DLLs beside it, and programs that load DirectPlay; and one without
// Wine, that they join.
type installing struct {
	windowsBuild
	prefix string
	archs  []string // of the programs that run in the prefix
}

// dplayFolder is where the machine has dplay, as somebody has it who unpacked an archive.
const dplayFolder = "/opt/dplay/unpacked/"

// TestDLLInstall has "dplay dll" install our DLLs into prefixes of 32 and of 64 bits and beside a game, for programs that
// import them, load them by name, and create their objects; and put back what was there.
func TestDLLInstall(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for _, bits := range []string{"386", "amd64"} {
		t.Run(bits, func(t *testing.T) {
			t.Parallel()
			ctx, i := newInstalling(t, bits)
			i.intoPrefix(ctx, t)
			i.besideGame(ctx, t)
			i.settings(ctx, t)
		})
	}
}

func newInstalling(t *testing.T, bits string) (context.Context, *installing) {
	t.Helper()
	ctx, lab := newLab(t)
	i := &installing{prefix: wine.WinePrefix, archs: []string{"386"}}
	i.boot(ctx, t, lab, bits)
	if bits == "amd64" {
		i.prefix, i.archs = wine.WinePrefix64, []string{"386", "amd64"}
	}
	var err error
	i.linux, err = lab.Machine(ctx, "linux")
	require.NoError(t, err)
	i.program = buildDplay(t)
	i.make(ctx, t, dplayFolder)
	i.put(t, i.program, dplayFolder+"dplay")
	for _, arch := range []string{"386", "amd64"} {
		i.make(ctx, t, dplayFolder+"dll/windows-"+arch)
		i.put(t, dll(t, arch)+"/dplayx.dll", dplayFolder+"dll/windows-"+arch+"/dplayx.dll")
		i.make(ctx, t, game(arch))
		i.put(t, dllProgram(t, arch, "loads"), game(arch)+"/loads.exe")
		i.put(t, dllProgram(t, arch, "imports", imported(t, arch)), game(arch)+"/imports.exe")
	}
	return ctx, i
}

// imported returns what a program is linked with that imports dplayx.dll: mingw has it for 32 bits alone.
func imported(t *testing.T, arch string) string {
	t.Helper()
	if arch == "386" {
		return "-ldplayx"
	}
	return dll(t, arch) + "/dplayx.dll"
}

// game is the folder of the programs for an architecture.
func game(arch string) string { return "/opt/dplay/game-" + arch }

func (i *installing) make(ctx context.Context, t *testing.T, folder string) {
	t.Helper()
	require.NoError(t, i.windows.Command(ctx, "mkdir", "-p", folder).Run())
}

// dplay runs dplay for Linux.
func (i *installing) dplay(ctx context.Context, t *testing.T, args ...string) (out string, status int) {
	t.Helper()
	cmd := i.windows.Command(ctx, dplayFolder+"dplay", args...)
	cmd.Env = append(cmd.Env, "TERM=dumb")
	return finished(t, cmd)
}

// must runs a command of "dplay dll" that has to succeed.
func (i *installing) must(ctx context.Context, t *testing.T, args ...string) string {
	t.Helper()
	out, status := i.dplay(ctx, t, append([]string{"dll"}, args...)...)
	require.Zero(t, status, "dplay dll %v: %s", args, out)
	return out
}

// quiet ends Wine's server of the prefix, as it ends some seconds after the last program.
func (i *installing) quiet(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, flag := range []string{"-k", "-w"} {
		cmd := i.windows.Command(ctx, "wineserver", flag)
		cmd.Env = append(cmd.Env, i.environment...)
		_ = cmd.Run() // there may be none
	}
}

// awake starts Wine's services, which would hold the pipes of the first program.
func (i *installing) awake(ctx context.Context, t *testing.T) {
	t.Helper()
	require.NoError(t, i.windows.Boot(ctx, i.environment))
}

// loads runs a program that loads DirectPlay in each way, and returns what it says, by the way.
func (i *installing) loads(ctx context.Context, t *testing.T, arch string, more ...string) map[string]string {
	t.Helper()
	said := map[string]string{}
	for _, how := range []string{"import", "load", "old", "create"} {
		said[how] = i.loaded(ctx, t, arch, how, more...)
	}
	return said
}

// loaded runs a program that loads DirectPlay in one way.
func (i *installing) loaded(ctx context.Context, t *testing.T, arch, how string, more ...string) (said string) {
	t.Helper()
	program := "loads.exe"
	if how == "import" {
		program = "imports.exe"
	}
	cmd := i.windows.Command(ctx, "sh", "-c", `cd "$0" && exec wine "$@"`, game(arch), game(arch)+"/"+program, how)
	cmd.Env = append(append(cmd.Env, i.environment...), more...)
	out, _ := finished(t, cmd)
	return strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(out, "\r", ""), how+": "))
}

// hosts is what a program says that can host, or could join, and cannot what it says with Wine's own DirectPlay.
const (
	hosts  = ": 0x00000000"
	cannot = ": 0x80004001"
)

// intoPrefix installs into the prefix, and removes.
func (i *installing) intoPrefix(ctx context.Context, t *testing.T) {
	i.quiet(ctx, t)
	before := i.files(ctx, t)
	assert.Contains(t, i.must(ctx, t, "status", "--wine-prefix", i.prefix), "Wine's own: nothing else is in the system folder")

	i.awake(ctx, t)
	out, status := i.dplay(ctx, t, "dll", "install", "--wine-prefix", i.prefix)
	assert.Equal(t, 1, status, out)
	assert.Contains(t, out, "a program of Windows runs in "+i.prefix)
	i.quiet(ctx, t)
	assert.Contains(t, i.must(ctx, t, "install", "--wine-prefix", i.prefix, "--dry-run"), "nothing was changed")
	assert.Equal(t, before, i.files(ctx, t))
	out = i.must(ctx, t, "install", "--wine-prefix", i.prefix)
	assert.Contains(t, out, "kept ")
	assert.Equal(t, 2*len(i.archs), strings.Count(out, "placed "), out)
	for line := range strings.Lines(i.must(ctx, t, "install", "--wine-prefix", i.prefix)) {
		assert.Regexp(t, "^(same|in) ", line)
	}
	said := i.must(ctx, t, "status", "--wine-prefix", i.prefix)
	assert.Equal(t, 2*len(i.archs), strings.Count(said, "dplay's devel: it is in the system folder"), said)

	i.awake(ctx, t)
	for _, arch := range i.archs {
		for how, said := range i.loads(ctx, t, arch) {
			assert.Regexp(t, `(?i)^C:\\windows\\sys.*\\dplayx?\.dll`+hosts+"$", said, "%s %s", arch, how)
		}
	}
	i.quiet(ctx, t)
	assert.Contains(t, i.must(ctx, t, "status", "--wine-prefix", i.prefix), "dplay's devel: it is in the system folder", "Wine has kept it")

	out = i.must(ctx, t, "remove", "--wine-prefix", i.prefix)
	assert.Equal(t, 2*len(i.archs), strings.Count(out, "removed "), out)
	assert.Equal(t, 2*len(i.archs), strings.Count(out, "restored "), out)
	assert.Equal(t, before, i.files(ctx, t), "the prefix is as it was")
	assert.Contains(t, i.must(ctx, t, "remove", "--wine-prefix", i.prefix), "nothing of dplay is in")
	i.awake(ctx, t)
	for _, arch := range i.archs {
		for how, said := range i.loads(ctx, t, arch) {
			assert.True(t, strings.HasSuffix(said, cannot), "%s %s: %s", arch, how, said)
		}
	}
}

// files returns the sums of the files that are changed, and the names of those beside them.
func (i *installing) files(ctx context.Context, t *testing.T) string {
	t.Helper()
	const list = `cd "$0" && ls -a . && ls drive_c/windows/system32 drive_c/windows/syswow64 2>/dev/null | grep -i dplay
		sha256sum drive_c/windows/sys*/dplay*.dll && grep -i dplay user.reg; true`
	out, err := i.windows.Command(ctx, "sh", "-c", list, i.prefix).Output()
	require.NoError(t, err)
	return string(out)
}

// besideGame installs beside the programs, whose objects CoCreateInstance takes from the prefix all the same.
func (i *installing) besideGame(ctx context.Context, t *testing.T) {
	for _, arch := range i.archs {
		out := i.must(ctx, t, "install", "--game", game(arch))
		assert.Equal(t, 2, strings.Count(out, "placed "), out)
		assert.Contains(t, i.must(ctx, t, "status", "--game", game(arch)), "dplay's devel: it is beside the game")
		said := i.loads(ctx, t, arch, dllOverride)
		for _, how := range []string{"import", "load", "old"} {
			assert.Regexp(t, `(?i)^Z:\\opt\\dplay\\game-`+arch+`\\dplayx?\.dll`+hosts+"$", said[how], "%s %s", arch, how)
		}
		assert.True(t, strings.HasSuffix(said["create"], cannot), said["create"])
		assert.True(t, strings.HasSuffix(i.loaded(ctx, t, arch, "load"), cannot), "without an override Wine's own is loaded")
		i.must(ctx, t, "remove", "--game", game(arch))
		names, err := i.windows.Command(ctx, "ls", game(arch)).Output()
		require.NoError(t, err)
		assert.Equal(t, "imports.exe\nloads.exe\n", string(names))
	}
}

// settings has a file beside a game: it is read, what is wrong in it is in the log, and the doctor reads the recording. A second
// game finds nothing, and writes nothing.
func (i *installing) settings(ctx context.Context, t *testing.T) {
	arch := i.archs[len(i.archs)-1]
	folder := game(arch)
	i.must(ctx, t, "install", "--game", folder)
	linux := i.linux.Addr().String()
	require.NoError(t, i.windows.WriteFile(path.Join(folder, "dplayx.toml"), []byte("address = \""+linux+
		"\"\nlog = \"logs.txt\"\nrecord = \"game.pcapng\"\nadress = \"192.0.2.7\"\nudp = 2371\n")))
	said := i.must(ctx, t, "status", "--game", folder)
	assert.Contains(t, said, "setting udp = 2371")
	assert.Contains(t, said, `dplayx.toml, line 4: there is no key "adress"`)
	bob := startDplay(ctx, t, i.linux, i.program, "host", "--app", application, "--name", "Castle", "--player", "Bob", "--echo")
	said = i.loaded(ctx, t, arch, "join", dllOverride)
	require.True(t, strings.HasSuffix(said, hosts), said)
	ann := bob.wait(ctx, t, "Ann", func(f fact) bool { return f.Event == "player_created" && !f.Local })
	log := i.read(ctx, t, path.Join(folder, "logs.txt"))
	assert.Contains(t, log, "version=devel")
	assert.Contains(t, log, `there is no key \"adress\"`)
	i.recorded(ctx, t, path.Join(folder, "game.pcapng"), ann.ID, bob.player)

	require.NoError(t, i.windows.Command(ctx, "sh", "-c", `cd "$0" && rm dplayx.toml logs.txt game.pcapng`, folder).Run())
	before := i.read(ctx, t, folder)
	assert.True(t, strings.HasSuffix(i.loaded(ctx, t, arch, "load", dllOverride), hosts))
	assert.Equal(t, before, i.read(ctx, t, folder), "off, it writes nothing")
}

// recorded reads a recording: how Ann came to Bob's session, what she said to all, and Bob's echo; the doctor finds nothing wrong.
func (i *installing) recorded(ctx context.Context, t *testing.T, name, ann, bob string) {
	t.Helper()
	out, status := i.dplay(ctx, t, "decode", name)
	assert.Zero(t, status, out)
	linux, windows := regexp.QuoteMeta(i.linux.Addr().String()), regexp.QuoteMeta(i.windows.Addr().String())
	sent := `(?m) ` + windows + `:\d+ +> ` + linux + `:\d+ .*`
	heard := `(?m) ` + linux + `:\d+ +> ` + windows + `:2300 .*`
	for _, want := range []string{sent + "ENUMSESSIONS ", heard + `ENUMSESSIONSREPLY session="Castle"`, sent + "ADDFORWARDREQUEST .*udp=.*:2371$",
		sent + "PLAYERMESSAGE from=" + ann + ` "Ann" to=all .*"Ann has moved"$`, heard + "PLAYERMESSAGE from=" + bob + ` .*"Ann has moved"$`} {
		assert.Regexp(t, want, out)
	}
	out, status = i.dplay(ctx, t, "doctor", name)
	assert.Zero(t, status, out)
	assert.Contains(t, out, "healthy: 1 session, 1 machine joined")
}

// read returns a file of the machine, or the names in a folder.
func (i *installing) read(ctx context.Context, t *testing.T, name string) string {
	t.Helper()
	out, err := i.windows.Command(ctx, "sh", "-c", `if [ -d "$0" ]; then ls "$0"; else cat "$0"; fi`, name).Output()
	require.NoError(t, err, name)
	return string(out)
}
