package trainhost

import (
	"cmp"
	"net"
	"net/netip"
	"slices"

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
	h.players = slices.DeleteFunc(h.players, func(p player) bool { return j.system != 0 && p.system == j.system })
}

// add makes a player of a system player, or a system player, with the first id that is free from the number of players on.
func (h *Host) add(system wire.PlayerID, flags wire.PlayerFlags) *player {
	id := wire.PlayerID(1<<16 | len(h.players))
	for h.player(id) != nil {
		id++
	}
	if flags&wire.PlayerSystem != 0 {
		system = id
	}
	i, _ := h.place(id)
	h.players = slices.Insert(h.players, i, player{id: id, system: system, flags: flags})
	return &h.players[i]
}

// place returns where a player with an ID is in the list, or belongs, and whether it is there.
func (h *Host) place(id wire.PlayerID) (int, bool) {
	return slices.BinarySearchFunc(h.players, id, func(p player, id wire.PlayerID) int { return cmp.Compare(p.id, id) })
}

// player returns the player with an id, nil if there is none.
func (h *Host) player(id wire.PlayerID) *player {
	i, found := h.place(id)
	if !found {
		return nil
	}
	return &h.players[i]
}
