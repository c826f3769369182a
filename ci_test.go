//go:build linux

package dplay4_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copied copies the scripts of .ci and the README to a folder of the test's own. There make appends its arguments to the file "made" and
// fails for the targets weight and attack, and with BREAK=race for race; with BREAK=hang attack writes to the pipe "pipe" and hangs
// with it open; go prints its arguments; and Wine's laboratory cannot be set up.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	scripts, err := filepath.Glob(".ci/*")
	require.NoError(t, err)
	files := map[string]string{
		"bin/make": "echo \"$*\" >>made\ncase $* in *weight*) echo '--- FAIL: TestHeavy'; exit 1 ;; attack*) " +
			"[ \"${BREAK:-}\" = hang ] || exit 1; exec 3>pipe; echo up >&3; exec sleep 86400 ;; " +
			"*race) [ \"${BREAK:-}\" != race ] ;; esac",
		"bin/go":               `echo "go $*"`,
		"compat/wine/setup.sh": "echo no mirror answers; exit 1",
	}
	for name, text := range files {
		files[name] = "#!/bin/sh\n" + text + "\n"
	}
	for _, name := range append(scripts, "README.md") {
		if i, err := os.Stat(name); err == nil && !i.IsDir() {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			files[name] = string(text)
		}
	}
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	return dir
}

// script runs a script of .ci with the make and go of that folder.
func script(dir, name string, env ...string) (out string, err error) {
	cmd := exec.Command("bash", filepath.Join(dir, ".ci", name))
	cmd.Env = append(os.Environ(), append(env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "TOOLS=there")...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// nightly runs .ci/nightly for some parts.
func nightly(t *testing.T, dir, parts string) (out string, err error) {
	t.Helper()
	return script(dir, "nightly", "PARTS="+parts)
}

// TestGate: .ci/run runs the commands of the README and the other steps, goes on without Wine, and ends at the first step that fails.
// A session goes over the bridge where there are network namespaces, whether there is Wine or not.
func TestGate(t *testing.T) {
	dir := copied(t)
	out, err := script(dir, "run")
	require.NoError(t, err, out)
	assert.Regexp(t, `(?m)^go test \./\.\.\.$`, out)
	assert.Regexp(t, `(?m)^ +\d+  ok +make race$`, out, "the table")
	bridge, why := "-s bridge-some\n", "run"
	if exec.Command("unshare", "--net", "--mount", "true").Run() != nil {
		bridge, why = "", "not run: .*"
	}
	assert.Regexp(t, `\nCI: all steps passed in \d+ s, bridge `+why+`, Wine not run: .*\n$`, out)
	made, err := os.ReadFile(filepath.Join(dir, "made"))
	require.NoError(t, err)
	assert.Equal(t, "-s fmt\n-s vet\n-s staticcheck\n-s race\n-s sim SEEDS=300 BASE=1000\n-s modules\n-s platforms\n"+bridge, string(made))

	out, err = script(dir, "run", "BREAK=race")
	require.Error(t, err)
	assert.NotContains(t, out, "make sim")
	assert.Regexp(t, `(?m)^ +\d+  FAILED +make race$`, out)
	assert.Regexp(t, `\nCI: FAILED in step: make race \(after \d+ s\)\n$`, out)
}

// TestNightly: a part that fails does not keep the others from running, and is named at the end.
func TestNightly(t *testing.T) {
	dir := copied(t)
	out, err := nightly(t, dir, "sim weight publish attack damage")
	assert.Error(t, err)
	made, err := os.ReadFile(filepath.Join(dir, "made"))
	require.NoError(t, err)
	assert.Equal(t, []string{"sim", "publish", "weight", "damage", "attack"}, regexp.MustCompile(`(?m)^\w+`).FindAllString(string(made), -1))
	assert.Regexp(t, `nightly: FAILED in \d+ s: weight attack\n$`, out)
	assert.Contains(t, out, "--- FAIL: TestHeavy", "the reason is shown")
	assert.Regexp(t, `(?m)^ +\d+  ok +publish$`, out)
	assert.Regexp(t, `(?m)^ +\d+  FAILED +attack$`, out)
	log, err := os.ReadFile(filepath.Join(dir, "build", "nightly", "weight.log"))
	require.NoError(t, err)
	assert.Equal(t, "--- FAIL: TestHeavy\n", string(log))

	out, err = nightly(t, dir, "sim publish")
	assert.NoError(t, err)
	assert.Regexp(t, `nightly: all parts passed in \d+ s\n$`, out)

	out, err = nightly(t, dir, "sim everything")
	assert.Error(t, err)
	assert.Contains(t, out, `there is no part "everything"`)
}

// TestNightlyEnds: a signal ends "make nightly" and the part that runs alone.
func TestNightlyEnds(t *testing.T) {
	dir := copied(t)
	cmd := exec.Command("bash", filepath.Join(dir, ".ci", "nightly"))
	cmd.Env = append(os.Environ(), "PARTS=attack", "BREAK=hang", "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "TOOLS=there")
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, cmd.Start())
	part, err := os.Open(pipe) // once the part opens it as well
	require.NoError(t, err)
	defer part.Close()
	_, err = part.Read(make([]byte, len("up\n")))
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	assert.ErrorContains(t, cmd.Wait(), "exit status 130")
	left, err := io.ReadAll(part) // until the part has ended
	assert.NoError(t, err)
	assert.Empty(t, left)
}

// TestNightlyParts: each part of "make nightly" runs targets of the Makefile, and CONTRIBUTING.md names no others.
func TestNightlyParts(t *testing.T) {
	out, err := nightly(t, ".", "list")
	require.NoError(t, err)
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	parts := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		words := strings.Fields(line)
		require.Greater(t, len(words), 3, line)
		command := slices.IndexFunc(words, func(word string) bool { return word == "make" }) // variables may stand before it
		require.Positive(t, command, line)
		parts[words[0]] = true
		assert.Contains(t, []string{"compute", "wait", "alone"}, words[1], line)
		for _, target := range words[command+1:] {
			if target == "-k" {
				continue
			} else if !regexp.MustCompile(`^[a-z-]+$`).MatchString(target) {
				break // a variable
			}
			assert.Contains(t, string(makefile), "\n"+target+":", line)
		}
	}
	assert.Greater(t, len(parts), 15)
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| a change of | parts |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n") {
		for _, part := range strings.Fields(strings.Split(row, "|")[2]) {
			assert.True(t, parts[strings.Trim(part, "`,")], "make nightly has no part %s: %s", part, row)
		}
	}
}

// TestGateNames: the tests and subtests that targets of make name for Wine and the bridge are there. go test passes where a name matches
// nothing.
func TestGateNames(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	named := regexp.MustCompile(`-run '\^\(?([^$]*?)\)?\$\$(?:/\^\(?([^$]*?)\)?\$\$)?' (\./compat/\w+)`)
	for _, name := range []string{"interop-some", "bridge-some", "dll-long", "bench-dll"} {
		_, target, found := strings.Cut(string(makefile), "\n"+name+":")
		require.True(t, found, name)
		target, _, _ = strings.Cut(target, "\n\n")
		r := named.FindStringSubmatch(target)
		require.NotNil(t, r, name)
		var code strings.Builder
		files, err := filepath.Glob(filepath.Join(r[3], "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			code.Write(text)
		}
		for _, name := range strings.Split(r[1], "|") {
			assert.Contains(t, code.String(), "\nfunc "+name+"(t *testing.T)", r[0])
		}
		for _, name := range strings.FieldsFunc(r[2], func(c rune) bool { return c == '|' }) {
			words := strings.ReplaceAll(name, "_", " ")
			if name == "port-restricted,_port-restricted" { // two kinds of router
				words = "port-restricted"
			}
			assert.Contains(t, code.String(), `"`+words+`"`, r[0])
		}
	}
}
