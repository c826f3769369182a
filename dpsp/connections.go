package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/wire"
)

// connections are those over which a peer spoke, by where they come from: the latest ones, at most maxConnections.
type connections []netip.AddrPort

// A machine has one connection to each other one, and another when that broke.
const maxConnections = 8

// add notes one.
func (c *connections) add(from netip.AddrPort) {
	if !slices.Contains(*c, from) {
		*c = append((*c)[max(0, len(*c)-maxConnections+1):], from)
	}
}

// remove forgets one.
func (c *connections) remove(from netip.AddrPort) {
	*c = slices.DeleteFunc(*c, func(x netip.AddrPort) bool { return x == from })
}

// formerConnections are those of peers that went, in the order in which they did. What somebody said before we lost it may be on
// its way for minutes, and come after it is back: then it is about a time that is over.
type formerConnections []formerConnection

type formerConnection struct {
	system wire.PlayerID
	over   connections
}

// keep notes those of a peer that goes. The oldest peer makes room.
func (f *formerConnections) keep(system wire.PlayerID, over connections) {
	if len(over) == 0 {
		return
	}
	f.take(system)
	if len(*f) >= maxLostPeers {
		*f = (*f)[1:]
	}
	*f = append(*f, formerConnection{system, over})
}

// take returns those of a peer that comes, and forgets them.
func (f *formerConnections) take(system wire.PlayerID) connections {
	i := slices.IndexFunc(*f, func(x formerConnection) bool { return x.system == system })
	if i < 0 {
		return nil
	}
	over := (*f)[i].over
	*f = slices.Delete(*f, i, i+1)
	return over
}
