//go:build linux

package wine_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBridgeLocal runs package local of the bridge as a program of Windows: a game lands on its slot, its search is heard, connections
// and datagrams go both ways, and errors name who has the ports.
func TestBridgeLocal(t *testing.T) {
	wineTest(t)
	t.Parallel()
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w := &windowsBuild{}
			w.boot(ctx, t, lab, arch)
			exe := filepath.Join(t.TempDir(), "local.exe")
			cmd := exec.CommandContext(ctx, "go", "test", "-trimpath", "-c", "-o", exe, "dplay4/dpsp/bridge/local")
			cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH="+arch)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			w.put(t, exe, "/opt/dplay/local.exe")
			said, status := finished(t, w.command(ctx, "/opt/dplay/local.exe", "-test.v", "-test.run=TestWindows", "-test.timeout=10m"))
			assert.Zero(t, status, said)
			assert.Contains(t, said, "--- PASS: TestWindows ")
		})
	}
}
