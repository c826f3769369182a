package play

import (
	"bufio"
	"cmp"
	"io"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/commands"
)

// typedLines are the lines that somebody types.
type typedLines = commands.Lines[string]

// maxLine bounds a line, in octets. A longer one ends the input.
const maxLine = 64 << 10

// readLines reads lines in the background.
func readLines(in io.Reader) *typedLines {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	return commands.Each(func() (string, error) {
		if s.Scan() {
			return cli.FromCodePage(strings.TrimSuffix(s.Text(), "\r")), nil
		}
		return "", cmp.Or(s.Err(), io.EOF)
	})
}
