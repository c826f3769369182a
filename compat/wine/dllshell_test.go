//go:build linux

package wine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDLLShell runs the commands of shell.c, each in a process of its own, with our DLL.
func TestDLLShell(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w, program := newDLLMachine(ctx, t, lab, arch, "shell")
			for _, command := range []string{"play"} {
				t.Run(command, func(t *testing.T) {
					said, status := finished(t, w.command(ctx, program, command))
					t.Log(said)
					assert.Zero(t, status)
					assert.Contains(t, said, command+": done")
				})
			}
		})
	}
}
