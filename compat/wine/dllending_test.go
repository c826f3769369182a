//go:build linux

package wine_test

import (
	"debug/pe"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDLLEnding: a game ends with an open session, again and again: with a thread in our methods, and while our DLL begins, each
// time at another moment. Other DLLs hear of the end, and its status is the game's.
func TestDLLEnding(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ends, opens := 20, 40_000 // microseconds, twice what Open takes where nothing else runs
	if os.Getenv("DPLAY_LONG") != "" {
		ends = 100
	}
	for arch := range mingw {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w, program := newDLLMachine(ctx, t, lab, arch, "ending")
			w.put(t, dllProgram(t, arch, "ender", "-shared"), dllFolder+"ender.dll")
			for n := range ends {
				for _, args := range [][]string{{"playing"}, {"opening", strconv.Itoa(opens * n / ends)}} {
					said, status := finished(t, w.command(ctx, program, args...))
					require.Zero(t, status, "%s: %s", args, said)
					require.Equal(t, "ending: done\n", said, args)
				}
			}
		})
	}
}

// TestDLLThreads: nothing in our DLL can make a thread but by the function that makes them safely, whichever Go builds it.
func TestDLLThreads(t *testing.T) {
	wineTest(t)
	for arch := range mingw {
		image, err := pe.Open(filepath.Join(dll(t, arch), "dplayx.dll"))
		require.NoError(t, err)
		defer image.Close()
		imported, err := image.ImportedSymbols()
		require.NoError(t, err)
		assert.Contains(t, imported, "GetThreadContext:KERNEL32.dll", arch)
		for _, name := range []string{"CreateThread:KERNEL32.dll", "_beginthread:msvcrt.dll", "_beginthreadex:msvcrt.dll"} {
			assert.NotContains(t, imported, name, arch)
		}
	}
}
