package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOutputDisk writes to a full disk: the file that was there stays, and no half of another one.
func TestOutputDisk(t *testing.T) {
	t.Parallel()
	own := append(ownNetwork(t), "--mount")
	self, err := os.Executable()
	require.NoError(t, err)
	const script = `mount -t tmpfs -o size=8k none "$0" && cd "$0" && printf "the only copy" >old || exit 99
"$@" old --force; status=$?
"$@" new
cat old; echo " $status"; ls -A`
	for name, c := range outputCommands(t) {
		if c.args[0] == "host" || name == "dll config" {
			continue // their file is small
		}
		t.Run(name, func(t *testing.T) {
			args := append(append([]string{}, own...), "sh", "-c", script, t.TempDir(), self)
			for _, a := range c.args {
				if a == lab(t, "02") {
					a, err = filepath.Abs(a)
					require.NoError(t, err)
				}
				args = append(args, a)
			}
			cmd := exec.Command("unshare", args...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			out, err := cmd.Output()
			require.NoError(t, err)
			assert.Equal(t, "the only copy 1\nold\n", string(out))
		})
	}
}
