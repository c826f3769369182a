package show

import (
	"encoding/binary"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// carriesTable reports whether a message is an EXTENSION with messages of [MC-DPL8CS] in fields "Message".
func carriesTable(m wire.Message) bool {
	x, ok := m.(*wire.Extension)
	if !ok {
		return false
	}
	switch x.Body.(type) {
	case *wire.ExtensionTable, *wire.ExtensionView:
		return true
	}
	return false
}

// A tableFields turns the fields of a [MC-DPL8CS] message into those of an object. Package dpl8 reports what elements
// of a list point to after the list, each with its element's index; here it stands at the end of that element, as in
// all other messages.
type tableFields struct {
	fields []wire.Field
	parts  map[int][]wire.Field // by the element of the message's first list
}

// walk reports the fields of the message that an octets field holds. It reports nothing, and gives false, if the message
// does not decode.
func (t *tableFields) walk(outer *wire.Field, visit wire.Visitor) bool {
	t.fields, t.parts = t.fields[:0], nil
	in, depth := -1, 0 // in: whose part it is; -1: of none
	m, err := dpl8.Visit(outer.Raw, func(f *wire.Field) {
		g := *f
		g.Offset += outer.Offset
		if depth == 0 && f.Index >= 0 {
			in = f.Index
			g.Index = -1
		}
		switch {
		case f.Kind == wire.KindMessage:
			g.Kind = wire.KindStruct // dwMsgId, above, says which operation it is
			depth++
		case f.Kind == wire.KindList || f.Kind == wire.KindStruct:
			depth++
		case f.Kind == wire.KindEnd:
			depth--
		case f.Name == "op":
			g.Name = "opOctets" // an operation that does not decode; a key has the same type in every message
		}
		t.keep(in, g)
		if depth == 0 {
			in = -1
		}
	})
	if err != nil {
		return false
	}
	t.round(m)
	visit(&wire.Field{Name: outer.Name, Index: -1, Offset: outer.Offset, Kind: wire.KindStruct})
	t.report(visit)
	visit(&wire.Field{Index: -1, Offset: outer.Offset + outer.Size, Kind: wire.KindEnd})
	return true
}

// round names what releases before views added to DN_HOST_MIGRATE.
func (t *tableFields) round(m dpl8.Message) {
	last := len(t.fields) - 1
	f := t.fields[last]
	if f.Kind != wire.KindStray || !captures.RoundOctets(m, f.Raw) {
		return
	}
	word := func(name string, index, at int, kind wire.Kind) wire.Field {
		return wire.Field{Name: name, Index: index, Offset: f.Offset + at, Size: 4, Kind: kind,
			Num: binary.LittleEndian.Uint32(f.Raw[at:])}
	}
	const gone = "Gone" // hosts and candidates
	n := len(f.Raw)/4 - 1
	t.fields = append(t.fields[:last], word("Round", -1, 0, wire.KindNumber),
		wire.Field{Name: gone, Index: -1, Offset: f.Offset + 4, Kind: wire.KindList, Num: uint32(n)})
	for i := range n {
		t.fields = append(t.fields, word(gone, i, 4+4*i, wire.KindID))
	}
	t.fields = append(t.fields, wire.Field{Index: -1, Offset: f.Offset + f.Size, Kind: wire.KindEnd})
}

func (t *tableFields) keep(in int, f wire.Field) {
	if in < 0 {
		t.fields = append(t.fields, f)
		return
	}
	if t.parts == nil {
		t.parts = map[int][]wire.Field{}
	}
	t.parts[in] = append(t.parts[in], f)
}

// report reports what was kept, with the parts in their elements.
func (t *tableFields) report(visit wire.Visitor) {
	depth, element := 0, -1
	for i := range t.fields {
		f := &t.fields[i]
		switch f.Kind {
		case wire.KindList, wire.KindStruct:
			if depth++; depth == 2 {
				element = f.Index
			}
		case wire.KindEnd:
			if depth == 2 {
				for j := range t.parts[element] {
					visit(&t.parts[element][j])
				}
				delete(t.parts, element) // they are of the first list
			}
			depth--
		}
		visit(f)
	}
}
