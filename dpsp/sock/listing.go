package sock

import (
	"sync"
	"time"
)

// A listing keeps a session in the directory for as long as it is ours to host: opening ports and leaving them takes
// time, so it happens beside the steps that tell of it, in a goroutine that lives until all is as wanted.
type listing struct {
	loop   *loop
	mu     sync.Mutex
	wanted bool   // we are the host
	over   bool   // the session is being closed
	busy   bool   // somebody is at work to have it as wanted
	leave  func() // we are in the directory, and this ends it
	err    error  // why we are not
	change chan struct{}
	group  sync.WaitGroup
}

func newListing(l *loop) *listing { return &listing{loop: l, change: make(chan struct{}, 1)} }

// enter enters the directory now, before there is a session to host, or tells why it cannot be. After it release must
// follow.
func (g *listing) enter() error {
	g.mu.Lock()
	if g.over {
		g.mu.Unlock()
		return ErrClosed
	}
	g.group.Add(1)
	if g.busy || g.leave != nil {
		g.mu.Unlock()
		return nil // there is, or was a moment ago, a session that we host
	}
	g.busy = true
	g.mu.Unlock()
	leave, err := enlist(g.loop)
	g.mu.Lock()
	g.busy, g.leave = false, leave
	g.mu.Unlock()
	if err != nil {
		g.release()
	}
	return err
}

// release ends enter: the session is there by now, or there will be none.
func (g *listing) release() {
	defer g.group.Done()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begin()
}

// want says whether we are the host. It never waits.
func (g *listing) want(host bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted = host
	g.begin()
}

// begin starts work if there is some, or has it look again; under mu.
func (g *listing) begin() {
	if g.busy {
		signal(g.change)
		return
	}
	if g.settled() {
		return
	}
	g.busy = true
	g.group.Go(g.work)
}

// settled says whether all is as wanted; under mu.
func (g *listing) settled() bool { return (g.wanted && !g.over) == (g.leave != nil) }

// work enters the directory and leaves it until all is as wanted. While another process has its ports, such as that
// of the host before us on the same machine, it tries again and again.
func (g *listing) work() {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		g.mu.Lock()
		leave := g.leave
		if g.settled() {
			g.busy, g.err = false, nil
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		var err error
		if leave != nil {
			leave()
			leave = nil
		} else {
			leave, err = enlist(g.loop)
		}
		g.mu.Lock()
		g.leave, g.err = leave, err
		g.mu.Unlock()
		if err == nil {
			continue
		}
		again.Reset(g.loop.limits.relist)
		select {
		case <-again.C:
		case <-g.change:
		}
	}
}

// failure says why we are not in the directory although we should be.
func (g *listing) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// close leaves the directory for good.
func (g *listing) close() {
	g.mu.Lock()
	g.over = true
	g.begin()
	g.mu.Unlock()
	g.group.Wait()
}
