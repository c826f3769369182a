package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
)

// A shown is a command line of this program that people are shown, and where.
type shown struct{ command, where string }

// sentenceCommand finds commands within a sentence: in backquotes in Markdown, in quotes in help.
var sentenceCommand = regexp.MustCompile("[`\"](dplay [^`\"]+)[`\"]")

// placeholder finds the end of what stands for a command, such as "dplay decode FILE".
var placeholder = regexp.MustCompile(` [A-Z]+$`)

// commandsOf returns the command lines of a text that run this program, in order: those on lines of their own, without
// what is said about them behind several spaces, and those within sentences. "dplay sessions" in a sentence is the name of
// a command, which has to exist; "dplay help" is more than that.
func commandsOf(t *testing.T, where, text string) (list []shown) {
	t.Helper()
	add := func(command string, sentence bool) {
		for part := range strings.SplitSeq(command, " | ") { // this program's part of a pipe
			part = strings.TrimSpace(part)
			words := strings.Fields(part)
			switch {
			case !strings.HasPrefix(part, "dplay ") && !strings.HasPrefix(part, "go run ./cmd/dplay "), placeholder.MatchString(part):
			case sentence && words[1] != "help" && (len(words) == 2 || len(words) == 3 && (words[1] == "dll" || words[1] == "bridge")):
				_, rest, err := newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}).Find(words[1:])
				assert.NoError(t, err, "%s: %s", where, part)
				assert.Empty(t, rest, "%s: %s", where, part)
			default:
				list = append(list, shown{part, where})
			}
		}
	}
	for line := range strings.Lines(text) {
		code, indented := strings.CutPrefix(line, "  ")
		if code = strings.TrimSpace(code); indented && !strings.Contains(code, ": ") {
			code, _, _ = strings.Cut(strings.TrimPrefix(code, "$ "), "   ")
			if strings.HasPrefix(code, "dplay ") || strings.HasPrefix(code, "go run ") || strings.Contains(code, "| dplay ") {
				add(code, false)
				continue
			}
		}
		for _, found := range sentenceCommand.FindAllStringSubmatch(line, -1) {
			add(found[1], true)
		}
	}
	return list
}

// shownCommands returns the command lines of the README, of BENCHMARKS.md, of the topics, and of each command's help.
func shownCommands(t *testing.T) []shown {
	t.Helper()
	list := slices.Concat(commandsOf(t, "README.md", fileText(t, "README.md")), commandsOf(t, "BENCHMARKS.md", fileText(t, "BENCHMARKS.md")))
	for _, topic := range topics {
		list = append(list, commandsOf(t, "dplay help "+topic.name, topic.text())...)
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "completion" {
			return // cobra's own: it shows what shells run
		}
		list = append(list, commandsOf(t, c.CommandPath()+" --help", c.Long+"\n"+c.Example+"\n"+c.LocalFlags().FlagUsages())...)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}))
	return list
}

// TestShownCommands runs every command line of this program that the README, the topics and the help of each command
// show, from the project's folder. One that trials does not know fails it, and so does one that is shown nowhere.
func TestShownCommands(t *testing.T) {
	list := shownCommands(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(root)) // not t.Chdir, which forbids that the trials wait at the same time
	t.Cleanup(func() { require.NoError(t, os.Chdir(here)) })
	known := trials(t, newStage(t))
	var commands []string
	for _, s := range list {
		_, ok := known[s.command]
		assert.True(t, ok, "%s has a command that trials does not know how to try: %s", s.where, s.command)
		if !slices.Contains(commands, s.command) {
			commands = append(commands, s.command)
		}
	}
	for command := range known {
		assert.True(t, slices.Contains(commands, command), "trials has a command that is shown nowhere: %s", command)
	}
	for _, command := range commands {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			at := newStage(t)
			try, ok := trials(t, at)[command]
			require.True(t, ok)
			if len(try.beside) > 0 {
				h := start(t, append(slices.Clone(try.beside), at.bind()...))
				h.expectWith("* you are")
			}
			try.run(t, command)
		})
	}
}

// run runs a command line.
func (try trial) run(t *testing.T, command string) {
	t.Helper()
	words := shellWords(t, strings.TrimPrefix(command, "go run ./cmd/"))[1:]
	for i := 0; i < len(try.swap); i += 2 {
		at := slices.Index(words, try.swap[i])
		require.NotEqual(t, -1, at, "%s is not in it", try.swap[i])
		words[at] = try.swap[i+1]
	}
	words = append(words, try.more...)
	var got result
	switch {
	case try.alone:
		got = try.inOwnNetwork(t, words)
	case try.until != "":
		got = try.interrupted(t, words)
	case try.stdin != "":
		file, err := os.Open(try.stdin)
		require.NoError(t, err)
		defer file.Close()
		got = dplayFrom(t, file, words...)
	default:
		got = once(t, words...)
	}
	assert.Equal(t, try.status, got.status, "%s%s", got.out, got.err)
	assert.Regexp(t, try.out, got.out)
	assert.Regexp(t, try.err, got.err)
	if try.status != exitInput { // which says why
		assert.NotContains(t, got.err, "dplay: ")
	}
	assert.True(t, try.makes == "" || hasWritten(try.makes), "it writes %s", try.makes)
}

// inOwnNetwork runs a command line in a network of its own, in which an address that examples have is a relay, to its end or
// until it has printed what is waited for.
func (try trial) inOwnNetwork(t *testing.T, words []string) result {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a network of its own takes Linux and root")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	const script = `ip link set lo up && ip addr add 203.0.113.5/32 dev lo || exit 9
		"$0" bridge relay --public 203.0.113.5 >/dev/null 2>&1 &
		relay=$!
		until grep -q :14E5 /proc/net/tcp; do sleep 0.05; done
		"$0" "$@" >"$HOME/out" 2>"$HOME/err" &
		tried=$!
		if [ -n "$UNTIL" ]; then
			tries=0
			until grep -q "$UNTIL" "$HOME/out" "$HOME/err" || [ $((tries += 1)) -gt 600 ]; do sleep 0.05; done
			kill -INT $tried
		fi
		wait $tried
		status=$?
		cat "$HOME/out"
		cat "$HOME/err" >&2
		kill $relay
		wait
		exit $status`
	cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--net", "--", "sh", "-c", script, self}, words...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+t.TempDir(), "UNTIL="+try.until, "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// interrupted runs what does not end by itself, until it has printed what is waited for.
func (try trial) interrupted(t *testing.T, words []string) result {
	t.Helper()
	p := start(t, words)
	line := p.find("line like "+try.until, regexp.MustCompile(try.until).MatchString)
	if try.visit != "" {
		page := regexp.MustCompile(`http://\S+/`).FindString(line)
		assert.Contains(t, download(t, page), "<html")
		late, again := time.After(longEnough), time.NewTicker(50*time.Millisecond)
		defer again.Stop()
		for !strings.Contains(download(t, page+"sessions.json"), try.visit) {
			select {
			case <-again.C:
			case <-late:
				t.Fatalf("%s does not have %s", page, try.visit)
			}
		}
	}
	status := p.interrupt()
	return result{status, strings.Join(p.output(), "\n"), p.stderr()}
}

// download returns what a web server has at an address.
func download(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	return string(b)
}
