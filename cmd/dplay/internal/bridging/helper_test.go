package bridging

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
)

// A made is a Session that is made up.
type made struct {
	events chan bridge.Event

	mu      sync.Mutex
	code    string
	members []bridge.Member
	asking  []bridge.Asked
	done    []string // what was asked of it
	closed  bool
	kicks   bool   // who is kicked is told to be gone
	lets    func() // happens when a game here is let host
}

func newMade(names ...string) *made {
	s := &made{events: make(chan bridge.Event, 100), code: "ABCD-EFGH"}
	for i, name := range names {
		s.members = append(s.members, bridge.Member{ID: link.ID{byte(i)}, Slot: i, Name: name, Self: i == 0, Keeper: i == 0, Linked: i > 0,
			Way: link.Way{Direct: i%2 == 1, Over: "192.0.2.7:4433", RTT: time.Duration(i) * 12 * time.Millisecond, Loss: 0.02 * float64(i)}})
	}
	return s
}

func (s *made) Code() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code
}

func (s *made) Events() <-chan bridge.Event { return s.events }

func (s *made) Members() []bridge.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members
}

func (s *made) Ways(context.Context) (all []bridge.PairWay, err error) {
	members := s.Members()
	for i, a := range members {
		for _, b := range members[i+1:] {
			all = append(all, bridge.PairWay{A: a, B: b, Known: b.Slot != 3, Linked: b.Slot != 2, Way: b.Way})
		}
	}
	return all, nil
}

// did notes what was asked.
func (s *made) did(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, fmt.Sprintf(format, args...))
	return nil
}

// asked returns what was asked so far.
func (s *made) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

func (s *made) Kick(slot int, _ string) error {
	if !s.Members()[0].Keeper {
		return bridge.ErrNotKeeper
	}
	if s.kicks {
		s.events <- bridge.Left{Member: s.Members()[slot], Reason: "it was sent away"}
	}
	return s.did("kick %d", slot)
}

func (s *made) LetHost(on bool) error {
	if s.lets != nil {
		s.lets()
	}
	return s.did("host %v", on)
}

func (s *made) Cut(slot int) error { return s.did("cut %d", slot) }

func (s *made) Asking() []bridge.Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asking
}

func (s *made) Answer(id link.ID, yes bool) error {
	if id == gone {
		return bridge.ErrNobodyThere
	}
	return s.did("answer %x %v", id[:1], yes)
}

// gone asked and does not any more, of which no event has told yet.
var gone = link.ID{99}

// guest returns a session of which another machine is keeper.
func guest(names ...string) *made {
	s := newMade(names...)
	s.members[0].Keeper, s.members[1].Keeper = false, true
	return s
}

// asks has newcomers ask.
func (s *made) asks(names ...string) *made {
	for i, name := range names {
		s.asking = append(s.asking, bridge.Asked{ID: link.ID{byte(i + 5)}, Name: name})
	}
	return s
}

func (s *made) Close() error { return s.end("") }

// end ends the session for a reason.
func (s *made) end(reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.events <- bridge.Ended{Reason: reason}
		close(s.events)
	}
	return nil
}

// ended reports whether it was closed.
func (s *made) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
