package facts

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	heading  = regexp.MustCompile(`(?m)^#{2,3} (\d+(?:\.\d+)?)\.? `)
	row      = regexp.MustCompile(`(?m)^\| (\d+\.\d+) \|`)
	wrapped  = regexp.MustCompile(`\s*\n[ \t]*(//|#|\*)?[ \t]*`) // a comment goes on in the next line
	citation = regexp.MustCompile(`\b[Ff]acts?,? (?:section )?\d+(?:\.\d+)?(?:(?:, | to | and |, and )\d+\.\d+)*`)
	named    = regexp.MustCompile(`\b[Ff]acts,? (reliable|dll|bridge|api) (\d+)`)
	number   = regexp.MustCompile(`\d+(?:\.\d+)?`)
)

// numbers returns what can be cited: the sections and rows of wire.md.
func numbers(t *testing.T) map[string]bool {
	b, err := os.ReadFile("wire.md")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, m := range append(heading.FindAllStringSubmatch(string(b), -1), row.FindAllStringSubmatch(string(b), -1)...) {
		known[m[1]] = true
	}
	require.True(t, known["2.10"] && known["8.4"] && known["10.1"] && known["6"], "%v", known)
	return known
}

// sections returns the sections of another file.
func sections(t *testing.T, name string) map[string]bool {
	b, err := os.ReadFile(name + ".md")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(string(b), -1) {
		known[m[1]] = true
	}
	require.True(t, known["1"] && known["4"], "%s: %v", name, known)
	return known
}

// cited returns the numbers that a text cites.
func cited(text string) (all []string) {
	for _, c := range citation.FindAllString(wrapped.ReplaceAllString(text, " "), -1) {
		all = append(all, number.FindAllString(c, -1)...)
	}
	return all
}

func TestCited(t *testing.T) {
	assert.Equal(t, []string{"2.15", "2.16", "5.4", "6", "3.1", "3.11"},
		cited("// (facts,\n\t// 2.15 and 2.16), facts 5.4: x (facts, section 6). Facts 3.1 to 3.11; artefacts 9.9, facts say 4"))
}

// TestCitations resolves every citation of a fact in this repository. A file that is cited by name has to be here.
func TestCitations(t *testing.T) {
	known, n := numbers(t), 0
	others := map[string]map[string]bool{"reliable": sections(t, "reliable"), "dll": sections(t, "dll"), "bridge": sections(t, "bridge"),
		"api": sections(t, "api")}
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".hex", ".c", ".h":
		default:
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || strings.HasSuffix(path, "facts_test.go") {
			return err
		}
		for _, c := range named.FindAllStringSubmatch(wrapped.ReplaceAllString(string(b), " "), -1) {
			assert.True(t, others[c[1]][c[2]], "%s cites fact %s %s, which %[2]s.md does not have", path, c[1], c[2])
		}
		for _, c := range cited(string(b)) {
			n++
			assert.True(t, known[c], "%s cites fact %s, which wire.md does not have", path, c)
		}
		return nil
	}))
	assert.Greater(t, n, 90, "citations are not found any more")
	assert.FileExists(t, "real-captures.md")
}
