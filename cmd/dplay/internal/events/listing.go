package events

import (
	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/playerlist"
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
	s.Desc.CurrentPlayers = uint32(r.list.Count()) // what it was when we came is in it
	l := &Listing{Session: describeSession(s.Name, &s.Desc), System: s.System.String(), HostID: s.Host.String(), Hosting: s.Hosting,
		Players: []ListedPlayer{}, Groups: []ListedGroup{}, Objects: []ListedObject{}}
	for p := range r.players() {
		l.Players = append(l.Players, r.listed(&p))
	}
	for g := range r.list.EachGroup() {
		listed := ListedGroup{ListedPlayer: r.listed(&g), Parent: g.Parent.String(), Members: []string{}}
		for _, id := range r.list.AppendMembers(nil, g.ID) {
			listed.Members = append(listed.Members, id.String())
		}
		l.Groups = append(l.Groups, listed)
	}
	for _, o := range objects {
		l.Objects = append(l.Objects, ListedObject{Object: o.ID.String(), Owner: o.Owner.String(), Counter: o.Counter, State: *hexJSON(o.State)})
	}
	return l
}

// listed returns a player, or what a group has as well.
func (r *Roster) listed(e *playerlist.Entry) ListedPlayer {
	short, long := dpsp.Names(e)
	return ListedPlayer{ID: e.ID.String(), System: e.System.String(), Flags: *playerFlags(e.Flags), Name: short, LongName: long,
		Data: *hexJSON(e.Data), Local: e.System == r.self}
}
