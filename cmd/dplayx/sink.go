//go:build windows && cgo

package main

// #include "request.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// A sink puts an object's messages into a queue of C.
type sink struct {
	mu    sync.Mutex
	queue *C.Queue
	ended bool // C has the queue alone
}

// Put renders a message for both kinds of faces: who will ask is not known.
func (s *sink) Put(m *directplay.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	narrow := block(m.Block(face(false)), &pins)
	var wide *C.Block
	if m.System != nil {
		b := block(m.Block(face(true)), &pins)
		wide = &b
	}
	C.put_message(s.queue, C.uint32_t(m.From), C.uint32_t(m.To), C.bool(m.System != nil), &narrow, wide)
}

// block returns a message as C takes it.
func block(b directplay.Block, pins *runtime.Pinner) C.Block {
	x := C.Block{size: C.uint32_t(len(b.Data)), pointer_count: C.uint32_t(len(b.Pointers))}
	if len(b.Data) > 0 {
		pins.Pin(&b.Data[0])
		x.data = unsafe.Pointer(&b.Data[0])
	}
	if len(b.Pointers) > 0 {
		at := make([]C.uint32_t, len(b.Pointers))
		for i, p := range b.Pointers {
			at[i] = C.uint32_t(p)
		}
		pins.Pin(&at[0])
		x.pointers = &at[0]
	}
	return x
}

// Count returns how many messages wait, and how many octets they have.
func (s *sink) Count(from, to wire.PlayerID) (messages, octets int) {
	var n, size C.uint32_t
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		C.count_messages(s.queue, C.uint32_t(from), C.uint32_t(to), &n, &size)
	}
	return int(n), int(size)
}

// Clear forgets all messages.
func (s *sink) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		C.clear_queue(s.queue)
	}
}

// Ours tells C of whom it can count messages.
func (s *sink) Ours(players []wire.PlayerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	ids := make([]C.uint32_t, len(players)+1) // C may look at the first
	for i, p := range players {
		ids[i] = C.uint32_t(p)
	}
	C.set_players(s.queue, &ids[0], C.uint32_t(len(players)))
}

// end lets go of the queue.
func (s *sink) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
