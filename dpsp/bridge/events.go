package bridge

import (
	"dplay4/dpsp/bridge/link"
)

// A Member is a machine of the session.
type Member struct {
	ID   link.ID
	Slot int    // from 0
	Name string // as it calls itself; printable, but not to be trusted
	Self bool   // it is this machine
	// Keeper says that it answers newcomers.
	Keeper bool
	// Hosts says that a game on it answers those who look for sessions. Known of this machine only.
	Hosts bool
	// Way is how octets go there; that of this machine is empty.
	Way link.Way
	// Linked says that there is a way at the moment.
	Linked bool
}

// An Event is something that happened in a session; one of the types below.
type Event interface{ event() }

type (
	// Opened means that the session is there, and this machine in it: the first event of Share and Join that did not fail.
	Opened struct {
		Code string // to tell to others
		Self Member
	}
	// CodeChanged means that newcomers need another code: the keeper is another machine, and the relay gives no address of one's
	// choice.
	CodeChanged struct{ Code string }
	// Joined means that a machine has joined, or was there when we joined.
	Joined struct{ Member Member }
	// Left means that a machine is gone.
	Left struct {
		Member Member
		Reason string // for people
	}
	// WayChanged means that octets go to a machine in another way now, or that there is none for the moment.
	WayChanged struct{ Member Member }
	// KeeperChanged means that another machine answers newcomers.
	KeeperChanged struct{ Member Member }
	// SlotChanged means that this machine's slot is another one: its game has to be started again.
	SlotChanged struct{ Self Member }
	// Asked means that a newcomer waits for Session.Answer.
	Asked struct {
		ID   link.ID
		Name string
	}
	// RelayLost means that a relay does not answer any more. What goes directly goes on.
	RelayLost struct {
		Relay  string
		Reason string
	}
	// RelayFound means that a relay answers.
	RelayFound struct {
		Relay     string
		Transport string // UDP, TCP or TLS
	}
	// Waiting means that the bridge waits for something on this machine, as that a program lets go of a port.
	Waiting struct {
		Port      int
		Transport string // UDP or TCP
		Text      string // for people
	}
	// Game tells what the game of this machine does.
	Game struct{ State GameState }
	// Refused means that something of another machine did not reach the game, or its streams were cut. It is told once for each
	// machine and reason.
	Refused struct {
		Member Member
		Reason string
	}
	// Ended means that we are out of the session. It is the last event.
	Ended struct{ Reason string } // "": we left
)

// A GameState is what the game of this machine does, as far as a bridge sees.
type GameState int

// The states of a game.
const (
	GameAbsent GameState = iota // no game, or one that does nothing
	GameLooks                   // it looks for sessions
	GameHosts                   // it answers those who look
	GameInGame                  // it is connected to others
)

func (Opened) event()        {}
func (CodeChanged) event()   {}
func (Joined) event()        {}
func (Left) event()          {}
func (WayChanged) event()    {}
func (KeeperChanged) event() {}
func (SlotChanged) event()   {}
func (Asked) event()         {}
func (RelayLost) event()     {}
func (RelayFound) event()    {}
func (Waiting) event()       {}
func (Game) event()          {}
func (Refused) event()       {}
func (Ended) event()         {}
