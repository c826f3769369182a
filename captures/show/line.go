// Package show writes records of captures for people and for programs: a line, a tree or an NDJSON object a
// message, statistics and the summary. It appends to a buffer and prints nothing itself.
package show

import (
	"strconv"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A Line writes one line a message.
type Line struct {
	Start    time.Time // times are seconds after this; zero: after the first message that is appended
	Absolute bool      // times of day, UTC, instead
	Color    bool
	Payload  PayloadFormat
	started  bool
}

// PayloadFormat says how the octets of games are written.
type PayloadFormat uint8

// The formats of payloads.
const (
	PayloadHex PayloadFormat = iota
	PayloadBase64
	PayloadNone
)

// Append appends the line of a record, without its findings, and a newline.
func (l *Line) Append(b []byte, r *captures.Record) []byte {
	if !l.started && l.Start.IsZero() {
		l.Start = r.Time
	}
	l.started = true
	b = pad(b, len(b), 6, func(b []byte) []byte { return strconv.AppendInt(b, int64(r.N), 10) })
	b = append(b, ' ', ' ')
	b = l.time(b, r.Time)
	b = append(b, ' ', ' ')
	at := len(b)
	b = r.Src.AppendTo(b)
	b = fill(b, at, 21)
	b = append(b, " > "...)
	at = len(b)
	b = r.Dst.AppendTo(b)
	b = fill(b, at, 21)
	b = append(b, ' ', ' ')
	b = append(b, transport(r)...)
	b = append(b, ' ', ' ')
	b = l.command(b, r)
	b = Details(b, r, l.Payload)
	return append(b, '\n')
}

func transport(r *captures.Record) string {
	if r.Transport == captures.UDP {
		return "UDP"
	}
	return "TCP"
}

func (l *Line) command(b []byte, r *captures.Record) []byte {
	if !l.Color {
		return append(b, r.Command()...)
	}
	color := "\x1b[36m" // cyan: system messages
	switch {
	case r.Err != nil:
		color = "\x1b[31m" // red
	case r.Envelope.Message != nil && !r.Envelope.System():
		color = "\x1b[32m" // green: the game's own
	}
	b = append(b, color...)
	b = append(b, r.Command()...)
	return append(b, "\x1b[0m"...)
}

func (l *Line) time(b []byte, t time.Time) []byte {
	if l.Absolute {
		return t.UTC().AppendFormat(b, "15:04:05.000000")
	}
	return pad(b, len(b), 11, func(b []byte) []byte { return AppendSeconds(b, t.Sub(l.Start)) })
}

// AppendSeconds appends a duration as seconds with six decimals.
func AppendSeconds(b []byte, d time.Duration) []byte {
	if d < 0 {
		b = append(b, '-')
		d = -d
	}
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	b = append(b, '.')
	us := int64(d % time.Second / time.Microsecond)
	for div := int64(100000); div > 0; div /= 10 {
		b = append(b, byte('0'+us/div%10))
	}
	return b
}

// pad appends with f and moves what was appended after at to the right end of n columns.
func pad(b []byte, at, n int, f func([]byte) []byte) []byte {
	b = f(b)
	short := n - (len(b) - at)
	if short <= 0 {
		return b
	}
	for range short {
		b = append(b, ' ')
	}
	copy(b[at+short:], b[at:len(b)-short])
	for i := range short {
		b[at+i] = ' '
	}
	return b
}

// fill appends spaces up to n columns after at.
func fill(b []byte, at, n int) []byte {
	for len(b)-at < n {
		b = append(b, ' ')
	}
	return b
}

// AppendID appends an id, with the player's name if it is known.
func AppendID(b []byte, s *captures.Session, id wire.PlayerID) []byte {
	b = appendHex(b, uint32(id), 8)
	if name := s.PlayerName(id); name != "" {
		b = append(b, ' ')
		b = appendQuoted(b, name)
	}
	return b
}

func appendDecimal(b []byte, v uint32) []byte { return strconv.AppendUint(b, uint64(v), 10) }

// appendQuoted appends a name in quotes; control characters and what could move a terminal's cursor are escaped.
func appendQuoted(b []byte, s string) []byte { return strconv.AppendQuote(b, s) }
