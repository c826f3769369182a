package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGlobs holds what Windows' shells leave to programs: patterns stand for the files that match.
func TestGlobs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of [1]")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for _, name := range []string{"b.pcap", "A.PCAP", "ä.pcapng", "c[1].pcap"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	in := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return paths
	}
	for pattern, want := range map[string][]string{
		"*.pcap":    in("A.PCAP", "b.pcap", "c[1].pcap"),
		"?.pcap":    in("A.PCAP", "b.pcap"),
		"Ä.*":       in("ä.pcapng"),
		"c[1].*":    in("c[1].pcap"),
		"C[1].pcap": in("C[1].pcap"), // no pattern
		"x*":        in("x*"),
	} {
		assert.Equal(t, want, globs(in(pattern)), pattern)
	}
	assert.Equal(t, []string{"-", "a.pcap"}, globs([]string{"-", "a.pcap"}))
	up := filepath.Dir(dir)
	assert.Equal(t, in("b.pcap"), globs([]string{filepath.Join(up, "O*", "B.p*")}), "folders, too")
	assert.Empty(t, globs(nil))
}
