package local

import (
	"net/netip"
	"time"

	"dplay4/dpsp"
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
