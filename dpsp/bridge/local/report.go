package local

import (
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// report tells of an event.
func (l *Local) report(e Event) {
	if l.opt.Report == nil {
		return
	}
	l.tells.Lock()
	defer l.tells.Unlock()
	l.opt.Report(e)
}

// record tells of octets that pass.
func (l *Local) record(transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	if l.opt.Record == nil || len(data) == 0 {
		return
	}
	l.tells.Lock()
	defer l.tells.Unlock()
	l.opt.Record.Packet(time.Now(), transport, from, to, data)
}

// here is a port of this machine, as the session knows it.
func here(port uint16) netip.AddrPort { return netip.AddrPortFrom(loopback, port) }

// dropEvery is how often a slot's dropped messages are told of.
const dropEvery = time.Second

// cutsMost is how many connections of a slot that were cut are told of within dropEvery: a machine can have thousands cut, and what
// else happens is to be seen.
const cutsMost = 10

// cut tells that a connection of a slot was ended.
func (n *neighbour) cut(err error) {
	n.mu.Lock()
	if time.Since(n.toldCut) >= dropEvery {
		n.cuts, n.toldCut = 0, time.Now()
	}
	n.cuts++
	due := n.cuts <= cutsMost
	n.mu.Unlock()
	if due {
		n.l.report(Cut{Slot: n.slot, Err: err})
	}
}

// dropped counts messages of a slot that do not reach our game.
func (n *neighbour) dropped(err error) {
	n.mu.Lock()
	n.drops++
	count := n.drops
	due := time.Since(n.toldDrop) >= dropEvery
	if due {
		n.drops, n.toldDrop = 0, time.Now()
	}
	n.mu.Unlock()
	if due {
		n.l.report(Dropped{Slot: n.slot, Err: err, Count: count})
	}
}

// takenMost is how many machines of its own network a slot can name that are told of.
const takenMost = 10

// took tells of a machine of the slot's own network that was taken for one of the session, once.
func (n *neighbour) took(a wire.SockAddr) {
	at := netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port)
	n.mu.Lock()
	due := !n.taken[at.Addr()] && len(n.taken) < takenMost
	if due {
		n.taken[at.Addr()] = true
	}
	n.mu.Unlock()
	if due {
		n.l.report(Taken{Slot: n.slot, At: at, For: n.l.slotOf(a.Port)})
	}
}

// slotOf returns the slot of the machine that has a port, of either kind; -1 if there is none.
func (l *Local) slotOf(port uint16) int {
	for _, n := range l.neighbours() {
		if n.ports.TCP == port || n.ports.UDP == port {
			return n.slot
		}
	}
	return -1
}
