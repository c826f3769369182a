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

// A path is what WayChanged is told of: whether there is a way to a machine, and which.
type path struct {
	linked, direct bool
	over           string
}

func (m Member) path() path { return path{m.Linked, m.Way.Direct, m.Way.Over} }

// An Event is something that happened in a session; one of the types below. The fields that dplay prints have their key in JSON as a
// tag, and are in the order of the keys.
type Event interface{ event() }

type (
	// Opened means that the session is there, and this machine in it: the first event of Share and Join that did not fail.
	Opened struct {
		Code string `json:"code,omitzero"` // to tell to others
		Self Member `json:"machine"`
	}
	// CodeChanged means that newcomers need another code: the keeper is another machine, and the relay gives no address of one's
	// choice.
	CodeChanged struct {
		Code string `json:"code,omitzero"`
	}
	// Joined means that a machine has joined, or was there when we joined. If it is not linked, there has been no way to it so far,
	// and its name may not be known.
	Joined struct {
		Member Member `json:"machine"`
	}
	// Left means that a machine is gone.
	Left struct {
		Member Member `json:"machine"`
		Reason string `json:"reason"` // for people
	}
	// WayChanged means that octets go to a machine in another way now, or that there is none for the moment.
	WayChanged struct {
		Member Member `json:"machine"`
		First  bool   `json:"-"` // it is one that there was no way to before
	}
	// KeeperChanged means that another machine answers newcomers.
	KeeperChanged struct {
		Member Member `json:"machine"`
		Ask    bool   `json:"ask"` // it asks its user about each
	}
	// GameHosts means that the game of another machine is host now, or is no more: Member.Hosts.
	GameHosts struct {
		Member Member `json:"machine"`
	}
	// SlotChanged means that this machine's slot is another one: its game has to be started again.
	SlotChanged struct {
		Self Member `json:"machine"`
	}
	// Asked means that a newcomer waits for Session.Answer.
	Asked struct {
		ID   link.ID `json:"machine"`
		Name string  `json:"-"` // in JSON it is a key of the machine
	}
	// Unasked means that it does not wait for it any more, and does not come in by it: it was refused, is gone, or is another machine's
	// to answer.
	Unasked struct {
		ID     link.ID `json:"machine"`
		Name   string  `json:"-"`
		Reason string  `json:"reason"` // for people
	}
	// RelayLost means that a relay does not answer any more, or did not when the session was opened. What goes directly goes on.
	RelayLost struct {
		Relay  string `json:"relay,omitzero"`
		Found  bool   `json:"found"`  // it answered before
		Others int    `json:"others"` // how many relays answer
		Reason string `json:"reason"`
	}
	// RelayFound means that a relay answers. Those that do when the session is opened are told behind Opened.
	RelayFound struct {
		Relay     string `json:"relay,omitzero"`
		Transport string `json:"transport,omitzero"` // UDP, TCP or TLS
		Again     bool   `json:"-"`                  // it did not before
	}
	// HostElsewhere means that the game of that machine is host, so that a game of this one can join, and not host unless LetHost lets
	// it; or that this is over.
	HostElsewhere struct {
		Member Member `json:"machine,omitzero"` // if On
		On     bool   `json:"on"`
	}
	// Local is what happens on this machine: what its game does, what it waits for, and what was kept from it.
	Local struct{ Event local.Event }
	// Ended means that we are out of the session. It is the last event.
	Ended struct {
		Reason string `json:"reason"` // "": we left
	}
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
