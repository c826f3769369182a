package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
)

// The manual is made by a test, for the program has no use for what makes it: "make release" runs this with -manual DIR.
var (
	manual     = flag.String("manual", "", "write the manual pages into this folder")
	manualDate = flag.Int64("manual-date", 0, "the pages are of this time, in seconds since 1970")
)

// TestManual makes a page of each command and each topic, and checks that they can be read: each part is there, no line is
// wider than 80 columns, and nothing of how the texts are written down is seen. It takes over 2 s because groff formats each page.
func TestManual(t *testing.T) {
	t.Parallel()
	pages := manualPages(t, time.Unix(*manualDate, 0).UTC())
	if *manual != "" {
		require.NoError(t, os.MkdirAll(*manual, 0o755))
	}
	for name, page := range pages {
		if *manual != "" {
			require.NoError(t, os.WriteFile(filepath.Join(*manual, name), page, 0o644))
		}
		assert.Regexp(t, `(?m)^\.TH "DPLAY.*" "[17]" "Jan 1970|^\.TH "DPLAY.*" "[17]" "... 20\d\d"`, string(page), name)
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page := string(pages[name])
		c.Flags().VisitAll(func(f *pflag.Flag) {
			assert.True(t, f.Hidden || strings.Contains(page, `\fB\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fP`) ||
				strings.Contains(page, `, \fB\-\-`+f.Name), "%s lacks --%s", name, f.Name)
		})
		for _, part := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"} {
			assert.Contains(t, page, "\n.SH "+part+"\n", name)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(manualRoot())
	for _, topic := range topics {
		assert.Contains(t, pages, "dplay-"+topic.name+".7")
	}
	if _, err := exec.LookPath("groff"); err != nil && os.Getenv("DPLAY_REQUIRE_GROFF") == "" {
		t.Skip("no groff here to look at the pages with")
	}
	for name, page := range pages {
		text := looksWell(t, name, page)
		for _, named := range pageName.FindAllStringSubmatch(text, -1) {
			assert.Contains(t, pages, named[1]+"."+named[2], name)
		}
	}
}

// pageName matches the name of a page, with its section.
var pageName = regexp.MustCompile(`\b(dplay[a-z-]*)\(([17])\)`)

// toCopy matches command lines, which are not broken.
var toCopy = regexp.MustCompile(`^ +(dplay|go run|tshark|tcpdump|curl) | \| dplay `)

// looksWell formats a page as man does, looks at it, and returns what it sees.
func looksWell(t *testing.T, name string, page []byte) string {
	t.Helper()
	cmd := exec.Command("groff", "-man", "-Tutf8", "-t", "-ww", "-rLL=80n", "-P-cbou") // plain text
	cmd.Stdin = bytes.NewReader(page)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s", name, &complaints)
	assert.Empty(t, complaints.String(), name)
	text, most := string(out), 80
	if _, ok := references[strings.TrimSuffix(strings.TrimPrefix(name, "dplay-"), ".7")]; ok {
		most += 7 // what they have of tables and JSON fills 80 columns, and man indents it
	}
	for line := range strings.Lines(text) {
		if !toCopy.MatchString(line) && !foreignLine.MatchString(line) {
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), most, "%s: %s", name, line)
		}
	}
	assert.NotRegexp(t, `\\[^A-Z]`, text, "%s: only the registry's keys have it", name)
	assert.NotRegexp(t, "(?m)^ *#+ |```|&lt;|&amp;|\\*\\*", text, name)
	assert.NotContains(t, text, "⟨", "%s: a link into the source code leads nowhere", name)
	return text
}

// manualRoot returns the command tree without input and output.
func manualRoot() *cobra.Command {
	root := newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	root.InitDefaultHelpCmd()
	return root
}

// manualPages returns all pages by their files' names: commands in section 1, topics in section 7.
func manualPages(t *testing.T, date time.Time) map[string][]byte {
	t.Helper()
	pages := map[string][]byte{}
	add := func(c *cobra.Command, section string) {
		var page bytes.Buffer
		header := &doc.GenManHeader{Section: section, Date: &date, Source: "dplay4", Manual: "dplay: DirectPlay 4"}
		require.NoError(t, doc.GenMan(c, header, &page))
		pages[strings.ReplaceAll(c.CommandPath(), " ", "-")+"."+section] = mended(page.Bytes())
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		readable(c)
		add(c, "1")
	}
	root := manualRoot()
	for _, topic := range topics {
		root.Long += "\n"
		if topic.name == topics[0].name {
			root.Long += "\nTopics:\n"
		}
		root.Long += fmt.Sprintf("  %-20s %s", "dplay-"+topic.name+"(7)", topic.short)
	}
	walk(root)
	for _, topic := range topics {
		_, text, _ := strings.Cut(topic.text(), "\n") // the title is said already
		above := &cobra.Command{Use: "dplay", DisableAutoGenTag: true}
		about := &cobra.Command{Use: topic.name, Short: topic.short, Long: topicMarkdown(text), Run: func(*cobra.Command, []string) {},
			DisableFlagsInUseLine: true, DisableAutoGenTag: true}
		about.Flags().BoolP("help", "h", false, "") // a topic has no options: nothing is shown of this one
		require.NoError(t, about.Flags().MarkHidden("help"))
		above.AddCommand(about)
		add(about, "7")
	}
	return pages
}
