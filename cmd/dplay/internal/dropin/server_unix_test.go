//go:build unix

package dropin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/dropin/dropintest"
)

// TestBusy refuses while something works in the folder that Wine's server has for a prefix.
func TestBusy(t *testing.T) {
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("there is no /proc")
	}
	folder := dropintest.Prefix(t)
	info, err := os.Stat(folder)
	require.NoError(t, err)
	stat := info.Sys().(*syscall.Stat_t)
	server := exec.Command("cat")
	server.Dir = filepath.Join(t.TempDir(), fmt.Sprintf("server-%x-%x", stat.Dev, stat.Ino))
	require.NoError(t, os.Mkdir(server.Dir, 0o700))
	stdin, err := server.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	target, err := OpenPrefix(folder)
	require.NoError(t, err)
	before := tree(t, folder)
	for _, dry := range []bool{true, false} {
		_, err = target.Install(release(t, "v1"), dry)
		assert.ErrorContains(t, err, fmt.Sprintf("its wineserver is process %d", server.Process.Pid))
		_, err = target.Remove(dry)
		assert.ErrorContains(t, err, "wineserver -k")
	}
	assert.Equal(t, before, tree(t, folder))
	require.NoError(t, stdin.Close())
	require.NoError(t, server.Wait())
	_, err = target.Install(release(t, "v1"), false)
	assert.NoError(t, err)
}
