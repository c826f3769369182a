package bridging

import (
	"slices"
	"sync"
	"time"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// keptLines is how many of the last things that happened are kept: more than any screen shows.
const keptLines = 200

// A board is what the table shows. It may be used by several goroutines.
type board struct {
	mu sync.Mutex
	state
	drawn   link.ID  // about whom is asked on the screen
	rings   int      // newcomers for whom the terminal is still to ring
	waiting string   // for what this machine waits
	blocked bool     // a game here can join, and not host
	lines   []string // what happened last
	ended   string   // why the session ended, if not because this machine left
}

func newBoard(s Session) *board { return &board{state: newState(s)} }

// learn takes in an event.
func (b *board) learn(now time.Time, e bridge.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.learn(e)
	switch e := inner(e).(type) {
	case bridge.Asked:
		b.rings++
		return // it has a line of its own
	case local.Waiting:
		b.waiting = e.For
		return
	case bridge.HostElsewhere:
		b.blocked = e.On
		return // the table says so
	case bridge.Ended:
		b.ended = e.Reason
		return // what it says is said when the table is gone
	}
	if !b.steady.hold(now, e) {
		b.note(now, Lines(e)...)
	}
}

// look takes note of what has lasted.
func (b *board) look(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.steady.due(now) {
		b.note(now, Lines(e)...)
	}
}

// note has lines stand below the table.
func (b *board) note(now time.Time, lines ...string) {
	for _, l := range lines {
		b.lines = append(b.lines, now.Format("15:04:05 ")+l)
	}
	b.lines = b.lines[max(0, len(b.lines)-keptLines):]
}

// ring reports whether the terminal is to ring: somebody asks, and who is to answer may look at the game.
func (b *board) ring() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	rings := b.rings > 0
	b.rings = 0
	return rings
}

// answer answers the question that is on the screen, unless it is over.
func (b *board) answer(yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.IndexFunc(b.asked, func(a bridge.Asked) bool { return a.ID == b.drawn })
	if at < 0 {
		return
	}
	lines, err := b.state.answer(b.asked[at], yes)
	if err != nil {
		lines = append(lines, err.Error())
	}
	b.note(time.Now(), lines...)
}

// letHost has a game here host, or join, while another one hosts.
func (b *board) letHost(on bool) {
	err := b.s.LetHost(on)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.note(time.Now(), err.Error())
		return
	}
	b.letting = on
}
