package compat_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/compat"
	"dplay4/dpsp"
	"dplay4/wire"
)

// captureName returns what the lists call a capture: its number, or its name where it has none.
func captureName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if name[0] < '0' || name[0] > '9' {
		return name
	}
	number, rest, _ := strings.Cut(name, "-")
	if strings.HasSuffix(rest, "peer2peer") {
		number += "-peer2peer"
	}
	return number
}

// madeBy says what a machine of a capture ran: captures/lab/README.md and captures/interop/README.md.
func madeBy(file string, p *replay.Party) compat.Implementation {
	base := filepath.Base(file)
	switch {
	case strings.HasPrefix(base, "lotr2"):
		return compat.Windows
	case p.Dialect == uint16(wire.DX9):
		return compat.Ours
	case p.Role == replay.Host || strings.Contains(base, "rzjoin"):
		return compat.RZ
	case strings.Contains(base, "rawjoiner"):
		return compat.Raw
	}
	return compat.Wine10
}

// A tally is which entries of the lists occurred.
type tally struct {
	differences map[[2]int]bool // of ReplayDifferences, with the place in its In
	unplayed    map[[2]int]bool // of ReplayUnplayed, with the place in its Machines
	parties     int
	compared    int
	windows     bool
}

// replayFile replays a capture and holds it against the lists.
func (y *tally) replayFile(t *testing.T, file string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	c, err := replay.Read(context.Background(), f, captures.Options{Name: filepath.Base(file)})
	require.NoError(t, err)
	var opt replay.Options
	if strings.Contains(filepath.ToSlash(file), "/migration/") || captureName(file) == "ourhost-gone" { // their README.md
		opt.Config = dpsp.Config{Period: 500 * time.Millisecond, Probes: 3}
	}
	r, err := c.Run(context.Background(), opt)
	require.NoError(t, err)
	require.NotEmpty(t, r.Parties)
	for i := range r.Parties {
		p := &r.Parties[i]
		by, name := madeBy(file, p), captureName(file)
		t.Logf("%s %s (%s): %d compared, %d equal, %d missing, %d extra, %d unseen %s", p.Role, p.Address, by, p.Compared, p.Equal,
			p.Missing, p.Extra, p.Unseen, p.NotPlayed)
		y.compared += p.Compared
		if p.NotPlayed != "" {
			y.notPlayed(t, name, p)
			continue
		}
		y.parties++
		y.windows = y.windows || by == compat.Windows
		require.Zero(t, p.More)
		for j := range p.Differences {
			y.difference(t, by, name, p, &p.Differences[j])
		}
	}
}

func (y *tally) notPlayed(t *testing.T, name string, p *replay.Party) {
	for i, u := range compat.ReplayUnplayed {
		if j := slices.Index(u.Machines, p.Address.String()); u.In == name && j >= 0 {
			y.unplayed[[2]int{i, j}] = true
			return
		}
	}
	t.Errorf("%s was not replayed, which is not listed: %s", p.Address, p.NotPlayed)
}

func (y *tally) difference(t *testing.T, by compat.Implementation, name string, p *replay.Party, d *replay.Difference) {
	for _, everywhere := range []bool{false, true} { // what is said of one capture goes first
		for i := range compat.ReplayDifferences {
			if e := &compat.ReplayDifferences[i]; (e.In == nil) == everywhere && e.Covers(by, name, p.Role, d) {
				y.differences[[2]int{i, max(0, slices.Index(e.In, name))}] = true
				return
			}
		}
	}
	t.Errorf("%s %s (%s), message %d, frame %d, %s: %s %s: recorded %s, ours %s (%s): not listed", p.Role,
		p.Address, by, d.N, d.Frame, d.Message, d.Kind, d.Field, d.Recorded, d.Ours, d.Note)
}

// TestReplay replays every capture of the repository, and those in the directory that DPLAY_CAPTURES names, with
// engines in the place of each machine. What differs must be in the lists, and what is in the lists must differ.
func TestReplay(t *testing.T) {
	y := &tally{differences: map[[2]int]bool{}, unplayed: map[[2]int]bool{}}
	var files []string
	for _, pattern := range []string{"lab/*.pcap", "interop/*.pcap", "migration/*.pcapng"} {
		some, err := filepath.Glob(filepath.Join("..", "captures", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, some)
		files = append(files, some...)
	}
	for _, file := range append(files, moreCaptures(t)...) {
		t.Run(filepath.Base(file), func(t *testing.T) { y.replayFile(t, file) })
	}
	t.Logf("%d machines replayed, %d messages compared", y.parties, y.compared)
	y.stale(t)
}

// moreCaptures returns the captures that may not be copied into the repository and are not in it.
func moreCaptures(t *testing.T) []string {
	var more []string
	dir := os.Getenv("DPLAY_CAPTURES")
	if dir == "" {
		return nil
	}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		if err == nil && e.IsDir() && base == "reliable" {
			return fs.SkipDir // a test of captures/replay has what differs there
		}
		if ext := filepath.Ext(name); err == nil && (ext == ".pcap" || ext == ".pcapng") && (base[0] < '0' || base[0] > '9') {
			more = append(more, name)
		}
		return err
	})
	require.NoError(t, err)
	return more
}

// stale reports entries that did not occur.
func (y *tally) stale(t *testing.T) {
	for i, e := range compat.ReplayDifferences {
		assert.NotEmpty(t, e.Reason)
		if e.By == compat.Windows && !y.windows {
			continue
		}
		for j := range max(1, len(e.In)) {
			if !y.differences[[2]int{i, j}] {
				t.Errorf("%s as %s %v: %s %s %s occurs no longer: take it off the list", e.By, e.Role, e.In, e.Kind, e.Message, e.Field)
			}
		}
	}
	for i, u := range compat.ReplayUnplayed {
		for j, m := range u.Machines {
			if !y.unplayed[[2]int{i, j}] {
				t.Errorf("%s of %s is replayed: take it off the list", m, u.In)
			}
		}
	}
}
