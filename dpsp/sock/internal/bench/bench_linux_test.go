package bench

import (
	"bytes"
	"context"
	"flag"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
)

// TestSession measures a little of everything and reads what is printed.
func TestSession(t *testing.T) {
	var out strings.Builder
	benchJoins(t, 2, &out)
	benchRates(t, 1, 20*time.Millisecond, &out)
	benchEngines(t, 2, &out)
	benchHosts(t, 2, &out)
	for _, want := range []string{"of 2 (goal", "guaranteed (TCP) 8 ", "not guaranteed (UDP) 8 ",
		"memory: 2 hosted sessions with 8 members each", "memory with sockets: 2 hosted sessions with 8 members each"} {
		assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), want)
	}
}

// TestMigration kills hosts, by both rules, and reads the table.
func TestMigration(t *testing.T) {
	c := config{kills: 1, period: time.Second, probes: 3, machines: 3}
	wantRows(t, c, func(n int) []netip.Addr { return testkit.Addrs(t, n) },
		"killed DirectPlay 8 1 ", "killed DirectPlay 4 (--legacy) 1 ")
}

// TestSilentHosts does the same with hosts that fall silent.
func TestSilentHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config{stops: 2, period: 200 * time.Millisecond, probes: 2, machines: 3, made: socktest.New()}
		wantRows(t, c, madeUp(), "silent, 200ms, 2 probes DirectPlay 8 2 ", "silent, 200ms, 2 probes DirectPlay 4 (--legacy) 2 ")
	})
}

// wantRows measures, and compares the beginning of each row.
func wantRows(t *testing.T, c config, lane func(n int) []netip.Addr, rows ...string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, benchMigration(testkit.Context(t), c, lane, &out))
	for _, row := range rows {
		assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), row)
	}
	assert.Equal(t, len(rows), strings.Count(out.String(), "DirectPlay"))
}

// madeUp returns a lane in a network in memory.
func madeUp() func(n int) []netip.Addr {
	last := netip.MustParseAddr("10.0.0.0")
	return func(n int) (all []netip.Addr) {
		for range n {
			last = last.Next()
			all = append(all, last)
		}
		return all
	}
}

// TestSilence holds the time of a silent host against what package pingtimer promises: more than -probes periods.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := round{stopped: true, at: madeUp()(2), made: socktest.New(), period: 300 * time.Millisecond, probes: 2}
		took, err := r.run(t.Context())
		require.NoError(t, err)
		assert.Greater(t, took.all, time.Duration(r.probes)*r.period)
		assert.LessOrEqual(t, took.all-took.election, r.silence())
		assert.LessOrEqual(t, took.election, took.all)
	})
}

// TestCalledOff ends a round whose host is silent for minutes.
func TestCalledOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		lane := madeUp()
		k := kind{round{stopped: true, made: socktest.New()}, "silent", 2, [][]netip.Addr{lane(2), lane(2)}}
		start := time.Now()
		require.ErrorIs(t, k.sideBySide(ctx).err, context.DeadlineExceeded)
		assert.Less(t, time.Since(start), 10*time.Second, "closing takes a moment, too, across a network that is cut")
	})
}

// TestRefusals checks the command line.
func TestRefusals(t *testing.T) {
	for args, want := range map[string]string{
		"-kills -1":               "-kills -1: 0 to 10000",
		"-kills 10001":            "-kills 10001: 0 to 10000",
		"-stops 21":               "-stops 21: 0 to 20",
		"-defaults -1":            "-defaults -1: 0 to 20",
		"-machines 1":             "2 to 60",
		"-machines 61":            "2 to 60",
		"-period 1ms":             "10 ms and 1 at least",
		"-probes 0":               "10 ms and 1 at least",
		"-period 10m":             "longer than 20m0s",
		"-period 9999h -probes 9": "longer than 20m0s",
		"-probes 999999999":       "longer than 20m0s",
	} {
		var c config
		f := flag.NewFlagSet("", flag.ContinueOnError)
		c.flags(f)
		require.NoError(t, f.Parse(strings.Fields(args)))
		var out bytes.Buffer
		assert.ErrorContains(t, benchMigration(t.Context(), c, nil, &out), want, args)
		assert.Empty(t, out.String(), args)
	}
}
