package show_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// checkDrafts holds what drafts give on another goroutine, once their records are gone, against what was written of the
// records at once.
func checkDrafts(t *testing.T, drafts *show.Drafts, want []string) {
	t.Helper()
	require.Equal(t, len(want), drafts.Len())
	got := make(chan []string)
	go func() {
		var js show.JSON
		var list []string
		for i := range drafts.Len() {
			list = append(list, string(js.AppendDraft(nil, drafts, i)))
		}
		got <- list
	}()
	assert.Equal(t, want, <-got)
}

// TestDrafts does so for every capture of the project, and for records of every shape.
func TestDrafts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "*", "*.pcap*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	all := [][]byte{shapes(t)}
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, file)
	}
	var drafts show.Drafts // one for all: its memory is used again
	for _, file := range all {
		drafts.Reset()
		assert.Zero(t, drafts.Size())
		var js show.JSON
		var want []string
		each(t, file, captures.Options{}, func(r *captures.Record) {
			drafts.Add(r)
			want = append(want, string(js.Append(nil, r)))
		})
		checkDrafts(t, &drafts, want)
	}
}

// TestDraftsEveryCommand does so for every command, and destroys the octets of the record.
func TestDraftsEveryCommand(t *testing.T) {
	everyCommand(t, func(t *testing.T, r *captures.Record) {
		r.Findings = []captures.Finding{{Code: captures.StrayOctets, Offset: 7}, {Code: captures.UnknownToken, Text: "two"}}
		var drafts show.Drafts
		var js show.JSON
		drafts.Add(r)
		want := string(js.Append(nil, r))
		clear(r.Raw)
		clear(r.Frames)
		clear(r.Findings)
		checkDrafts(t, &drafts, []string{want})
	})
}

// TestDraftNames: a draft has the names of the moment that it was made in.
func TestDraftNames(t *testing.T) {
	const name, later = "before", "after"
	game := sys(&wire.PlayerMessage{From: 7, To: 7, Payload: []byte("x")})
	var drafts show.Drafts
	var js show.JSON
	var want []string
	tcp := func(b []byte) packet { return packet{true, "10.0.0.2:1500", "10.0.0.1:2300", b} }
	each(t, pcap(t,
		tcp(sys(&wire.CreatePlayer{Player: 7, Info: wire.PackedPlayer{ID: 7, ShortName: wire.NewText(name)}})),
		tcp(game), tcp(sys(&wire.PlayerNameChanged{Player: 7, ShortName: wire.NewText(later)})), tcp(game),
	), captures.Options{}, func(r *captures.Record) {
		drafts.Add(r)
		want = append(want, string(js.Append(nil, r)))
	})
	require.Len(t, want, 4)
	assert.Contains(t, want[1], `"from_name":"before","to_name":"before"`)
	assert.Contains(t, want[3], `"from_name":"after","to_name":"after"`)
	checkDrafts(t, &drafts, want)
}

// TestJSONAllocates: a usual message is written without allocating, at once and as a draft.
func TestJSONAllocates(t *testing.T) {
	for _, m := range []wire.Message{&wire.Ping{From: 1, Tick: 2}, &wire.PlayerMessage{From: 1, To: 2, Payload: []byte("payload")}} {
		one := 0
		each(t, pcap(t, packet{true, "10.0.0.2:1500", "10.0.0.1:2300", sys(m)}), captures.Options{}, func(r *captures.Record) {
			one++
			var js show.JSON
			var drafts show.Drafts
			b := make([]byte, 0, 4096)
			write := func() {
				js.Append(b, r)
				drafts.Reset()
				drafts.Add(r)
				js.AppendDraft(b, &drafts, 0)
			}
			write()
			assert.Zero(t, testing.AllocsPerRun(100, write), "%T", m)
		})
		require.Equal(t, 1, one)
	}
}

// TestJSONTimes holds times, one after the other, against those of package time.
func TestJSONTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	at := time.Date(1969, 12, 31, 23, 59, 57, 0, time.FixedZone("", 3600))
	var js show.JSON
	for range 2000 {
		at = at.Add(time.Duration(rng.Int64N(int64(700 * time.Millisecond))))
		if rng.IntN(100) == 0 {
			at = time.Unix(rng.Int64N(1<<36)-1<<35, rng.Int64N(3)*499_999_999)
		}
		got := object(t, &js, &captures.Record{N: 1, Time: at, Raw: []byte{1}})
		require.Equal(t, at.UTC().Format("2006-01-02T15:04:05.000000000Z07:00"), got["time"])
	}
}
