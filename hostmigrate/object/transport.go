package object

import (
	"slices"
	"time"
)

// A Transport is the session that carries a table's messages and tells the program of its events. It is all that the package has of a
// session besides the calls of [Table.Join], [Table.Leave], [Table.SetHost] and [Table.Receive].
type Transport interface {
	// Send sends a message to one machine. The state in it is the table's memory, and must not be changed or kept.
	Send(s *Send)
	// Tell tells the program what happened.
	Tell(ev Event)
}

// Work does what is due, and hands to a transport what the table wants sent, then what it wants told.
func (t *Table) Work(now time.Duration, session Transport) {
	if t == nil {
		return
	}
	t.Look(now)
	out := t.Take()
	for i := range out.Sends {
		session.Send(&out.Sends[i])
	}
	tell(session, out.Events)
}

// Part takes the table out of its session: it has no host and no other machine until [Table.SetHost] and [Table.Join] say otherwise.
// What it wanted sent is dropped, because nobody is there.
func (t *Table) Part(now time.Duration, session Transport) {
	if t == nil {
		return
	}
	t.SetHost(now, 0)
	for _, p := range slices.Clone(t.peers) {
		t.Leave(now, p)
	}
	tell(session, t.Take().Events)
}

func tell(session Transport, events []Event) {
	for _, ev := range events {
		session.Tell(ev)
	}
}
