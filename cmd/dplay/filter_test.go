package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestFilterFlag checks that a wrong expression is refused before any file is read, and that of one that cannot be
// evaluated for some messages the user hears, file by file.
func TestFilterFlag(t *testing.T) {
	got := dplay(t, "decode", "--filter", `size == "x"`, "missing.pcap")
	assert.Equal(t, exitUsage, got.status)
	assert.Equal(t,
		"dplay: --filter: invalid operation: == (mismatched types int and string) (1:6)\n | size == \"x\"\n | .....^\nTry 'dplay "+
			"decode --help'.\n", got.err)
	got = dplay(t, "decode", "--filter", `n == 2 or int(message.player_message) == 1`, lab(t, "02"), lab(t, "04"))
	assert.Equal(t, exitOK, got.status)
	assert.Regexp(t, `02-.*\.pcap: the filter could not be evaluated for 12 messages, which were left out; the first time: .*\n`,
		got.err)
	assert.Contains(t, got.err, "for 14 messages", "each file is counted by itself")
	got = dplay(t, "decode", "--format", "ndjson", "--filter", `relative > 2 and relative < 3`, lab(t, "02"))
	assert.Equal(t, 10.0, objectsOf(t, got.out)[0]["n"], "counts from the first message")
}

// TestFilterAbsent: where a filter shows nothing, what it looked for and no message had is told, file by file.
func TestFilterAbsent(t *testing.T) {
	const none = ": none that the filter looked at has "
	for filter, want := range map[string]string{
		`command == "CREATEPLAYER" and message.tick_count > 1`:                            "0 of 13 messages shown" + none + "tick_count. ",
		`n == 1 and (message.tick_count > 1 or message.data_size > 1 and again > 0)`:      none + "again or data_size or tick_count. ",
		`any(message.players, .short_name == "nobody") or message.session_desc.size == 1`: "0 of 13 messages shown. ",
		`n == 1 and message.session_desc.size == 1`:                                       none + "session_desc. ",
		`n == 1 or message.tick_count > 1`:                                                "1 of 13 messages shown. ",
		`command == "PING" and message.tick_count > 1`:                                    "0 of 13 messages shown. ",
	} {
		assert.Contains(t, dplay(t, "decode", "--filter", filter, lab(t, "02")).err, want, filter)
		assert.Contains(t, dplay(t, "draw", "--filter", filter, lab(t, "02")).err, want, filter)
	}
	got := dplay(t, "decode", "--filter", `payload contains "ff"`, lab(t, "02"), lab(t, "13")).err
	assert.Contains(t, got, "0 of 13 messages shown. ")
	assert.Contains(t, got, "0 of 10 messages shown"+none+"payload. ")
}

// gamePings is a capture of game messages and pings.
func gamePings(t testing.TB, n int) []byte {
	c := newCapture()
	for i := range n {
		c.tcp(peerTCP, hostTCP, message(t, &wire.PlayerMessage{From: 0x21, To: 0, Payload: make([]byte, 32)}))
		c.udp(hostUDP, peerUDP, message(t, &wire.Ping{From: 0x10, Tick: uint32(i)})).wait(1)
	}
	return c.b
}

// TestSteadyMemory checks that decoding allocates nothing for a message: twice as many must not take more.
func TestSteadyMemory(t *testing.T) {
	allocations := func(n int, args ...string) float64 {
		file := gamePings(t, n)
		return testing.AllocsPerRun(3, func() {
			var out discardCount
			if run(context.Background(), append([]string{"decode", "-q"}, args...), bytes.NewReader(file), &out, &out) != exitOK {
				t.Fatal("does not decode")
			}
		})
	}
	const n = 5000
	for _, args := range [][]string{{"-"}, {"--stats", "-"}, {"--follow", "2", "-"}} {
		few, many := allocations(n, args...), allocations(2*n, args...)
		assert.Less(t, (many-few)/(2*n), 0.05, "allocations a message with %v: %v for %d, %v for %d", args, few, 2*n, many, 4*n)
	}
}

// A discardCount takes everything.
type discardCount struct{ n int }

func (d *discardCount) Write(p []byte) (int, error) {
	d.n += len(p)
	return len(p), nil
}

// BenchmarkDecode measures the whole program, from a file in memory to its output.
func BenchmarkDecode(b *testing.B) {
	const n = 20000
	file := gamePings(b, n)
	for _, args := range [][]string{{"-"}, {"--follow", "99", "-"}, {"--format", "ndjson", "-"}, {"--stats", "-"}, {"-V", "-"},
		{"--filter", `command == "PING" and size > 100`, "-"}, {"--filter", `message.tick_count == 5`, "-"}} {
		b.Run(strings.Join(args, " "), func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				var out discardCount
				if run(context.Background(), append([]string{"decode", "-q"}, args...), bytes.NewReader(file), &out,
					&discardCount{}) != exitOK {
					b.Fatal("does not decode")
				}
			}
			b.ReportMetric(float64(2*n*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
