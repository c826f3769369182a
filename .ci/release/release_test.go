package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copied copies the project as it is here, committed or not, into a git repository of its own with one commit.
func copied(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "one")
	list := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard")
	list.Dir = filepath.Join("..", "..")
	names, err := list.Output()
	require.NoError(t, err)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join("..", "..", name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(to, name), b, 0o644))
	}
	git(t, to, "init", "-q")
	git(t, to, "add", "-A")
	commit(t, to)
	return to
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "commit", "-q", "--allow-empty", "-m", "a commit")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:06Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:06Z")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// TestReproducible makes a release twice, in two folders, the second time by somebody with other habits, and compares octets. It
// unpacks what can run here, and runs it. DPLAY_RELEASE names a folder that gets the files, for others to try. To compile for a
// platform takes a minute: what is left of them is what can be run and one with the other system and the other processor, and the
// second time one for each kind of file. With DPLAY_LONG it is all of them, twice.
func TestReproducible(t *testing.T) {
	first := []platform{{"windows", "386"}, {"windows", "amd64"}, {"linux", "amd64"}, {"linux", "386"}, {"darwin", "arm64"}}
	second := []platform{{"windows", "386"}, {"linux", "amd64"}} // a zip, a tar.gz and a deb
	names := []string{"SHA256SUMS", "dplay-v0.0.1-test.2-linux-386.tar.gz", "dplay-v0.0.1-test.2-linux-amd64.tar.gz",
		"dplay-v0.0.1-test.2-macos-arm64.tar.gz", "dplay-v0.0.1-test.2-windows-386.zip", "dplay-v0.0.1-test.2-windows-amd64.zip",
		"dplay4_0.0.1~test.2_amd64.deb", "dplay4_0.0.1~test.2_i386.deb"}
	if os.Getenv("DPLAY_LONG") != "" {
		first, second = platforms, platforms
		names = append(names, "dplay-v0.0.1-test.2-linux-arm64.tar.gz", "dplay-v0.0.1-test.2-macos-amd64.tar.gz", "dplay4_0.0.1~test.2_arm64.deb")
		slices.Sort(names)
	}
	one := &release{root: copied(t), version: "v0.0.1-test.2", platforms: first}
	require.NoError(t, one.make())
	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("LC_ALL", "C")
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("GOAMD64", "v3")
	other := filepath.Join(t.TempDir(), "another folder", "with a longer name")
	git(t, one.root, "clone", "-q", one.root, other)
	two := &release{root: other, version: one.version, platforms: second}
	require.NoError(t, os.MkdirAll(two.out(), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(two.out(), "left-over"), nil, 0o644))
	require.NoError(t, two.make())

	assert.Equal(t, names, contents(t, one.out()))
	again := contents(t, two.out())
	assert.Subset(t, names, again)
	assert.GreaterOrEqual(t, len(again), 4, "the sums, and one of each kind")
	for _, name := range again {
		if name == "SHA256SUMS" && len(again) < len(names) {
			continue // it is of fewer files
		}
		a, err := os.ReadFile(filepath.Join(one.out(), name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(two.out(), name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(a, b), "%s is not the same twice", name)
		assert.False(t, bytes.Contains(a, []byte(one.root)), "%s names the folder that it was made in", name)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
	check.Dir = one.out()
	out, err := check.CombinedOutput()
	assert.NoError(t, err, "%s", out)

	capture := filepath.Join(one.root, "captures", "lab", "04-rzhost-w10join-unreliable-udp.pcap")
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, ".zip"):
			complete(t, one, name, unzipped(t, filepath.Join(one.out(), name)))
		case strings.HasSuffix(name, ".tar.gz"):
			files := untarred(t, filepath.Join(one.out(), name))
			complete(t, one, name, files)
			for suffix, processor := range map[string]elf.Machine{"linux-amd64.tar.gz": elf.EM_X86_64, "linux-386.tar.gz": elf.EM_386} {
				if strings.HasSuffix(name, suffix) {
					t.Run(suffix, func(t *testing.T) { tryFirst(t, one, processor, files["dplay"].data, capture) })
				}
			}
		}
	}
	if dir := os.Getenv("DPLAY_RELEASE"); dir != "" {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.CopyFS(dir, os.DirFS(one.out())))
	}
}

// contents returns the names of the files in a folder, sorted.
func contents(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// inArchive matches names of captures in the manual. They are there: its examples can be tried.
var inArchive = regexp.MustCompile(`captures/\w+/[\w.*-]+\.pcap(?:ng)?`)

// complete looks at what an archive holds.
func complete(t *testing.T, r *release, name string, files map[string]file) {
	t.Helper()
	windows := strings.Contains(name, "windows")
	program := map[bool]string{true: "dplay.exe", false: "dplay"}[windows]
	for _, want := range []string{program, "START-HERE.txt", "LICENSE.txt", "THIRD-PARTY.txt", "completions/dplay.bash", "completions/_dplay",
		"completions/dplay.fish", "completions/dplay.ps1", "man/dplay.1", "man/dplay-doctor.1", "man/dplay-completion-bash.1",
		"man/dplay-ports.7"} {
		if assert.Contains(t, files, want, name) {
			assert.NotEmpty(t, files[want].data, "%s: %s", name, want)
		}
	}
	assert.Equal(t, os.FileMode(0o755), files[program].mode, name)
	for _, dll := range []string{"dll/windows-386/dplayx.dll", "dll/windows-amd64/dplayx.dll"} {
		size := len(files[dll].data)
		assert.True(t, size > 1<<20 && size < 6_000_000, "%s: %s has %d octets", name, dll, size)
	}
	start := string(files["START-HERE.txt"].data)
	ends := map[bool]int{true: strings.Count(start, "\n"), false: 0}[windows]
	assert.Equal(t, ends, strings.Count(start, "\r\n"), "%s: lines end as there", name)
	for line := range strings.Lines(start) {
		assert.LessOrEqual(t, len(strings.TrimRight(line, "\r\n")), 80, "%s: %s", name, line)
	}
	assert.LessOrEqual(t, strings.Count(start, "\n"), 66, "one page")
	for _, word := range []string{"dplay sessions", "dplay doctor --live", "dplay host", "dplay join", "ecord", "irewall", "dplay help"} {
		assert.Contains(t, start, word, name)
	}
	assert.Contains(t, string(files["man/dplay.1"].data), `"Jan 2026"`, name)
	for page, f := range files {
		for _, named := range inArchive.FindAllString(strings.ReplaceAll(string(f.data), `\-`, "-"), -1) {
			found := slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool {
				ok, err := path.Match(named, name)
				return ok && err == nil
			})
			assert.True(t, found || !strings.HasPrefix(page, "man/"), "%s: %s speaks of %s, which is not there", name, page, named)
		}
	}
	assert.Contains(t, files, "examples/echobot.py", name)
	assert.Contains(t, string(files["THIRD-PARTY.txt"].data), "github.com/spf13/cobra", name)
}

// tryFirst runs a program as somebody does who has unpacked it: its version, help, and a capture.
// Not every kernel runs programs of 32 bits; those of 64 must run.
func tryFirst(t *testing.T, r *release, processor elf.Machine, program []byte, capture string) {
	t.Helper()
	header, err := elf.NewFile(bytes.NewReader(program))
	require.NoError(t, err)
	require.Equal(t, processor, header.Machine)
	name := filepath.Join(t.TempDir(), "dplay")
	require.NoError(t, os.WriteFile(name, program, 0o755))
	for want, args := range map[string][]string{
		"dplay " + r.version + ", commit " + r.commit[:12] + " of 2026-01-02T03:04:06Z, go": {"version"},
		"dplay reads and speaks": {"help"},
		"10.77.0.2:45610       > 255.255.255.255:47624  UDP  ENUMSESSIONS": {"decode", capture},
	} {
		out, err := exec.Command(name, args...).Output()
		if errors.Is(err, syscall.ENOEXEC) && processor == elf.EM_386 {
			t.Skip("NOT RUN: this machine's kernel runs no programs of 32 bits")
		}
		require.NoError(t, err, args)
		assert.Contains(t, string(out), want, "%v", args)
	}
}

// unzipped returns the files of an archive, by their names without its folder.
func unzipped(t *testing.T, name string) map[string]file {
	t.Helper()
	z, err := zip.OpenReader(name)
	require.NoError(t, err)
	defer z.Close()
	files := map[string]file{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		below(t, files, name, file{f.Name, b, f.Mode().Perm()})
	}
	return files
}

func untarred(t *testing.T, name string) map[string]file {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	assert.True(t, z.ModTime.IsZero() && z.Name == "", name)
	files := map[string]file{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		assert.Zero(t, h.Uid+h.Gid)
		assert.Empty(t, h.Uname+h.Gname)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		below(t, files, name, file{h.Name, b, os.FileMode(h.Mode)})
	}
}

// below puts a file where it is below the archive's folder, which bears its name.
func below(t *testing.T, files map[string]file, archive string, f file) {
	t.Helper()
	folder := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), ".zip") + "/"
	assert.True(t, strings.HasPrefix(f.name, folder) && path.Clean(f.name) == f.name, "%s in %s", f.name, archive)
	files[strings.TrimPrefix(f.name, folder)] = f
}

// TestRefuses checks that nothing is made of what cannot be made again, and that the reason is told.
func TestRefuses(t *testing.T) {
	root := filepath.Join(t.TempDir(), "clone")
	require.NoError(t, os.MkdirAll(root, 0o755))
	try := func(version, want string) {
		t.Helper()
		r := &release{root: root, version: version}
		err := r.examine()
		if assert.Error(t, err, version) {
			assert.Contains(t, err.Error(), want)
		}
	}
	try("v1.2.3", "a release is made of a commit in a git clone")
	git(t, root, "init", "-q")
	commit(t, root)
	for _, version := range []string{"", "0.9.0", "v1", "v1.2", "v01.2.3", "v1.2.3-", "v1.2.3+build", "v1.2.3 ", "v1.2.3/../x", "-v1.2.3"} {
		try(version, "it has to be one such as v0.9.0")
		assert.ErrorIs(t, (&release{root: root, version: version}).examine(), errUsage)
	}
	for _, version := range []string{"v0.9.0", "v10.0.11", "v1.0.0-rc.1"} {
		assert.NoError(t, (&release{root: root, version: version}).examine(), version)
	}
	git(t, root, "tag", "v1.0.0")
	assert.NoError(t, (&release{root: root, version: "v1.0.0"}).examine(), "tagged already")
	git(t, root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "another")
	try("v1.0.0", "the tag v1.0.0 is another commit")
	stray := filepath.Join(root, "stray")
	require.NoError(t, os.WriteFile(stray, nil, 0o644))
	try("v1.0.1", "changes that are not committed; commit or remove them first:\n?? stray")
	git(t, root, "add", "stray")
	try("v1.0.1", "A  stray")
}

// TestLicences checks that a program with a part whose licence is not told is no release.
func TestLicences(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	assert.ErrorContains(t, licensed(self, "| part | version | licence |"), "THIRD-PARTY.md lacks ")
}

// TestPlatforms checks that what players have is there.
func TestPlatforms(t *testing.T) {
	for _, p := range []platform{{"windows", "386"}, {"windows", "amd64"}, {"linux", "386"}} {
		assert.True(t, slices.Contains(platforms, p), p)
	}
}
