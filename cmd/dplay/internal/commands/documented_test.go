package commands

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
)

// textWidth is how wide the lists of commands and keys are.
const textWidth = 78

// reference returns the lists of EVENTS.md: the commands, each with its keys (those in brackets may be left out), what they do, what
// the keys say, and the codes of what fails.
func reference() string {
	var b []byte
	row := func(width int, name, text string) {
		const margin = "    "
		b = cli.AppendWrapped(b, fmt.Sprintf("%s%-*s", margin, width, name), margin+strings.Repeat(" ", width), text, textWidth)
	}
	for _, s := range table {
		words := strings.Fields(s.needs)
		for _, w := range strings.Fields(s.may) {
			words = append(words, "["+w+"]")
		}
		row(16, s.name, strings.Join(words, " "))
	}
	b = append(b, "\nWhat they do:\n\n"...)
	for _, s := range table {
		row(16, s.name, s.about)
	}
	b = append(b, "\nThe keys:\n\n"...)
	row(20, "id", commandID.words+": the answer repeats it")
	for _, k := range keys {
		row(20, k.name, strings.TrimSuffix(k.kind.words+"; "+k.about, "; "))
	}
	b = append(b, "\nThe errors:\n\n"...)
	for _, c := range codes {
		row(17, string(c.code), c.about)
	}
	return string(b)
}

var rewrite = flag.Bool("rewrite", false, "write the lists of commands into EVENTS.md")

// TestDocumented holds the lists of EVENTS.md against the tables.
func TestDocumented(t *testing.T) {
	const name = "../../EVENTS.md"
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	const begin = "of `a|b` one is meant:\n\n"
	before, got, found := strings.Cut(string(b), begin)
	require.True(t, found)
	if *rewrite {
		require.NoError(t, os.WriteFile(name, []byte(before+begin+reference()), 0o644))
		return
	}
	assert.Equal(t, reference(), got, "write it with -rewrite")
	for line := range strings.Lines(reference()) {
		assert.LessOrEqual(t, len(line)-1, textWidth, line)
	}
	_, keysOf, found := strings.Cut(before, "| key of `answer` | when |\n|---|---|\n")
	require.True(t, found)
	keysOf, _, _ = strings.Cut(keysOf, "\n\n")
	for _, k := range answerKeys(reflect.TypeFor[Answer]()) {
		assert.Contains(t, keysOf, "`"+k+"`")
	}
}

// answerKeys returns the keys of an answer, but for those that every event has.
func answerKeys(of reflect.Type) (list []string) {
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !slices.Contains([]string{"", "-", "time", "event"}, name) {
			list = append(list, name)
		}
	}
	if listing, ok := of.FieldByName("Listing"); ok {
		for f := range listing.Type.Elem().Fields() {
			list = append(list, f.Tag.Get("json"))
		}
	}
	return list
}

// TestTable checks that the commands have keys that there are, that each key belongs to a command, and that names are plain words.
func TestTable(t *testing.T) {
	word := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	used := map[string]bool{}
	for i := range table {
		s := &table[i]
		assert.Regexp(t, word, s.name)
		assert.Equal(t, s.about, specOf(s.name).about, "its name is there once")
		assert.Regexp(t, `^[A-Z].*\.$`, s.about)
		for _, k := range s.has()[2:] {
			used[k] = true
			assert.Equal(t, k, keyOf(k).name, "%s has %s", s.name, k)
		}
	}
	for i := range keys {
		assert.Regexp(t, word, keys[i].name)
		assert.True(t, used[keys[i].name], keys[i].name)
	}
	seen := map[Code]bool{}
	for _, c := range codes {
		assert.False(t, seen[c.code], c.code)
		seen[c.code] = true
		assert.Regexp(t, `^[a-z-]+[a-z0-9]$`, string(c.code))
	}
}
