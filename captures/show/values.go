package show

import (
	"dplay4/captures"
	"dplay4/wire"
)

// A ValueVisitor takes the values of a record one by one. The fields with which objects and lists begin and end are
// KindStruct, KindList and KindEnd. The key is that of NDJSON.md, "" for an element of a list and for KindEnd.
type ValueVisitor func(key string, f *wire.Field)

// A valueWalk is what Walker.Values knows on its way.
type valueWalk struct {
	visit    ValueVisitor
	each     wire.Visitor // Walker.field: made once
	keys     snakeNames
	inHeader bool
	open     []opened
	stray    bool       // a list of stray octets is open
	own      wire.Field // what say visits: likewise
}

// Values visits what NDJSON.md has of a record's fields: the objects "header", if there is one, and "message", with all
// that is in them. A message that does not decode is visited as far as it does, and its objects end all the same.
func (w *Walker) Values(r *captures.Record, visit ValueVisitor) {
	w.source.of(r)
	w.valuesOf(visit)
}

// valuesOf visits the values of the source.
func (w *Walker) valuesOf(visit ValueVisitor) {
	v := &w.values
	if v.each == nil {
		v.each = w.field
	}
	v.visit, v.open, v.stray, v.inHeader = visit, v.open[:0], false, w.source.header
	name := "message"
	if v.inHeader {
		name = "header"
	}
	v.begin(name, wire.KindStruct)
	w.walk(v.each)
	v.message()
	v.end(0)
}

// message ends the header, if it is open.
func (w *valueWalk) message() {
	if w.inHeader {
		w.inHeader = false
		w.end(0)
		w.begin("message", wire.KindStruct)
	}
}

// field takes a field of the record.
func (w *Walker) field(f *wire.Field) {
	s, v := &w.source, &w.values
	if f.Offset >= s.body {
		v.message()
	}
	if len(v.open) > 1 || f.Offset < s.base || f.Offset >= s.body { // signature, command and version stand in the record itself
		v.value(f)
	}
}

// An opened is an object or list that has begun.
type opened struct {
	list  bool
	texts [2]bool // it has texts in UTF-16, in 8 bits
}

func (w *valueWalk) begin(key string, kind wire.Kind) {
	w.open = append(w.open, opened{list: kind == wire.KindList})
	w.say(key, wire.Field{Kind: kind})
}

// say visits a field that no message has.
func (w *valueWalk) say(key string, f wire.Field) {
	w.own = f
	w.own.Index = -1
	w.visit(key, &w.own)
}

// end ends objects and lists until so many are left.
func (w *valueWalk) end(left int) {
	w.endStray()
	for len(w.open) > left {
		last := w.open[len(w.open)-1]
		if last.texts[wire.EightBit] && !last.list {
			encoding := eightBit
			if last.texts[wire.UTF16] {
				encoding = mixed
			}
			w.say("encoding", wire.Field{Kind: wire.KindText, Raw: encoding})
		}
		w.open = w.open[:len(w.open)-1]
		w.say("", wire.Field{Kind: wire.KindEnd})
	}
}

// What an object says of its texts.
var eightBit, mixed = wire.NewText("8-bit"), wire.NewText("mixed")

func (w *valueWalk) endStray() {
	if w.stray {
		w.stray = false
		w.end(len(w.open) - 1)
	}
}

// value visits a field as the value that it is.
func (w *valueWalk) value(f *wire.Field) {
	if f.Kind == wire.KindStray {
		w.strayOctets(f)
		return
	}
	w.endStray()
	key := ""
	if f.Index < 0 {
		key = w.keys.key(f.Name)
	}
	switch f.Kind {
	case wire.KindStruct, wire.KindMessage:
		w.begin(key, wire.KindStruct)
	case wire.KindList:
		w.begin(key, wire.KindList)
	case wire.KindEnd:
		w.end(len(w.open) - 1)
	case wire.KindText:
		w.open[len(w.open)-1].texts[wire.Text(f.Raw).Encoding()] = true
		w.visit(key, f)
	case wire.KindHex:
		if f.Name != "Signature" { // of a nested message; says nothing
			w.visit(key, f)
		}
	case wire.KindNamed:
		w.named(key, f)
	default:
		w.visit(key, f)
	}
}

// named visits a value of a list. A key has the same type in every message, so the two things that the last field of a
// SUPERPACKEDPLAYER can be are both ids.
func (w *valueWalk) named(key string, f *wire.Field) {
	w.own = *f
	g := &w.own
	switch f.Name {
	case "Command": // of a nested message
		g.Kind, g.Raw = wire.KindText, wire.NewText(f.Names())
	case "Version": // likewise
		g.Kind = wire.KindNumber
		if f.Index < 0 {
			key = "dialect"
		}
	case "VersionOrSystemPlayerID":
		g.Kind = wire.KindID
	}
	w.visit(key, g)
}

// strayOctets visits octets that belong to no field, which are a list of objects.
func (w *valueWalk) strayOctets(f *wire.Field) {
	if !w.stray {
		w.begin("stray", wire.KindList)
		w.stray = true
	}
	w.say("", wire.Field{Kind: wire.KindStruct})
	w.say("offset", wire.Field{Kind: wire.KindNumber, Num: uint32(f.Offset)})
	w.visit("octets", f)
	w.say("", wire.Field{Kind: wire.KindEnd})
}
