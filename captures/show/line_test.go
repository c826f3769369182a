package show_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// TestLine: the columns, and the times in them.
func TestLine(t *testing.T) {
	const rest = "  10.0.0.2:2350         > 10.0.0.1:2350          UDP  PING from=0x00000001 tick=7\n"
	one(t, &wire.Ping{From: 1, Tick: 7}, func(r *captures.Record) {
		var relative show.Line
		assert.Equal(t, "x     1     0.000000"+rest, string(relative.Append([]byte("x"), r)))
		later := *r
		later.N, later.Time = 1234567, r.Time.Add(61*time.Second+1500*time.Nanosecond)
		assert.Equal(t, "1234567    61.000001"+rest, string(relative.Append(nil, &later)))
		later.Time = r.Time.Add(-1500 * time.Microsecond)
		assert.Equal(t, "1234567    -0.001500"+rest, string(relative.Append(nil, &later)))

		absolute := show.Line{Absolute: true}
		assert.Equal(t, "     1  23:59:59.999999"+rest, string(absolute.Append(nil, r)))
		since := show.Line{Start: r.Time.Add(-2 * time.Second)}
		assert.Equal(t, "     1     2.000000"+rest, string(since.Append(nil, r)))
	})
}

// TestLineColors: system messages, the game's own and malformed ones differ, and nothing else is colored.
func TestLineColors(t *testing.T) {
	seen := map[string]bool{}
	each(t, shapes(t), captures.Options{}, func(r *captures.Record) {
		plain, colored := show.Line{}, show.Line{Color: true}
		a, b := string(plain.Append(nil, r)), string(colored.Append(nil, r))
		before, after, ok := strings.Cut(b, "\x1b[0m")
		assert.True(t, ok)
		at := strings.Index(before, "\x1b")
		code := before[at : at+5]
		assert.Equal(t, a, before[:at]+before[at+5:]+after, "the colors are all that differs")
		seen[code] = true
		switch {
		case r.Err != nil:
			assert.Equal(t, "\x1b[31m", code)
		case r.Command() == "PLAYERMESSAGE":
			assert.Equal(t, "\x1b[32m", code)
		default:
			assert.Equal(t, "\x1b[36m", code)
		}
	})
	assert.Len(t, seen, 3)
}

// TestDetailsPayload: a line has only the beginning of a payload.
func TestDetailsPayload(t *testing.T) {
	payload := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	for format, want := range map[show.PayloadFormat]string{
		show.PayloadHex:    " from=0x00000001 to=all voice=36 octets 303132333435363738396162636465666768696a6b6c6d6e...",
		show.PayloadBase64: " from=0x00000001 to=all voice=36 octets MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1u...",
		show.PayloadNone:   " from=0x00000001 to=all voice=36 octets",
	} {
		one(t, &wire.Voice{From: 1, Data: payload}, func(r *captures.Record) {
			assert.Equal(t, want, string(show.Details(nil, r, format)))
		})
	}
}

// TestAppendSeconds writes durations.
func TestAppendSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.000000", time.Microsecond: "0.000001", 999 * time.Nanosecond: "0.000000", time.Second - 1: "0.999999",
		time.Hour + 20*time.Millisecond: "3600.020000", -time.Second: "-1.000000", -1500 * time.Millisecond: "-1.500000",
	} {
		assert.Equal(t, "x"+want, string(show.AppendSeconds([]byte("x"), d)), d)
	}
}

// TestAppendID: an id, and the name of its player if the session knows it.
func TestAppendID(t *testing.T) {
	assert.Equal(t, "0x000384c9", string(show.AppendID(nil, nil, 0x384c9)))
	assert.Equal(t, "0x00000000", string(show.AppendID(nil, nil, 0)))
	var seen int
	each(t, shapes(t), captures.Options{}, func(r *captures.Record) {
		if r.Session != nil && r.Session.Name == "Lords" {
			seen++
			assert.Equal(t, `0x00000502 "Nobleman"`, string(show.AppendID(nil, r.Session, 0x502)))
			assert.Equal(t, "0x00000999", string(show.AppendID(nil, r.Session, 0x999)))
		}
	})
	assert.NotZero(t, seen)
}
