package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDraw holds a whole picture, with the doctor's finding, against a file in testdata: capture 08 is of a session
// that was full.
func TestDraw(t *testing.T) {
	got := dplay(t, "draw", lab(t, "08"))
	assert.Equal(t, exitOK, got.status)
	golden(t, "draw.txt", got.out+"--- standard error\n"+got.err)
	assert.Empty(t, dplay(t, "draw", "-q", lab(t, "08")).err)
}

// TestDrawStatus holds every way to get the command line wrong against its exit status and message.
func TestDrawStatus(t *testing.T) {
	good := lab(t, "02")
	empty := filepath.Join(t.TempDir(), "empty.pcap")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	for _, c := range []struct {
		args   []string
		status int
		err    string
	}{
		{nil, exitUsage, "no FILE given"},
		{[]string{good, good}, exitUsage, "one FILE at a time, not 2"},
		{[]string{"--format", "png", good}, exitUsage, "must be text, svg or mermaid"},
		{[]string{"-o", "x.html", good}, exitUsage, "a page is made by --report"},
		{[]string{"-o", "x.png", good}, exitUsage, "which format?"},
		{[]string{"-o", "x.svg", "--width", "80", good}, exitUsage, "are for --format text"},
		{[]string{"--format", "mermaid", "--ascii", good}, exitUsage, "are for --format text"},
		{[]string{"--width", "59", good}, exitUsage, "must be at least 60"},
		{[]string{"--rows", "0", good}, exitUsage, "rows go from 1"},
		{[]string{"--conversation", "0", good}, exitUsage, "numbered from 1"},
		{[]string{"--conversation", "a,b,c", good}, exitUsage, "two addresses at most"},
		{[]string{"--conversation", "10.0.0.1,bob", good}, exitUsage, `"bob" is neither a number nor an address`},
		{[]string{"--port", "0", good}, exitUsage, "1 to 65535"},
		{[]string{"--filter", "size >", good}, exitUsage, " | size >\n"},
		{[]string{"--report", "x.html", "-o", "./x.html", "--format", "svg", good}, exitUsage, "the same file"},
		{[]string{"--report", good, good}, exitUsage, "--report " + good + " would write over the capture"},
		{[]string{"--format", "svg", "-o", good, good}, exitUsage, "--output " + good + " would write over the capture"},
		{[]string{"--force", good}, exitUsage, "--force replaces the files of --output and --report: it does nothing without them"},
		{[]string{"--conversation", "9", good}, exitInput, "there is no conversation 9, only 2"},
		{[]string{"missing.pcap"}, exitInput, "dplay: missing.pcap: "},
		{[]string{"testdata"}, exitInput, "is a directory"},
		{[]string{"draw_test.go"}, exitInput, "not a pcap or pcapng file"},
		{[]string{empty}, exitInput, "file is empty"},
		{[]string{"-o", "missing/x.svg", good}, exitInput, "--output: open missing/x.svg: no such file"},
		{[]string{"--report", "missing/x.html", good}, exitInput, "--report: open missing/x.html: no such file"},
	} {
		got := dplay(t, append([]string{"draw"}, c.args...)...)
		assert.Equal(t, c.status, got.status, "%v: %s", c.args, got.err)
		assert.Contains(t, got.err, c.err, "%v", c.args)
		assert.Empty(t, got.out, "%v", c.args)
	}
}

// TestDrawHelp checks that the help names its flags.
func TestDrawHelp(t *testing.T) {
	help := dplay(t, "draw", "--help").out
	for _, want := range []string{"--format text|svg|mermaid", "-o, --output FILE", "--report FILE", "--conversation N",
		"--filter EXPR", "--width",
		"--rows", "--ascii", "--no-findings", "--port PORT", "--no-progress", "-q, --quiet", "Exit status:"} {
		assert.Contains(t, help, want)
	}
}

// TestDrawFiles writes each format to a file whose name says it, and a report beside it.
func TestDrawFiles(t *testing.T) {
	folder := t.TempDir()
	for name, begins := range map[string]string{"a.svg": "<svg ", "b.mmd": "---\ntitle: ", "c.txt": "02-rzhost"} {
		file, page := filepath.Join(folder, name), filepath.Join(folder, name+".html")
		got := dplay(t, "draw", "-o", file, "--report", page, lab(t, "02"))
		assert.Equal(t, exitOK, got.status, got.err)
		assert.Empty(t, got.out)
		made, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(made), begins), "%s begins %.20s", name, made)
		made, err = os.ReadFile(page)
		require.NoError(t, err)
		assert.Contains(t, string(made), "&#34;HostGuy&#34;")
		assert.Contains(t, string(made), "Every octet is accounted for.")
		assert.Contains(t, string(made), "Made by dplay ")
	}
	svg := dplay(t, "draw", "--format", "svg", lab(t, "02"))
	for d := xml.NewDecoder(strings.NewReader(svg.out)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

// TestDrawSearch: a report says that there are no findings only where the doctor looked and has none, and a
// capture without messages shows no machine.
func TestDrawSearch(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	empty := filepath.Join(t.TempDir(), "empty.pcap")
	require.NoError(t, os.WriteFile(empty, newCapture().b, 0o644))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{lab(t, "02")}, `<p class="good">No findings.</p>`},
		{[]string{"--no-findings", lab(t, "02")}, `<p class="sub">Findings were not looked for.</p>`},
		{[]string{empty}, "no-directplay4"},
		{[]string{lab(t, "08")}, "session-full"},
	} {
		got := dplay(t, append([]string{"draw", "--force", "--report", page}, c.args...)...)
		assert.Equal(t, exitOK, got.status, got.err)
		made, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.True(t, strings.Contains(string(made), c.want), "%v lacks %s", c.args, c.want)
		assert.Equal(t, strings.HasPrefix(c.want, `<p class="good">`), strings.Contains(string(made), "No findings."), "%v", c.args)
	}
	assert.True(t, strings.HasPrefix(dplay(t, "draw", empty).out, "empty.pcap: no messages\n\n"))
}

// TestDrawConversation draws one conversation, by its number and by its ends.
func TestDrawConversation(t *testing.T) {
	file := lab(t, "05-rzhost-two-w10-joiners.")
	whole := dplay(t, "draw", file).out
	assert.Contains(t, whole, "26 messages in ")
	all := objectsOf(t, dplay(t, "decode", "--format", "ndjson", file).out)
	count := 0
	for _, o := range all {
		if o["conversation"] == 2.0 {
			count++
		}
	}
	one := dplay(t, "draw", "--conversation", "2", file).out
	assert.Contains(t, one, ", conversation 2: ")
	assert.Equal(t, count, strings.Count(one, "●"), "none of them is folded")
	assert.NotContains(t, one, "  C  ", "two machines")
	both := dplay(t, "draw", "--conversation", "10.77.0.1,10.77.0.3", file).out
	assert.Contains(t, both, ", 10.77.0.1 and 10.77.0.3: ")
	assert.NotContains(t, both, "10.77.0.2:2300  ")
	assert.Equal(t, both, strings.ReplaceAll(dplay(t, "draw", "--conversation", "10.77.0.3, 10.77.0.1", file).out,
		"10.77.0.3 and 10.77.0.1", "10.77.0.1 and 10.77.0.3"))
	host := dplay(t, "draw", "--conversation", "10.77.0.1:2300", file).out
	assert.Contains(t, host, ", 10.77.0.1:2300: ")
	assert.NotContains(t, host, "CREATEPLAYERVERIFY", "joiners among themselves")
	nobody := dplay(t, "draw", "--conversation", "192.0.2.1", file)
	assert.Contains(t, nobody.out, ": no messages\n")
	assert.Equal(t, exitOK, nobody.status)
}

// TestDrawFilter draws what a filter leaves; times still count from the first message of the file.
func TestDrawFilter(t *testing.T) {
	got := dplay(t, "draw", "--filter", "n == 3", sample(t).file(t, "s.pcap")).out
	assert.Contains(t, got, "1.005000  ")
	assert.Contains(t, got, "PLAYERMESSAGE")
	assert.NotContains(t, got, "CHAT")
}

// TestDrawStandardInput draws a pipe, which cannot be read twice, with the findings of a file.
func TestDrawStandardInput(t *testing.T) {
	octets, err := os.ReadFile(lab(t, "08"))
	require.NoError(t, err)
	piped := dplayFrom(t, struct{ io.Reader }{bytes.NewReader(octets)}, "draw", "-")
	assert.Equal(t, exitOK, piped.status, piped.err)
	_, want, _ := strings.Cut(dplay(t, "draw", lab(t, "08")).out, ": ")
	_, have, _ := strings.Cut(piped.out, ": ")
	assert.Equal(t, want, have)
	assert.True(t, strings.HasPrefix(piped.out, "standard input: "))
	assert.Contains(t, piped.out, "▲ 1 failure session-full")
	once := dplayFrom(t, struct{ io.Reader }{bytes.NewReader(octets)}, "draw", "--no-findings", "-")
	assert.Equal(t, exitOK, once.status)
	assert.NotContains(t, once.out, "▲")
}

// TestDrawDamaged draws what is there of a file that is cut short, and fails.
func TestDrawDamaged(t *testing.T) {
	whole, err := os.ReadFile(lab(t, "02"))
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.pcap")
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)-3], 0o644))
	got := dplay(t, "draw", cut)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.out, "PLAYERMESSAGE")
	assert.Contains(t, got.err, "dplay: "+cut+": frame 67: ")
}

// TestDrawInterrupted draws nothing once it was interrupted.
func TestDrawInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, errs bytes.Buffer
	assert.Equal(t, exitInput, run(ctx, []string{"draw", lab(t, "02")}, nil, &out, &errs))
	assert.Empty(t, out.String())
	assert.Contains(t, errs.String(), ": interrupted\n")
}

// TestDrawOutputFails: a reader that went away is no error, any other failure of the output is told.
func TestDrawOutputFails(t *testing.T) {
	var errs bytes.Buffer
	assert.Equal(t, exitOK, run(context.Background(), []string{"draw", "-q", lab(t, "02")}, nil,
		&brokenWriter{err: syscall.EPIPE}, &errs))
	assert.Empty(t, errs.String())
	assert.Equal(t, exitInput, run(context.Background(), []string{"draw", "-q", lab(t, "02")},
		nil, &brokenWriter{err: errors.New("disk full")}, &errs))
	assert.Equal(t, "dplay: writing the output: disk full\n", errs.String())
}
