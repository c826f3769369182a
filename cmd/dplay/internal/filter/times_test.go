package filter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// TestFilterTime compares times however they are written. The packets are of 2026-01-02T03:04:05Z and a millisecond later.
func TestFilterTime(t *testing.T) {
	ping := udp(ann, bob, message(t, &wire.Ping{From: 0x10, Tick: 77}))
	pings := recorded(t, captures.Options{}, ping, ping)
	tokyo := time.FixedZone("JST", 9*3600)
	for text, want := range map[string][]int{
		`time == "2026-01-02T03:04:05.000000000Z"`:      {1},
		`time == "2026-01-02T03:04:05Z"`:                {1},
		`time > "2026-01-02T03:04:05Z"`:                 {2},
		`"2026-01-02T04:04:05.0005+01:00" <= time`:      {2},
		`time < "2026-01-02 12:04:05.0005"`:             {1},
		`time >= "2026-01-02 12:04" and n == 1`:         {1},
		`time >= "2026-01-02" and time < "2026-01-03"`:  {1, 2},
		`time < "2026-01-02 03:04:06" and n == 1`:       {},
		`time startsWith "2026-01-02T03:04:05.001"`:     {2},
		`time != "2026-01-02T03:04:05Z"`:                {2},
		`time in ["2026-01-02 12:04:05", "2027-01-01"]`: {1},
		`time in ["2026-01-02 12:04:05.001"]`:           {2},
	} {
		f, err := New(text, tokyo)
		require.NoError(t, err)
		got := []int{}
		pings.each(t, func(r *captures.Record) {
			if f.Matches(r) {
				got = append(got, r.N)
			}
		})
		assert.Equal(t, want, got, text)
	}
}
