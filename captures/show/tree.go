package show

import (
	"fmt"
	"strconv"

	"dplay4/captures"
	"dplay4/wire"
)

// A Tree writes every field of a message, one a line, with its offset from the first octet of the message.
type Tree struct {
	Payload PayloadFormat
	walker  Walker
	depth   int
}

// Append appends the fields of a record, a line each.
func (t *Tree) Append(b []byte, r *captures.Record) []byte {
	t.depth = 0
	t.walker.Walk(r, func(f *wire.Field) { b = t.field(b, r, f) })
	return b
}

func (t *Tree) field(b []byte, r *captures.Record, f *wire.Field) []byte {
	if f.Kind == wire.KindEnd {
		t.depth--
		return b
	}
	b = append(b, "        "...)
	b = padded(b, "", int64(f.Offset), 6)
	for range t.depth + 1 {
		b = append(b, "  "...)
	}
	b = append(b, f.Name...)
	if f.Index >= 0 {
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(f.Index), 10)
		b = append(b, ']')
	}
	switch f.Kind {
	case wire.KindStruct:
		t.depth++
		return append(b, '\n')
	case wire.KindList:
		t.depth++
		return fmt.Appendf(b, ": %d\n", f.Num)
	case wire.KindMessage:
		t.depth++
		b = append(b, ": "...)
		b = append(b, wire.Command(f.Num).String()...)
		return append(b, '\n')
	}
	b = append(b, ": "...)
	b = t.value(b, r, f)
	return append(b, '\n')
}

func (t *Tree) value(b []byte, r *captures.Record, f *wire.Field) []byte {
	switch f.Kind {
	case wire.KindNumber:
		return strconv.AppendUint(b, uint64(f.Num), 10)
	case wire.KindHex:
		return appendHex(b, f.Num, 8)
	case wire.KindID:
		return AppendID(b, r.Session, wire.PlayerID(f.Num))
	case wire.KindFlags:
		b = appendHex(b, f.Num, 8)
		b = append(b, ' ')
		return append(b, f.Names()...)
	case wire.KindHResult:
		return append(b, wire.HResult(f.Num).String()...)
	case wire.KindNamed:
		if f.Name == "token" {
			b = appendHex(b, f.Num, 3)
		} else {
			b = strconv.AppendUint(b, uint64(f.Num), 10)
		}
		if n := f.Names(); n != "" {
			b = append(b, " ("...)
			b = append(b, n...)
			b = append(b, ')')
		}
		return b
	case wire.KindGUID:
		return wire.GUID(f.Raw).AppendText(b)
	case wire.KindText:
		text := wire.Text(f.Raw)
		b = strconv.AppendQuote(b, text.String())
		if text.Encoding() == wire.EightBit {
			b = append(b, " (8-bit)"...)
		}
		return b
	case wire.KindSockAddr:
		return append(b, wire.ParseSockAddr(f.Raw).String()...)
	}
	return t.octets(b, f.Raw)
}

func (t *Tree) octets(b, p []byte) []byte {
	b = strconv.AppendInt(b, int64(len(p)), 10)
	b = append(b, " octets"...)
	if len(p) == 0 {
		return b
	}
	if t.Payload != PayloadNone {
		b = appendPayload(append(b, ' '), p, t.Payload, false)
	}
	if t.Payload == PayloadHex {
		b = appendBeside(b, p, false)
	}
	return b
}

// HexDump appends octets as lines of 16, with offsets and printable characters.
func HexDump(b, p []byte) []byte {
	for at := 0; at < len(p); at += 16 {
		row := p[at:min(at+16, len(p))]
		halves := [2][]byte{row[:min(8, len(row))], row[min(8, len(row)):]}
		b = fmt.Appendf(b, "        %04x  %-24s %-24s |", at, fmt.Sprintf("% x", halves[0]), fmt.Sprintf("% x", halves[1]))
		for _, c := range row {
			if kinds[c]&ascii == 0 {
				c = '.'
			}
			b = append(b, c)
		}
		b = append(b, "|\n"...)
	}
	return b
}
