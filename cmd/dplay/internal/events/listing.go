package events

import (
	"encoding/json"

	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/playerlist"
)

// A Listing is who and what is in a session, as an answer has it.
type Listing struct {
	Session *sessionObject    `json:"session"`
	System  string            `json:"system"`
	HostID  string            `json:"host_id"`
	Hosting bool              `json:"hosting"`
	Players []json.RawMessage `json:"players"` // with the keys of player_created
	Groups  []json.RawMessage `json:"groups"`  // likewise, with parent and members
	Objects []json.RawMessage `json:"objects"` // with the keys of object_created
}

// List returns the listing of a session: players and groups as the events told so far have them, in the order in which they came.
func (r *Roster) List(s dpsp.SessionOpened, objects []object.Object) *Listing {
	s.Desc.CurrentPlayers = uint32(r.list.Count()) // what it was when we came is in it
	l := &Listing{Session: describeSession(s.Name, &s.Desc), System: s.System.String(), HostID: s.Host.String(), Hosting: s.Hosting,
		Players: []json.RawMessage{}, Groups: []json.RawMessage{}, Objects: []json.RawMessage{}}
	for p := range r.players() {
		l.Players = append(l.Players, r.listed(&p).End())
	}
	for g := range r.list.EachGroup() {
		members := []string{}
		for _, id := range r.list.AppendMembers(nil, g.ID) {
			members = append(members, id.String())
		}
		l.Groups = append(l.Groups, r.listed(&g).Add("parent", g.Parent).Add("members", members).End())
	}
	for _, o := range objects {
		l.Objects = append(l.Objects, Object("{").Fields(o, Object.Add).End())
	}
	return l
}

// listed returns a player, or what a group has as well.
func (r *Roster) listed(e *playerlist.Entry) Object {
	short, long := dpsp.Names(e)
	return Object("{").Fields(dpsp.PlayerCreated{ID: e.ID, System: e.System, Flags: e.Flags, ShortName: short, LongName: long,
		Data: e.Data, Local: e.System == r.self}, Object.Add)
}
