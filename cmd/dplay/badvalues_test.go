package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
)

// goWords are words of Go's packages that say nothing to somebody who plays.
var goWords = []string{"strconv", "parsing", "invalid syntax", "invalid argument", "dial tcp", "dial udp", "listen tcp", "listen udp",
	"i/o timeout", "time:", "encoding/", "%!", "<nil>", "0x140", "shorthand"}

// everyCommand calls back for each command.
func everyCommand(then func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		then(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(testStreams()))
}

// testStreams has nothing to read, and takes what is written.
func testStreams() cli.Streams {
	return cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
}

// TestBadValues gives every flag of every command a value that it cannot have, and none: what is said names the flag and has none of Go's
// words. One flag of each type gets more such values, and with DPLAY_LONG every flag.
func TestBadValues(t *testing.T) {
	t.Parallel()
	tried, types := 0, map[string]bool{}
	everyCommand(func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			words := strings.Fields(c.CommandPath())[1:]
			if kind := f.Value.Type(); kind == "string" || kind == "stringArray" {
				return // those take anything here; what it means is looked at later
			}
			bad := []string{"x"}
			if kind := f.Value.Type(); !types[kind] || os.Getenv("DPLAY_LONG") != "" {
				types[kind] = true
				bad = append(bad, "", "-1x", "1e999", "1 2", "\x00", "é")
			}
			for _, bad := range bad {
				got := dplay(t, append(words, "--"+f.Name+"="+bad)...)
				require.Equal(t, exitUsage, got.status, "%s --%s=%q", c.CommandPath(), f.Name, bad)
				assert.Contains(t, got.err, "--"+f.Name)
				noGoWords(t, got.err)
				tried++
			}
			if f.NoOptDefVal == "" {
				got := dplay(t, append(words, "--"+f.Name)...)
				assert.Equal(t, exitUsage, got.status)
				assert.Contains(t, got.err, "--"+f.Name+" needs a value: ")
				noGoWords(t, got.err)
			}
		})
	})
	assert.Greater(t, tried, 100)
}

func noGoWords(t *testing.T, text string) {
	t.Helper()
	for _, word := range goWords {
		assert.NotContains(t, text, word)
	}
}

// TestBadValueTexts has the texts for those that people meet.
func TestBadValueTexts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"decode --follow x":     "--follow x: it takes a whole number, such as 3",
		"decode --follow 09":    "--follow 09: it takes a whole number, such as 3",
		"host --max -1":         "--max -1: must not be negative; it takes a whole number from 0, such as 3",
		"host --max 1.5":        "--max 1.5: it takes a whole number from 0, such as 3",
		"host --max 4294967296": "--max 4294967296: is out of range; it takes a whole number from 0, such as 3",
		"join --for 60":         "--for 60: a unit is missing: 60s for seconds, 60m for minutes",
		"join --for soon":       "--for soon: it takes a time with its unit, such as 500ms, 60s, 5m or 1h30m",
		"join --for":            "--for needs a value: a time with its unit, such as 500ms, 60s, 5m or 1h30m",
		"host --app":            "--app needs a value: GUID|NAME",
		"decode --stats=7":      "--stats 7: it takes nothing, or true or false",
		"decode --fomat json":   `unknown flag: --fomat: did you mean "--format"?`,
		"decode -format json":   `unknown flag: -f: did you mean "--format"? Long flags have two dashes`,
		"sessions --echo":       "unknown flag: --echo: it is one of dplay host, dplay join",
		"decode --xyzzy":        "unknown flag: --xyzzy",
		"decode -k":             "unknown flag: -k",
		"join --send-hex 0g x":  "--send-hex 0g: it takes pairs of hexadecimal digits, such as 0a1b2c",
	} {
		words := strings.Fields(line)
		got := dplay(t, words...)
		assert.Equal(t, result{exitUsage, "", "dplay: " + want + "\nTry 'dplay " + words[0] + " --help'.\n"}, got, line)
	}
}

// TestNoSuchAddress: an address that this machine does not have is told as that.
func TestNoSuchAddress(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"sessions --serve 192.0.2.1:8080", "sessions --bind 192.0.2.1", "host --app lotr2 --name x --bind 192.0.2.1",
	} {
		got := dplay(t, strings.Fields(line)...)
		assert.Equal(t, exitInput, got.status, line)
		assert.Contains(t, got.err, "192.0.2.1", line)
		assert.Contains(t, got.err, "this machine does not have that address", line)
		noGoWords(t, got.err)
	}
}
