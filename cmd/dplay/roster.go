package main

import (
	"net/netip"
	"strings"
	"unicode"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A roster knows who is called what in a session, from its events.
type roster struct {
	players map[wire.PlayerID]string
	groups  map[wire.PlayerID]string
	made    []wire.PlayerID // the groups, in order
	self    wire.PlayerID   // our machine
	// Our sockets, which no event tells, and the address that others are told; invalid: none in particular.
	stream, datagram netip.AddrPort
	advertised       netip.Addr
}

func newRoster() *roster {
	return &roster{players: map[wire.PlayerID]string{}, groups: map[wire.PlayerID]string{}}
}

// learn takes in an event.
func (r *roster) learn(e dpsp.Event) {
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
		r.made = append(r.made, e.ID)
	case dpsp.GroupChanged:
		r.groups[e.ID] = e.ShortName
	case dpsp.GroupDeleted:
		delete(r.groups, e.ID)
		for i, id := range r.made {
			if id == e.ID {
				r.made = append(r.made[:i], r.made[i+1:]...)
				break
			}
		}
	}
}

// place says where others find us.
func (r *roster) place() string {
	switch at := r.stream.Addr(); {
	case r.advertised.IsValid():
		return r.advertised.String()
	case at.IsUnspecified():
		return "this machine's address"
	default:
		return at.String()
	}
}

// group gives the oldest group with a name.
func (r *roster) group(name string) (wire.PlayerID, bool) {
	for _, id := range r.made {
		if r.groups[id] == name {
			return id, true
		}
	}
	return 0, false
}

// nameJSON gives a player's name for an object; nil if it is not known.
func (r *roster) nameJSON(id wire.PlayerID) *string {
	if name, ok := r.players[id]; ok {
		return &name
	}
	return nil
}

// who gives what people call a player or group: the name, or the id of one that has none.
func (r *roster) who(id wire.PlayerID) string {
	name := r.players[id]
	if name == "" {
		name = r.groups[id]
	}
	switch {
	case name != "":
		return printable(name)
	case id == wire.IDAll:
		return "everybody"
	}
	return id.String()
}

// printable makes a text from the network safe for a terminal: it stays on its line and commands nothing.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
