package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// A backlog is messages that wait for something, in the order in which they came.
type backlog struct {
	held   []heldMessage
	octets int // of held
}

// A heldMessage waits: for ids that are to come into the list, for a player of ours in a group, or for the list.
type heldMessage struct {
	o        origin
	octets   []byte // from its signature, or its ids
	name     string
	needs    ids
	behind   bool          // nothing is missing, but others of its sender wait
	to       wire.PlayerID // the group that a player of ours is to be in; 0: none
	deadline time.Duration // of one that does not wait for the list
}

// A quota is how many messages are held at most, and how many octets of them.
type quota struct{ messages, octets int }

// room reports whether one more message can be held, of n octets.
func (b *backlog) room(n int, most quota) bool {
	return len(b.held) < most.messages && b.octets+n <= most.octets
}

// roomFor reports whether one more message of an address can be held.
func (b *backlog) roomFor(from netip.Addr, n int, most quota) bool {
	count, octets := 1, n
	for i := range b.held {
		if h := &b.held[i]; h.o.from.Addr().Unmap() == from.Unmap() {
			count, octets = count+1, octets+len(h.octets)
		}
	}
	return count <= most.messages && octets <= most.octets
}

// add holds a message. Whether there is room was asked before.
func (b *backlog) add(h heldMessage) {
	b.octets += len(h.octets)
	b.held = append(b.held, h)
}

// remove forgets the message at an index.
func (b *backlog) remove(i int) {
	b.octets -= len(b.held[i].octets)
	b.held = slices.Delete(b.held, i, i+1)
}

// drop forgets messages.
func (b *backlog) drop(which func(heldMessage) bool) {
	b.held = slices.DeleteFunc(b.held, func(h heldMessage) bool {
		gone := which(h)
		if gone {
			b.octets -= len(h.octets)
		}
		return gone
	})
}

// holdsOf reports whether something of a sender is held.
func (b *backlog) holdsOf(o origin) bool {
	return slices.ContainsFunc(b.held, func(h heldMessage) bool { return h.o.sameSender(o) })
}
