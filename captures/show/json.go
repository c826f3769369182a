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
// value is ready.
type JSON struct {
	Payload PayloadFormat // how octets are written

	walker Walker
	keys   snakeNames
	b      []byte
	levels []level
	stray  bool // a list of stray octets is open
}

// timeFormat is RFC 3339 with all nine decimals: equal widths sort as text.
const timeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// A level is one object or list that is open.
type level struct {
	list   bool
	filled bool // it has an element, so the next one needs a comma
	text8  bool // it has a text in 8 bits
	text16 bool // and one in UTF-16
}

// Append appends the object of a record, without a newline.
func (j *JSON) Append(b []byte, r *captures.Record) []byte {
	if j.keys == nil {
		j.keys = snakeNames{}
	}
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
	j.fields(r)
	j.findings(r)
	j.close()
	return j.b
}

func (j *JSON) dialect(r *captures.Record) {
	j.key("dialect")
	if r.Envelope.System && r.Envelope.Message != nil {
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

// fields writes the header and the message, each an object.
func (j *JSON) fields(r *captures.Record) {
	body := r.Base + wire.HeaderSize
	if !r.Envelope.System {
		body = r.Base
	}
	if r.Frame == nil && r.Base > 0 {
		j.openObject("header")
	} else {
		j.openObject("message")
	}
	inBody := r.Base == 0 || r.Frame != nil
	j.walker.Walk(r, func(f *wire.Field) {
		if !inBody && f.Offset >= body {
			inBody = true
			j.close()
			j.openObject("message")
		}
		if len(j.levels) == 2 && f.Offset >= r.Base && f.Offset < body && r.Envelope.System {
			return // signature, command and version stand in the record itself
		}
		j.field(f)
	})
	j.endStray()
	if !inBody {
		j.close()
		j.openObject("message")
	}
	for len(j.levels) > 1 { // an error leaves open what it stands in
		j.close()
	}
}

func (j *JSON) field(f *wire.Field) {
	if f.Kind != wire.KindStray {
		j.endStray()
	}
	switch f.Kind {
	case wire.KindStruct:
		if f.Index >= 0 {
			j.comma()
			j.b = append(j.b, '{')
			j.levels = append(j.levels, level{})
			return
		}
		j.openObject(j.keys.key(f.Name))
	case wire.KindMessage:
		j.openObject(j.keys.key(f.Name))
	case wire.KindList:
		j.openList(j.keys.key(f.Name))
	case wire.KindEnd:
		j.close()
	case wire.KindStray:
		j.strayOctets(f)
	default:
		switch {
		case f.Name == "Signature" && f.Kind == wire.KindHex: // of a nested message; says nothing
			return
		case f.Index >= 0:
			j.comma()
		case f.Name == "Version" && f.Kind == wire.KindNamed:
			j.key("dialect")
		default:
			j.key(j.keys.key(f.Name))
		}
		j.value(f)
	}
}

func (j *JSON) value(f *wire.Field) {
	switch f.Kind {
	case wire.KindNumber:
		j.b = strconv.AppendUint(j.b, uint64(f.Num), 10)
	case wire.KindHex, wire.KindID:
		if f.Name == "TickCount" { // of ADDFORWARDREQUEST, where it is none; a key has the same type in every message
			j.b = strconv.AppendUint(j.b, uint64(f.Num), 10)
			return
		}
		j.hex(f.Num, 8)
	case wire.KindFlags:
		j.flags(f)
	case wire.KindHResult:
		j.named(f, func() { j.hex(f.Num, 8) })
	case wire.KindNamed:
		j.namedValue(f)
	case wire.KindGUID:
		var g wire.GUID
		copy(g[:], f.Raw)
		j.b = append(j.b, '"')
		j.b = g.AppendText(j.b)
		j.b = append(j.b, '"')
	case wire.KindText:
		j.text(wire.Text(f.Raw))
	case wire.KindSockAddr:
		j.quoted(wire.ParseSockAddr(f.Raw).String())
	default:
		j.octets(f.Raw)
	}
}

// namedValue writes a value of a list. A key has the same type in every message, so the two things that the
// last field of a SUPERPACKEDPLAYER can be are both written as an id.
func (j *JSON) namedValue(f *wire.Field) {
	switch f.Name {
	case "Command": // of a nested message
		j.quoted(f.Names())
	case "Version":
		j.b = strconv.AppendUint(j.b, uint64(f.Num), 10)
	case "VersionOrSystemPlayerID":
		j.hex(f.Num, 8)
	case "token":
		j.named(f, func() { j.hex(f.Num, 3) })
	default:
		j.named(f, func() { j.b = strconv.AppendUint(j.b, uint64(f.Num), 10) })
	}
}

func (j *JSON) hex(v uint32, digits int) {
	j.b = append(j.b, '"')
	j.b = appendHex(j.b, v, digits)
	j.b = append(j.b, '"')
}

// text writes a name or password; its object later gets "encoding" if it was in 8 bits.
func (j *JSON) text(t wire.Text) {
	top := &j.levels[len(j.levels)-1]
	if t.Encoding() == wire.EightBit {
		top.text8 = true
	} else {
		top.text16 = true
	}
	j.quoted(t.String())
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

func (j *JSON) strayOctets(f *wire.Field) {
	if !j.stray {
		j.openList("stray")
		j.stray = true
	}
	j.comma()
	j.b = append(j.b, `{"offset":`...)
	j.b = strconv.AppendInt(j.b, int64(f.Offset), 10)
	j.b = append(j.b, `,"octets":`...)
	j.octets(f.Raw)
	j.b = append(j.b, '}')
}

func (j *JSON) endStray() {
	if j.stray {
		j.stray = false
		j.close()
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

func (j *JSON) key(name string) {
	j.comma()
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

func (j *JSON) openObject(name string) {
	j.key(name)
	j.b = append(j.b, '{')
	j.levels = append(j.levels, level{})
}

func (j *JSON) openList(name string) {
	j.key(name)
	j.b = append(j.b, '[')
	j.levels = append(j.levels, level{list: true})
}

// close ends the object or list that was opened last.
func (j *JSON) close() {
	top := j.levels[len(j.levels)-1]
	if top.list {
		j.b = append(j.b, ']')
	} else {
		if top.text8 {
			encoding := "8-bit"
			if top.text16 {
				encoding = "mixed"
			}
			j.string("encoding", encoding)
		}
		j.b = append(j.b, '}')
	}
	j.levels = j.levels[:len(j.levels)-1]
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
