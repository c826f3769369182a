package playerlist

import (
	"cmp"
	"slices"
	"strconv"

	"dplay4/wire"
)

// A State is a whole list without its log, numbers and all: what a member gets that joins by the rules of
// DirectPlay 8 (DN_NAMETABLE_ENTRY_INFO and DN_NAMETABLE_MEMBERSHIP_INFO, [MC-DPL8CS] 2.2.1.5).
type State struct {
	Version uint32
	Session Session
	Entries []Entry // players and groups together, in order of joining: of Added
	Links   []Link  // memberships and shortcuts together, in order of Version
}

// A Link is a player in a group, or a group that a shortcut makes visible in one.
type Link struct {
	Group   wire.PlayerID
	Member  wire.PlayerID
	Version uint32 // of the operation that put it there
}

// State returns a copy of the list.
func (l *List) State() State {
	s := State{Version: l.version, Session: l.Session(), Entries: make([]Entry, 0, len(l.rows))}
	p, g := l.players.first, l.groups.first
	for p != nil || g != nil {
		r := p
		if p == nil || g != nil && g.added < p.added {
			r, g = g, g.next
		} else {
			p = p.next
		}
		e := l.entry(r)
		s.Entries = append(s.Entries, e.clone())
	}
	if l.links == 0 {
		return s
	}
	s.Links = make([]Link, 0, l.links)
	for r := l.groups.first; r != nil; r = r.next {
		for _, links := range [...][]link{r.group.members, r.group.shortcuts} {
			for _, k := range links {
				s.Links = append(s.Links, Link{r.id, k.id, k.version})
			}
		}
	}
	slices.SortFunc(s.Links, func(a, b Link) int { return cmp.Compare(a.Version, b.Version) })
	return s
}

// Load makes a list of a state. Its log begins after the state's version. What could not have come about by
// operations is refused with an *EntryError, the session's name or password with an *OpError.
func Load(s State) (*List, error) {
	l, err := New(s.Session)
	if err != nil {
		return nil, err
	}
	for i, j := 0, 0; i < len(s.Entries) || j < len(s.Links); {
		if j == len(s.Links) || i < len(s.Entries) && s.Entries[i].Added <= s.Links[j].Version {
			if err := l.loadOp(s.Entries[i].Added, s.Version, s.Entries[i].add()); err != nil {
				return nil, &EntryError{place("Entries", i), err}
			}
			i++
			continue
		}
		if err := l.loadOp(s.Links[j].Version, s.Version, l.addLink(s.Links[j])); err != nil {
			return nil, &EntryError{place("Links", j), err}
		}
		j++
	}
	l.version = s.Version
	return l, nil
}

// loadOp does an operation under the number it once had. The log does not learn of it.
func (l *List) loadOp(version, last uint32, op Op) error {
	if version <= l.version || version > last {
		return ErrOrder
	}
	if err := op.check(l); err != nil {
		return err
	}
	l.version = version
	op.keep(l).do(l)
	return nil
}

// add returns the operation that adds an entry.
func (e *Entry) add() Op {
	if e.Group {
		return AddGroup{*e}
	}
	return AddPlayer{*e}
}

// addLink returns the operation that adds a link.
func (l *List) addLink(k Link) Op {
	if r := l.rows[k.Member]; r != nil && r.group != nil {
		return AddShortcut{k.Group, k.Member}
	}
	return AddMember{k.Group, k.Member}
}

// place names an element of a list for an error.
func place(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }
