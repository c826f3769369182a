package directplay

import (
	"encoding/binary"

	"dplay4/wire"
)

// Layout says how structures are in the memory of the game that gets them.
type Layout struct {
	Pointer int                 // octets of a pointer: 4 or 8
	Base    uint64              // where the buffer is, so that pointers into it are right
	Wide    bool                // texts are UTF-16LE; else 8-bit
	Narrow  func(string) []byte // 8-bit text in the game's code page, without its end; nil: Windows-1252
}

func (l Layout) connectionSize() int { return 8 + 2*l.Pointer + 16 + 2*l.Pointer } // with padding behind its last DWORD
func (l Layout) sessionSize() int    { return 48 + 2*l.Pointer + 24 }
func (l Layout) nameSize() int       { return 8 + 2*l.Pointer }

// memory composes what a game gets: structures, and behind them what their pointers point to.
type memory struct {
	Layout
	b []byte
}

func (m *memory) u32(values ...uint32) {
	for _, v := range values {
		m.b = binary.LittleEndian.AppendUint32(m.b, v)
	}
}

func (m *memory) guid(g wire.GUID) { m.b = append(m.b, g[:]...) }

func (m *memory) align(n int) {
	for len(m.b)%n != 0 {
		m.b = append(m.b, 0)
	}
}

// pointer appends NULL and returns its place, for point.
func (m *memory) pointer() int {
	m.align(m.Pointer)
	at := len(m.b)
	m.b = append(m.b, make([]byte, m.Pointer)...)
	return at
}

// point has the pointer at a place point to what is appended next.
func (m *memory) point(at int) {
	to := m.Base + uint64(len(m.b))
	if m.Pointer == 4 {
		binary.LittleEndian.PutUint32(m.b[at:], uint32(to))
	} else {
		binary.LittleEndian.PutUint64(m.b[at:], to)
	}
}

// text appends a text with its end and points to it; nil stays NULL.
func (m *memory) text(at int, s *string) {
	switch {
	case s == nil:
	case m.Wide:
		m.align(2)
		m.point(at)
		m.b = append(m.b, wire.NewText(*s)...)
	default:
		m.point(at)
		m.b = append(append(m.b, m.narrow(*s)...), 0)
	}
}

// narrow returns 8-bit text without its end.
func (l Layout) narrow(s string) []byte {
	if l.Narrow != nil {
		return l.Narrow(s)
	}
	b := wire.NewText8(s) // padded to whole WCHARs, and one more
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// settings composes DPLCONNECTION and what belongs to it: the structures first, then texts and address.
func (l Layout) settings(s *Settings) []byte {
	m := memory{Layout: l}
	m.u32(uint32(l.connectionSize()), s.Flags)
	session, player := m.pointer(), m.pointer()
	m.guid(s.Provider)
	address := m.pointer()
	m.u32(uint32(len(s.Address)))
	m.align(l.Pointer)

	m.point(session)
	texts := m.session(&s.Session)
	if s.Player != nil {
		m.point(player)
		m.u32(uint32(l.nameSize()), 0)
		texts = append(texts, pending{m.pointer(), s.Player.Short}, pending{m.pointer(), s.Player.Long})
	}
	for _, t := range texts {
		m.text(t.at, t.text)
	}
	if s.Address != nil {
		m.align(4) // its numbers are read in place
		m.point(address)
		m.b = append(m.b, s.Address...)
	}
	return m.b
}

// pending is a text that is to follow the structures.
type pending struct {
	at   int
	text *string
}

// session appends DPSESSIONDESC2 and returns its texts.
func (m *memory) session(s *SessionSettings) []pending {
	d := &s.Desc
	m.u32(uint32(m.sessionSize()), uint32(d.Flags))
	m.guid(d.Instance)
	m.guid(d.Application)
	m.u32(d.MaxPlayers, d.CurrentPlayers)
	name, password := m.pointer(), m.pointer()
	m.u32(d.Reserved1, d.Reserved2, d.User[0], d.User[1], d.User[2], d.User[3])
	return []pending{{name, s.Name}, {password, s.Password}}
}
