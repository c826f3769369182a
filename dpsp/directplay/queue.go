package directplay

import (
	"slices"
	"sync"

	"dplay4/wire"
)

// A Message waits for a player of this machine: what another player said, or a system message, which has no sender.
type Message struct {
	From, To wire.PlayerID
	Data     []byte        // of another player; not to be changed
	System   SystemMessage // or nil
}

// Block returns the message as Receive gives it. A system message differs from face to face.
func (m *Message) Block(f Face) Block {
	if m.System == nil {
		return Block{Data: m.Data}
	}
	l := layout{face: f}
	m.System.write(&l)
	return l.block()
}

// A Sink keeps the messages that wait. An [Object] puts them there in order, one at a time, and is not waited for by whoever
// takes them out: a DLL that keeps them in memory of its own can answer Receive without this package. Put must not block, nor
// call the object.
type Sink interface {
	Put(m *Message)
	// Count returns how many messages wait, and how many octets they have, from and to players; id 0 is everybody.
	Count(from, to wire.PlayerID) (messages, octets int)
	Clear() // the session was closed: nothing waits any more, and there are no players
	// Ours says which players of this machine there are, when that has changed: games ask how many messages wait for one of
	// them as often as they ask for messages.
	Ours(players []wire.PlayerID)
}

// A Queue is a Sink in Go. Its methods may be called by several goroutines. A game that receives nothing is not to run out of
// memory: beyond 32 MiB what players said is lost, beyond 64 MiB system messages are as well.
type Queue struct {
	// Face is that by which Count reckons how large system messages are.
	Face Face

	mu     sync.Mutex
	all    []queued
	octets int // of all
}

// A queued is a message that waits, and its size.
type queued struct {
	*Message
	size int
}

const (
	// maxSaid and maxTold bound what a queue holds, in octets: when what players say is lost, and when all is.
	maxSaid = 32 << 20
	maxTold = 64 << 20
	// perMessage is what a message counts beside its octets.
	perMessage = 128
)

// Put appends a message, if there is room.
func (q *Queue) Put(m *Message) {
	x := queued{m, len(m.Block(q.Face).Data)}
	q.mu.Lock()
	defer q.mu.Unlock()
	limit := maxSaid
	if m.System != nil {
		limit = maxTold
	}
	if q.octets+perMessage+x.size > limit {
		return
	}
	q.octets += perMessage + x.size
	q.all = append(q.all, x)
}

// Clear forgets all messages.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all, q.octets = nil, 0
}

// Ours does nothing: whoever reads a Queue asks the object.
func (q *Queue) Ours([]wire.PlayerID) {}

// Count returns how many messages wait, and how many octets they have. System messages are from nobody.
func (q *Queue) Count(from, to wire.PlayerID) (messages, octets int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range q.all {
		if between(from, to, m.From, m.To) {
			messages++
			octets += m.size
		}
	}
	return messages, octets
}

// receive takes the first message that is asked for, and fits into the buffer. Who it is from and for is told only then.
func (q *Queue) receive(from, to *wire.PlayerID, flags uint32, b *Buffer, f Face) wire.HResult {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.all, func(m queued) bool {
		return (flags&ReceiveTo == 0 || m.To == *to) && (flags&ReceiveFrom == 0 || m.From == *from)
	})
	if i < 0 {
		return wire.ErrNoMessages
	}
	m := q.all[i]
	block := m.Block(f)
	block.Data = slices.Clone(block.Data) // what another player said is not to be changed
	if r := b.put(block, f); r != wire.OK {
		return r
	}
	*from, *to = m.From, m.To
	if flags&ReceivePeek == 0 {
		q.octets -= perMessage + m.size
		q.all = slices.Delete(q.all, i, i+1)
	}
	return wire.OK
}
