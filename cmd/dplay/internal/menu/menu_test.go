package menu

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/internal/testkit"
)

// aCode is the code of the examples, and wrongCode one that somebody typed wrong.
const (
	aCode     = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR"
	wrongCode = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKX"
)

// typed shows the menu to somebody who types that, and returns what is run, and what is seen. The commands do nothing.
func typed(t *testing.T, keys string, files ...string) (ran []string, screen string) {
	t.Helper()
	var out bytes.Buffer
	m := &Menu{Streams: cli.Streams{In: strings.NewReader(keys), Out: &out, Err: &out}}
	m.Run = func(args []string) error {
		ran = append(ran, strings.Join(args, "|"))
		return nil
	}
	require.NoError(t, m.Show(files))
	return ran, out.String()
}

// TestMenu types into the menu what people type, and looks at the command lines that it makes of it.
func TestMenu(t *testing.T) {
	testkit.User(t)
	for _, c := range []struct {
		name, keys string
		ran        []string
		seen       string
	}{
		{"find on the network", "1\n\n\n8\n", []string{"sessions"}, "\nThis runs: dplay sessions\n"},
		{"find at an address", "f\n192.0.2.7\n\nq\n", []string{"sessions|192.0.2.7"}, "This runs: dplay sessions 192.0.2.7\n"},
		{"join the only game", "2\n\n\n\n\n\nq\n", []string{"join"}, "Enter: the only game on this network"},
		{"join with all there is to say", "JOIN\nhost.example\nCastle of Ann\nsesame\n-Bob\n\nq\n",
			[]string{"join|host.example|--session=Castle of Ann|--password=sesame|--player=-Bob"},
			`This runs: dplay join host.example "--session=Castle of Ann" --password=sesame --player=-Bob` + "\n"},
		{"names in other scripts", "j\n\n\n\n城の友\n\nq\n", []string{"join|--player=城の友"}, "--player=城の友\n"},
		{"why on this machine", "5\r\n\r\n\r\nq\r\n", []string{"doctor|--live"}, "dplay doctor --live\n"},
		{"why at an address", "why\n 192.0.2.7 \n\nq\n", []string{"doctor|--live|192.0.2.7"}, ""},
		{"share", "s\n\nh\nhttp://x\nrelay.example.org\nAnn of York\n\nq\n",
			[]string{"bridge|share|--relay=relay.example.org|--name=Ann of York"}, "Leave this window open while you play."},
		{"share, and what is a relay?", "3\nh\n", nil, "A relay is a machine with a public address at which players find each other."},
		{"join by a code", "c\n\n" + wrongCode + "\n172.31.0.1\nCode: " + strings.ToLower(strings.ReplaceAll(aCode, "-", " ")) + "\n\n\nq\n",
			[]string{"bridge|join|" + aCode}, "Who shares the game sees the code"},
		{"record", "r\n\n\nq\n", []string{"record|--for|10m"}, "dplay record --for 10m\n"},
		{"record as long as possible", "6\n1440\n\nq\n", []string{"record|--for|1440m"}, ""},
		{"record wrongly first", "6\nlong\n0\n1441\n-1\n3\n\nq\n", []string{"record|--for|3m"}, "a number from 1 to 1440."},
		{"help", "h\n\nq\n", []string{"help|start"}, "Press Enter for the menu."},
		{"two things", "1\n\n\n7\n\nq\n", []string{"sessions", "help|start"}, ""},
		{"wrong choices", "0\n9\nx\nfindings\n\n99999999999999999999\n-1\nq\n", nil, "Please type a number from 1 to 8"},
		{"no address", "f\ntwo words\n--help\nhost\"x\n10.0.0.1\n\nq\n", []string{"sessions|10.0.0.1"}, "an address such as 192.0.2.7"},
		{"keys that are no letters", "j\n\nCas\x1btle\nCastle\n\n\n\nq\n", []string{"join|--session=Castle"}, "without quotes"},
		{"no UTF-8", "j\n\n\n\n\xff\xfeAnn\n\nq\n", []string{"join|--player=Ann"}, ""},
		{"end at once", "", nil, "8  Quit"},
		{"end at a question", "f\n", nil, "Enter: ask the whole network"},
		{"end in a line", "f\n192.0", nil, "Enter: ask the whole network"},
		{"end after a command", "f\n\n", []string{"sessions"}, "Press Enter for the menu."},
		{"an endless line", strings.Repeat("f", 1e6) + "\nq\n", nil, "Please type a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ran, screen := typed(t, c.keys)
			assert.Equal(t, c.ran, ran)
			assert.Contains(t, screen, c.seen)
			for line := range strings.Lines(strings.NewReplacer("): ", "): \n", "letter: ", "letter: \n").Replace(screen)) { // Enter is not seen
				assert.True(t, len([]rune(line)) <= cli.TextWidth || strings.HasPrefix(line, "This runs: "), line)
			}
		})
	}
	ran, _ := typed(t, "\nq\n", "one.pcap", "two.pcap")
	assert.Equal(t, []string{"doctor|--|one.pcap|two.pcap"}, ran, "files that were dropped on the program are judged first")
}

// TestMenuRelay: the relay of the user's file need not be typed.
func TestMenuRelay(t *testing.T) {
	file := testkit.User(t)
	require.NoError(t, os.WriteFile(file, []byte(`relay = ["relay.example.org", "203.0.113.5"]`), 0o600))
	ran, screen := typed(t, "s\n\n\n\nq\n")
	assert.Equal(t, []string{"bridge|share"}, ran)
	assert.Contains(t, screen, "(Enter: relay.example.org; ")
	require.NoError(t, os.WriteFile(file, []byte("relais"), 0o600))
	ran, screen = typed(t, "s\n\n203.0.113.5\n\n\nq\n")
	assert.Equal(t, []string{"bridge|share|--relay=203.0.113.5"}, ran)
	assert.Contains(t, strings.Join(strings.Fields(screen), " "), "bridge.toml, line 1: that cannot be read")
}

// TestMenuLetters checks that the first letters are different ones.
func TestMenuLetters(t *testing.T) {
	letters := map[byte]bool{}
	for _, c := range choices {
		assert.False(t, letters[c.word[0]], "two begin with %c", c.word[0])
		letters[c.word[0]] = true
	}
}

// TestMenuFails checks that what cannot be read, written or run is said.
func TestMenuFails(t *testing.T) {
	broken := errors.New("broken")
	m := &Menu{Streams: cli.Streams{In: strings.NewReader("f\n\n\n"), Out: &brokenWriter{left: 300, err: broken}, Err: io.Discard}}
	assert.ErrorIs(t, m.Show(nil), broken)
	m = &Menu{Streams: cli.Streams{In: io.MultiReader(strings.NewReader("f\n"), brokenReader{broken}), Out: io.Discard}}
	assert.ErrorIs(t, m.Show(nil), broken)
	m = &Menu{Streams: cli.Streams{In: strings.NewReader("f\n\n\n"), Out: io.Discard}, Run: func([]string) error { return broken }}
	assert.ErrorIs(t, m.Show(nil), broken)
	m.In, m.Run = strings.NewReader("f\n\n\n"), func([]string) error { m.ended = true; return nil }
	assert.NoError(t, m.Show(nil), "somebody wants it to end")
}

// A brokenWriter takes some octets and fails then.
type brokenWriter struct {
	left int
	err  error
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, w.err
	}
	return len(p), nil
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

// TestCommandLine checks that what is shown can be typed into a shell.
func TestCommandLine(t *testing.T) {
	assert.Equal(t, `dplay join "--session=a b" --player=Ann "" "--password=a;b" '--password=it'\''s $x'`,
		commandLine([]string{"join", "--session=a b", "--player=Ann", "", "--password=a;b", "--password=it's $x"}))
}
