package main

import (
	"encoding/hex"
	"math"
	"strings"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// fieldMaps hold every field of a message under the keys that it has in NDJSON. Numbers and ids are integers,
// flag words and values with a name are *word, octets are hexadecimal text.
type fieldMaps struct {
	header, message map[string]any
	wantHeader      bool // otherwise it stays empty

	keys  map[string]string // names of fields in snake case
	open  []container
	stray []any
}

// A container is an object or list that is being filled.
type container struct {
	key    string // under which it goes into the one before; "" for an element of a list
	object map[string]any
	list   []any
	texts  [2]bool // the object has texts in UTF-16, in 8 bits
}

// A word is a number with names: a flag word, a result, one of a list of values.
type word struct {
	value uint32
	names string // joined by "|" where there are several
	flags bool
}

// list gives the names one by one.
func (w *word) list() []string {
	if w.names == "" || w.flags && w.value == 0 {
		return []string{}
	}
	return strings.Split(w.names, "|")
}

// has says whether the word has a name.
func (w *word) has(name string) bool {
	for _, n := range w.list() {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// build fills the maps with the fields of a record; those of the record before are gone.
func (m *fieldMaps) build(walker *show.Walker, r *captures.Record) {
	if m.message == nil {
		m.header, m.message, m.keys = map[string]any{}, map[string]any{}, map[string]string{}
	}
	clear(m.header)
	clear(m.message)
	body := r.Base
	if r.Envelope.System {
		body += wire.HeaderSize
	}
	inHeader := r.Base > 0 && r.Frame == nil
	m.open = append(m.open[:0], container{object: m.message})
	if inHeader {
		m.open[0].object = m.header
	}
	walker.Walk(r, func(f *wire.Field) {
		if inHeader && f.Offset < r.Base && !m.wantHeader {
			return
		}
		if inHeader && f.Offset >= r.Base {
			inHeader = false
			m.closeAll()
			m.open = append(m.open, container{object: m.message})
		}
		if len(m.open) == 1 && r.Envelope.System && f.Offset >= r.Base && f.Offset < body {
			return // signature, command and version have names of their own in the environment
		}
		m.field(f)
	})
	m.closeAll() // a message that does not decode leaves some open
}

func (m *fieldMaps) closeAll() {
	m.endStray()
	for len(m.open) > 0 {
		m.close()
	}
}

func (m *fieldMaps) field(f *wire.Field) {
	if f.Kind != wire.KindStray {
		m.endStray()
	}
	switch f.Kind {
	case wire.KindStruct, wire.KindMessage:
		m.open = append(m.open, container{key: m.keyOf(f), object: map[string]any{}})
	case wire.KindList:
		m.open = append(m.open, container{key: m.keyOf(f), list: []any{}})
	case wire.KindEnd:
		m.close()
	case wire.KindStray:
		m.stray = append(m.stray, map[string]any{"offset": f.Offset, "octets": hex.EncodeToString(f.Raw)})
	default:
		if f.Name != "Signature" { // of a nested message; says nothing
			m.put(m.keyOf(f), m.value(f))
		}
	}
}

// keyOf gives the key of a field, "" for an element of a list.
func (m *fieldMaps) keyOf(f *wire.Field) string {
	if f.Index >= 0 {
		return ""
	}
	if f.Name == "Version" { // of a nested message
		return "dialect"
	}
	k, ok := m.keys[f.Name]
	if !ok {
		k = show.Snake(f.Name)
		m.keys[f.Name] = k
	}
	return k
}

func (m *fieldMaps) put(key string, v any) {
	top := &m.open[len(m.open)-1]
	if top.object == nil {
		top.list = append(top.list, v)
		return
	}
	top.object[key] = v
}

// close puts what was opened last into what was open before.
func (m *fieldMaps) close() {
	c := m.open[len(m.open)-1]
	m.open = m.open[:len(m.open)-1]
	switch {
	case c.texts == [2]bool{true, true}:
		c.object["encoding"] = "mixed"
	case c.texts[wire.EightBit]:
		c.object["encoding"] = "8-bit"
	}
	switch {
	case len(m.open) == 0:
	case c.object != nil:
		m.put(c.key, c.object)
	default:
		m.put(c.key, c.list)
	}
}

func (m *fieldMaps) endStray() {
	if len(m.stray) > 0 {
		m.put("stray", m.stray)
		m.stray = nil
	}
}

func (m *fieldMaps) value(f *wire.Field) any {
	switch f.Kind {
	case wire.KindNumber, wire.KindHex, wire.KindID:
		return wireNumber(f.Num)
	case wire.KindFlags:
		return &word{f.Num, f.Names(), true}
	case wire.KindHResult:
		return &word{f.Num, f.Names(), false}
	case wire.KindNamed:
		return namedValue(f)
	case wire.KindGUID:
		var g wire.GUID
		copy(g[:], f.Raw)
		return g.String()
	case wire.KindText:
		t := wire.Text(f.Raw)
		m.open[len(m.open)-1].texts[t.Encoding()] = true
		return t.String()
	case wire.KindSockAddr:
		return wire.ParseSockAddr(f.Raw).String()
	}
	return hex.EncodeToString(f.Raw)
}

// namedValue gives a value of a list of names. The exceptions are those of the NDJSON.
func namedValue(f *wire.Field) any {
	switch f.Name {
	case "Command":
		return f.Names()
	case "Version", "VersionOrSystemPlayerID":
		return wireNumber(f.Num)
	}
	return &word{f.Num, f.Names(), false}
}

// wireNumber gives a number off the wire as the integer that constants of filters are, or as a longer one where
// that has 32 bits and is too small.
func wireNumber(v uint32) any {
	if uint64(v) > math.MaxInt {
		return int64(v)
	}
	return int(v)
}
