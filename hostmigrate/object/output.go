package object

import (
	"bytes"
	"math"
	"time"

	"dplay4/wire"
)

// Never is a [Table.Next] of a table that waits for nothing.
const Never = time.Duration(math.MaxInt64)

// A Send is a message for one machine.
type Send struct {
	To       wire.PlayerID
	Reliable bool // over the stream, in order; otherwise a datagram
	Message  wire.ExtensionObject
}

// An Output is what a table wants done, in order. It is valid until the next call of the table.
type Output struct {
	Sends  []Send
	Events []Event
}

// Take returns what the table wants done since the last Take. States in Sends alias the table's memory and must not
// be changed.
func (t *Table) Take() Output {
	out := Output{Sends: t.sends, Events: t.events}
	t.sends, t.events = t.sends[:0], nil
	return out
}

func (t *Table) event(e Event) { t.events = append(t.events, e) }

// send sends a message about an object as we know it: its owner, counter and sequence.
func (t *Table) send(to wire.PlayerID, reliable bool, op wire.ExtensionKind, o *object, state []byte) {
	t.sends = append(t.sends, Send{To: to, Reliable: reliable, Message: wire.ExtensionObject{Op: op, Object: o.id,
		Owner: o.owner, Counter: o.counter, Sequence: o.seq, State: state}})
}

// copied returns a program's own copy of a state.
func copied(state []byte) []byte { return bytes.Clone(state) }
