package playerlist

import (
	"errors"

	"dplay4/wire"
)

// FromSuperEnumPlayersReply makes a list of the message that ends a join. Self is the system player of whoever
// joins: it stands first in the message, but is the youngest. Otherwise the order is the message's, except that
// nothing comes before its owner or parent. The numbers are the list's own, and its log begins after them.
//
// The list is always usable. What of the message did not fit is in the error, a [Refused]; the caller decides
// whether it joins all the same. An entry whose owner is not listed is taken for the host's, a group whose parent is
// not listed stands at the top, and both are reported.
//
// The message is only read, and nothing is shared with it.
func FromSuperEnumPlayersReply(m *wire.SuperEnumPlayersReply, self wire.PlayerID) (*List, error) {
	d := newLoader(Session{Desc: m.Desc, Name: m.Name, Password: m.Password}, self, len(m.Players)+len(m.Groups))
	for i := range m.Players {
		d.rows = append(d.rows, listed{list: "Players", index: i, entry: SuperEntryOf(&m.Players[i])})
	}
	for i := range m.Groups {
		p := &m.Groups[i]
		e := SuperEntryOf(p)
		e.Group = true
		d.rows = append(d.rows, listed{list: "Groups", index: i, entry: e, members: p.PlayerIDs, shortcuts: p.Shortcuts})
	}
	d.load()
	for i := range m.Shortcuts {
		d.shortcuts("Shortcuts", i, m.Shortcuts[i].ID, m.Shortcuts[i].Shortcuts)
	}
	return d.done()
}

// FromEnumPlayersReply does the same for the message that ends a join in a client/server session.
func FromEnumPlayersReply(m *wire.EnumPlayersReply, self wire.PlayerID) (*List, error) {
	d := newLoader(Session{Desc: m.Desc, Name: m.Name, Password: m.Password}, self, len(m.Players)+len(m.Groups))
	for i := range m.Players {
		d.rows = append(d.rows, listed{list: "Players", index: i, entry: EntryOf(&m.Players[i])})
	}
	for i := range m.Groups {
		p := &m.Groups[i]
		e := EntryOf(p)
		e.Group = true
		d.rows = append(d.rows, listed{list: "Groups", index: i, entry: e, members: p.PlayerIDs})
	}
	d.load()
	return d.done()
}

// SuperEntryOf returns a super packed player as an entry for [AddPlayer] or [AddGroup], as [EntryOf] does.
func SuperEntryOf(p *wire.SuperPackedPlayer) Entry {
	e := Entry{
		ID: p.ID, Flags: p.Flags, System: wire.PlayerID(p.Owner), Parent: p.Parent,
		ShortName: terminate(p.ShortName), LongName: terminate(p.LongName), SPData: p.SPData, Data: p.Data,
	}
	if p.Flags&wire.PlayerSystem != 0 {
		e.System, e.Dialect = p.ID, p.Owner
	}
	return e
}

// MaxRefused bounds what a loaded message's error tells of: a message can hold a quarter of a million wrong ids.
const MaxRefused = 100

// A loader makes a list of the entries of a message.
type loader struct {
	l       *List
	self    wire.PlayerID
	rows    []listed
	waiting map[wire.PlayerID][]int // rows, by the owner or parent that is not in the list yet
	refused Refused
}

// A listed is an entry of a message. It aliases the message.
type listed struct {
	list      string // its list in the message
	index     int    // its place there
	entry     Entry
	members   []wire.PlayerID
	shortcuts []wire.PlayerID
	done      bool // added or refused
}

func newLoader(s Session, self wire.PlayerID, n int) *loader {
	s.Name, s.Password = terminate(s.Name), terminate(s.Password)
	d := &loader{self: self, rows: make([]listed, 0, n), waiting: map[wire.PlayerID][]int{}}
	l, err := New(s)
	if err != nil { // too large, which no decoded message is
		d.refuse(func() string { return "Session" }, err)
		l, _ = New(Session{Desc: s.Desc})
	}
	d.l = l
	return d
}

// refuse notes what is wrong with a place.
func (d *loader) refuse(place func() string, err error) {
	if err != nil && len(d.refused) < MaxRefused {
		d.refused = append(d.refused, &EntryError{place(), err})
	}
}

func (r *listed) place() string { return place(r.list, r.index) }

// load adds all rows and what is in the groups: whoever joins last, and then what waited for something that never
// came. Of that, first what waits for nothing that waits itself; the rest goes round in circles.
func (d *loader) load() {
	for _, last := range [...]bool{false, true} {
		for i := range d.rows {
			e := &d.rows[i].entry
			if last == (e.ID == d.self && e.Flags&wire.PlayerSystem != 0) {
				d.add(i)
			}
		}
	}
	left := map[wire.PlayerID]bool{}
	for i := range d.rows {
		left[d.rows[i].entry.ID] = left[d.rows[i].entry.ID] || !d.rows[i].done
	}
	for _, circles := range [...]bool{false, true} {
		for i := range d.rows {
			for r := &d.rows[i]; !r.done; d.add(i) {
				if id, _ := d.missing(&r.entry); !circles && left[id] {
					break
				}
				d.settle(r)
			}
		}
	}
	d.links()
}

// links adds what is in the groups.
func (d *loader) links() {
	for i := range d.rows {
		r := &d.rows[i]
		for j, id := range r.members {
			_, err := d.l.Apply(AddMember{r.entry.ID, id})
			d.refuse(func() string { return r.place() + "." + place("PlayerIDs", j) }, err)
		}
		d.shortcuts(r.list, r.index, r.entry.ID, r.shortcuts)
	}
}

// shortcuts adds a group's shortcuts. Messages may have them in two places; a second time is no error.
func (d *loader) shortcuts(list string, index int, group wire.PlayerID, ids []wire.PlayerID) {
	for j, id := range ids {
		if _, err := d.l.Apply(AddShortcut{group, id}); !errors.Is(err, ErrMember) {
			d.refuse(func() string { return place(list, index) + "." + place("ShortcutIDs", j) }, err)
		}
	}
}

// add adds a row, and then those that waited for it, or has it wait.
func (d *loader) add(row int) {
	for todo := []int{row}; len(todo) > 0; todo = todo[1:] {
		r := &d.rows[todo[0]]
		if r.done {
			continue
		}
		if id, wants := d.missing(&r.entry); wants {
			d.waiting[id] = append(d.waiting[id], todo[0])
			continue
		}
		d.oneHost(r)
		r.done = true
		if _, err := d.l.Apply(r.entry.add()); err != nil {
			d.refuse(r.place, err)
			r.members, r.shortcuts = nil, nil // they may be another's with this id
			continue
		}
		todo = append(todo, d.waiting[r.entry.ID]...)
		delete(d.waiting, r.entry.ID)
	}
}

// missing returns an id that has to be in the list before the entry, and whether there is one.
func (d *loader) missing(e *Entry) (wire.PlayerID, bool) {
	switch {
	case e.Flags&wire.PlayerSystem == 0 && d.l.rows[e.System] == nil:
		return e.System, true
	case e.Group && e.Parent != 0 && d.l.rows[e.Parent] == nil:
		return e.Parent, true
	}
	return 0, false
}

// settle makes do without what is missing: the host owns what nobody owns, and a group without its parent stands at
// the top. Where there is no host either, the entry is given up.
func (d *loader) settle(r *listed) {
	e := &r.entry
	id, _ := d.missing(e)
	owner := e.Flags&wire.PlayerSystem == 0 && d.l.rows[e.System] == nil
	switch {
	case !owner:
		d.refuse(r.place, &OpError{"Parent", id, ErrUnknown})
		e.Parent = 0
	case d.l.host != nil:
		d.refuse(r.place, &OpError{"System", id, ErrUnknown})
		e.System = d.l.host.id
	default:
		d.refuse(r.place, &OpError{"System", id, ErrUnknown})
		r.done, r.members, r.shortcuts = true, nil, nil
	}
}

// oneHost takes NAMESERVER from an entry that cannot be the host.
func (d *loader) oneHost(r *listed) {
	e := &r.entry
	if e.Flags&wire.PlayerNameServer == 0 || e.Group {
		return
	}
	switch {
	case e.Flags&wire.PlayerSystem == 0:
		d.refuse(r.place, &OpError{"NAMESERVER", e.ID, ErrFlags})
	case d.l.host != nil:
		d.refuse(r.place, &OpError{"NAMESERVER", e.ID, ErrHost})
	default:
		return
	}
	e.Flags &^= wire.PlayerNameServer
}

// done returns the list.
func (d *loader) done() (*List, error) {
	d.l.Forget(d.l.version)
	if d.refused == nil {
		return d.l, nil
	}
	return d.l, d.refused
}
