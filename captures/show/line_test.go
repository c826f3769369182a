package show_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// TestLine: the columns.
func TestLine(t *testing.T) {
	const rest = "  10.0.0.2:2350         > 10.0.0.1:2350          UDP  PING from=0x00000001 tick=7\n"
	one(t, &wire.Ping{From: 1, Tick: 7}, func(r *captures.Record) {
		var relative show.Line
		assert.Equal(t, "x    1     #1    0.000000"+rest, string(relative.Append([]byte("x"), r)))
		later := *r
		later.N, later.Frames, later.Since = 1234567, []int{7654321}, 61*time.Second+1500*time.Nanosecond
		assert.Equal(t, "1234567#7654321   61.000001"+rest, string(relative.Append(nil, &later)))
	})
}

// TestLineTimes: what times can be.
func TestLineTimes(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	one(t, &wire.Ping{From: 1, Tick: 7}, func(r *captures.Record) {
		later, earlier := *r, *r // the first one is of 1999-12-31T23:59:59.999999Z
		later.Since, earlier.Since = 61*time.Second+1500*time.Nanosecond, -1500*time.Microsecond
		later.Time, earlier.Time = r.Time.Add(later.Since), r.Time.Add(earlier.Since)
		for format, want := range map[show.TimeFormat][3]string{
			show.Relative: {"  0.000000", " 61.000001", " -0.001500"},
			show.Delta:    {"  0.000000", " 61.000001", "-61.001501"},
			show.Absolute: {"2000-01-01T08:59:59.999999+09:00", "2000-01-01T09:01:01.000000+09:00", "2000-01-01T08:59:59.998499+09:00"},
			show.Epoch:    {"946684799.999999", "946684861.000000", "946684799.998499"},
		} {
			line := show.Line{Times: format, Zone: tokyo}
			for i, r := range []*captures.Record{r, &later, &earlier} {
				got := string(line.Append(nil, r))
				assert.Equal(t, want[i], got[14:14+len(want[i])], "%d: %s", format, got)
				assert.Equal(t, "  10.", got[14+len(want[i]):][:5])
			}
			line.Begin()
			assert.Contains(t, string(line.Append(nil, r)), want[0], "the first line of another file")
		}
		utc := show.Line{Times: show.Absolute}
		assert.Contains(t, string(utc.Append(nil, r)), "  1999-12-31T23:59:59.999999Z  ")
		epoch := show.Line{Times: show.Epoch}
		for at, want := range map[time.Time]string{time.Unix(0, -500_000_000): " -0.500000 ", time.Unix(-2, 250_000_000): " -1.750000 ",
			time.Unix(-2, 0): " -2.000000 ", time.Unix(1<<40, 0): " 1099511627776.000000 "} {
			later.Time = at
			assert.Contains(t, string(epoch.Append(nil, &later)), want)
		}
	})
}

// TestFrames: the frames of a message that came in several, neighbours together, and how many where there are many.
func TestFrames(t *testing.T) {
	for most, want := range map[int]string{9: "4-6,8,10-11,13", 4: "4-6,8,10-11,13",
		3: "4-6,8,10-11,...(7 in all)",
		1: "4-6,...(7 in all)"} {
		assert.Equal(t, want, string(show.AppendFrames(nil, []int{4, 5, 6, 8, 10, 11, 13}, most)), most)
	}
	assert.Empty(t, show.AppendFrames(nil, nil, 1))
	one(t, &wire.Ping{From: 1, Tick: 7}, func(r *captures.Record) {
		several := *r
		several.Frames, several.Conversation = []int{7, 9}, 3
		var line show.Line
		assert.Regexp(t, `^    1     #9 .* PING frames=7,9 from=`, string(line.Append(nil, &several)))
		assert.Equal(t, "        frames 7,9, conversation 3, 36 octets\n", string(show.AppendOrigin(nil, &several)))
		assert.Equal(t, "        frame 1, conversation 1, 36 octets\n", string(show.AppendOrigin(nil, r)))
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
		show.PayloadHex: " from=0x00000001 to=all voice=36 octets 303132333435363738396162636465666768696a6b6c6d6e..." +
			` "0123456789abcdefghijklmn"`,
		show.PayloadText:   " from=0x00000001 to=all voice=36 octets \"0123456789abcdefghijklmnopqrstuvwxyz\"",
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
		0: "0.000000", math.MinInt64: "-9223372036.854775",
		time.Microsecond: "0.000001", 999 * time.Nanosecond: "0.000000", time.Second - 1: "0.999999",
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
