package main

import (
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"dplay4/cmd/dplay/internal/cli"

	"github.com/stretchr/testify/assert"
)

// TestTopicOnTerminal prints a text on a terminal that is narrow, and on one that is wide: lines fit the first one, and stay
// as long as people like to read them on the second.
func TestTopicOnTerminal(t *testing.T) {
	for columns, longest := range map[uint16]int{50: 50, 200: cli.WidestText, 0: cli.TextWidth} {
		s := openScreen(t)
		size := struct{ rows, columns, x, y uint16 }{rows: 25, columns: columns}
		ioctl(t, s.master, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
		var errs strings.Builder
		assert.Equal(t, exitOK, run(t.Context(), []string{"help", "migration"}, strings.NewReader(""), s.tty, &errs))
		assert.Empty(t, errs.String())
		most := 0
		for line := range strings.Lines(s.text(t)) {
			if line = strings.TrimRight(line, "\r\n"); !strings.Contains(line, "  dplay ") { // commands are not broken
				most = max(most, utf8.RuneCountInString(line))
			}
		}
		assert.LessOrEqual(t, most, longest)
		assert.Greater(t, most, longest-10, "%d columns are used", columns)
	}
}
