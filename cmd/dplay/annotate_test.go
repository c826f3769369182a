package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/annotate"
)

// TestAnnotate writes a capture from a file and from standard input, to a file and to standard output: it is the same each
// time, and says what it has. decode reads of it what it read before.
func TestAnnotate(t *testing.T) {
	name := lab(t, "08")
	out := filepath.Join(t.TempDir(), "out.pcapng")
	got := dplay(t, "annotate", name, "-o", out)
	assert.Equal(t, result{exitOK, "", out + ": 45 frames, 8 with comments; 1 finding: 10.77.0.2 got no player in the session \"FULL\": " +
		"the session is full\n"}, got)
	file, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Contains(t, string(file), "message 8: REQUESTPLAYERREPLY id=0x00000000")
	assert.Contains(t, string(file), "doctor, failure session-full: ")
	assert.Equal(t, dplay(t, "decode", "-V", "-q", name), dplay(t, "decode", "-V", "-q", out))

	in, err := os.Open(name)
	require.NoError(t, err)
	defer in.Close()
	assert.Equal(t, string(file), dplayFrom(t, in, "annotate", "-q", "-", "-o", "-").out)
	piped, err := os.ReadFile(name)
	require.NoError(t, err)
	t.Setenv("TMPDIR", t.TempDir())
	assert.Equal(t, result{exitOK, string(file), ""}, dplayFrom(t, bytes.NewReader(piped), "annotate", "-q", "-", "-o", "-"))
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestAnnotateStatus holds every way to get the command line wrong, and every input that cannot be read, against its exit
// status and message. Nothing is left of an output that is not whole, and nothing is written over.
func TestAnnotateStatus(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		name = filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(name, content, 0o644))
		return name
	}
	good, err := os.ReadFile(lab(t, "08"))
	require.NoError(t, err)
	capture, other := file("good.pcap", good), file("other.txt", []byte("mine"))
	require.NoError(t, os.Link(capture, filepath.Join(folder, "same.pcap")))
	new := filepath.Join(folder, "new.pcapng")
	for _, c := range []struct {
		args   []string
		status int
		err    string
	}{
		{[]string{capture}, exitUsage, "Give -o OUT.pcapng"},
		{[]string{"-o", new}, exitUsage, "no FILE given"},
		{[]string{capture, capture, "-o", new}, exitUsage, "one FILE at a time, not 2"},
		{[]string{capture, "-o", new, "--port", "0"}, exitUsage, "1 to 65535"},
		{[]string{capture, "-o", other}, exitInput, "other.txt: file already exists and is not empty: name another one, or --force"},
		{[]string{capture, "-o", filepath.Join(folder, "same.pcap"), "--force"}, exitInput, "would write over the capture"},
		{[]string{capture, "-o", filepath.Join(folder, "missing", "x.pcapng")}, exitInput, "no such file"},
		{[]string{filepath.Join(folder, "missing.pcap"), "-o", new}, exitInput, "missing.pcap: "},
		{[]string{file("empty.pcap", nil), "-o", new}, exitInput, "empty.pcap: file header at octet 0: file is empty"},
		{[]string{file("text.pcap", []byte("no capture")), "-o", new}, exitInput, "not a pcap or pcapng file"},
	} {
		got := dplay(t, append([]string{"annotate"}, c.args...)...)
		assert.Equal(t, c.status, got.status, "%q: %s", c.args, got.err)
		assert.Contains(t, got.err, c.err, "%q", c.args)
		assert.NoFileExists(t, new, "%q", c.args)
	}
	for name, want := range map[string]string{capture: string(good), other: "mine"} {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
	}
	assert.Equal(t, exitOK, dplay(t, "annotate", "-q", capture, "-o", other, "--force").status)
	assert.Contains(t, dplay(t, "decode", other).err, "45 frames")
}

// TestAnnotateDamaged writes what stands before the damage, and says so.
func TestAnnotateDamaged(t *testing.T) {
	file, err := os.ReadFile(lab(t, "08"))
	require.NoError(t, err)
	folder := t.TempDir()
	cut, out := filepath.Join(folder, "cut.pcap"), filepath.Join(folder, "out.pcapng")
	require.NoError(t, os.WriteFile(cut, file[:len(file)-10], 0o644))
	got := dplay(t, "annotate", cut, "-o", out)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "file ends inside a record; "+out+" has the 44 frames before\n")
	assert.Contains(t, dplay(t, "decode", out).err, "44 frames, 8 of them with DirectPlay 4")
}

// TestAnnotateInterrupted removes what is not whole.
func TestAnnotateInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pcapng")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var errs strings.Builder
	assert.Equal(t, exitInput, run(ctx, []string{"annotate", lab(t, "08"), "-o", out}, strings.NewReader(""), io.Discard, &errs))
	assert.Contains(t, errs.String(), "interrupted")
	assert.NoFileExists(t, out)
}

// TestAnnotateRunning interrupts a capture that comes from a pipe: what came is written.
func TestAnnotateRunning(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pcapng")
	ctx, cancel := context.WithCancel(context.Background())
	file := mustRead(t, lab(t, "08"))
	in, pipe := io.Pipe()
	go func() {
		pipe.Write(file) //nolint:errcheck // the reader is there
		cancel()
		pipe.Close()
	}()
	var errs strings.Builder
	assert.Equal(t, exitOK, run(ctx, []string{"annotate", "-", "-o", out}, in, io.Discard, &errs), errs.String())
	assert.Contains(t, errs.String(), "45 frames, 8 with comments")
}

// TestAnnotateFullDisk tells that the output takes no more.
func TestAnnotateFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full is Linux's")
	}
	got := dplay(t, "annotate", lab(t, "12-"), "-o", "/dev/full")
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "no space left on device")
	assert.FileExists(t, "/dev/full", "a device is not removed")
}

// TestAnnotateSimple says how many frames cannot have comments.
func TestAnnotateSimple(t *testing.T) {
	var errs bytes.Buffer
	a := annotation{annotateFlags: &annotateFlags{Out: "x.pcapng"}}
	a.std.Err = &errs
	notes, err := annotate.Read(context.Background(), bytes.NewReader(mustRead(t, lab(t, "08"))), annotate.Options{})
	require.NoError(t, err)
	defer notes.Close()
	a.tell(notes, annotate.Written{Frames: 45, Bare: 3})
	assert.Contains(t, errs.String(), "  Frames in simple packet blocks, which cannot have comments: 3.\n")
}

func mustRead(t *testing.T, name string) []byte {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return b
}
