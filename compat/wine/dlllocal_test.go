//go:build linux

package wine_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDLLLocal runs the tests of package local as a program of Windows: the registry, in whose 32-bit half the games are for
// 64-bit programs as well, programs that are started, and connections that do not leave the machine.
func TestDLLLocal(t *testing.T) {
	wineTest(t)
	t.Parallel()
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w := &windowsBuild{}
			w.boot(ctx, t, lab, arch)
			exe := filepath.Join(t.TempDir(), "local.exe")
			cmd := exec.CommandContext(ctx, "go", "test", "-trimpath", "-c", "-o", exe, "dplay4/dpsp/directplay/local")
			cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH="+arch)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			w.put(t, exe, "/opt/dplay/local.exe")
			said, status := finished(t, w.command(ctx, "/opt/dplay/local.exe", "-test.v", "-test.timeout=10m"))
			assert.Zero(t, status, said)
			for _, name := range []string{"TestGameOfItsOwn", "TestSecret", "TestWindowsRegistry"} {
				assert.Contains(t, said, "--- PASS: "+name+" ")
			}
		})
	}
}
