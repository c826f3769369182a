package view

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// Lists and operations travel as messages of [MC-DPL8CS], each with the number of the operation.

// pack returns an operation as a message; nil if it does not fit in one. No leader numbers such an operation.
func pack(n playerlist.Numbered) []byte {
	b, err := hostmigrate.AppendOperation(nil, n)
	if err != nil {
		return nil
	}
	return b
}

// unpack returns the operation of a message.
func unpack(b []byte) (playerlist.Numbered, error) {
	m, err := dpl8.Decode(b)
	if err != nil {
		return playerlist.Numbered{}, err
	}
	return hostmigrate.FromOperation(m)
}

func unpackAll(all [][]byte) ([]playerlist.Numbered, error) {
	ops := make([]playerlist.Numbered, 0, len(all))
	for i, b := range all {
		n, err := unpack(b)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
		ops = append(ops, n)
	}
	return ops, nil
}

// packState returns a list as messages. If whose is a system player, it returns that machine's own part: its players and groups, the
// members of its groups, and the groups that it is in.
func packState(l *playerlist.List, whose wire.PlayerID) (all [][]byte) {
	s := l.State()
	if whose == 0 {
		all = append(all, pack(playerlist.Numbered{Op: playerlist.SetDesc{Session: s.Session}}))
	}
	owner := map[wire.PlayerID]wire.PlayerID{}
	group := map[wire.PlayerID]bool{}
	links := s.Links
	link := func(k playerlist.Link) {
		if whose != 0 && owner[k.Group] != whose && owner[k.Member] != whose {
			return
		}
		var op playerlist.Op = playerlist.AddMember{Group: k.Group, Player: k.Member}
		if group[k.Member] {
			op = playerlist.AddShortcut{Parent: k.Group, Child: k.Member}
		}
		all = append(all, pack(playerlist.Numbered{Version: k.Version, Op: op}))
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		for len(links) > 0 && links[0].Version < e.Added {
			link(links[0])
			links = links[1:]
		}
		owner[e.ID], group[e.ID] = e.System, e.Group
		if whose != 0 && e.System != whose {
			continue
		}
		all = append(all, pack(playerlist.Numbered{Version: e.Added, Op: adds(e)}))
	}
	for _, k := range links {
		link(k)
	}
	return all
}

// adds returns the operation that adds an entry.
func adds(e *playerlist.Entry) playerlist.Op {
	if e.Group {
		return playerlist.AddGroup{Entry: *e}
	}
	return playerlist.AddPlayer{Entry: *e}
}

// unpackState returns the list that packState made messages of.
func unpackState(ops []playerlist.Numbered, version uint32) (*playerlist.List, error) {
	s := playerlist.State{Version: version, Entries: []playerlist.Entry{}}
	for _, n := range ops {
		switch o := n.Op.(type) {
		case playerlist.SetDesc:
			s.Session = o.Session
		case playerlist.AddPlayer:
			o.Entry.Added = n.Version
			s.Entries = append(s.Entries, o.Entry)
		case playerlist.AddGroup:
			o.Entry.Added, o.Entry.Group = n.Version, true
			s.Entries = append(s.Entries, o.Entry)
		case playerlist.AddMember:
			s.Links = append(s.Links, playerlist.Link{Group: o.Group, Member: o.Player, Version: n.Version})
		case playerlist.AddShortcut:
			s.Links = append(s.Links, playerlist.Link{Group: o.Parent, Member: o.Child, Version: n.Version})
		default:
			return nil, hostmigrate.ErrNoOperation
		}
	}
	return playerlist.Load(s)
}

// replaced returns an operation with its ids replaced. One about the session has wire.IDUnknown.
func replaced(op playerlist.Op, id func(wire.PlayerID) wire.PlayerID) playerlist.Op {
	switch o := op.(type) {
	case playerlist.AddPlayer:
		o.Entry.ID, o.Entry.System = id(o.Entry.ID), id(o.Entry.System)
		return o
	case playerlist.AddGroup:
		o.Entry.ID, o.Entry.System, o.Entry.Parent = id(o.Entry.ID), id(o.Entry.System), id(o.Entry.Parent)
		return o
	case playerlist.DeletePlayer:
		return playerlist.DeletePlayer{ID: id(o.ID)}
	case playerlist.DeleteGroup:
		return playerlist.DeleteGroup{ID: id(o.ID)}
	case playerlist.SetName:
		o.ID = id(o.ID)
		return o
	case playerlist.SetData:
		o.ID = id(o.ID)
		return o
	case playerlist.SetInfo:
		o.ID = id(o.ID)
		return o
	case playerlist.SetSPData:
		o.ID = id(o.ID)
		return o
	case playerlist.AddMember:
		return playerlist.AddMember{Group: id(o.Group), Player: id(o.Player)}
	case playerlist.RemoveMember:
		return playerlist.RemoveMember{Group: id(o.Group), Player: id(o.Player)}
	case playerlist.AddShortcut:
		return playerlist.AddShortcut{Parent: id(o.Parent), Child: id(o.Child)}
	case playerlist.RemoveShortcut:
		return playerlist.RemoveShortcut{Parent: id(o.Parent), Child: id(o.Child)}
	}
	id(wire.IDUnknown)
	return op
}

// same reports whether two operations are equal; the addresses of what they add do not matter, because each program has its own.
func same(a, b playerlist.Op) bool {
	if x, ok := a.(playerlist.AddPlayer); ok {
		y, ok := b.(playerlist.AddPlayer)
		return ok && alike(&x.Entry, &y.Entry)
	}
	if x, ok := a.(playerlist.AddGroup); ok {
		y, ok := b.(playerlist.AddGroup)
		return ok && alike(&x.Entry, &y.Entry)
	}
	x := pack(playerlist.Numbered{Op: a})
	return x != nil && bytes.Equal(x, pack(playerlist.Numbered{Op: b}))
}

// alike reports whether two operations add the same player or group.
func alike(a, b *playerlist.Entry) bool {
	return a.ID == b.ID && (a.System == b.System || a.Flags&b.Flags&wire.PlayerSystem != 0) && a.Parent == b.Parent &&
		bytes.Equal(a.ShortName, b.ShortName) && bytes.Equal(a.LongName, b.LongName) && bytes.Equal(a.Data, b.Data)
}

// holds reports whether a list is as an operation makes it.
func holds(l *playerlist.List, op playerlist.Op) bool {
	text := func(id wire.PlayerID, short, long wire.Text) bool {
		e, ok := l.Look(id)
		return ok && bytes.Equal(e.ShortName, short) && bytes.Equal(e.LongName, long)
	}
	data := func(id wire.PlayerID, b []byte) bool {
		e, ok := l.Look(id)
		return ok && bytes.Equal(e.Data, b)
	}
	added := func(e *playerlist.Entry, group bool) bool {
		has, ok := l.Look(e.ID)
		return ok && has.Group == group && alike(&has, e)
	}
	switch o := op.(type) {
	case playerlist.AddPlayer:
		return added(&o.Entry, false)
	case playerlist.AddGroup:
		return added(&o.Entry, true)
	case playerlist.DeletePlayer:
		return !has(l, o.ID)
	case playerlist.DeleteGroup:
		return !has(l, o.ID)
	case playerlist.SetName:
		return text(o.ID, o.ShortName, o.LongName)
	case playerlist.SetData:
		return data(o.ID, o.Data)
	case playerlist.SetInfo:
		return text(o.ID, o.ShortName, o.LongName) && data(o.ID, o.Data)
	case playerlist.SetSPData:
		e, ok := l.Look(o.ID)
		return ok && bytes.Equal(e.SPData, o.SPData)
	case playerlist.AddMember:
		return l.IsMember(o.Group, o.Player)
	case playerlist.RemoveMember:
		return !l.IsMember(o.Group, o.Player)
	case playerlist.AddShortcut:
		return slices.Contains(l.AppendShortcuts(nil, o.Parent), o.Child)
	case playerlist.RemoveShortcut:
		return !slices.Contains(l.AppendShortcuts(nil, o.Parent), o.Child)
	case playerlist.SetHost:
		return l.Host() == o.ID
	case playerlist.SetDesc:
		return same(o, playerlist.SetDesc{Session: l.Session()})
	}
	return true
}

// An assembly is a message that is not whole yet.
type assembly struct {
	first  *wire.ExtensionView // without its operations
	ops    []playerlist.Numbered
	came   uint16
	octets int
	since  time.Duration // when a part came last
}

// add adds the next part, and reports whether it follows the one before and the message stays within most octets. The first part begins anew.
func (a *assembly) add(m *wire.ExtensionView, most int) bool {
	if m.Part <= 1 {
		f := *m
		f.Ops = nil
		*a = assembly{first: &f}
	}
	f := a.first
	if f == nil || m.Parts > maxParts || m.Part > 1 && (m.Part != a.came+1 || m.Parts != f.Parts || m.View != f.View || m.Step != f.Step) {
		return false
	}
	for _, b := range m.Ops {
		if a.octets += len(b) + opOctets; a.octets > most {
			return false
		}
		n, err := unpack(b)
		if err != nil {
			return false
		}
		a.ops = append(a.ops, playerlist.Numbered{Version: n.Version, Op: keep(n.Op)}) // the message's octets are not kept
	}
	a.came = max(m.Part, 1)
	return true
}

// keep returns a copy of an operation that shares nothing with it.
func keep(op playerlist.Op) playerlist.Op {
	n, err := unpack(pack(playerlist.Numbered{Op: op}))
	if err != nil {
		return op
	}
	return n.Op
}

// inParts sends a message with operations, as many as fit in each.
func (c *Core) inParts(to wire.ViewMember, m wire.ExtensionView, ops [][]byte) {
	var parts [][][]byte
	n := maxPart + 1
	for _, b := range ops {
		if n += len(b) + 4; n > maxPart {
			parts, n = append(parts, nil), len(b)+4
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], b)
	}
	m.Parts = uint16(max(1, len(parts)))
	for i := range m.Parts {
		p := m
		p.Part = i + 1
		if i > 0 {
			p.Members, p.Lost, p.Left, p.Renamed = nil, nil, nil, nil
		}
		if len(parts) > 0 {
			p.Ops = parts[i]
		}
		c.send(to, &p)
	}
}
