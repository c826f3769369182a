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
	record   *captures.Record
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
	if w.keys == nil {
		w.keys, w.each = snakeNames{}, w.field
	}
	w.visit, w.open, w.stray, w.record = visit, w.open[:0], false, r
	w.inHeader = r.Frame == nil && r.Base > 0
	if w.inHeader {
		w.begin("header", wire.KindStruct)
	} else {
		w.begin("message", wire.KindStruct)
	}
	w.Walk(r, w.each)
	w.message()
	w.end(0)
}

// message ends the header, if it is open.
func (w *Walker) message() {
	if w.inHeader {
		w.inHeader = false
		w.end(0)
		w.begin("message", wire.KindStruct)
	}
}

// field takes a field of the record.
func (w *Walker) field(f *wire.Field) {
	body := w.record.Base
	if w.record.Envelope.System() {
		body += wire.HeaderSize
	}
	if f.Offset >= body {
		w.message()
	}
	if len(w.open) > 1 || f.Offset < w.record.Base || f.Offset >= body { // signature, command and version stand in the record itself
		w.value(f)
	}
}

// An opened is an object or list that has begun.
type opened struct {
	list  bool
	texts [2]bool // it has texts in UTF-16, in 8 bits
}

func (w *Walker) begin(key string, kind wire.Kind) {
	w.open = append(w.open, opened{list: kind == wire.KindList})
	w.say(key, wire.Field{Kind: kind})
}

// say visits a field that no message has.
func (w *Walker) say(key string, f wire.Field) {
	w.own = f
	w.own.Index = -1
	w.visit(key, &w.own)
}

// end ends objects and lists until so many are left.
func (w *Walker) end(left int) {
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

func (w *Walker) endStray() {
	if w.stray {
		w.stray = false
		w.end(len(w.open) - 1)
	}
}

// value visits a field as the value that it is.
func (w *Walker) value(f *wire.Field) {
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
func (w *Walker) named(key string, f *wire.Field) {
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
func (w *Walker) strayOctets(f *wire.Field) {
	if !w.stray {
		w.begin("stray", wire.KindList)
		w.stray = true
	}
	w.say("", wire.Field{Kind: wire.KindStruct})
	w.say("offset", wire.Field{Kind: wire.KindNumber, Num: uint32(f.Offset)})
	w.visit("octets", f)
	w.say("", wire.Field{Kind: wire.KindEnd})
}
