package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/internal/testkit"
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
// show, from the project's folder, or parses those that do the same as others. One that trials does not know fails it, and so does one
// that is shown nowhere.
// It takes about four seconds: two hundred command lines, and each joiner waits 0.3 s for other sessions.
func TestShownCommands(t *testing.T) {
	list := shownCommands(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(root)) // not t.Chdir, which forbids that the trials wait at the same time
	t.Cleanup(func() { require.NoError(t, os.Chdir(here)) })
	known := map[string]int{} // which of trialParts has a command
	at := newStage(t)
	for i, part := range trialParts {
		for command := range part(t, at) {
			known[command] = i
		}
	}
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
			trialParts[known[command]](t, at)[command].run(t, at, command)
		})
	}
}

// run runs a command line.
func (try trial) run(t *testing.T, at stage, command string) {
	t.Helper()
	words := shellWords(t, strings.TrimPrefix(command, "go run ./cmd/"))[1:]
	if try.same && os.Getenv("DPLAY_LONG") == "" {
		parses(t, words)
		return
	}
	for i := 0; i < len(try.swap); i += 2 {
		at := slices.Index(words, try.swap[i])
		require.NotEqual(t, -1, at, "%s is not in it", try.swap[i])
		words[at] = try.swap[i+1]
	}
	words = append(words, try.more...)
	if len(try.beside) > 0 {
		start(t, append(slices.Clone(try.beside), at.bind()...)).expectWith("* you are")
	}
	var got result
	switch {
	case try.alone:
		got = try.interrupted(startAlone(t, words))
	case try.until != "":
		got = try.interrupted(start(t, words))
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

// parses checks that a command line, as it is shown, has a command's flags, their values, and as many arguments as it takes.
func parses(t *testing.T, words []string) {
	t.Helper()
	root := newRoot(testStreams())
	cmd, rest, err := root.Find(words)
	require.NoError(t, err)
	require.NoError(t, cmd.ParseFlags(rest))
	require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()))
}

// ownNetwork returns the flags with which unshare makes a network of its own, and skips the test where it cannot.
func ownNetwork(t *testing.T) []string {
	t.Helper()
	flags := []string{"--net"}
	if os.Getuid() != 0 {
		flags = append(flags, "--user", "--map-root-user")
	}
	if runtime.GOOS != "linux" || exec.Command("unshare", append(slices.Clone(flags), "true")...).Run() != nil {
		t.Skip("a network of its own takes Linux, and root or user namespaces for everybody")
	}
	return flags
}

// startAlone runs a command line in a network of its own, in which an address that examples have is a relay.
func startAlone(t *testing.T, words []string) *program {
	t.Helper()
	own, enter := ownNetwork(t), []string{"--net"}
	if os.Getuid() != 0 {
		enter = append(enter, "--user", "--preserve-credentials")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	const network = `ip link set lo up && ip addr add 203.0.113.5/32 dev lo && exec "$0" "$@"`
	relay := exec.Command("unshare", append(own, "sh", "-c", network, self, "bridge", "relay", "--public", "203.0.113.5", "--events", "ndjson")...)
	startAsUser(t, relay).event("relay_opened")
	enter = append(enter, "--target", strconv.Itoa(relay.Process.Pid), self)
	return startAsUser(t, exec.Command("nsenter", append(enter, words...)...))
}

// startAsUser runs a command that becomes this program, as a process of a user without files.
func startAsUser(t *testing.T, cmd *exec.Cmd) *program {
	t.Helper()
	p := newProgram(t, cmd.Path)
	p.stop = func() { cmd.Process.Signal(os.Interrupt) } //nolint:errcheck // it may have ended
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+t.TempDir(), "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=")
	cmd.Stdout, cmd.Stderr = p, (*programErrors)(p)
	require.NoError(t, cmd.Start())
	go func() {
		defer close(p.done)
		cmd.Wait() //nolint:errcheck // the status says it
		p.status = cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		<-p.done
	})
	return p
}

// ended returns what a program gave that has ended.
func ended(p *program, status int) result {
	return result{status, strings.Join(p.output(), "\n"), p.stderr()}
}

// interrupted returns what a program gives that is interrupted once it has printed what is waited for, if anything is.
func (try trial) interrupted(p *program) result {
	p.t.Helper()
	if try.until == "" {
		return ended(p, p.end())
	}
	line := p.find("line like "+try.until, regexp.MustCompile(try.until).MatchString)
	if try.visit != "" {
		page := regexp.MustCompile(`http://\S+/`).FindString(line)
		assert.Contains(p.t, download(p.t, page), "<html")
		testkit.Until(p.t, func() bool { return strings.Contains(download(p.t, page+"sessions.json"), try.visit) }, "%s with %s", page, try.visit)
	}
	return ended(p, p.interrupt())
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
