package events

import (
	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
)

// A Listing is who and what is in a session, as an answer has it.
type Listing struct {
	Session *SessionObject `json:"session"`
	System  string         `json:"system"`
	HostID  string         `json:"host_id"`
	Hosting bool           `json:"hosting"`
	Players []ListedPlayer `json:"players"`
	Groups  []ListedGroup  `json:"groups"`
	Objects []ListedObject `json:"objects"`
}

// A ListedPlayer is a player, with what player_created says of it.
type ListedPlayer struct {
	ID       string   `json:"id"`
	System   string   `json:"system"`
	Flags    FlagWord `json:"flags"`
	Name     string   `json:"name"`
	LongName string   `json:"long_name"`
	Data     string   `json:"data"`
	Local    bool     `json:"local"`
}

// A ListedGroup is a group with its members.
type ListedGroup struct {
	ListedPlayer
	Parent  string   `json:"parent"`
	Members []string `json:"members"`
}

// A ListedObject is a replicated object.
type ListedObject struct {
	Object  string `json:"object"`
	Owner   string `json:"owner"`
	Counter uint32 `json:"counter"`
	State   string `json:"state"`
}

// List returns the listing of a session: players and groups as the events told so far have them, in the order in which they came.
func (r *Roster) List(s dpsp.SessionOpened, objects []object.Object) *Listing {
	s.Desc.CurrentPlayers = uint32(len(r.players)) // what it was when we came is in it
	l := &Listing{Session: describeSession(s.Name, &s.Desc), System: s.System.String(), HostID: s.Host.String(), Hosting: s.Hosting,
		Players: []ListedPlayer{}, Groups: []ListedGroup{}, Objects: []ListedObject{}}
	for _, p := range r.players {
		l.Players = append(l.Players, ListedPlayer{ID: p.ID.String(), System: p.System.String(), Flags: *playerFlags(p.Flags),
			Name: p.ShortName, LongName: p.LongName, Data: *hexJSON(p.Data), Local: p.Local})
	}
	for _, g := range r.groups {
		listed := ListedGroup{ListedPlayer: ListedPlayer{ID: g.ID.String(), System: g.System.String(), Flags: *playerFlags(g.Flags),
			Name: g.ShortName, LongName: g.LongName, Data: *hexJSON(g.Data), Local: g.Local},
			Parent: g.Parent.String(), Members: []string{}}
		for _, id := range g.members {
			listed.Members = append(listed.Members, id.String())
		}
		l.Groups = append(l.Groups, listed)
	}
	for _, o := range objects {
		l.Objects = append(l.Objects, ListedObject{Object: o.ID.String(), Owner: o.Owner.String(), Counter: o.Counter, State: *hexJSON(o.State)})
	}
	return l
}
