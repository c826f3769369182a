package local

import (
	"errors"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Slots is how many machines a session can have.
const Slots = 50

// At returns the ports of a slot whose machine announced no others.
func At(slot int) filter.Ports {
	return filter.Ports{TCP: wire.StreamPorts.First + uint16(slot), UDP: wire.DatagramPorts.First + uint16(slot)}
}

// Options say where the game of this machine is.
type Options struct {
	Slot  int          // ours
	Ports filter.Ports // of our slot, for all machines; zero: At(Slot)
	// Game is where our game listens, if that is not on the ports of our slot: one that was there before us, see Find. What it says is
	// translated.
	Game filter.Ports
	// Report, if not nil, is told what happens, one event after the other. It must not call the Local.
	Report func(Event)
	// Record, if not nil, is told what passes between our game and the other machines, one message or piece of a connection after
	// the other, with the ports of the plan. Data is valid during the call.
	Record sock.Recorder
}

// A Local is the sockets of one machine that stand for the others of the session. Its methods may be called by several goroutines.
type Local struct {
	opt Options
}

// Open opens the sockets. It fails where other programs have ports of the plan, and says which.
func Open(opt Options) (*Local, error) { return nil, errors.ErrUnsupported }

// Stand has a slot be the machine that a link leads to, with the ports that it has announced; zero: At(slot). From here on all
// streams that the other side begins, and all datagrams, are taken off the link, until it is down or the slot is dropped.
func (l *Local) Stand(slot int, ports filter.Ports, way link.Link) error { return nil }

// Drop has nobody be in a slot any more: connections to it are reset. The link is not closed.
func (l *Local) Drop(slot int) {}

// Move gives us another slot. A game that is on the ports of the one before stays there, and what it says is translated.
func (l *Local) Move(slot int, ports filter.Ports) error { return nil }

// Close closes all sockets and resets all connections. No goroutine is left when it returns. Links stay open.
func (l *Local) Close() error { return nil }
