package trainhost

import (
	"maps"
	"net"
	"net/netip"

	"dplay4/wire"
)

// A joiner is an IP address that something came from.
type joiner struct {
	addr   netip.Addr
	in     net.Conn      // that came from it
	out    net.Conn      // to it; opened when there is something to say
	system wire.PlayerID // its system player; 0: none yet
	link
}

// joiner returns that of an address, a new one if there is none.
func (h *Host) joiner(at netip.Addr) *joiner {
	j := h.joiners[at]
	if j == nil {
		j = &joiner{addr: at}
		h.joiners[at] = j
	}
	return j
}

func (j *joiner) close() {
	for _, c := range []net.Conn{j.in, j.out} {
		if c != nil {
			c.Close()
		}
	}
}

// remove forgets a joiner that went, and its players.
func (h *Host) remove(j *joiner) {
	delete(h.joiners, j.addr)
	maps.DeleteFunc(h.players, func(_ wire.PlayerID, p *player) bool { return j.system != 0 && p.system == j.system })
}

// add makes a player of a system player, or a system player, with the first id that is free from the number of players on.
func (h *Host) add(system wire.PlayerID, flags wire.PlayerFlags) *player {
	id := wire.PlayerID(1<<16 | len(h.players))
	for h.players[id] != nil {
		id++
	}
	owner := uint32(system)
	if flags&wire.PlayerSystem != 0 {
		system, owner = id, uint32(wire.DX9)
	}
	h.players[id] = &player{wire.SuperPackedPlayer{Flags: flags, ID: id, Owner: owner}, system}
	return h.players[id]
}
