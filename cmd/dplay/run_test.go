package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
)

// TestStatus holds every way to get the command line wrong against its exit status and message.
func TestStatus(t *testing.T) {
	good := lab(t, "02")
	for _, c := range []struct {
		name   string
		args   []string
		status int
		err    string // a part of what standard error says
	}{
		{"no command", nil, exitUsage, "dplay: no command given\nTry 'dplay --help'."},
		{"unknown command", []string{"decod"}, exitUsage, "Did you mean this?\n\tdecode"},
		{"unknown flag", []string{"decode", "--nope", good}, exitUsage, "unknown flag: --nope\nTry 'dplay decode --help'."},
		{"unknown flag of dplay", []string{"--nope"}, exitUsage, "unknown flag: --nope\nTry 'dplay --help'."},
		{"no file", []string{"decode"}, exitUsage, "no FILE given"},
		{"version with an argument", []string{"version", "x"}, exitUsage, "unknown command"},
		{"bad format", []string{"decode", "--format", "xml", good}, exitUsage, "must be text, ndjson or json"},
		{"bad payload", []string{"decode", "--payload", "oct", good}, exitUsage, "must be hex, text, base64 or none"},
		{"bad color", []string{"decode", "--color", "yes", good}, exitUsage, "must be auto, always or never"},
		{"bad time", []string{"decode", "--time", "utc", good}, exitUsage, "must be relative, delta, absolute or epoch"},
		{"bad message ids", []string{"decode", "--message-ids", "maybe", good}, exitUsage, "must be auto, yes or no"},
		{"bad reliable", []string{"decode", "--reliable", "1", good}, exitUsage, "must be auto, yes or no"},
		{"follow nothing", []string{"decode", "--follow", "0", good}, exitUsage, "numbered from 1"},
		{"follow a word", []string{"decode", "--follow", "x", good}, exitUsage, "--follow x: it takes a whole number"},
		{"port 0", []string{"decode", "--port", "0", good}, exitUsage, "1 to 65535"},
		{"port too large", []string{"decode", "--port", "65536", good}, exitUsage, "--port 65536"},
		{"tree of JSON", []string{"decode", "-V", "--format", "ndjson", good}, exitUsage, "--verbose is for --format text"},
		{"dump of JSON", []string{"decode", "-x", "--format", "json", good}, exitUsage, "--hex is for --format text"},
		{"tree of statistics", []string{"decode", "-V", "--stats", good}, exitUsage, "--stats prints no messages"},
		{"wrong filter", []string{"decode", "--filter", "size >", good}, exitUsage, " | size >\n | .....^\nTry 'dplay decode --help'."},
		{"missing file", []string{"decode", "missing.pcap"}, exitInput, "dplay: missing.pcap: "},
		{"directory", []string{"decode", "testdata"}, exitInput, "dplay: testdata: is a directory\n"},
		{"empty standard input", []string{"decode", "-"}, exitInput, "dplay: standard input: file header at octet 0: file is empty\n"},
		{"not a capture", []string{"decode", "run_test.go"}, exitInput,
			"dplay: run_test.go: magic number at octet 0: not a pcap or pcapng file"},
		{"good", []string{"decode", good}, exitOK, "Every octet is accounted for."},
		{"help", []string{"--help"}, exitOK, ""},
		{"help of decode", []string{"help", "decode"}, exitOK, ""},
		{"version", []string{"version"}, exitOK, ""},
		{"version flag", []string{"--version"}, exitOK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := dplay(t, c.args...)
			assert.Equal(t, c.status, got.status, "standard error: %s", got.err)
			if c.err == "" {
				assert.Empty(t, got.err)
				assert.NotEmpty(t, got.out)
			} else {
				assert.Contains(t, got.err, c.err)
			}
			if c.status == exitUsage {
				assert.Empty(t, got.out, "wrong usage must not look like output")
			}
		})
	}
}

// TestOtherFiles checks that a file that cannot be read does not keep the others from being read, and that one that
// is cut short is read up to there.
func TestOtherFiles(t *testing.T) {
	whole, err := os.ReadFile(lab(t, "02"))
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.pcap")
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)-3], 0o644))
	got := dplay(t, "decode", "missing.pcap", cut, lab(t, "04"))
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, 2, strings.Count(got.out, "==> "), "only files that could be opened are announced")
	assert.Contains(t, got.out, "  ! frame 67: file-damaged: ")
	assert.Contains(t, got.out, "==> "+lab(t, "04")+" <==\n    1 ")
	assert.Equal(t, 2, strings.Count(got.err, "dplay: "))
	assert.Contains(t, got.err, "dplay: "+cut+": frame 67: ")
	assert.Equal(t, 13+15, strings.Count(got.out, "TCP  ")+strings.Count(got.out, "UDP  "), "all messages of both")
}

// A brokenWriter takes some octets and fails then.
type brokenWriter struct {
	left int
	err  error
	got  bytes.Buffer
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, w.err
	}
	w.left -= len(p)
	return w.got.Write(p)
}

// TestOutputFails checks that a reader that went away ("| head") is no error and makes no noise, and that any
// other failure of the output is told.
func TestOutputFails(t *testing.T) {
	gone := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	for _, format := range [][]string{{}, {"--format", "ndjson"}, {"--format", "json"}, {"--stats"}, {"-V", "-x"}} {
		args := append([]string{"decode", lab(t, "02"), lab(t, "04")}, format...)
		var errs bytes.Buffer
		assert.Equal(t, exitOK, run(context.Background(), args, nil, &brokenWriter{err: gone}, &errs))
		assert.Empty(t, errs.String(), "%v", format)
		assert.Equal(t, exitInput, run(context.Background(), args, nil, &brokenWriter{err: errors.New("disk full")}, &errs))
		assert.Equal(t, "dplay: writing the output: disk full\n", errs.String(), "%v", format)
	}
}

// TestOutputFailsLate lets the output fail in the middle of a file that is longer than the buffer.
func TestOutputFailsLate(t *testing.T) {
	w := &brokenWriter{left: cli.OutputBuffer, err: syscall.EPIPE}
	var errs bytes.Buffer
	status := run(context.Background(), []string{"decode", "-x", lab(t, "12-")}, nil, w, &errs)
	assert.Equal(t, exitOK, status)
	assert.Equal(t, cli.OutputBuffer, w.got.Len(), "the first buffer was written before")
	assert.Empty(t, errs.String())
}

// TestVersion holds the line against the build information that it is made of.
func TestVersion(t *testing.T) {
	set := func(kv ...string) (s []debug.BuildSetting) {
		for i := 0; i < len(kv); i += 2 {
			s = append(s, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return s
	}
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3, go1.26.0":  {GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}},
		"(devel), go1.26.0": {GoVersion: "go1.26.0"},
		"v0.0.0-20260102030405-0123456789ab, commit 0123456789ab of 2026-01-02T03:04:05Z, go1.26.0": {GoVersion: "go1.26.0",
			Main: debug.Module{Version: "v0.0.0-20260102030405-0123456789ab"}},
		"v1.2.4-0.20260102030405-0123456789ab, commit 0123456789ab of 2026-01-02T03:04:05Z, go1.26.0": {GoVersion: "go1.26.0",
			Main: debug.Module{Version: "v1.2.4-0.20260102030405-0123456789ab"}},
		"(devel), commit 0123456789ab of 2026-01-02T03:04:05Z, go1.26.0": {GoVersion: "go1.26.0",
			Settings: set("vcs.revision", "0123456789abcdef", "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "false")},
		"(devel), commit 0123456789ab with changes, go1.26.0": {GoVersion: "go1.26.0",
			Settings: set("vcs.revision", "0123456789abcdef", "vcs.modified", "true")},
	} {
		assert.Equal(t, want, describe(info).String())
	}
	assert.Regexp(t, `^dplay \S.*, go1\.\d+.*, `+runtime.GOOS+"/"+runtime.GOARCH+"\n$", dplay(t, "version").out)
	assert.Equal(t, dplay(t, "version").out, dplay(t, "--version").out)
}

// TestVersionJSON checks the form for programs, and that what a release says of itself counts.
func TestVersionJSON(t *testing.T) {
	releaseVersion, releaseCommit, releaseDate = "v1.2.3", "0123456789abcdef", "2026-01-02T03:04:05Z"
	t.Cleanup(func() { releaseVersion, releaseCommit, releaseDate = "", "", "" })
	assert.JSONEq(t, fmt.Sprintf(`{"version": "v1.2.3", "commit": "0123456789abcdef", "date": "2026-01-02T03:04:05Z",
		"modified": false, "go": %q, "platform": %q}`, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH),
		dplay(t, "version", "--format", "json").out)
	assert.Regexp(t, `^dplay v1\.2\.3, commit 0123456789ab of 2026-01-02T03:04:05Z, go1\.`, dplay(t, "version").out)
}
