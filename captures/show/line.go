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
	Times   TimeFormat
	Zone    *time.Location // of Absolute; nil: UTC
	Color   bool
	Payload PayloadFormat
	sockets sockets
	before  time.Time // of the line before
	began   bool      // there was one, of the same file
}

// Append appends the line of a record, without its findings, and a newline.
func (l *Line) Append(b []byte, r *captures.Record) []byte {
	b = padded(b, "", int64(r.N), 5)
	b = padded(b, "#", int64(LastFrame(r)), 7)
	b = append(b, ' ', ' ')
	b = l.time(b, r)
	b = append(b, ' ', ' ')
	at := len(b)
	b = l.sockets.append(b, r.Src)
	b = fill(b, at, 21)
	b = append(b, " > "...)
	at = len(b)
	b = l.sockets.append(b, r.Dst)
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

// padded appends a number, with something before it, at the right end of n columns.
func padded(b []byte, before string, v int64, n int) []byte {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], v, 10)
	for range n - len(before) - len(text) {
		b = append(b, ' ')
	}
	return append(append(b, before...), text...)
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
		b = strconv.AppendQuote(b, name)
	}
	return b
}

func appendDecimal(b []byte, v uint32) []byte { return strconv.AppendUint(b, uint64(v), 10) }
