package dropin

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/dropin/dropintest"
)

// TestExamine tells whose a file is.
func TestExamine(t *testing.T) {
	for _, c := range []struct {
		image   dropintest.Image
		kind    Kind
		version string
	}{
		{dropintest.Ours("386", "v1.2.3"), Ours, "v1.2.3"}, {dropintest.Ours("amd64", "v1.2.3"), Ours, "v1.2.3"}, {dropintest.Wine, Wine, "5.3.1.904"},
		{dropintest.Microsoft, Microsoft, "5.3.2600"}, {dropintest.Stub, Stub, ""}, {dropintest.Game, Other, ""},
	} {
		got, err := Examine(dropintest.Put(t, c.image.Octets(), t.TempDir(), "x.dll"))
		require.NoError(t, err)
		assert.Equal(t, Image{c.kind, c.image.Arch, c.version}, got)
	}
	_, err := Examine(dropintest.Put(t, []byte("text"), t.TempDir(), "x.dll"))
	assert.ErrorContains(t, err, "is no program or DLL of Windows")
	_, err = Examine(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzExamine looks at any file.
func FuzzExamine(f *testing.F) {
	f.Add(dropintest.Ours("386", "v1").Octets())
	f.Add(dropintest.Wine.Octets())
	f.Fuzz(func(t *testing.T, b []byte) {
		name := filepath.Join(t.TempDir(), "x")
		require.NoError(t, os.WriteFile(name, b, 0o600))
		if i, err := Examine(name); err == nil {
			assert.NotEmpty(t, i.Kind)
		}
	})
}

// TestPrefix installs into a prefix, again, a newer release, and removes: everything is as it was.
func TestPrefix(t *testing.T) {
	folder := dropintest.Prefix(t)
	before := tree(t, folder)
	target, err := OpenPrefix(folder)
	require.NoError(t, err)

	from := release(t, "v1")
	steps, err := target.Install(from, true)
	require.NoError(t, err)
	assert.Equal(t, before, tree(t, folder), "dry")
	wet, err := target.Install(from, false)
	require.NoError(t, err)
	assert.Equal(t, steps, wet)
	assert.Equal(t, []string{"kept drive_c/windows/syswow64/dplayx.dll", "placed drive_c/windows/syswow64/dplayx.dll",
		"kept drive_c/windows/syswow64/dplay.dll", "placed drive_c/windows/syswow64/dplay.dll",
		"kept drive_c/windows/system32/dplayx.dll", "placed drive_c/windows/system32/dplayx.dll",
		"placed drive_c/windows/system32/dplay.dll", "set dplayx", "set dplay"}, whats(wet))
	assert.Equal(t, "override native,builtin, was builtin", wet[7].Detail)
	after := tree(t, folder)
	assert.Equal(t, before["drive_c/windows/syswow64/dplayx.dll"], after["drive_c/windows/syswow64/dplayx.dll.before-dplay4"])
	status, err := target.Status()
	require.NoError(t, err)
	assert.Equal(t, Status{Name: "dplayx.dll", Arch: "386", File: "drive_c/windows/syswow64/dplayx.dll", Is: Ours, Version: "v1",
		Override: "native,builtin", Loads: Ours, Why: "it is in the system folder, and the override prefers it; for Editor.exe alone the override is disabled"},
		status[0])

	again, err := target.Install(from, false)
	require.NoError(t, err)
	for _, s := range again {
		assert.Equal(t, "same", s.What, s)
	}
	assert.Equal(t, after, tree(t, folder), "it changes nothing twice")

	newer, err := target.Install(release(t, "v2"), false)
	require.NoError(t, err)
	assert.Equal(t, Step{"replaced", "drive_c/windows/syswow64/dplayx.dll", "dplay's v1, 32 bits, by dplay's v2, 32 bits"}, newer[0])

	dry, err := target.Remove(true)
	require.NoError(t, err)
	removed, err := target.Remove(false)
	require.NoError(t, err)
	assert.Equal(t, dry, removed)
	assert.Contains(t, removed, Step{"set", "dplayx", "override builtin, as before"})
	assert.Contains(t, removed, Step{"unset", "dplay", "override native,builtin"})
	assert.Equal(t, before, tree(t, folder))
	nothing, err := target.Remove(false)
	require.NoError(t, err)
	assert.Empty(t, nothing)
}

// TestOthersSince has somebody else change the DLL and the override after us: theirs stays.
func TestOthersSince(t *testing.T) {
	folder := dropintest.Prefix(t)
	target, err := OpenPrefix(folder)
	require.NoError(t, err)
	_, err = target.Install(release(t, "v1"), false)
	require.NoError(t, err)
	dll := filepath.Join(folder, "drive_c", "windows", "syswow64", "dplayx.dll")
	dropintest.Put(t, dropintest.Microsoft.Octets(), dll)
	reg, err := readWineRegistry(filepath.Join(folder, "user.reg"))
	require.NoError(t, err)
	reg.set(overrides, "dplayx", "native")
	require.NoError(t, reg.write())

	steps, err := target.Remove(false)
	require.NoError(t, err)
	assert.Equal(t, Step{"left", "drive_c/windows/syswow64/dplayx.dll",
		"Microsoft's 5.3.2600, 32 bits: it is not ours; what was there before is dplayx.dll.before-dplay4"}, steps[0])
	assert.Contains(t, steps, Step{"left", "dplayx", "its override was changed since"})
	b, err := os.ReadFile(dll)
	require.NoError(t, err)
	assert.Equal(t, dropintest.Microsoft.Octets(), b)
}

// TestLink has a link where Proton has one: it is moved and put back, and what it names is not written to.
func TestLink(t *testing.T) {
	folder := dropintest.Prefix(t)
	dll := filepath.Join(folder, "drive_c", "windows", "syswow64", "dplayx.dll")
	theirs := dropintest.Put(t, dropintest.Wine.Octets(), t.TempDir(), "dist", "dplayx.dll")
	require.NoError(t, os.Remove(dll))
	require.NoError(t, os.Symlink(theirs, dll))
	data := t.TempDir() // of Steam
	require.NoError(t, os.Symlink(folder, filepath.Join(data, "pfx")))
	target, err := OpenPrefix(data)
	require.NoError(t, err)
	_, err = target.Install(release(t, "v1"), false)
	require.NoError(t, err)
	b, err := os.ReadFile(theirs)
	require.NoError(t, err)
	assert.Equal(t, dropintest.Wine.Octets(), b)
	_, err = target.Remove(false)
	require.NoError(t, err)
	to, err := os.Readlink(dll)
	require.NoError(t, err)
	assert.Equal(t, theirs, to)
}

// TestGame places the DLLs beside a game; one in other letters is the same file to Windows.
func TestGame(t *testing.T) {
	folder := t.TempDir()
	dropintest.Put(t, dropintest.Image{Arch: "amd64"}.Octets(), folder, "Launcher.exe")
	dropintest.Put(t, dropintest.Game.Octets(), folder, "game.EXE")
	dropintest.Put(t, dropintest.Microsoft.Octets(), folder, "DPlayX.DLL")
	before := tree(t, folder)
	target, err := OpenGame(folder)
	require.NoError(t, err)
	steps, err := target.Install(release(t, "v1"), false)
	require.NoError(t, err)
	assert.Equal(t, []string{"kept DPlayX.DLL", "placed dplayx.dll", "placed dplay.dll"}, whats(steps))
	status, err := target.Status()
	require.NoError(t, err)
	assert.Equal(t, Ours, status[0].Loads)
	assert.Equal(t, "386", status[0].Arch)
	assert.Contains(t, status[0].Why, "it is beside the game")
	_, err = target.Remove(false)
	require.NoError(t, err)
	assert.Equal(t, before, tree(t, folder))

	target, err = OpenGame(filepath.Join(folder, "Launcher.exe"))
	require.NoError(t, err)
	_, err = target.Install(release(t, "v1"), false)
	require.NoError(t, err)
	image, err := Examine(filepath.Join(folder, "dplayx.dll"))
	require.NoError(t, err)
	assert.Equal(t, "amd64", image.Arch)
}

// TestSpelled removes an older DLL of ours in other letters, also where nothing else is to be done.
func TestSpelled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the file system ignores the case of letters")
	}
	folder := t.TempDir()
	dropintest.Put(t, dropintest.Game.Octets(), folder, "game.exe")
	target, err := OpenGame(folder)
	require.NoError(t, err)
	_, err = target.Install(release(t, "v2"), false)
	require.NoError(t, err)
	placed := tree(t, folder)
	for _, now := range []string{"v2", "v1"} { // of dplayx.dll
		dropintest.Put(t, dropintest.Ours("386", "v1").Octets(), folder, "DPlayX.DLL")
		dropintest.Put(t, dropintest.Ours("386", now).Octets(), folder, "dplayx.dll")
		_, err = target.Install(release(t, "v2"), true)
		require.NoError(t, err)
		assert.Contains(t, tree(t, folder), "DPlayX.DLL")
		_, err = target.Install(release(t, "v2"), false)
		require.NoError(t, err)
		assert.Equal(t, placed, tree(t, folder))
	}
}

// TestBrokenOff has an installation fail between its steps: what is removed or installed then loses nothing.
func TestBrokenOff(t *testing.T) {
	folder := dropintest.Prefix(t)
	before := tree(t, folder)
	target, err := OpenPrefix(folder)
	require.NoError(t, err)
	system := filepath.Join(folder, "drive_c", "windows", "syswow64")
	for _, name := range Names {
		inTheWay := filepath.Join(system, name+".dplay4-new")
		require.NoError(t, os.Mkdir(inTheWay, 0o755))
		for _, again := range []bool{false, true} {
			_, err = target.Install(release(t, "v1"), false)
			require.ErrorContains(t, err, inTheWay)
			if again {
				require.NoError(t, os.Remove(inTheWay))
				_, err = target.Install(release(t, "v1"), false)
				require.NoError(t, err)
			}
			_, err = target.Remove(false)
			require.NoError(t, err)
			assert.Equal(t, before, tree(t, folder))
		}
	}
}

// TestStatusOfMany has a registry of 300,000 lines. The test would not end if each line had all others gone through.
func TestStatusOfMany(t *testing.T) {
	var text strings.Builder
	text.WriteString("WINE REGISTRY Version 2\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "\n[Software\\\\Program%d] 1\n\"a\"=\"b\"\n", i)
	}
	reg := &wineRegistry{lines: slices.Collect(strings.Lines(text.String()))}
	reg.set(`Software\\Wine\\AppDefaults\\game.exe\\DllOverrides`, "dplayx", "builtin")
	assert.Equal(t, map[string]string{"game.exe": "builtin"}, reg.applicationOverrides("dplayx"))
}

// TestValueOfMany looks for a value in a registry whose other keys have many. What it keeps does not grow with them.
func TestValueOfMany(t *testing.T) {
	lines := append([]string{"WINE REGISTRY Version 2\n", "[Software\\\\Program] 1\n"}, slices.Repeat([]string{"\"a\"=\"b\"\n"}, 10_000)...)
	reg := &wineRegistry{lines: lines}
	reg.set(overrides, "dplayx", wanted)
	assert.Less(t, testing.AllocsPerRun(1, func() { reg.value(overrides, "dplayx") }), 100.)
	got, ok := reg.value(overrides, "dplayx")
	assert.True(t, ok)
	assert.Equal(t, wanted, got.text)
}

// TestStatus says what is loaded, for what the override may be.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		override *string
		image    dropintest.Image
		loads    Kind
		why      string
	}{
		{nil, dropintest.Wine, Wine, "nothing else is in the system folder"},
		{nil, dropintest.Microsoft, Wine, "without an override Wine prefers its own"},
		{new("native"), dropintest.Stub, Stub, "the override prefers it"},
		{new("n,b"), dropintest.Ours("386", "v1"), Ours, "the override prefers it"},
		{new("builtin,native"), dropintest.Ours("386", "v1"), Wine, "the override prefers Wine's"},
		{new(""), dropintest.Ours("386", "v1"), None, "an override disables it"},
		{new("native"), dropintest.Ours("amd64", "v1"), Wine, "of another architecture"},
	} {
		folder := dropintest.Prefix(t)
		dropintest.Put(t, c.image.Octets(), folder, "drive_c", "windows", "syswow64", "dplayx.dll")
		reg, err := readWineRegistry(filepath.Join(folder, "user.reg"))
		require.NoError(t, err)
		reg.unset(overrides, "dplayx")
		if c.override != nil {
			reg.set(overrides, "dplayx", *c.override)
		}
		require.NoError(t, reg.write())
		target, err := OpenPrefix(folder)
		require.NoError(t, err)
		list, err := target.Status()
		require.NoError(t, err)
		assert.Equal(t, c.loads, list[0].Loads)
		assert.Contains(t, list[0].Why, c.why)
	}
}

// TestRefused names what is wrong, and changes nothing.
func TestRefused(t *testing.T) {
	empty := t.TempDir()
	for folder, want := range map[string]string{filepath.Join(empty, "none"): "there is no such folder", empty: "is no Wine prefix"} {
		_, err := OpenPrefix(folder)
		assert.ErrorContains(t, err, want)
	}
	for folder, want := range map[string]string{filepath.Join(empty, "none"): "there is no such file or folder", empty: "has no program of Windows in it",
		dropintest.Put(t, []byte("x"), t.TempDir(), "text.exe"):                                                     "is no program of Windows",
		filepath.Dir(dropintest.Put(t, dropintest.Game.Octets(), t.TempDir(), "drive_c", "windows", "notepad.exe")): "is a folder of Windows itself"} {
		_, err := OpenGame(folder)
		assert.ErrorContains(t, err, want)
	}
	folder := dropintest.Prefix(t)
	dropintest.Put(t, []byte("WINE REGISTRY Version 2\n#arch=arm\n"), folder, "system.reg")
	_, err := OpenPrefix(folder)
	assert.ErrorContains(t, err, "neither win32 nor win64")

	folder = dropintest.Prefix(t)
	target, err := OpenPrefix(folder)
	require.NoError(t, err)
	dropintest.Put(t, []byte("REGEDIT4\n"), folder, "user.reg")
	_, err = target.Install(release(t, "v1"), true)
	assert.ErrorContains(t, err, "is no registry of Wine")
	dropintest.Put(t, []byte("{"), folder, recordName)
	_, err = target.Remove(false)
	assert.ErrorContains(t, err, "is damaged")
	dropintest.Put(t, []byte(`{"release":1,"placed":[{"file":"../../etc/x"}]}`), folder, recordName)
	_, err = target.Remove(false)
	assert.ErrorContains(t, err, "not below its folder")

	_, err = FindSource(empty)
	assert.ErrorContains(t, err, "there is no ")
	dropintest.Put(t, dropintest.Microsoft.Octets(), empty, "windows-386", "dplayx.dll")
	_, err = FindSource(empty)
	assert.ErrorContains(t, err, "is not of this project: Microsoft's")
	_, err = FindSource("")
	assert.ErrorContains(t, err, "--from DIR")
}
