package hostmigrate

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// Output is what a [Table] wants done since it was asked last, in order.
type Output struct {
	Sends  []Send
	Events []Event
}

// A Send is a message for a peer, to be sent reliably and in this order. Several sends may share their octets.
type Send struct {
	To      wire.PlayerID
	Message []byte // of [MC-DPL8CS]: the body of wire.ExtensionTable
}

// An Event is what a [Table] found out: a [LeaderKnown], [Called], [Complete], [Drop] or [Removed].
type Event interface{ event() }

// Called says that another machine waits for this one to lead. If this one waits itself, for a machine that has said
// nothing yet, it is to lead ([Table.Again]): of all that do the best candidate goes on. If it is host, the other one does
// not know it.
type Called struct{ By wire.PlayerID }

// LeaderKnown says that somebody else leads a migration, and is host when it is over. It comes before or after
// [Table.Begin], whichever machine notices first. Who led or was host itself until then no longer is.
type LeaderKnown struct {
	ID  wire.PlayerID
	Old wire.PlayerID // the host that is gone, by its account
}

// Complete says that a migration is over.
type Complete struct {
	Version uint32
	// List is the table; nil: nobody had one. The leader goes on with it: it is its caller's from then on, as if it had
	// been given to [Table.Lead]. A member reads it only: it is [Table.Replica], which may be
	// another list when the host sends the whole table again.
	List *playerlist.List
}

// Drop says that a peer is to be removed from the session.
type Drop struct {
	ID  wire.PlayerID
	Err error // ErrSilent, ErrAnswer, ErrAhead, ErrAlive
}

// Removed says that the host told this machine to leave the session (DN_TERMINATE_SESSION).
type Removed struct{ By wire.PlayerID }

func (LeaderKnown) event() {}
func (Called) event()      {}
func (Complete) event()    {}
func (Drop) event()        {}
func (Removed) event()     {}
