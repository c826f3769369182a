package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

// Why machines of the captures in reliable/ differ from our engines. The host is symmetrical-train, the joiner a script.
const (
	itsList  = "field SUPERENUMPLAYERSREPLY: no INGROUP, no addresses, newcomer last"
	asSystem = "missing PLAYERMESSAGE: a system player says it, and programs of ours speak as their players"
	nobodys  = "missing PLAYERMESSAGE: an index of nobody says it"
	ownTime  = "missing PING: it is sent at a time of the script's, which is no timer's"
	tooShort = "missing MALFORMED: it is no message"
	packed   = "missing PACKET: that a program sent what travels in fragments is not told"
	noAnswer = "extra PINGREPLY: the host answers no PING"
)

// reliableOutcomes is what becomes of the captures: how many messages of each machine are compared and equal, and how many
// times it differs for which reason.
var reliableOutcomes = []struct {
	name         string
	compared     int // of the joiner, all of them equal; the host has 4, and the list differs
	joiner, host map[string]int
	data, acks   int // frames recorded, of the joiner and of the host; the host has one with data
}{
	{"basic", 6, map[string]int{asSystem: 4, ownTime: 1}, nil, 6, 6},
	{"fragments", 5, map[string]int{asSystem: 2}, nil, 304, 14},
	{"indexes", 5, map[string]int{asSystem: 1, nobodys: 8}, nil, 9, 6},
	{"leave", 7, nil, nil, 2, 2},
	{"loss", 5, map[string]int{asSystem: 3}, nil, 8, 6},
	{"odd", 5, map[string]int{tooShort: 1}, nil, 2, 1},
	{"packet", 5, map[string]int{packed: 2}, map[string]int{noAnswer: 2}, 1, 1},
	{"reorder", 5, map[string]int{asSystem: 6}, nil, 8, 5},
	{"wrap", 5, map[string]int{asSystem: 519}, nil, 519, 519},
}

// reasonOf returns why a machine of those captures differs, "" if that is not known.
func reasonOf(d *Difference) string {
	switch of := fmt.Sprintf("%s %s", d.Kind, d.Message); {
	case of == "field SUPERENUMPLAYERSREPLY":
		return itsList
	case of == "missing PLAYERMESSAGE" && of+": "+d.Note == asSystem:
		return asSystem
	case of == "missing PLAYERMESSAGE":
		return nobodys
	case of == "missing PING":
		return ownTime
	case of == "missing MALFORMED":
		return tooShort
	case of == "missing PACKET":
		return packed
	case of == "extra PINGREPLY":
		return noAnswer
	}
	return ""
}

// TestReliableCaptures replays the captures of the reliable protocol, in folder reliable of the directory that
// DPLAY_CAPTURES names.
func TestReliableCaptures(t *testing.T) {
	dir := os.Getenv("DPLAY_CAPTURES")
	if dir == "" {
		t.Skip("DPLAY_CAPTURES names no directory with more captures")
	}
	for _, o := range reliableOutcomes {
		t.Run(o.name, func(t *testing.T) {
			f, err := os.Open(filepath.Join(dir, "reliable", o.name+".pcap"))
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("it is not in DPLAY_CAPTURES")
			}
			require.NoError(t, err)
			defer f.Close()
			c, err := Read(context.Background(), f, captures.Options{Name: o.name})
			require.NoError(t, err)
			r, err := c.Run(context.Background(), Options{})
			require.NoError(t, err)
			require.Len(t, r.Parties, 2)
			slices.SortFunc(r.Parties, func(a, b Party) int { return len(a.Role) - len(b.Role) })
			h, j := &r.Parties[0], &r.Parties[1]

			assert.Empty(t, j.NotPlayed)
			assert.Equal(t, o.compared, j.Compared)
			assert.Equal(t, o.compared, j.Equal)
			assert.Equal(t, o.data, j.Frames.Recorded.Data)
			assert.Equal(t, len(o.joiner) == 0, len(j.Differences) == 0)
			reasons(t, j, o.joiner)

			assert.Empty(t, h.NotPlayed)
			assert.Equal(t, 4, h.Compared)
			assert.Equal(t, 3, h.Equal)
			assert.Equal(t, 1, h.Frames.Recorded.Data)
			assert.Equal(t, o.acks, h.Frames.Recorded.ACKs)
			want := map[string]int{itsList: 5, asSystem: 1}
			for reason, n := range o.host {
				want[reason] = n
			}
			reasons(t, h, want)
		})
	}
}

// reasons holds what differs of a machine against the reasons that are known.
func reasons(t *testing.T, p *Party, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for i := range p.Differences {
		got[reasonOf(&p.Differences[i])]++
	}
	if want == nil {
		want = map[string]int{}
	}
	assert.Equal(t, want, got, string(p.Role))
}
