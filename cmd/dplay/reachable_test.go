package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
)

// unreachable matches what a reader of the program's texts does not have: numbers of facts, files and folders of the source.
var unreachable = regexp.MustCompile(`(?i)\bfacts?,? (?:section |reliable )?\d|\b[\w/-]+\.(?:md|go|py)\b|\bgo doc\b|` +
	`\b(?:compat|captures|dpsp|wire|internal|cmd|hostmigrate|playerlist|pingtimer)/[\w/]+`)

// TestUnreachable checks that it finds such words, and no others.
func TestUnreachable(t *testing.T) {
	for _, s := range []string{"as Windows has it (facts, 5.4)", "see Fact 10.2", "facts, reliable 8", "captures/show/NDJSON.md describes it",
		"go doc ./dpsp", "the captures in captures/migration", "README.md has it"} {
		assert.Regexp(t, unreachable, s)
	}
	for _, s := range []string{"facts say 4 things", "wire format", "a capture", "dplay help facts"} {
		assert.NotRegexp(t, unreachable, s)
	}
}

// TestTextsReachable checks that no text of the program, in its source or in its help, speaks of what only the source code has.
// Examples name captures of the project, which are there to be tried.
func TestTextsReachable(t *testing.T) {
	t.Parallel()
	examples := regexp.MustCompile(`captures/\w+/[\w.*-]+\.(?:pcapng|pcap)\b|captures/lab/\*\.pcap`)
	check := func(where, text string) {
		t.Helper()
		assert.NotRegexp(t, unreachable, examples.ReplaceAllString(text, ""), where)
	}
	n := 0
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"compat", "testdata", "benchmigration", "examples", "mutants"}, d.Name()) ||
			strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"), path == filepath.Join(root, "dpsp", "games", "table.go"):
			// The last one names where things are known from: files in the repositories of others.
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file.Imports, file.Decls = nil, slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && g.Tok == token.IMPORT
		})
		ast.Inspect(file, func(node ast.Node) bool {
			lit, ok := node.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			if strings.Contains(text, " ") { // others are names of files, not texts
				check(path, text)
				n++
			}
			return true
		})
		return nil
	}))
	assert.Greater(t, n, 1000, "texts are not found any more")
	for _, topic := range topics {
		check("dplay help "+topic.name, topicOutput(t, topic.name))
	}
	for _, code := range doctor.Codes() {
		page, _ := doctor.Explain(code)
		check(string(code), page)
	}
}
