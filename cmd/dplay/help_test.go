package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/filter"
)

// shellWords splits a command line as a shell does: at spaces outside single quotes, with file name patterns
// replaced by the names of files.
func shellWords(t *testing.T, line string) (words []string) {
	t.Helper()
	parts := strings.Split(line, "'") // every second one was in quotes
	require.Equal(t, 1, len(parts)%2, "quotes that are not closed: %s", line)
	for i, part := range parts {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			if !strings.Contains(word, "*") {
				words = append(words, word)
				continue
			}
			names, err := filepath.Glob(word)
			require.NoError(t, err)
			require.NotEmpty(t, names, "no file matches %s", word)
			words = append(words, names...)
		}
	}
	return words
}

// TestHelp checks that help shows every flag and every name that a filter may use.
func TestHelp(t *testing.T) {
	help := dplay(t, "decode", "--help").out
	for _, want := range []string{
		"-V, --verbose", "-x, --hex", "--format text|ndjson|json", "(default text)", "--filter EXPR", "--stats", "--follow N",
		"--payload hex|text|base64|none", "--color auto|always|never", "--time relative|delta|absolute|epoch", "--utc", "--port PORT",
		"--message-ids auto|yes|no", "--reliable auto|yes|no", "--no-progress", "-q, --quiet", "NO_COLOR", "Exit status:",
	} {
		assert.Contains(t, help, want)
	}
	assert.NotContains(t, help, "[]")
	_, filters, _ := strings.Cut(help, "\nFilters:")
	for _, name := range filter.Names() {
		assert.Regexp(t, `\b`+name+`\b`, filters)
	}
	for _, name := range []string{"has(", "player(", "address(", "text(", "bytes("} {
		assert.Contains(t, filters, name)
	}
	root := dplay(t, "--help").out
	for _, want := range []string{"decode", "version", "completion", "DirectPlay 8"} {
		assert.Contains(t, root, want)
	}
}

// TestCompletion checks the scripts, and what they are told about flags and files.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := dplay(t, "completion", shell)
		assert.Equal(t, exitOK, got.status)
		assert.Contains(t, got.out, "dplay")
		assert.Greater(t, len(got.out), 1000, shell)
	}
	for _, args := range [][]string{{"completion"}, {"completion", "nosuchshell"}, {"completion", "bash", "x"}} {
		got := dplay(t, args...)
		assert.Equal(t, exitUsage, got.status, "%v", args)
		assert.Empty(t, got.out)
	}
	const noFiles, byExtension = ":4\n", ":8\n" // what cobra's scripts go by
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"decode", "--format", ""}, "text\nndjson\njson\n" + noFiles},
		{[]string{"decode", "--payload", ""}, "hex\ntext\nbase64\nnone\n" + noFiles},
		{[]string{"decode", "--color", ""}, "auto\nalways\nnever\n" + noFiles},
		{[]string{"decode", "--time", ""}, "relative\ndelta\nabsolute\nepoch\n" + noFiles},
		{[]string{"decode", "--message-ids", ""}, "auto\nyes\nno\n" + noFiles},
		{[]string{"decode", "--reliable", ""}, "auto\nyes\nno\n" + noFiles},
		{[]string{"decode", "--filter", ""}, noFiles},
		{[]string{"decode", "--follow", ""}, noFiles},
		{[]string{"decode", "--port", ""}, noFiles},
		{[]string{"decode", ""}, "pcap\npcapng\ncap\ngz\nzst\n" + byExtension},
		{[]string{"decode", "a.pcap", ""}, "pcap\npcapng\ncap\ngz\nzst\n" + byExtension},
		{[]string{"version", ""}, noFiles},
	} {
		assert.Equal(t, c.want, dplay(t, append([]string{"__complete"}, c.args...)...).out, "%v", c.args)
	}
	assert.Contains(t, dplay(t, "__complete", "dec").out, "decode\t")
	assert.Contains(t, dplay(t, "__complete", "decode", "--no").out, "--no-progress\t")
}
