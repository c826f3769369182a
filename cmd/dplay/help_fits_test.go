package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dplay4/cmd/dplay/internal/cli"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// TestHelpFits prints the help of every command on screens of several widths: no line is longer, but for commands that are there
// to be copied and words that are, and not a word is broken or lost.
func TestHelpFits(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		text := c.Long
		if text == "" {
			text = c.Short
		}
		all := strings.Fields(text + "\n" + c.UsageString())
		for _, width := range []int{60, 72, cli.TextWidth, cli.WidestText} {
			help := string(appendHelp(nil, c, width))
			assert.Equal(t, all, strings.Fields(help), "%s at %d columns", c.CommandPath(), width)
			body, usage, _ := strings.Cut(help, "\nUsage:\n")
			before, examples, _ := strings.Cut(usage, "\nExamples:\n")
			_, flags, _ := strings.Cut(examples, "\n\n")
			for line := range strings.Lines(body + before + flags) {
				line = strings.TrimSuffix(line, "\n")
				if commandLine.MatchString(line) {
					continue
				}
				assert.LessOrEqual(t, utf8.RuneCountInString(line), width, "%s: %s", c.CommandPath(), line)
			}
		}
	})
	for line := range strings.Lines(dplay(t, "--help").out) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), cli.TextWidth+1)
	}
}

// TestReflow has each form of text: paragraphs, lists of both kinds, commands, and lines that end on purpose.
func TestReflow(t *testing.T) {
	const text = `One two three four five six seven eight nine ten, and so on until the line is full of words
and goes on.

Part:
  What stands under it is moved in, and it is a line that is much longer than the screen is wide, too.
    name, other       what it is, which takes more words than there is room
                      for on a line
    name              short
  - an item that is long enough for two lines
  Short.
  Ends on purpose.
  dplay decode --with --many --flags --that --are --longer --than
`
	assert.Equal(t, `One two three four five six seven eight
nine ten, and so on until the line is
full of words and goes on.

Part:
  What stands under it is moved in, and
  it is a line that is much longer than
  the screen is wide, too.
    name, other       what it is, which
                      takes more words
                      than there is room
                      for on a line
    name              short
  - an item that is long enough for two
    lines
  Short.
  Ends on purpose.
  dplay decode --with --many --flags --that --are --longer --than
`, string(appendReflowed(nil, strings.TrimSuffix(text, "\n"), 40)))
}
