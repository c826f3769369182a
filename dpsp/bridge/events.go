package bridge

import (
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// A Member is a machine of the session.
type Member struct {
	ID   link.ID
	Slot int    // from 0
	Name string // as it calls itself; printable, but not to be trusted
	Self bool   // it is this machine
	// Twin says that another machine of the session has the same name.
	Twin bool
	// Keeper says that it answers newcomers.
	Keeper bool
	// Hosts says that its game is host of a DirectPlay session.
	Hosts bool
	// Ports are where its game is, on every machine alike.
	Ports filter.Ports
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
	// Joined means that a machine has joined, or was there when we joined. If it is not linked, there has been no way to it so far,
	// and its name may not be known.
	Joined struct{ Member Member }
	// Left means that a machine is gone.
	Left struct {
		Member Member
		Reason string // for people
	}
	// WayChanged means that octets go to a machine in another way now, or that there is none for the moment.
	WayChanged struct {
		Member Member
		First  bool // it is one that there was no way to before
	}
	// KeeperChanged means that another machine answers newcomers.
	KeeperChanged struct {
		Member Member
		Ask    bool // it asks its user about each
	}
	// GameHosts means that the game of another machine is host now, or is no more: Member.Hosts.
	GameHosts struct{ Member Member }
	// SlotChanged means that this machine's slot is another one: its game has to be started again.
	SlotChanged struct{ Self Member }
	// Asked means that a newcomer waits for Session.Answer.
	Asked struct {
		ID   link.ID
		Name string
	}
	// Unasked means that it does not wait for it any more, and does not come in by it: it was refused, is gone, or is another machine's
	// to answer.
	Unasked struct {
		ID     link.ID
		Name   string
		Reason string // for people
	}
	// RelayLost means that a relay does not answer any more, or did not when the session was opened. What goes directly goes on.
	RelayLost struct {
		Relay  string
		Reason string
		Found  bool // it answered before
		Others int  // how many relays answer
	}
	// RelayFound means that a relay answers. Those that do when the session is opened are told behind Opened.
	RelayFound struct {
		Relay     string
		Transport string // UDP, TCP or TLS
		Again     bool   // it did not before
	}
	// HostElsewhere means that the game of that machine is host, so that a game of this one can join, and not host unless LetHost lets
	// it; or that this is over.
	HostElsewhere struct {
		On     bool
		Member Member // if On
	}
	// Local is what happens on this machine: what its game does, what it waits for, and what was kept from it.
	Local struct{ Event local.Event }
	// Ended means that we are out of the session. It is the last event.
	Ended struct{ Reason string } // "": we left
)

func (Opened) event()        {}
func (CodeChanged) event()   {}
func (Joined) event()        {}
func (Left) event()          {}
func (WayChanged) event()    {}
func (KeeperChanged) event() {}
func (GameHosts) event()     {}
func (SlotChanged) event()   {}
func (Asked) event()         {}
func (Unasked) event()       {}
func (RelayLost) event()     {}
func (RelayFound) event()    {}
func (HostElsewhere) event() {}
func (Local) event()         {}
func (Ended) event()         {}
