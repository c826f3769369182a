package main

import (
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the root of the module, from this folder.
const root = "../../.."

// theList reads mutants.txt.
func theList(t *testing.T) *list {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(listFile)))
	require.NoError(t, err)
	l, err := parseList(string(text))
	require.NoError(t, err)
	return l
}

// code returns a Go file without its comments.
func code(t *testing.T, text string) string {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, (&printer.Config{}).Fprint(&b, token.NewFileSet(), ast.Node(tree)))
	return b.String()
}

// TestMutants applies every mutant to the tree. A mutant fails if the engine changed where it takes a rule out; "make mutants" says
// whether it compiles as well.
func TestMutants(t *testing.T) {
	b := &builder{root: root}
	l := theList(t)
	assert.GreaterOrEqual(t, len(l.mutants), 20)
	for i := range l.mutants {
		m := &l.mutants[i]
		files, err := m.apply(b.read)
		if !assert.NoError(t, err) {
			continue
		}
		for file, text := range files {
			formatted, err := format.Source([]byte(text))
			if !assert.NoError(t, err, "%s: %s does not parse", m.name, file) {
				continue
			}
			assert.Equal(t, string(formatted), text, "%s: %s is not as gofmt has it", m.name, file)
			was, err := b.read(file)
			require.NoError(t, err)
			assert.NotEqual(t, code(t, string(was)), code(t, text), "%s changes nothing but comments", m.name)
		}
	}
}

// block returns a mutant with lines behind its name.
func block(lines ...string) string { return "mutant m\n" + strings.Join(lines, "\n") + "\n" }

func TestListIsWrong(t *testing.T) {
	const rule, file = "rule it holds", "file dpsp/a.go"
	for _, c := range []struct{ text, want string }{
		{"want few\n", "mutants.txt:1: \"want few\": want takes a number"},
		{"want -1\n", "want takes a number"},
		{"want 1\n", "it wants 1 mutants noticed, and has 0"},
		{"\nnonsense\n", "mutants.txt:2: \"nonsense\": a mutant is the lines"},
		{"rule of nobody\n", "a mutant is the lines"},
		{"+line of nobody\n", "a mutant is the lines"},
		{block(rule, rule), "a mutant is the lines"},
		{block(rule, "+line of no file"), "a mutant is the lines"},
		{block(rule, file, "-a", "+b", "mutant n"), "a mutant is the lines"},
		{block(rule, file, "-a", "+b", "", "-c"), "a mutant is the lines"},
		{block(rule, "file /dpsp/a.go", "-a"), "file takes the path of a Go file"},
		{block(rule, "file ../a.go", "-a"), "file takes the path of a Go file"},
		{block(rule, "file dpsp/doc.txt", "-a"), "file takes the path of a Go file"},
		{block(file, "-a", "+b"), "mutants.txt:1: mutant m: it has no line rule"},
		{block(rule), "it has no line file"},
		{block(rule, file), "has no old text"},
		{block(rule, file, "+a"), "has no old text"},
		{block(rule, file, " a"), "changes nothing"},
		{block(rule, file, "-a", "+a"), "changes nothing"},
		{"mutant\n", "its name is empty"},
		{"mutant a,b\n", "a comma"},
		{block(rule, file, "-a") + "\n" + block(rule, file, "-b"), "mutants.txt:6: mutant m: another mutant has its name"},
	} {
		_, err := parseList(c.text)
		require.Error(t, err, c.text)
		assert.ErrorIs(t, err, errList, c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestApply(t *testing.T) {
	errMissing := errors.New("there is none")
	read := func(file string) ([]byte, error) {
		if file != "dpsp/a.go" {
			return nil, errMissing
		}
		return []byte("one\n\ttwo\nthree\n\ttwo\nfour\n"), nil
	}
	for _, c := range []struct {
		lines      []string
		text, want string
	}{
		{lines: []string{"file dpsp/a.go", "-one", "+un"}, text: "un\n\ttwo\nthree\n\ttwo\nfour\n"},
		{lines: []string{"file dpsp/a.go", "-one"}, text: "\ttwo\nthree\n\ttwo\nfour\n"},
		{lines: []string{"file dpsp/a.go", " three", "-\ttwo", "+\tdeux", "+", " four"}, text: "one\n\ttwo\nthree\n\tdeux\n\nfour\n"},
		{lines: []string{"file dpsp/a.go", "-one", "+un", "file dpsp/a.go", "-four"}, text: "un\n\ttwo\nthree\n\ttwo\n"},
		{lines: []string{"file dpsp/a.go", "-\ttwo"}, want: "dpsp/a.go has its old text several times"},
		{lines: []string{"file dpsp/a.go", "-wo"}, want: "mutants.txt:1: mutant m: dpsp/a.go does not have its old text any more"},
		{lines: []string{"file dpsp/a.go", "-on", "+off"}, want: "does not have its old text"},
		{lines: []string{"file dpsp/b.go", "-one"}, want: errMissing.Error()},
	} {
		l, err := parseList(block(append([]string{"rule it holds"}, c.lines...)...))
		require.NoError(t, err)
		files, err := l.mutants[0].apply(read)
		if c.want != "" {
			assert.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"dpsp/a.go": c.text}, files)
	}
}
