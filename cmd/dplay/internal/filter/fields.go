package filter

import (
	"math"
	"strings"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// fieldMaps hold every field of a message under the keys that it has in NDJSON. Numbers and ids are integers,
// flag words and values with a name are *word.
type fieldMaps struct {
	header, message map[string]any
	wantHeader      bool // otherwise it stays empty

	walker show.Walker
	visit  show.ValueVisitor // take: made once
	open   []container
	skip   bool // what comes is of the header, which is not wanted
}

// A container is an object or list that is being filled.
type container struct {
	key    string // under which it goes into the one before; "" for an element of a list
	object map[string]any
	list   []any
}

// A word is a number with names: a flag word, a result, one of a list of values.
type word struct {
	value uint32
	names string // joined by "|" where there are several
	flags bool
}

// list returns the names one by one.
func (w *word) list() []string {
	if w.names == "" || w.flags && w.value == 0 {
		return []string{}
	}
	return strings.Split(w.names, "|")
}

// has reports whether the word has a name.
func (w *word) has(name string) bool {
	for _, n := range w.list() {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// build fills the maps with the fields of a record; those of the record before are gone.
func (m *fieldMaps) build(r *captures.Record) {
	if m.message == nil {
		m.header, m.message, m.visit = map[string]any{}, map[string]any{}, m.take
	}
	clear(m.header)
	clear(m.message)
	m.walker.Values(r, m.visit)
}

// take takes a value.
func (m *fieldMaps) take(key string, f *wire.Field) {
	switch {
	case m.skip:
		m.skip = f.Kind != wire.KindEnd // nothing in a header has an end of its own
	case f.Kind == wire.KindStruct && len(m.open) > 0:
		m.open = append(m.open, container{key: key, object: map[string]any{}})
	case f.Kind == wire.KindStruct && key == "message":
		m.open = append(m.open, container{object: m.message})
	case f.Kind == wire.KindStruct && m.wantHeader:
		m.open = append(m.open, container{object: m.header})
	case f.Kind == wire.KindStruct:
		m.skip = true
	case f.Kind == wire.KindList:
		m.open = append(m.open, container{key: key, list: []any{}})
	case f.Kind == wire.KindEnd:
		m.close()
	default:
		m.put(key, value(f))
	}
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
	case len(m.open) == 0:
	case c.object != nil:
		m.put(c.key, c.object)
	default:
		m.put(c.key, c.list)
	}
}

func value(f *wire.Field) any {
	switch f.Kind {
	case wire.KindNumber, wire.KindHex, wire.KindID:
		return wireNumber(f.Num)
	case wire.KindFlags:
		return &word{f.Num, f.Names(), true}
	case wire.KindHResult, wire.KindNamed:
		return &word{f.Num, f.Names(), false}
	case wire.KindGUID:
		var g wire.GUID
		copy(g[:], f.Raw)
		return g.String()
	case wire.KindText:
		return wire.Text(f.Raw).String()
	case wire.KindSockAddr:
		return wire.ParseSockAddr(f.Raw).String()
	}
	return present(f.Raw)
}

// wireNumber returns a number off the wire as the integer that constants of filters are, or as a longer one where
// that has 32 bits and is too small.
func wireNumber(v uint32) any {
	if uint64(v) > math.MaxInt {
		return int64(v)
	}
	return int(v)
}
