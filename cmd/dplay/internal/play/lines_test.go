package play

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLongLine checks that an endless line is not kept in memory: the input ends there.
func TestLongLine(t *testing.T) {
	in := io.MultiReader(bytes.NewReader([]byte("one\n")), endless{})
	lines := readLines(in)
	defer lines.Stop()
	var got []string
	for l := range lines.All {
		got = append(got, l)
	}
	assert.Equal(t, []string{"one"}, got)
	assert.ErrorIs(t, lines.Err, bufio.ErrTooLong)
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
