package dplay4_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestFiveSteps goes through "Add a message in five steps" of CONTRIBUTING.md for every message, and names the
// step that was forgotten. The refusal rows of step 3 are TestOffsetFieldsComplete's in package wire.
func TestFiveSteps(t *testing.T) {
	const goldens = "wire/testdata/golden"
	log, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	table, err := os.ReadFile("dpsp/messages.go")
	require.NoError(t, err)
	docs, err := os.ReadFile("dpsp/doc.go")
	require.NoError(t, err)
	tried, err := os.ReadFile("dpsp/messages_test.go")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, c := range commandConstants(t) {
		if !assert.True(t, c.value.Known(), "step 1: wire/command.go has the constant %s, but no line in the registry", c.name) {
			continue
		}
		name := c.value.String()
		assert.NotContains(t, names, name, "step 1: the registry has the name of %s twice", c.name)
		names[name] = true
		assert.Equal(t, c.name, "Cmd"+typeName(c.value), "step 1: the constant of %s is named after its type", name)
		file := filepath.Join("wire", strings.ToLower(typeName(c.value))+".go")
		if text, err := os.ReadFile(file); assert.NoError(t, err, "step 2: %s has no file of its own", name) {
			assert.Regexp(t, regexp.MustCompile(`(?m)^func \(\w+ \*\w+\) fields\(`), string(text), "step 2: %s has no fields method", file)
			comment := "// " + typeName(c.value) + " is DPSP_MSG_" + name + " (2.2."
			assert.Regexp(t, regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(comment)+`\d+\)`), string(text),
				"step 2: the comment of %s in %s does not begin with %q and the section", typeName(c.value), file, comment)
		}
		assert.True(t, hasSource(t, filepath.Join(goldens, name)), "step 3: %s has no %s/%s*.hex whose first line says its source",
			name, goldens, name)
		row := regexp.MustCompile(`wire\.` + c.name + `(: +\{|[,}])`).FindSubmatch(table)
		if assert.NotNil(t, row, "step 4: dpsp/messages.go does not have wire.%s", c.name) && len(row[1]) > 1 &&
			c.value != wire.CmdExtension {
			assert.Regexp(t, regexp.MustCompile(`(?m)^//\t`+name+` `), string(docs), "step 4: the table in dpsp/doc.go lacks %s", name)
			assert.Contains(t, string(tried), "wire."+typeName(c.value)+"{",
				"step 4: dpsp/messages_test.go does not send %s for TestWhoIsBelieved", name)
		}
		assert.Regexp(t, regexp.MustCompile(`\b`+name+`\b`), string(log), "step 5: CHANGELOG.md does not name %s", name)
	}
}

// A constant is one of the commands in wire/command.go.
type constant struct {
	name  string
	value wire.Command
}

// commandConstants reads the constants of type Command in wire/command.go.
func commandConstants(t *testing.T) []constant {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "wire/command.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var all []constant
	ast.Inspect(tree, func(n ast.Node) bool {
		s, ok := n.(*ast.ValueSpec)
		if !ok || fmt.Sprint(s.Type) != "Command" || len(s.Values) != 1 {
			return true
		}
		lit, ok := s.Values[0].(*ast.BasicLit)
		require.True(t, ok, "%s is no number", s.Names[0].Name)
		v, err := strconv.ParseUint(lit.Value, 0, 16)
		require.NoError(t, err, s.Names[0].Name)
		all = append(all, constant{s.Names[0].Name, wire.Command(v)})
		return true
	})
	assert.GreaterOrEqual(t, len(all), len(wire.Commands()), "step 1: the registry has commands without a constant")
	return all
}

// typeName returns the name of a message's type: PlayerMessage for PLAYERMESSAGE.
func typeName(c wire.Command) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", wire.New(c)), "*wire.")
	return strings.TrimPrefix(name, "Headered") // the form of PLAYERMESSAGE that has a header
}

// hasSource reports whether there is a golden file of that name, or that name and a variant, with a source.
func hasSource(t *testing.T, name string) bool {
	t.Helper()
	variants, err := filepath.Glob(name + "-*.hex")
	require.NoError(t, err)
	for _, file := range append(variants, name+".hex") {
		if text, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(text), "# source: ") {
			return true
		}
	}
	return false
}
