package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeCommands looks for commands in the README. TestShownCommands runs them.
func TestReadmeCommands(t *testing.T) {
	commands := map[string]bool{}
	for _, s := range commandsOf(t, "README.md", fileText(t, "README.md")) {
		commands[s.command] = true
	}
	assert.Greater(t, len(commands), 25)
	for _, want := range []string{"go run ./cmd/dplay decode captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap",
		"dplay decode -"} {
		assert.Contains(t, commands, want, "on a line of its own, and behind a pipe")
	}
}

// TestReadmeOutput holds what the README shows of a command's output against what it prints. A line may end early, with
// "...", and lines may be left out.
func TestReadmeOutput(t *testing.T) {
	text := fileText(t, "README.md")
	t.Chdir(filepath.Join("..", ".."))
	n, known := 0, trials(t, newStage(t))
	var command string
	var output strings.Builder
	for line := range strings.Lines(text) {
		code, indented := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    ")
		shownCommand, isCommand := strings.CutPrefix(code, "$ dplay ")
		switch {
		case !indented:
			command = ""
		case isCommand:
			command = shownCommand
			try := known["dplay "+command]
			if try.makes != "" {
				continue // it prints nothing
			}
			got := once(t, shellWords(t, command)...)
			assert.Equal(t, try.status, got.status)
			output.Reset()
			output.WriteString(strings.Join(strings.Fields(got.out+"\n"+got.err), " "))
		case command != "":
			want, _, _ := strings.Cut(strings.Join(strings.Fields(code), " "), "...")
			assert.Contains(t, output.String(), want, command)
			n++
		}
	}
	assert.Greater(t, n, 10)
}

// fileText returns a file of the project's folder.
func fileText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return string(b)
}

// codeSpan finds what stands between single backquotes, over the end of a line as well.
var codeSpan = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)?)`")

// codeOf returns all code of a text: lines that are indented, and what stands between backquotes.
func codeOf(t *testing.T, file string) (code []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", file))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "    ") {
			code = append(code, strings.TrimSpace(line))
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(string(text), -1) {
		code = append(code, strings.ReplaceAll(m[1], "\n", " "))
	}
	return code
}

// TestReadmeTargets looks up what the README, BENCHMARKS.md and CONTRIBUTING.md say that make and go test can run.
func TestReadmeTargets(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	target, folder := regexp.MustCompile(`^make ([a-z][a-z-]*)`), regexp.MustCompile(`\./\w[\w/]*`)
	name := regexp.MustCompile(`\bTest\w+`)
	targets, tests := 0, 0
	for _, code := range slices.Concat(codeOf(t, "README.md"), codeOf(t, "BENCHMARKS.md"), codeOf(t, "CONTRIBUTING.md")) {
		if m := target.FindStringSubmatch(code); m != nil {
			targets++
			assert.Regexp(t, `(?m)^`+m[1]+`:`, string(makefile), code)
		}
		if _, args, found := strings.Cut(code, "go test "); found {
			for _, n := range name.FindAllString(args, -1) {
				tests++
				assert.True(t, hasTest(t, folder.FindString(args), n), "%s: no %s", code, n)
			}
		}
	}
	assert.GreaterOrEqual(t, targets, 10)
	assert.GreaterOrEqual(t, tests, 8)
}

// hasTest reports whether a package has a test whose name begins so.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		b, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(b), "\nfunc "+name)
	})
}
