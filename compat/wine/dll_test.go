//go:build linux

package wine_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// builds are what several tests need and is built once, by its name.
var builds = struct {
	sync.Mutex
	dir string // empty before the first
	all map[string]*build
}{all: map[string]*build{}}

// A build is a folder with what was built, or why it could not be.
type build struct {
	sync.Once
	dir string
	out []byte
	err error
}

// buildOnce builds something in a folder that lasts until the tests end, and returns that.
func buildOnce(t *testing.T, what string, how func(dir string) *exec.Cmd) string {
	t.Helper()
	builds.Lock()
	if builds.dir == "" {
		var err error
		builds.dir, err = os.MkdirTemp("", "dplay-dll-")
		require.NoError(t, err)
	}
	if builds.all[what] == nil {
		builds.all[what] = &build{dir: filepath.Join(builds.dir, what)}
	}
	b := builds.all[what]
	builds.Unlock()
	b.Do(func() {
		if b.err = os.Mkdir(b.dir, 0o755); b.err == nil {
			b.out, b.err = how(b.dir).CombinedOutput()
		}
	})
	require.NoError(t, b.err, "%s: %s", what, b.out)
	return b.dir
}

// removeBuilds removes all that was built.
func removeBuilds() {
	if builds.dir != "" {
		_ = os.RemoveAll(builds.dir)
	}
}

// mingw are Debian's compilers for Windows.
var mingw = map[string]string{"386": "i686-w64-mingw32-gcc", "amd64": "x86_64-w64-mingw32-gcc"}

// compiles skips the test without a compiler, or fails it where there has to be one.
func compiles(t *testing.T, arch string) {
	t.Helper()
	if _, err := exec.LookPath(mingw[arch]); err != nil {
		if os.Getenv("DPLAY_REQUIRE_WINE") != "" {
			t.Fatalf("DPLAY_REQUIRE_WINE is set: %v", err)
		}
		t.Skip(err)
	}
}

// dll returns a folder with dplayx.dll and dplay.dll for 386 or amd64, as "make dll" builds them.
func dll(t *testing.T, arch string) string {
	t.Helper()
	compiles(t, arch)
	return buildOnce(t, "dll-"+arch, func(dir string) *exec.Cmd {
		return exec.Command("../../.ci/dll", arch, dir)
	})
}

// dllProgram compiles a program of the folder dll, for 386 or amd64, and returns its file.
func dllProgram(t *testing.T, arch, name string, flags ...string) string {
	t.Helper()
	compiles(t, arch)
	file := name + ".exe"
	dir := buildOnce(t, name+"-"+arch, func(dir string) *exec.Cmd {
		args := []string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-s", "-o", filepath.Join(dir, file), filepath.Join("dll", name+".c")}
		return exec.Command(mingw[arch], append(append(args, flags...), "-lole32", "-luuid", "-lws2_32")...)
	})
	return filepath.Join(dir, file)
}

// dllFolder is where a machine with Wine has our DLLs, and programs that load them from beside themselves.
const dllFolder = "/opt/dplay/dll/"

// dllOverride has Wine load our DLLs, and its own if there are none.
const dllOverride = "WINEDLLOVERRIDES=dplayx,dplay=n,b;mscoree,mshtml="

// putDLLs copies our DLLs and a program to a machine with Wine, and returns the program's name there.
func (w *windowsBuild) putDLLs(ctx context.Context, t *testing.T, arch, program string) string {
	t.Helper()
	require.NoError(t, w.windows.Command(ctx, "mkdir", "-p", dllFolder).Run())
	for _, name := range []string{"dplayx.dll", "dplay.dll"} {
		w.put(t, filepath.Join(dll(t, arch), name), dllFolder+name)
	}
	there := dllFolder + filepath.Base(program)
	w.put(t, program, there)
	w.environment = append(w.environment, dllOverride)
	return there
}

// newDLLMachine plugs in a machine with Wine, our DLLs and a program of the folder dll, and returns its name there.
func newDLLMachine(ctx context.Context, t *testing.T, lab *wine.Lab, arch, program string) (*windowsBuild, string) {
	t.Helper()
	w := new(windowsBuild)
	w.boot(ctx, t, lab, arch)
	return w, w.putDLLs(ctx, t, arch, dllProgram(t, arch, program))
}
