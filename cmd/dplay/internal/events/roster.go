package events

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A Roster knows who is called what in a session, from its events.
type Roster struct {
	players map[wire.PlayerID]string
	groups  map[wire.PlayerID]string
	self    wire.PlayerID // our machine
	// Our sockets, which no event tells, and the address that others are told; invalid: none in particular.
	Stream, Datagram netip.AddrPort
	Advertised       netip.Addr
}

// NewRoster returns one of a session in which nobody is.
func NewRoster() *Roster {
	return &Roster{players: map[wire.PlayerID]string{}, groups: map[wire.PlayerID]string{}}
}

// Learn takes in an event.
func (r *Roster) Learn(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.SessionOpened:
		r.self = e.System
	case dpsp.SessionHealed:
		r.self = e.System // also where we have no player that would tell
	case dpsp.PlayerCreated:
		if e.Local {
			r.self = e.System // another one than before if we came back into the session as a stranger
		}
		r.players[e.ID] = e.ShortName
	case dpsp.PlayerChanged:
		r.players[e.ID] = e.ShortName
	case dpsp.PlayerDeleted:
		delete(r.players, e.ID)
	case dpsp.GroupCreated:
		r.groups[e.ID] = e.ShortName
	case dpsp.GroupChanged:
		r.groups[e.ID] = e.ShortName
	case dpsp.GroupDeleted:
		delete(r.groups, e.ID)
	}
}

// place says where others find us.
func (r *Roster) place() string {
	switch at := r.Stream.Addr(); {
	case r.Advertised.IsValid():
		return r.Advertised.String()
	case at.IsUnspecified():
		return "this machine's address"
	default:
		return at.String()
	}
}

// nameJSON returns a player's name for an object; nil if it is not known.
func (r *Roster) nameJSON(id wire.PlayerID) *string {
	if name, ok := r.players[id]; ok {
		return &name
	}
	return nil
}

// who returns what people call a player or group: the name, or the id of one that has none.
func (r *Roster) who(id wire.PlayerID) string {
	name := r.players[id]
	if name == "" {
		name = r.groups[id]
	}
	switch {
	case name != "":
		return captures.Printable(name)
	case id == wire.IDAll:
		return "everybody"
	}
	return id.String()
}

// machine returns what people call a machine; ours is what ours is called here.
func (r *Roster) machine(id wire.PlayerID, ours string) string {
	if id == r.self {
		return ours
	}
	return "the machine " + id.String()
}
