package local

import (
	"net/netip"

	"dplay4/dpsp/bridge/filter"
)

// An Event is one of the types below.
type Event interface{ event() }

// Searching says that our game looks for sessions.
type Searching struct{}

// Hosting says that our game is host of a session, or is no more.
type Hosting struct {
	On bool   `json:"on"`
	By string `json:"program,omitzero"` // who has port 47624, such as "dplaysvr.exe (process 4711)", if the system tells
}

// Playing says that our game has connections to others, or none any more.
type Playing struct {
	On bool `json:"on"`
}

// Waiting says what the user has to do so that our game finds the session and reaches all its machines, such as "47624 is held
// by dplaysvr.exe (process 4711): close the game that hosts"; "" once it is done.
type Waiting struct {
	For string `json:"for"`
}

// Elsewhere says that the bridge has port 47624 because the game of the machine in a slot is host: a game of this machine can join,
// and cannot host unless LetHost lets it. Slot is -1 once that is over.
type Elsewhere struct{ Slot int }

// Translating says that our game is not on the ports of our slot, and that what it says is translated.
type Translating struct {
	Game filter.Ports `json:"game"`
	Plan filter.Ports `json:"plan"`
}

// Cut says that a connection between a slot's game and ours was ended, and why: mostly a *filter.Violation.
type Cut struct {
	Slot int   `json:"slot"`
	Err  error `json:"reason"`
}

// Dropped says that messages of a slot did not reach our game, why the last one did not, and how many since it was told last: they
// are datagrams, or such that cannot be read and are followed by others.
type Dropped struct {
	Slot  int   `json:"slot"`
	Count int   `json:"count"`
	Err   error `json:"reason"`
}

// Taken says that a slot's game named a machine of its own network, which was taken for the one in the slot that has the port.
type Taken struct {
	Slot int            `json:"slot"`
	At   netip.AddrPort `json:"addr"` // as it was named
	For  int            `json:"as"`   // -1: there is no machine
}

func (Searching) event()   {}
func (Hosting) event()     {}
func (Playing) event()     {}
func (Waiting) event()     {}
func (Elsewhere) event()   {}
func (Translating) event() {}
func (Cut) event()         {}
func (Dropped) event()     {}
func (Taken) event()       {}
