package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestGolden holds whole outputs, summaries included, against files in testdata.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		in   *capture // standard input
	}{
		{name: "text", args: []string{lab(t, "02")}},
		{name: "several", args: []string{"--filter", "n <= 2", lab(t, "02"), lab(t, "04")}},
		{name: "tree", args: []string{"-V", "--filter", `command == "CREATEPLAYER" or n == 1`, lab(t, "02")}},
		{name: "treehex", args: []string{"-V", "-x", "--payload", "none", "--filter", "size < 30", lab(t, "04")}},
		{name: "malformed", args: []string{"--filter", "findings != []", lab(t, "01")}},
		{name: "stray", args: []string{"--time", "absolute", "--utc", lab(t, "09-")}},
		{name: "findings", args: []string{"--color", "always", "-"}, in: sample(t)},
		{name: "ndjson", args: []string{"--format", "ndjson", "-"}, in: sample(t)},
		{name: "json", args: []string{"--format", "json", "--payload", "base64", lab(t, "09-"), lab(t, "04"), "--filter",
			"n > 9 or findings != []"}},
		{name: "stats", args: []string{"--stats", "-"}, in: sample(t)},
		{name: "stats-ndjson", args: []string{"--stats", "--format", "ndjson", "-"}, in: sample(t)},
		{name: "unproven", args: []string{"-"}, in: newCapture().udp("10.0.0.1:2350", "10.0.0.2:2351", []byte("0123456789"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in io.Reader
			if c.in != nil {
				in = bytes.NewReader(c.in.b)
			}
			got := dplayFrom(t, in, append([]string{"decode"}, c.args...)...)
			assert.Equal(t, exitOK, got.status)
			golden(t, c.name+".txt", got.out+"--- standard error\n"+got.err)
		})
	}
}

// objectsOf decodes JSON objects, one a line.
func objectsOf(t *testing.T, lines string) (list []map[string]any) {
	t.Helper()
	require.True(t, strings.HasSuffix(lines, "\n"))
	for line := range strings.Lines(lines) {
		var v map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &v), "%s", line)
		list = append(list, v)
	}
	return list
}

// TestFormatsAgree checks that ndjson is a valid object a line and json one array of the same objects, for every
// capture of the project, one by one and all together.
func TestFormatsAgree(t *testing.T) {
	for _, files := range [][]string{{lab(t, "02")}, {lab(t, "09-")}, {lab(t, "12-")},
		{lab(t, "05-rzhost-two-w10-joiners-peer"), lab(t, "10")}} {
		lines := dplay(t, append([]string{"decode", "--format", "ndjson"}, files...)...)
		array := dplay(t, append([]string{"decode", "--format", "json"}, files...)...)
		require.Equal(t, exitOK, lines.status)
		assert.Equal(t, lines.err, array.err, "the summary is the same")
		var all []map[string]any
		require.NoError(t, json.Unmarshal([]byte(array.out), &all))
		assert.Equal(t, objectsOf(t, lines.out), all)
		for _, o := range all {
			_, named := o["file"]
			assert.Equal(t, len(files) > 1, named)
			if named {
				assert.Contains(t, files, o["file"])
			}
		}
	}
}

// TestEmptyArray checks that JSON stays valid where there is nothing to write.
func TestEmptyArray(t *testing.T) {
	got := dplay(t, "decode", "--format", "json", "--filter", "false", lab(t, "02"))
	assert.Equal(t, "[]\n", got.out)
	got = dplay(t, "decode", "--format", "json", "missing.pcap")
	assert.Equal(t, "[]\n", got.out)
	assert.Equal(t, exitInput, got.status)
	assert.Empty(t, dplay(t, "decode", "--format", "ndjson", "--filter", "false", lab(t, "02")).out)
}

// TestStatsJSON checks the number of objects that statistics are: one for one file, otherwise one for each.
func TestStatsJSON(t *testing.T) {
	var one map[string]any
	require.NoError(t, json.Unmarshal([]byte(dplay(t, "decode", "--stats", "--format", "json", lab(t, "02")).out), &one))
	assert.EqualValues(t, 13, one["messages"])
	assert.NotContains(t, one, "file")
	var two []map[string]any
	require.NoError(t, json.Unmarshal([]byte(dplay(t, "decode", "--stats", "--format", "json", lab(t, "02"), lab(t, "04")).out),
		&two))
	require.Len(t, two, 2)
	assert.Equal(t, lab(t, "04"), two[1]["file"])
	assert.EqualValues(t, 15, two[1]["messages"], "each file is counted by itself")
	lines := objectsOf(t, dplay(t, "decode", "--stats", "--format", "ndjson", lab(t, "02"), lab(t, "04")).out)
	assert.Equal(t, two, lines)
}

// TestFindingObject checks that a finding that belongs to no message is an object of its own at its place, and
// is left to the summary where only some messages are wanted.
func TestFindingObject(t *testing.T) {
	file := sample(t).file(t, "gap.pcap")
	all := objectsOf(t, dplay(t, "decode", "--format", "ndjson", file).out)
	require.Len(t, all, 5)
	finding, ok := all[3]["finding"].(map[string]any)
	require.True(t, ok, "%v", all[3])
	assert.Equal(t, "octets-lost", finding["code"])
	assert.Len(t, all[3], 1)
	for _, flag := range []string{"--filter=true", "--follow=1"} {
		got := dplay(t, "decode", "--format", "ndjson", flag, file)
		assert.NotContains(t, got.out, `"finding":`)
		assert.Contains(t, got.err, "1 finding: octets-lost 1.")
	}
	named := objectsOf(t, dplay(t, "decode", "--format", "ndjson", file, file).out)
	assert.Equal(t, file, named[3]["file"])
	assert.Contains(t, named[3], "finding")
}

// TestPayload checks how a game's octets are written, in JSON and in text.
func TestPayload(t *testing.T) {
	payload := []byte{0x00, 0xff, 0x10, 0x80}
	file := newCapture().tcp(peerTCP, hostTCP, message(t, &wire.PlayerMessage{From: 1, To: 2, Payload: payload})).file(t, "p.pcap")
	for format, want := range map[string]any{
		"hex": hex.EncodeToString(payload), "base64": base64.StdEncoding.EncodeToString(payload), "none": nil,
	} {
		got := objectsOf(t, dplay(t, "decode", "--format", "ndjson", "--payload", format, file).out)
		require.Len(t, got, 1)
		assert.Equal(t, want, got[0]["message"].(map[string]any)["player_message"])
		text := dplay(t, "decode", "--payload", format, file).out
		if want == nil {
			assert.True(t, strings.HasSuffix(text, "payload=4 octets\n"), text)
		} else {
			assert.Contains(t, text, want)
		}
	}
}

// TestSessionOptions checks --port, --message-ids and --reliable on datagrams that nothing proves.
func TestSessionOptions(t *testing.T) {
	file := newCapture().udp("10.0.0.1:6073", "10.0.0.2:6100", []byte("\x01\x00\x00\x00\x02\x00\x00\x00abc")).file(t, "port.pcap")
	assert.Empty(t, dplay(t, "decode", file).out)
	for _, port := range []string{"6073", "6100", "1,6100"} {
		assert.Contains(t, dplay(t, "decode", "--port", port, file).out,
			"PLAYERMESSAGE from=0x00000001 to=0x00000002 payload=3 octets 616263")
	}
	assert.Contains(t, dplay(t, "decode", "--port", "1", "--port", "6100", file).out, "payload=3 octets")
	assert.Contains(t, dplay(t, "decode", "--port", "6100", "--message-ids", "no", file).out, "PLAYERMESSAGE payload=11 octets")
	assert.Contains(t, dplay(t, "decode", "--port", "6100", "--message-ids", "yes", file).out, "payload=3 octets")
	frame := newCapture().udp("10.0.0.1:6073", "10.0.0.2:6100",
		[]byte("\x01\x02\x02\x07\x03\x00\x09\x00\x00\x00\x05\x00\x00\x00")).file(t, "ack.pcap")
	assert.Contains(t, dplay(t, "decode", "--port", "6100", "--reliable", "yes", frame).out, "RELIABLE_ACK")
	assert.Contains(t, dplay(t, "decode", "--port", "6100", "--reliable", "no", frame).out, "PLAYERMESSAGE")
}

// TestFollow checks that one conversation is printed, with its own numbers, and that one which is not there is told.
func TestFollow(t *testing.T) {
	all := objectsOf(t, dplay(t, "decode", "--format", "ndjson", lab(t, "05-rzhost-two-w10-joiners.")).out)
	var want []any
	for _, o := range all {
		if o["conversation"] == 2.0 {
			want = append(want, o["n"])
		}
	}
	require.NotEmpty(t, want)
	require.Less(t, len(want), len(all))
	var got []any
	for _, o := range objectsOf(t, dplay(t, "decode", "--format", "ndjson", "--follow",
		"2", lab(t, "05-rzhost-two-w10-joiners.")).out) {
		got = append(got, o["n"])
	}
	assert.Equal(t, want, got)
	none := dplay(t, "decode", "--follow", "99", lab(t, "02"))
	assert.Empty(t, none.out)
	assert.Contains(t, none.err, "there is no conversation 99, only 2\n")
	assert.Equal(t, exitOK, none.status)
}

// TestTimes checks that relative times count from the first message of the file, not the first one printed.
func TestTimes(t *testing.T) {
	file := sample(t).file(t, "t.pcap")
	got := dplay(t, "decode", "--filter", "n == 3", file).out
	assert.Contains(t, got, "  1.005000  ")
	at := time.Date(2026, 1, 2, 3, 4, 6, 5_000_000, time.UTC)
	for _, c := range []struct{ flags, want string }{
		{"--time absolute --utc", "2026-01-02T03:04:06.005000Z"}, {"--time epoch", "1767323046.005000"},
		{"--time absolute", at.Local().Format("2006-01-02T15:04:05.000000Z07:00")}, {"--time delta", "  0.000000"},
	} {
		got := dplay(t, append(strings.Fields("decode --filter n==3 "+c.flags), file)...).out
		assert.Contains(t, got, "  "+c.want+"  ", c.flags)
	}
	delta := dplay(t, "decode", "--time", "delta", "--filter", "n != 2", file, file).out
	assert.Equal(t, 2, strings.Count(delta, "  1.005000  "), "to the line before, whatever was left out: %s", delta)
	both := dplay(t, "decode", "--filter", "n == 3", file, file).out
	assert.Equal(t, 2, strings.Count(both, "  1.005000  "), "each file has its own first message")
}

// TestQuiet checks that -q leaves nothing but errors on standard error.
func TestQuiet(t *testing.T) {
	assert.Empty(t, dplay(t, "decode", "-q", lab(t, "02")).err)
	assert.Equal(t, "dplay: missing.pcap: no such file or directory\n", dplay(t, "decode", "-q", "missing.pcap").err)
}

// TestStandardInput checks that a capture reads the same through a pipe.
func TestStandardInput(t *testing.T) {
	f, err := os.Open(lab(t, "02"))
	require.NoError(t, err)
	defer f.Close()
	want := dplay(t, "decode", lab(t, "02")).out
	assert.Equal(t, want, dplayFrom(t, f, "decode", "-").out, "a regular file as standard input")
	raw, err := os.ReadFile(lab(t, "02"))
	require.NoError(t, err)
	got := dplayFrom(t, bytes.NewReader(raw), "decode", "-")
	assert.Equal(t, want, got.out)
	assert.True(t, strings.HasPrefix(got.err, "standard input: "))
}

// A liveRun is the program reading a capture that has paused.
type liveRun struct {
	shown     chan string // what it prints, piece by piece
	feed      io.Writer   // what the capture goes on with
	status    chan int
	errs      bytes.Buffer
	interrupt context.CancelFunc
}

// startLive feeds the program what a capture has so far, and no end.
func startLive(t *testing.T, c *capture, flags ...string) *liveRun {
	feed, feeder := io.Pipe()
	out, show := io.Pipe()
	ctx, interrupt := context.WithCancel(context.Background())
	l := &liveRun{shown: make(chan string, 100), feed: feeder, status: make(chan int, 1), interrupt: interrupt}
	t.Cleanup(func() {
		interrupt()
		feeder.Close()
		out.Close()
	})
	go func() {
		l.status <- run(ctx, append([]string{"decode", "-"}, flags...), feed, show, &l.errs)
		show.Close()
	}()
	go func() {
		defer close(l.shown)
		b := make([]byte, 4096)
		for {
			n, err := out.Read(b)
			if err != nil {
				return
			}
			l.shown <- string(b[:n])
		}
	}()
	_, err := feeder.Write(c.b)
	require.NoError(t, err)
	return l
}

// shows waits until the program has printed a text.
func (l *liveRun) shows(t *testing.T, text string) {
	t.Helper()
	for got := ""; !strings.Contains(got, text); {
		more, open := testkit.Receive(t, l.shown, "%q, which is to be printed while the capture pauses, after %s", text, got)
		require.True(t, open, got)
		got += more
	}
}

// TestLive checks that what a running capture has shown so far is printed while the capture pauses, each message as it
// comes.
func TestLive(t *testing.T) {
	for format, want := range map[string]string{"text": "PING from=0x00000010 tick=%d", "ndjson": `"tick_count":%d`,
		"json": `"tick_count":%d`} {
		c := newCapture()
		ping := func(tick int) { c.udp(hostUDP, peerUDP, message(t, &wire.Ping{From: 0x10, Tick: uint32(tick)})) }
		ping(1000)
		l := startLive(t, c, "--format", format)
		l.shows(t, fmt.Sprintf(want, 1000))
		for tick := range 5 {
			c.b = nil
			ping(tick)
			_, err := l.feed.Write(c.b)
			require.NoError(t, err)
			l.shows(t, fmt.Sprintf(want, tick))
		}
		c.b = nil
		for tick := range 3 * batchObjects { // at once
			ping(2000 + tick)
		}
		_, err := l.feed.Write(c.b)
		require.NoError(t, err)
		l.shows(t, fmt.Sprintf(want, 2000+3*batchObjects-1))
	}
}

// TestInterrupt checks that an interrupt ends a capture that pauses, with what was decoded and the summary.
func TestInterrupt(t *testing.T) {
	l := startLive(t, sample(t))
	l.interrupt()
	got, _ := testkit.Receive(t, l.status, "the end of a capture that pauses")
	assert.Equal(t, exitOK, got, "it is how such a capture ends")
	assert.Contains(t, l.errs.String(), "standard input: ")
	assert.NotContains(t, l.errs.String(), "dplay: ")
}

// TestInterruptFile checks that an interrupt ends the reading of files, and that the user hears of it.
func TestInterruptFile(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	var out, errs bytes.Buffer
	status := run(ctx, []string{"decode", lab(t, "02"), lab(t, "04")}, nil, &out, &errs)
	assert.Equal(t, exitInput, status)
	assert.Contains(t, errs.String(), "dplay: "+lab(t, "02")+": interrupted\n")
	assert.NotContains(t, errs.String(), lab(t, "04"), "the next one is not begun")
}
