package show

import (
	"cmp"
	"strconv"
	"time"

	"dplay4/captures"
)

// A TimeFormat says how a Line writes times.
type TimeFormat uint8

// The formats of times.
const (
	Relative TimeFormat = iota // seconds since the first message of the file
	Delta                      // seconds since the line before; 0 in the first one
	Absolute                   // date, time of day and zone, by RFC 3339
	Epoch                      // seconds since the beginning of 1970, UTC
)

// timeColumns are those of times that fit them: beyond 999 seconds lines move to the right.
const timeColumns = 10

// Begin begins a file: Delta counts from its first line. The first line of all needs none.
func (l *Line) Begin() { l.began = false }

// time appends the time of a message.
func (l *Line) time(b []byte, r *captures.Record) []byte {
	t, before := r.Time, l.before
	if !l.began {
		l.began, before = true, t
	}
	l.before = t
	switch l.Times {
	case Absolute:
		return t.In(cmp.Or(l.Zone, time.UTC)).AppendFormat(b, absoluteLayout)
	case Epoch:
		return appendEpoch(b, t)
	case Delta:
		return appendElapsed(b, t.Sub(before))
	}
	return appendElapsed(b, r.Since)
}

const absoluteLayout = "2006-01-02T15:04:05.000000Z07:00"

// appendElapsed appends seconds in their columns.
func appendElapsed(b []byte, d time.Duration) []byte {
	var text [24]byte
	seconds := AppendSeconds(text[:0], d)
	for range timeColumns - len(seconds) {
		b = append(b, ' ')
	}
	return append(b, seconds...)
}

// appendEpoch appends the seconds since 1970. They are not a Duration, which would end in 2262.
func appendEpoch(b []byte, t time.Time) []byte {
	s, ns := t.Unix(), t.Nanosecond()
	if s < 0 && ns > 0 {
		s, ns = s+1, 1e9-ns // counted back from zero, as it is written
		if s == 0 {
			b = append(b, '-')
		}
	}
	return appendMicroseconds(strconv.AppendInt(b, s, 10), ns)
}

// AppendSeconds appends a duration as seconds with six decimals.
func AppendSeconds(b []byte, d time.Duration) []byte {
	if d < 0 {
		b = append(b, '-')
		d = max(-d, -(d + 1)) // there is no -d of the least one
	}
	return appendMicroseconds(strconv.AppendInt(b, int64(d/time.Second), 10), int(d%time.Second))
}

// appendMicroseconds appends the decimals of a second of which so many nanoseconds are over.
func appendMicroseconds(b []byte, ns int) []byte {
	us := uint32(ns) / 1000
	high, low := us/1000, us%1000
	return append(b, '.', byte('0'+high/100), byte('0'+high/10%10), byte('0'+high%10),
		byte('0'+low/100), byte('0'+low/10%10), byte('0'+low%10))
}

// Seconds returns a duration as AppendSeconds writes it.
func Seconds(d time.Duration) float64 { return float64(d/time.Microsecond) / 1e6 }
