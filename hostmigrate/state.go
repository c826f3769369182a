package hostmigrate

import (
	"bytes"

	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// Sizes in [MC-DPL8CS] 2.2.1.4 to 2.2.1.6, in octets: what parts of a name table take in a message.
const (
	infoFixed       = 4 + 156 + 256 // packet type, all that is fixed, and more than the form of a session takes
	entryFixed      = 48
	membershipFixed = 16
)

// ConnectInfos returns a whole list as DN_SEND_CONNECT_INFO for a member: one message, or several if it does not fit in
// one; each says in its reserved data which it is. They share names and data with s. It fails with ErrTooLarge where
// one entry alone is too large.
func ConnectInfos(s *playerlist.State, to wire.PlayerID) ([]*dpl8.SendConnectInfo, error) {
	m := firstInfo(s, to)
	all := []*dpl8.SendConnectInfo{m}
	room := MaxMessage - infoFixed - len(m.Password) - len(m.SessionName)
	next := func(n int) bool { // makes room for n octets
		if room < n {
			m = &dpl8.SendConnectInfo{ID: dpl8.DPNID(to), Table: dpl8.NameTable{Version: s.Version}}
			all, room = append(all, m), MaxMessage-infoFixed
		}
		room -= n
		return room >= 0
	}
	for i := range s.Entries {
		e := toEntry(&s.Entries[i], s.Entries[i].Added)
		if !next(entryFixed + len(e.Name) + len(e.Data) + len(e.URL)) {
			return nil, ErrTooLarge
		}
		m.Table.Entries = append(m.Table.Entries, e)
	}
	for _, k := range s.Links {
		next(membershipFixed)
		m.Table.Memberships = append(m.Table.Memberships, dpl8.Membership{
			Player: dpl8.DPNID(k.Member), Group: dpl8.DPNID(k.Group), Version: k.Version,
		})
	}
	if len(all) > maxParts {
		return nil, ErrTooLarge
	}
	for i, m := range all {
		m.ReservedData = partForm(s, i, len(all))
	}
	return all, nil
}

// firstInfo returns the first message with what describes the session.
func firstInfo(s *playerlist.State, to wire.PlayerID) *dpl8.SendConnectInfo {
	d := &s.Session.Desc
	m := &dpl8.SendConnectInfo{
		MaxPlayers: d.MaxPlayers, CurrentPlayers: d.CurrentPlayers, Instance: d.Instance, Application: d.Application,
		ID: dpl8.DPNID(to), Table: dpl8.NameTable{Version: s.Version},
		Password: s.Session.Password, SessionName: s.Session.Name,
	}
	for _, f := range [...]struct {
		from wire.SessionFlags
		to   dpl8.SessionFlags
	}{
		{wire.SessionClientServer, dpl8.SessionClientServer},
		{wire.SessionMigrateHost, dpl8.SessionMigrateHost},
		{wire.SessionPasswordRequired, dpl8.SessionRequirePassword},
	} {
		if d.Flags&f.from != 0 {
			m.Flags |= f.to
		}
	}
	return m
}

// partForm is the reserved data of part i of n: what a session has beyond DirectPlay 8 is in the first.
func partForm(s *playerlist.State, i, n int) []byte {
	f := newForm()
	if i == 0 {
		sessionForm(&f, &s.Session.Desc)
	}
	if n > 1 {
		f.number("part", uint32(i+1))
		f.number("parts", uint32(n))
	}
	return f.end()
}

// An assembly is a name table of which parts have come. What it holds is bounded by the limits of a list.
type assembly struct {
	state  playerlist.State
	came   uint32 // parts
	of     uint32
	octets int // names and data
}

// add takes the next part and says whether it was the last one. After an error the assembly is of no use.
func (a *assembly) add(m *dpl8.SendConnectInfo) (done bool, err error) {
	v, _, err := readForm(m.ReservedData)
	if err != nil {
		return false, &FieldError{"ReservedData", err}
	}
	part, parts := max(v.number("part"), 1), max(v.number("parts"), 1)
	if a.came == 0 {
		a.of = parts
		a.state = playerlist.State{Version: m.Table.Version, Session: readInfo(&v, m), Entries: []playerlist.Entry{}}
		a.octets = len(m.SessionName) + len(m.Password)
	}
	a.came++
	switch {
	case v.err != nil:
		return false, &FieldError{"ReservedData", v.err}
	case part != a.came, parts != a.of, parts > maxParts, part > parts, m.Table.Version != a.state.Version,
		len(a.state.Entries)+len(m.Table.Entries) > playerlist.MaxRows,
		len(a.state.Links)+len(m.Table.Memberships) > playerlist.MaxLinks:
		return false, ErrParts
	}
	for i := range m.Table.Entries {
		e, err := fromEntry(&m.Table.Entries[i])
		if err != nil {
			return false, err
		}
		if a.octets += len(e.ShortName) + len(e.LongName) + len(e.SPData) + len(e.Data); a.octets > playerlist.MaxOctets {
			return false, ErrParts
		}
		e.ShortName, e.Data = bytes.Clone(e.ShortName), bytes.Clone(e.Data) // the message is not kept
		a.state.Entries = append(a.state.Entries, e)
	}
	for _, k := range m.Table.Memberships {
		a.state.Links = append(a.state.Links, playerlist.Link{
			Group: wire.PlayerID(k.Group), Member: wire.PlayerID(k.Player), Version: k.Version,
		})
	}
	return a.came == a.of, nil
}

// readInfo reads the session of a first part.
func readInfo(v *values, m *dpl8.SendConnectInfo) playerlist.Session {
	s := playerlist.Session{Name: bytes.Clone(m.SessionName), Password: bytes.Clone(m.Password)}
	readSession(v, &s.Desc)
	s.Desc.MaxPlayers, s.Desc.CurrentPlayers = m.MaxPlayers, m.CurrentPlayers
	s.Desc.Instance, s.Desc.Application = m.Instance, m.Application
	return s
}
