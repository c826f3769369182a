package annotate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSorter adds comments in any order, more than fit into memory: each frame has its own, in the order in which they came,
// and nothing is left on disk.
func TestSorter(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const frames = 20_000
	var s sorter
	rnd := rand.New(rand.NewPCG(3, 4))
	want := map[int][]string{}
	for i := range 3 * frames {
		frame, text := 1+rnd.IntN(frames), fmt.Sprintf("%d %s", i, strings.Repeat("x", rnd.IntN(800)))
		want[frame] = append(want[frame], text)
		require.NoError(t, s.add(frame, text))
	}
	require.NoError(t, s.add(0, "of no frame"))
	require.Greater(t, len(s.runs), 2)
	m, err := s.sorted()
	require.NoError(t, err)
	for frame := 1; frame <= frames; frame++ {
		if frame%7 == 0 {
			continue // it is not asked for
		}
		require.Equal(t, want[frame], append([]string(nil), m.of(frame)...), "frame %d", frame)
	}
	require.NoError(t, m.err)
	s.close()
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestSorterMany gives one frame more comments than it may have.
func TestSorterMany(t *testing.T) {
	var s sorter
	for i := range maxComments + 3 {
		require.NoError(t, s.add(5, fmt.Sprint(i)))
	}
	m, err := s.sorted()
	require.NoError(t, err)
	got := m.of(5)
	require.Len(t, got, maxComments+1)
	assert.Equal(t, "39", got[maxComments-1])
	assert.Equal(t, "and 3 more: dplay decode prints them all", got[maxComments])
}

// TestSorterNoDisk has nowhere to put what does not fit into memory, and then a file that is cut.
func TestSorterNoDisk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	fill := func(s *sorter) (err error) {
		for i := 0; err == nil && i < maxUnsorted/1000+1; i++ {
			err = s.add(1+i, strings.Repeat("x", 1000))
		}
		return err
	}
	require.Error(t, fill(new(sorter)))

	t.Setenv("TMPDIR", t.TempDir())
	var s sorter
	require.NoError(t, fill(&s))
	defer s.close()
	require.NoError(t, s.file.Truncate(s.size/2))
	m, err := s.sorted()
	require.NoError(t, err)
	m.of(maxUnsorted)
	require.Error(t, m.err)
}

func TestFrames(t *testing.T) {
	for want, list := range map[string][]int{
		"frame 3": {3}, "frames 3 and 4": {3, 4}, "frames 3 to 7": {3, 4, 5, 6, 7}, "frames 3, 5 and 9": {3, 5, 9},
		"9 frames from 1 to 17": {1, 3, 5, 7, 9, 11, 13, 15, 17},
	} {
		assert.Equal(t, want, frames(list))
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a\nb\x00": "a\uFFFDb\uFFFD", "8-bit\xe9": "8-bit\uFFFD", "\u202eevil": "\uFFFDevil", "\x1b[2J": "\uFFFD[2J",
		"0123456789": "012345…", "012345ü789": "012345…", "01234ü6789": "01234…", "Привет": "При…",
	} {
		assert.Equal(t, want, clean(text, 9), "%q", text)
	}
}
