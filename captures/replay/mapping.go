package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"dplay4/captures"
	"dplay4/wire"
)

// A mapping pairs values of the recording with ours. It is one to one.
type mapping struct {
	ours, recorded map[value]value // by the other one

	exact      bool // nothing is mapped
	recordings bool // both sides are captures: sockets may differ as well, and ticks of every command
}

// A value of a field that two runs have of their own. Those of different spaces are never paired.
type value struct {
	space  space
	num    uint32
	octets string // GUIDs, incarnations, sockets: num is zero
}

// A space is a set of values that are mapped to each other.
type space uint8

// The spaces. Equal values of the first three are paired as well: they name somebody.
const (
	fixed space = iota // the field is the same in every run
	ids
	guids
	runs   // incarnations of members of views
	asked  // numbers of questions, or digests of lists, in messages of views
	masks  // Reserved1 of a session, which ids are made with
	ticks  // TickCount
	socket // of a machine
)

// spaceOfKind and spaceOfName have the spaces of fields.
var (
	spaceOfKind = map[wire.Kind]space{wire.KindID: ids, wire.KindGUID: guids, wire.KindSockAddr: socket}
	spaceOfName = map[string]space{"Incarnation": runs, "Nonce": asked, "Base": asked, "Reserved1": masks, "SessionReserved1": masks,
		"TickCount": ticks}
)

// value returns the value of a field as it is mapped in messages of a command.
func (m *mapping) value(f *wire.Field, command string) value {
	s := cmp.Or(spaceOfKind[f.Kind], spaceOfName[f.Name])
	switch {
	case s == fixed, f.Size == 2, // Reserved1 of CREATEPLAYER
		f.Name == "ApplicationGUID", f.Name == "guidApplication",
		f.Name == "Base" && command != "EXTENSION VIEW ACK", // INSTALL returns this one as its nonce
		s == ticks && command != ping && !m.recordings,
		s == socket && !m.recordings:
		return value{}
	case s == socket: // without its padding
		return value{space: s, octets: texts[f.Kind](f)}
	}
	return value{s, f.Num, string(f.Raw)}
}

// idOf returns the value of an id.
func idOf(id wire.PlayerID) value { return value{space: ids, num: uint32(id)} }

// common reports whether a value means the same in every run: the id of nobody in particular, no GUID.
func (v value) common() bool {
	return slices.Contains(common, v)
}

// common are the values that mean the same in every run.
var common = []value{idOf(wire.IDAll), idOf(wire.IDServer), idOf(wire.IDUnknown), {space: guids, octets: string(make([]byte, len(wire.GUID{})))}}

// bind pairs two values unless one of them is paired.
func (m *mapping) bind(recorded, ours value) {
	if _, known := m.agree(recorded, ours); known || m.exact {
		return
	}
	if m.ours == nil {
		m.ours, m.recorded = map[value]value{}, map[value]value{}
	}
	m.ours[recorded], m.recorded[ours] = ours, recorded
}

// agree reports whether two values are paired with each other; known is false if neither is paired.
func (m *mapping) agree(recorded, ours value) (agree, known bool) {
	o, a := m.ours[recorded]
	_, b := m.recorded[ours]
	return a && o == ours, a || b
}

// own returns our value for a recorded one; itself if it is not paired.
func (m *mapping) own(recorded value) value {
	if o, ok := m.ours[recorded]; ok {
		return o
	}
	return recorded
}

// ownID returns our id for a recorded one; itself if it is not paired.
func (m *mapping) ownID(id wire.PlayerID) wire.PlayerID { return wire.PlayerID(m.own(idOf(id)).num) }

// mapped counts the pairs whose values differ. Ports are not in it.
func (m *mapping) mapped() Mapped {
	n := map[space]int{}
	for r, o := range m.ours {
		if r != o {
			n[r.space]++
		}
	}
	return Mapped{IDs: n[ids], GUIDs: n[guids], Ticks: n[ticks], Masks: n[masks], Sockets: n[socket]}
}

// translate returns a message that a machine was sent as its engine has to get it: with our values for those of the recording.
// An id that is not paired is paired with itself. A message that does not decode is translated up to that place. All values
// have a fixed length, so offsets and sizes stay.
func (m *mapping) translate(t captures.Transport, raw []byte, opts wire.Options) []byte {
	out := bytes.Clone(raw)
	if m.exact {
		return out
	}
	base, view := 0, false
	walk(t, raw, opts, func(f *wire.Field) {
		view = view || f.Name == "Step" // only EXTENSION VIEW has it
		base = max(base, -f.Offset)     // an SP header, if there is one, begins at the first field
		at := out[base+f.Offset:][:f.Size]
		if view && f.Name == tableMessage && f.Kind == wire.KindOctets {
			m.opaque(at)
			return
		}
		v := m.value(f, ping)
		if v.space == ids && !v.common() {
			m.bind(v, v)
		}
		switch own := m.own(v); {
		case own.octets != "":
			copy(at, own.octets)
		case own != v:
			binary.LittleEndian.PutUint32(at, own.num)
		}
	})
	return out
}

// opaque puts our values for recorded ones into an operation: ids as words, and the mask and the instance of a session as texts.
func (m *mapping) opaque(b []byte) {
	for at := 0; at+4 <= len(b); at += 4 {
		binary.LittleEndian.PutUint32(b[at:], uint32(m.ownID(wire.PlayerID(binary.LittleEndian.Uint32(b[at:])))))
	}
	replace := func(behind string, n int, own func(text string) string) {
		if _, text, ok := bytes.Cut(b, []byte(behind)); ok && len(text) >= n {
			copy(text, own(string(text[:n])))
		}
	}
	replace("reserved1=0x", 8, func(text string) string {
		v, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return text
		}
		return fmt.Sprintf("%08x", m.own(value{space: masks, num: uint32(v)}).num)
	})
	replace("instance=", 38, func(text string) string {
		g, err := wire.ParseGUID(text)
		if err != nil {
			return text
		}
		return wire.GUID([]byte(m.own(value{space: guids, octets: string(g[:])}).octets)).String()
	})
}
