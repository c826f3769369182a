package show_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// checkWalk visits a record and checks that every field is where it says it is, that brackets match, and
// that the fields of a message that decodes cover all its octets.
func checkWalk(t *testing.T, r *captures.Record) {
	t.Helper()
	var w show.Walker
	open := 0
	covered := make([]bool, len(r.Raw))
	w.Walk(r, func(f *wire.Field) {
		switch f.Kind {
		case wire.KindStruct, wire.KindList, wire.KindMessage:
			open++
		case wire.KindEnd:
			open--
			require.GreaterOrEqual(t, open, 0)
		default:
			require.GreaterOrEqual(t, f.Offset, 0, f.Name)
			require.LessOrEqual(t, f.Offset+f.Size, len(r.Raw), f.Name)
			if f.Raw != nil {
				assert.Equal(t, r.Raw[f.Offset:f.Offset+f.Size], f.Raw, f.Name)
			}
			for i := f.Offset; i < f.Offset+f.Size; i++ {
				covered[i] = true
			}
		}
	})
	if r.Err != nil {
		return
	}
	assert.Zero(t, open, "brackets")
	for i, c := range covered[:len(r.Raw)-len(r.Envelope.Trailing)] {
		require.True(t, c, "octet %d belongs to no field", i)
	}
}

// TestWalkLab walks over every message of the lab's captures.
func TestWalkLab(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "lab", "*.pcap"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		each(t, file, captures.Options{}, func(r *captures.Record) { checkWalk(t, r) })
	}
}

// TestWalkEveryCommand walks over one message of each command.
func TestWalkEveryCommand(t *testing.T) { everyCommand(t, checkWalk) }

// TestWalkShapes walks over records of every shape.
func TestWalkShapes(t *testing.T) {
	each(t, shapes(t), captures.Options{}, func(r *captures.Record) { checkWalk(t, r) })
}
