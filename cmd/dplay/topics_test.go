package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/filter"
	"dplay4/cmd/dplay/internal/markdown"
	"dplay4/wire"
)

// topicOutput returns what "dplay help NAME" prints.
func topicOutput(t *testing.T, name string) string {
	t.Helper()
	got := dplay(t, "help", name)
	require.Equal(t, exitOK, got.status, got.err)
	require.Empty(t, got.err)
	return got.out
}

// TestTopics checks that each topic is listed, fits a usual screen, and holds no Markdown when it is printed.
func TestTopics(t *testing.T) {
	list := dplay(t, "help").out
	assert.Equal(t, list, dplay(t, "--help").out)
	files, err := topicTexts.ReadDir("topics")
	require.NoError(t, err)
	assert.Len(t, files, len(topics)-len(references), "a file is no topic")
	for _, topic := range topics {
		assert.Regexp(t, `(?m)^  `+topic.name+` +`+regexp.QuoteMeta(topic.short)+`$`, list)
		text := topicOutput(t, topic.name)
		if _, long := references[topic.name]; !long {
			most := 72 // two screens
			if topic.name == "start" {
				most = 66 // START-HERE.txt of a release is a page
			}
			assert.LessOrEqual(t, strings.Count(text, "\n"), most, topic.name)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if !foreignLine.MatchString(line) { // they are there to be copied
				assert.LessOrEqual(t, utf8.RuneCountInString(line), cli.TextWidth, "%s: %s", topic.name, line)
			}
			assert.NotContains(t, line, "`", topic.name)
			assert.NotRegexp(t, `^#|\]\(|^ *\||\*\*| $`, line, topic.name)
		}
		assert.NotContains(t, text, "\n\n\n")
	}
}

// TestFlagsTopic holds the topic about flags against the flags that there are: their names, numbers and words.
func TestFlagsTopic(t *testing.T) {
	text := topicOutput(t, "flags")
	words := map[wire.SessionFlags]string{}
	for _, w := range events.FlagWords {
		words[w.Flag] = w.Word
	}
	_, named := cli.FlagNames(cli.AllSession)
	for name, flag := range named {
		assert.Regexp(t, fmt.Sprintf(`(?m)^%s 0x%x +"%s"`, name, uint32(flag), words[flag]), text)
	}
	assert.Len(t, regexp.MustCompile(`(?m)^\w+ 0x[0-9a-f]+ `).FindAllString(text, -1), len(named), "a flag that there is not")
}

// TestFiltersTopic holds the topic about filters against the names that a filter may use, and those against it.
func TestFiltersTopic(t *testing.T) {
	text := topicOutput(t, "filters")
	names := filter.Names()
	for _, name := range names {
		assert.Regexp(t, `\b`+name+`\b`, text)
	}
	for _, name := range []string{"has(", "player(", "address(", "text(", "bytes("} {
		assert.Contains(t, text, name)
	}
	_, table, _ := strings.Cut(text, "word                is\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile(`(?m)^  (\w[\w, ]*?)  `).FindAllStringSubmatch(table, -1) {
		for _, name := range strings.Split(row[1], ", ") {
			assert.Contains(t, names, name)
		}
	}
}

// TestReferenceTopics checks that the documents of the JSON are printed whole: every key and event of them.
func TestReferenceTopics(t *testing.T) {
	key := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|")
	for name, text := range references {
		out, n := topicOutput(t, name), 0
		for _, row := range key.FindAllStringSubmatch(text, -1) {
			for _, word := range markdown.Code.FindAllStringSubmatch(row[1], -1) {
				assert.Regexp(t, `(?m)^ *(\S+, )*`+regexp.QuoteMeta(word[1])+`\b`, out, name)
				n++
			}
		}
		assert.Greater(t, n, 20, name)
	}
	assert.Contains(t, topicOutput(t, "events"), `"dplay help json"`)
	assert.Contains(t, topicOutput(t, "json"), "  flag words\n      {\"value\": 68")
}

// TestHelpCommand checks that help about a command is what the command says itself.
func TestHelpCommand(t *testing.T) {
	for _, c := range newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}).Commands() {
		if c.Name() == "dll" { // the topic says what its --help does not
			assert.Contains(t, dplay(t, "dll", "--help").out, `"dplay help dll"`)
			continue
		}
		got := dplay(t, "help", c.Name())
		assert.Equal(t, exitOK, got.status)
		assert.Equal(t, dplay(t, c.Name(), "--help"), got)
		assert.NotContains(t, got.out, "Topics:")
	}
	assert.Equal(t, dplay(t, "completion", "bash", "--help"), dplay(t, "help", "completion", "bash"))
	assert.Contains(t, dplay(t, "help", "help").out, "Topics:\n  start")
}

// TestUnknownTopic checks what is said to who asks for something else.
func TestUnknownTopic(t *testing.T) {
	for asked, meant := range map[string]string{
		"capture": "captures", "pcap": "captures", "filter": "filters", "FLAGS": "flags", "firewall": "ports",
		"NAT": "ports", "router": "ports",
		"nat": "ports", "host migration": "migration", "migrate": "migration", "Wine": "wine", "Windows": "windows",
		"steam deck": "wine", "powershell": "windows", "microsoft": "differences",
		"docter":  "doctor",
		"session": "sessions",
	} {
		got := dplay(t, append([]string{"help"}, strings.Fields(asked)...)...)
		assert.Equal(t, exitUsage, got.status)
		assert.Empty(t, got.out)
		assert.Contains(t, got.err, fmt.Sprintf("dplay: there is no help about %q: did you mean %q?\n", asked, meant))
	}
	got := dplay(t, "help", "xyzzy")
	assert.Equal(t, result{exitUsage, "",
		"dplay: there is no help about \"xyzzy\"\nThe topics are start, playing, captures, filters, flags, ports, migration, reliable, internet, vpn, relay, community, website, windows, wine, dll, differences, json, events; " +
			"\"dplay help\" lists the commands as well\nTry 'dplay help --help'.\n"}, got)
	assert.Equal(t, exitUsage, dplay(t, "help", "ports", "windows").status)
	assert.Equal(t, exitUsage, dplay(t, "help", "").status)
}

// TestHelpCompletion checks what shells are told to offer.
func TestHelpCompletion(t *testing.T) {
	got := dplay(t, "__complete", "help", "").out
	for _, want := range []string{"decode\t", "doctor\t", "ports\tPorts, firewalls", "windows\t"} {
		assert.Contains(t, got, want)
	}
	assert.Equal(t, ":4\n", dplay(t, "__complete", "help", "ports", "").out)
}

// A brokenOutput fails.
type brokenOutput struct{}

func (brokenOutput) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestTopicNotWritten checks that an output that fails is told.
func TestTopicNotWritten(t *testing.T) {
	var errs strings.Builder
	assert.Equal(t, exitInput, run(t.Context(), []string{"help", "ports"}, strings.NewReader(""), brokenOutput{}, &errs))
	assert.Equal(t, "dplay: writing the output: disk full\n", errs.String())
}

// TestTopicPrinting prints each thing that texts may have, on a screen that is narrow, and on one that is hopeless.
func TestTopicPrinting(t *testing.T) {
	const text = "# A title of words\n\nA `word` and `dplay sessions`, [here](https://example.org).\n\n" +
		"    dplay sessions --all-interfaces --watch\n\n## Part\n\n- one two three four\n- Größe über alles\n\n" +
		"| name | what it is |\n|---|---|\n| a | one two three four |\n| über | |\n\nThe end.\n"
	assert.Equal(t, `A title of words

A word and "dplay sessions",
here (https://example.org).

  dplay sessions --all-interfaces --watch

Part:

  - one two three four
  - Größe über alles

  name  what it is
  a     one two three four
  über

  The end.
`, string(markdown.Append(nil, text, 28)))
	assert.Contains(t, string(markdown.Append(nil, text, 1)), "\n  a     one two three\n        four\n")
	assert.Equal(t, "Of \"dplay host\"\n\n- one and two\n- see \"dplay help json\" or here\n\nA paragraph.\n", string(markdown.Append(nil,
		"# Of `dplay host`\n\n- one\n  and `two`\n- see [this](../x/NDJSON.md)\n  or [here](x.md)\n\nA\nparagraph.\n", 80)))
	wide := strings.Repeat("x", 60)
	assert.Equal(t, wide+"\n    said\nshort\n    said, too\n", string(markdown.Append(nil,
		"| a | b |\n|---|---|\n| "+wide+" | said |\n| short | said, too |\n", 80)))
	assert.Equal(t, "name: "+wide+"\n    said\nother:\n", string(markdown.Append(nil,
		"| a | b | c |\n|---|---|---|\n| name | "+wide+" | said |\n| other | | |\n", 80)))
	for width := range 100 {
		squeezed := strings.Join(strings.Fields(string(markdown.Append(nil, text, width))), " ")
		assert.Equal(t, strings.Join(strings.Fields(string(markdown.Append(nil, text, 80))), " "), squeezed, "no word is lost")
	}
}
