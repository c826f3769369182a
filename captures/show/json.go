package show

import (
	"encoding/base64"
	"strconv"
	"strings"

	"dplay4/captures"
	"dplay4/captures/jsonline"
	"dplay4/wire"
)

// JSON writes records as JSON objects, one for each; NDJSON.md in this folder describes them. The zero
// value is ready; it must not be copied once it was used.
type JSON struct {
	Payload PayloadFormat // how octets are written

	draft  draft // of the record that Append writes
	walker Walker
	visit  ValueVisitor // value: made once
	b      []byte
	levels []byte // the brackets that close what is open
	clock  clock

	sockets sockets
}

// Append appends the object of a record, without a newline.
func (j *JSON) Append(b []byte, r *captures.Record) []byte {
	j.draft.of(r)
	return j.append(b, &j.draft)
}

// AppendDraft appends the object of the draft with an index, as Append did of its record.
func (j *JSON) AppendDraft(b []byte, d *Drafts, i int) []byte { return j.append(b, &d.list[i]) }

func (j *JSON) append(b []byte, d *draft) []byte {
	b = strconv.AppendInt(append(b, `{"n":`...), int64(d.n), 10)
	b = append(b, `,"frames":[`...)
	for i, f := range d.frames {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(f), 10)
	}
	b = j.clock.append(append(b, `],"time":"`...), d.time)
	b = AppendSeconds(append(b, `","relative":`...), d.since)
	b = AppendSeconds(append(b, `,"gap":`...), d.gap)
	b = append(append(b, `,"transport":"`...), d.transport.String()...)
	b = j.sockets.append(append(b, `","src":"`...), d.src) // nothing in addresses and commands has to be escaped
	b = j.sockets.append(append(b, `","dst":"`...), d.dst)
	b = strconv.AppendInt(append(b, `","conversation":`...), int64(d.conversation), 10)
	b = strconv.AppendInt(append(b, `,"size":`...), int64(len(d.source.raw)), 10)
	b = append(append(b, `,"command":"`...), d.command...)
	b = append(b, `","dialect":`...)
	if d.system {
		b = strconv.AppendUint(b, uint64(d.dialect), 10)
	} else {
		b = append(b, "null"...)
	}
	if d.via != 0 {
		b = append(append(append(b, `,"via":"`...), d.via.String()...), '"')
	}
	if d.step.Link != nil || d.foreign {
		b = appendStep(b, d)
	}
	j.b, j.levels = b, append(j.levels[:0], '}')
	if d.from != "" {
		j.string("from_name", d.from)
	}
	if d.to != "" {
		j.string("to_name", d.to)
	}
	if j.visit == nil {
		j.visit = j.value
	}
	j.walker.source = d.source
	j.walker.valuesOf(j.visit)
	if len(d.findings) == 0 {
		return append(j.b, `,"findings":[]}`...)
	}
	j.findings(d.findings)
	j.close()
	return j.b
}

// appendStep appends what a frame meant for its link. What is nothing has no key.
func appendStep(b []byte, d *draft) []byte {
	s := &d.step
	number := 0
	if s.Link != nil {
		number = s.Link.Number
	}
	for _, k := range [...]struct {
		key string
		n   int
	}{{`,"link":`, number}, {`,"again":`, s.Again}, {`,"missing":`, s.Missing}, {`,"answers":`, s.Answers}} {
		if k.n > 0 {
			b = strconv.AppendInt(append(b, k.key...), int64(k.n), 10)
		}
	}
	if s.Trip > 0 {
		b = AppendSeconds(append(b, `,"trip":`...), s.Trip)
	}
	if d.foreign {
		b = append(b, `,"foreign":true`...)
	}
	return b
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
		j.b = append(wire.GUID(f.Raw).AppendText(append(j.b, '"')), '"')
	case wire.KindText:
		j.quoted(wire.Text(f.Raw).String())
	case wire.KindSockAddr:
		j.b = append(wire.ParseSockAddr(f.Raw).AppendTo(append(j.b, '"')), '"')
	default:
		j.octets(f.Raw)
	}
}

func (j *JSON) hex(v uint32, digits int) { j.b = append(appendHex(append(j.b, '"'), v, digits), '"') }

func (j *JSON) flags(f *wire.Field) {
	j.b = append(j.b, `{"value":`...)
	j.b = strconv.AppendUint(j.b, uint64(f.Num), 10)
	j.b = append(j.b, `,"names":[`...)
	if f.Num != 0 {
		at := len(j.b)
		for n := range strings.SplitSeq(f.Names(), "|") {
			if len(j.b) > at {
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
	j.quotedOrNull(f.Names())
	j.b = append(j.b, '}')
}

func (j *JSON) octets(p []byte) {
	switch j.Payload {
	case PayloadNone:
		j.null()
	case PayloadBase64:
		j.b = append(base64.StdEncoding.AppendEncode(append(j.b, '"'), p), '"')
	case PayloadText:
		j.quoted(Text(p))
	default:
		j.b = append(appendOctets(append(j.b, '"'), p), '"')
	}
}

func (j *JSON) findings(list []captures.Finding) {
	j.openList("findings")
	for i := range list {
		j.comma()
		j.b = AppendFinding(j.b, &list[i])
	}
	j.close()
}

// AppendFinding appends a finding as an object: code, field, offset and text, and the frame where it has one.
func AppendFinding(b []byte, f *captures.Finding) []byte {
	j := JSON{b: append(b, '{'), levels: []byte{'}'}}
	j.string("code", string(f.Code))
	j.orNull("field", f.Field)
	if f.Offset >= 0 {
		j.number("offset", f.Offset)
	} else {
		j.key("offset")
		j.null()
	}
	j.string("text", f.Text)
	if f.Frame > 0 {
		j.number("frame", int64(f.Frame))
	}
	j.close()
	return j.b
}

// comma separates an element from the one before it, if there is one.
func (j *JSON) comma() {
	if last := j.b[len(j.b)-1]; last != '{' && last != '[' {
		j.b = append(j.b, ',')
	}
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

// orNull is string, but null for an empty one.
func (j *JSON) orNull(name, v string) {
	j.key(name)
	j.quotedOrNull(v)
}

func (j *JSON) quotedOrNull(v string) {
	if v == "" {
		j.null()
		return
	}
	j.quoted(v)
}

func (j *JSON) null() { j.b = append(j.b, "null"...) }

// open begins an object or a list.
func (j *JSON) open(list bool) {
	if list {
		j.b, j.levels = append(j.b, '['), append(j.levels, ']')
		return
	}
	j.b, j.levels = append(j.b, '{'), append(j.levels, '}')
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
	j.b, j.levels = append(j.b, j.levels[last]), j.levels[:last]
}

func (j *JSON) quoted(s string) { j.b = jsonline.AppendString(j.b, s) }
