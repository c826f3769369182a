package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A platform is a system that players have.
type platform struct{ system, arch string }

var platforms = []platform{
	{"windows", "386"}, {"windows", "amd64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"linux", "386"}, {"darwin", "arm64"},
	{"darwin", "amd64"},
}

// A release is what is made of a commit.
type release struct {
	root, version string
	platforms     []platform

	commit string
	time   time.Time // of the commit: every file is of that time
	env    []string  // what the Go tool gets
}

// errUsage says that the release was asked for wrongly.
var errUsage = errors.New("wrong usage")

// goodVersion is a version as Go modules have it.
var goodVersion = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

// out is where everything is written.
func (r *release) out() string { return filepath.Join(r.root, "build", r.version) }

// make makes everything. What is there of an earlier time is replaced when all is done.
func (r *release) make() error {
	if err := r.examine(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dplay-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		return err
	}
	programs, err := r.build(work)
	if err != nil {
		return err
	}
	shared, err := r.shared(work, programs)
	if err != nil {
		return err
	}
	errs := make([]error, len(r.platforms))
	var packed sync.WaitGroup
	for i, p := range r.platforms { // compressing takes one processor each
		packed.Go(func() {
			if err := r.pack(made, p, programs[p], shared); err != nil {
				errs[i] = fmt.Errorf("%s/%s: %w", p.system, p.arch, err)
			}
		})
	}
	packed.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := sums(made); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out()); err != nil {
		return err
	}
	return os.CopyFS(r.out(), os.DirFS(made))
}

// examine finds out what is released, and whether it can be.
func (r *release) examine() error {
	if !goodVersion.MatchString(r.version) {
		return fmt.Errorf("%w: VERSION is %q; it has to be one such as v0.9.0 or v1.0.0-rc.1: make release VERSION=v0.9.0", errUsage, r.version)
	}
	root, err := filepath.Abs(r.root)
	if err != nil {
		return err
	}
	r.root = root
	dirty, err := r.git("status", "--porcelain")
	if err != nil {
		return fmt.Errorf("a release is made of a commit in a git clone: %w", err)
	}
	if dirty != "" {
		return fmt.Errorf("%w: there are changes that are not committed; commit or remove them first:\n%s", errUsage, dirty)
	}
	said, err := r.git("show", "-s", "--format=%H %ct", "HEAD")
	if err != nil {
		return err
	}
	var seconds int64
	if _, err := fmt.Sscanf(said, "%s %d", &r.commit, &seconds); err != nil {
		return fmt.Errorf("git show said %q: %w", said, err)
	}
	r.time = time.Unix(seconds, 0).UTC()
	if tagged, err := r.git("rev-parse", "-q", "--verify", "refs/tags/"+r.version+"^{commit}"); err == nil && tagged != r.commit {
		return fmt.Errorf("%w: the tag %s is another commit, %.12s; choose another VERSION", errUsage, r.version, tagged)
	}
	r.env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0", "GOWORK=off",
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(seconds, 10))
	return nil
}

// git runs git in the project's folder, whoever owns it, and returns what it says.
func (r *release) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", r.root}, args...)...)
	out, err := output(cmd)
	return strings.TrimSpace(string(out)), err
}

// goTool is the Go tool that runs this, or the one of the path.
func goTool() string {
	if tool := os.Getenv("GO"); tool != "" {
		return tool
	}
	return "go"
}

// output runs a program; what it complained about is in the error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out, complaints.Bytes())
	}
	return out, nil
}

// build builds dplay for every platform and returns where each program is. The clone's folder, and whatever the Go tool would
// record of it, stay out; version, commit and date are given.
func (r *release) build(work string) (map[platform]string, error) {
	third, err := os.ReadFile(filepath.Join(r.root, "THIRD-PARTY.md"))
	if err != nil {
		return nil, err
	}
	programs := map[platform]string{}
	for _, p := range r.platforms {
		program := filepath.Join(work, p.system+"-"+p.arch)
		flags := fmt.Sprintf("-s -w -buildid= -X main.releaseVersion=%s -X main.releaseCommit=%s -X main.releaseDate=%s",
			r.version, r.commit, r.time.Format(time.RFC3339))
		cmd := exec.Command(goTool(), "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", program, "./cmd/dplay")
		cmd.Dir = r.root
		cmd.Env = append(r.env[:len(r.env):len(r.env)], "GOOS="+p.system, "GOARCH="+p.arch)
		if _, err := output(cmd); err != nil {
			return nil, err
		}
		if err := licensed(program, string(third)); err != nil {
			return nil, err
		}
		programs[p] = program
	}
	return programs, nil
}

// licensed checks that the licences of all that is linked into a program are told.
func licensed(program, third string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	for _, m := range info.Deps {
		if !strings.Contains(third, fmt.Sprintf("| %s | %s |", m.Path, m.Version)) {
			return fmt.Errorf("THIRD-PARTY.md lacks %s %s, which is in the program: go test . -run TestThirdParty -update", m.Path, m.Version)
		}
	}
	return nil
}

// trials are files of the project that every archive has: the bots that "dplay help events" speaks of, and the captures that
// examples in the help name. Whoever has an archive has no clone.
var trials = []string{"examples/*.py", "captures/lab/README.md", "captures/lab/*.pcap", "captures/interop/ourhost-third-machine.pcap",
	"captures/migration/killed-modern.pcapng"}

// A listing gathers files. Its error is the first one.
type listing struct {
	files []file
	err   error
}

func (l *listing) add(name string, data []byte, err error) {
	l.files, l.err = append(l.files, file{name, data, 0o644}), cmp.Or(l.err, err)
}

func (l *listing) read(name, from string) {
	b, err := os.ReadFile(from)
	l.add(name, b, err)
}

// tried reads the files that trials names.
func (r *release) tried(l *listing) error {
	for _, pattern := range trials {
		root := r.root
		if strings.HasPrefix(pattern, "examples/") {
			root = filepath.Join(r.root, "cmd", "dplay")
		}
		names, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(names) == 0 {
			return fmt.Errorf("there is no %s in %s: %w", pattern, root, cmp.Or(err, fs.ErrNotExist))
		}
		for _, name := range names {
			l.read(name, filepath.Join(root, name))
		}
	}
	return l.err
}

// shared makes the files that are in every archive: what to read, what to try, the manual, completions.
func (r *release) shared(work string, programs map[platform]string) ([]file, error) {
	program := programs[platform{runtime.GOOS, runtime.GOARCH}]
	if program == "" {
		return nil, fmt.Errorf("no program for %s/%s is made, so nothing can be asked of it: release on one of those in platforms",
			runtime.GOOS, runtime.GOARCH)
	}
	l := &listing{}
	if err := r.tried(l); err != nil {
		return nil, err
	}
	l.read("LICENSE.txt", filepath.Join(r.root, "LICENSE"))
	l.read("THIRD-PARTY.txt", filepath.Join(r.root, "THIRD-PARTY.md"))
	for _, f := range []struct {
		name string
		args []string
	}{
		{"START-HERE.txt", []string{"help", "start"}},
		{"completions/dplay.bash", []string{"completion", "bash"}},
		{"completions/_dplay", []string{"completion", "zsh"}},
		{"completions/dplay.fish", []string{"completion", "fish"}},
		{"completions/dplay.ps1", []string{"completion", "powershell"}},
	} {
		b, err := output(exec.Command(program, f.args...))
		l.add(f.name, b, err)
	}
	if err := cmp.Or(l.err, r.manual(l, filepath.Join(work, "man"))); err != nil {
		return nil, err
	}
	err := r.dlls(l, work)
	return l.files, err
}

// dlls builds the drop-in DLL for games of 32 and of 64 bits. It is in every archive: there is Wine for the other systems.
func (r *release) dlls(l *listing, work string) error {
	third, err := os.ReadFile(filepath.Join(r.root, "THIRD-PARTY.md"))
	if err != nil {
		return err
	}
	for _, arch := range []string{"386", "amd64"} {
		folder := "windows-" + arch
		cmd := exec.Command("sh", ".ci/dll", arch, filepath.Join(work, "dll", folder))
		cmd.Dir, cmd.Env = r.root, append(r.env[:len(r.env):len(r.env)], "VERSION="+r.version, "GO="+goTool())
		if _, err := output(cmd); err != nil {
			return err
		}
		name := filepath.Join(work, "dll", folder, "dplayx.dll") // dplay.dll is the same file
		if err := licensed(name, string(third)); err != nil {
			return err
		}
		l.read("dll/"+folder+"/dplayx.dll", name)
	}
	return l.err
}

// manual makes the manual pages.
func (r *release) manual(l *listing, dir string) error {
	cmd := exec.Command(goTool(), "test", "-count=1", "-run", "^TestManual$", "./cmd/dplay", "-manual", dir, "-manual-date",
		strconv.FormatInt(r.time.Unix(), 10))
	cmd.Dir, cmd.Env = r.root, r.env
	if _, err := output(cmd); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir) // sorted
	for _, e := range entries {
		l.read("man/"+e.Name(), filepath.Join(dir, e.Name()))
	}
	return cmp.Or(err, l.err)
}

// sums writes SHA256SUMS, as sha256sum reads it.
func sums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var list []byte
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		list = fmt.Appendf(list, "%x  %s\n", sha256.Sum256(b), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), list, 0o644)
}
