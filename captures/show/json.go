package show

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"dplay4/captures"
	"dplay4/wire"
)

// JSON writes records as JSON objects, one for each; NDJSON.md in this folder describes them. The zero
// value is ready; it must not be copied once it was used.
type JSON struct {
	Payload PayloadFormat // how octets are written

	walker Walker
	visit  ValueVisitor // value: made once
	b      []byte
	levels []level
}

// timeFormat is RFC 3339 with all nine decimals: equal widths sort as text.
const timeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// A level is one object or list that is open.
type level struct {
	list   bool
	filled bool // it has an element, so the next one needs a comma
}

// Append appends the object of a record, without a newline.
func (j *JSON) Append(b []byte, r *captures.Record) []byte {
	j.b, j.levels = append(b, '{'), append(j.levels[:0], level{})
	j.number("n", int64(r.N))
	j.openList("frames")
	for _, f := range r.Frames {
		j.comma()
		j.b = strconv.AppendInt(j.b, int64(f), 10)
	}
	j.close()
	j.key("time")
	j.b = append(j.b, '"')
	j.b = r.Time.UTC().AppendFormat(j.b, timeFormat)
	j.b = append(j.b, '"')
	j.string("transport", r.Transport.String())
	j.string("src", r.Src.String())
	j.string("dst", r.Dst.String())
	j.number("conversation", int64(r.Conversation))
	j.number("size", int64(len(r.Raw)))
	j.string("command", r.Command())
	j.dialect(r)
	if r.Via != 0 {
		j.string("via", r.Via.String())
	}
	j.people(r)
	if j.visit == nil {
		j.visit = j.value
	}
	j.walker.Values(r, j.visit)
	j.findings(r)
	j.close()
	return j.b
}

func (j *JSON) dialect(r *captures.Record) {
	j.key("dialect")
	if r.Envelope.System() && r.Envelope.Message != nil {
		j.b = strconv.AppendUint(j.b, uint64(r.Envelope.Version), 10)
		return
	}
	j.b = append(j.b, "null"...)
}

// people names sender and addressee where they are known by name.
func (j *JSON) people(r *captures.Record) {
	from, to, ok := r.FromTo()
	if !ok {
		return
	}
	if n := r.Session.PlayerName(from); n != "" {
		j.string("from_name", n)
	}
	if n := r.Session.PlayerName(to); n != "" {
		j.string("to_name", n)
	}
}

// value writes a value under its key.
func (j *JSON) value(key string, f *wire.Field) {
	if f.Kind == wire.KindEnd {
		j.close()
		return
	}
	j.key(key)
	switch f.Kind {
	case wire.KindStruct:
		j.open(false)
	case wire.KindList:
		j.open(true)
	case wire.KindNumber:
		j.b = strconv.AppendUint(j.b, uint64(f.Num), 10)
	case wire.KindHex, wire.KindID:
		j.hex(f.Num, 8)
	case wire.KindFlags:
		j.flags(f)
	case wire.KindHResult:
		j.named(f, func() { j.hex(f.Num, 8) })
	case wire.KindNamed:
		if f.Name == "token" {
			j.named(f, func() { j.hex(f.Num, 3) })
		} else {
			j.named(f, func() { j.b = strconv.AppendUint(j.b, uint64(f.Num), 10) })
		}
	case wire.KindGUID:
		var g wire.GUID
		copy(g[:], f.Raw)
		j.b = append(j.b, '"')
		j.b = g.AppendText(j.b)
		j.b = append(j.b, '"')
	case wire.KindText:
		j.quoted(wire.Text(f.Raw).String())
	case wire.KindSockAddr:
		j.quoted(wire.ParseSockAddr(f.Raw).String())
	default:
		j.octets(f.Raw)
	}
}

func (j *JSON) hex(v uint32, digits int) {
	j.b = append(j.b, '"')
	j.b = appendHex(j.b, v, digits)
	j.b = append(j.b, '"')
}

func (j *JSON) flags(f *wire.Field) {
	j.b = append(j.b, `{"value":`...)
	j.b = strconv.AppendUint(j.b, uint64(f.Num), 10)
	j.b = append(j.b, `,"names":[`...)
	if f.Num != 0 {
		for i, n := range strings.Split(f.Names(), "|") {
			if i > 0 {
				j.b = append(j.b, ',')
			}
			j.quoted(n)
		}
	}
	j.b = append(j.b, "]}"...)
}

// named writes a value with its name, null for one that has none.
func (j *JSON) named(f *wire.Field, value func()) {
	j.b = append(j.b, `{"value":`...)
	value()
	j.b = append(j.b, `,"name":`...)
	if n := f.Names(); n != "" {
		j.quoted(n)
	} else {
		j.b = append(j.b, "null"...)
	}
	j.b = append(j.b, '}')
}

func (j *JSON) octets(p []byte) {
	switch j.Payload {
	case PayloadNone:
		j.b = append(j.b, "null"...)
	case PayloadBase64:
		j.b = append(j.b, '"')
		j.b = base64.StdEncoding.AppendEncode(j.b, p)
		j.b = append(j.b, '"')
	default:
		j.b = append(j.b, '"')
		j.b = hex.AppendEncode(j.b, p)
		j.b = append(j.b, '"')
	}
}

func (j *JSON) findings(r *captures.Record) {
	j.openList("findings")
	for i := range r.Findings {
		j.comma()
		j.b = AppendFinding(j.b, &r.Findings[i])
	}
	j.close()
}

// AppendFinding appends a finding as an object: code, field, offset and text, and the frame where it has one.
func AppendFinding(b []byte, f *captures.Finding) []byte {
	j := JSON{b: append(b, '{'), levels: []level{{}}}
	j.string("code", string(f.Code))
	j.key("field")
	if f.Field == "" {
		j.b = append(j.b, "null"...)
	} else {
		j.quoted(f.Field)
	}
	j.key("offset")
	if f.Offset < 0 {
		j.b = append(j.b, "null"...)
	} else {
		j.b = strconv.AppendInt(j.b, f.Offset, 10)
	}
	j.string("text", f.Text)
	if f.Frame > 0 {
		j.number("frame", int64(f.Frame))
	}
	j.close()
	return j.b
}

func (j *JSON) comma() {
	top := &j.levels[len(j.levels)-1]
	if top.filled {
		j.b = append(j.b, ',')
	}
	top.filled = true
}

// key begins an element of what is open; an element of a list has no key.
func (j *JSON) key(name string) {
	j.comma()
	if name == "" {
		return
	}
	j.b = append(j.b, '"')
	j.b = append(j.b, name...)
	j.b = append(j.b, `":`...)
}

func (j *JSON) number(name string, v int64) {
	j.key(name)
	j.b = strconv.AppendInt(j.b, v, 10)
}

func (j *JSON) string(name, v string) {
	j.key(name)
	j.quoted(v)
}

// open begins an object or a list.
func (j *JSON) open(list bool) {
	bracket := byte('{')
	if list {
		bracket = '['
	}
	j.b = append(j.b, bracket)
	j.levels = append(j.levels, level{list: list})
}

func (j *JSON) openObject(name string) {
	j.key(name)
	j.open(false)
}

func (j *JSON) openList(name string) {
	j.key(name)
	j.open(true)
}

// close ends the object or list that was opened last.
func (j *JSON) close() {
	last := len(j.levels) - 1
	bracket := byte('}')
	if j.levels[last].list {
		bracket = ']'
	}
	j.b = append(j.b, bracket)
	j.levels = j.levels[:last]
}

// quoted writes a JSON string. Names come off the wire: what could reach a terminal as a control character, or
// change the order in which it shows text, is escaped.
func (j *JSON) quoted(s string) {
	j.b = append(j.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			j.b = append(j.b, '\\', byte(r))
		case r >= 0x20 && r < 0x7F:
			j.b = append(j.b, byte(r))
		case unicode.Is(unicode.C, r) || r == 0x2028 || r == 0x2029: // Cc, Cf, Co, Cs; and line ends
			if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
				j.escape(high)
				r = low
			}
			j.escape(r)
		default:
			j.b = utf8.AppendRune(j.b, r)
		}
	}
	j.b = append(j.b, '"')
}

// escape writes a UTF-16 code unit.
func (j *JSON) escape(r rune) {
	const digits = "0123456789abcdef"
	j.b = append(j.b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
