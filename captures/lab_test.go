package captures_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
)

var update = flag.Bool("update", false, "write the decoded texts of the lab captures anew")

// TestLab decodes every capture in lab, interop and migration and compares with the text beside it. The texts were read,
// message by message, against what the READMEs there say is in each file.
func TestLab(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("lab", "*.pcap"))
	require.NoError(t, err)
	ours, err := filepath.Glob(filepath.Join("interop", "*.pcap"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	migration, err := filepath.Glob(filepath.Join("migration", "*.pcapng"))
	require.NoError(t, err)
	require.NotEmpty(t, migration)
	files = append(append(files, ours...), migration...)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			got := transcript(t, name)
			golden := strings.TrimSuffix(name, filepath.Ext(name)) + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

// TestMoreCaptures reads the captures, in a directory that DPLAY_CAPTURES names, which may not be copied into
// the project: the accounts must balance and every message must encode to its octets.
func TestMoreCaptures(t *testing.T) {
	dir := os.Getenv("DPLAY_CAPTURES")
	if dir == "" {
		t.Skip("DPLAY_CAPTURES names no directory with more captures")
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err == nil && (ext == ".pcap" || ext == ".pcapng") {
			t.Run(d.Name(), func(t *testing.T) { transcript(t, name) })
		}
		return err
	})
	require.NoError(t, err)
}

// TestLotr2 holds what is known of the capture between two Windows machines (compat/facts/real-captures.md). It
// is under another license, so it is read where DPLAY_CAPTURES says it is.
func TestLotr2(t *testing.T) {
	dir := os.Getenv("DPLAY_CAPTURES")
	if dir == "" {
		t.Skip("DPLAY_CAPTURES names no directory with lotr2-chat.pcapng, which is not ours to copy")
	}
	var file string
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if filepath.Base(name) == "lotr2-chat.pcapng" {
			file = name
		}
		return err
	}))
	if file == "" {
		t.Skip("there is no lotr2-chat.pcapng in DPLAY_CAPTURES")
	}
	counts, names := map[string]int{}, map[string]bool{}
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	_, err = captures.Read(context.Background(), f, captures.Options{Name: "lotr2"}, func(r *captures.Record) error {
		counts[r.Command()]++
		assert.NoError(t, r.Err)
		if from, _, ok := r.FromTo(); ok {
			names[r.Session.PlayerName(from)] = true
		}
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, 78, counts["PLAYERMESSAGE"])
	assert.Equal(t, 3, counts["PING"])
	assert.Equal(t, 3, counts["PINGREPLY"])
	assert.True(t, names["Nobleman"], "the player Nobleman sends game messages: %v", names)
}

// transcript decodes a capture to text: a line a message, what is odd about it below, findings of no message in
// their place, and the accounts at the end. It checks on the way what holds for every capture.
func transcript(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var b bytes.Buffer
	var line show.Line
	s, err := captures.Read(context.Background(), f, captures.Options{Name: filepath.Base(name)}, func(r *captures.Record) error {
		b.Write(line.Append(nil, r))
		for i := range r.Findings {
			fmt.Fprintf(&b, "        %s\n", r.Findings[i].String())
		}
		requireSameOctets(t, r)
		return nil
	}, func(f *captures.Finding) { fmt.Fprintf(&b, "%s\n", f) })
	require.NoError(t, err)
	requireBalanced(t, s)
	b.Write(show.AppendSummary(nil, s))
	return b.String()
}
