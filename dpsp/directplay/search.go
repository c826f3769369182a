package directplay

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

const (
	// defaultSearch is how long a search lasts, or how often one in the background asks, if the game leaves it to us.
	defaultSearch = time.Second
	// seldom is how often a search in the background asks at most: each time it asks everybody on the network.
	seldom = 100 * time.Millisecond
	// longer is how much longer such a search lasts at most, until somebody answered: the host may be far away, or busy. That of
	// Windows lasts some ten seconds (Wine's test of it says three minutes for seventeen).
	longer = 2 * time.Second
	// stale is how many requests a session may leave unanswered before a search in the background forgets it.
	stale = 4
	// maxHits bounds how many sessions are known.
	maxHits = 1024
	// never is how often a search asks again that does so once.
	never = 24 * time.Hour
)

// A search is the way to sessions, and those that were found.
type search struct {
	hits  []*hit
	round int      // requests so far
	asked question // by the last search
	busy  bool     // it is one in the background
	stop  context.CancelFunc
}

// A question is what makes one search differ from another. The period of one that is waited for is 0.
type question struct {
	application wire.GUID
	flags       wire.EnumFlags
	password    dpsp.Text
	period      time.Duration
}

// A hit is a session that was found.
type hit struct {
	sock.Found
	round int  // when it answered last
	fresh bool // it answered since the last search was told of
	old   bool // it did not answer the last search that was waited for
}

// EnumSessions looks for sessions and calls back with each, on the caller's goroutine, and with nil when all were told, as
// with DPESC_TIMEDOUT. A search ends if what it calls returns false, and goes on for what it leaves in timeout, in ms, if it
// returns true for nil. With DPENUMSESSIONS_ASYNC it returns at once with what was found so far, and goes on looking in the
// background. DPENUMSESSIONS_RETURNSTATUS makes no difference, because no connection has to be made first.
func (o *Object) EnumSessions(d *SessionDesc, timeout uint32, each func(*SessionDesc, *uint32) bool, flags uint32) wire.HResult {
	asked := wire.EnumFlags(flags)
	stops := asked&wire.EnumStopAsync != 0 // in a session as well, where games end the search that Open has ended
	var s *sock.Session
	r := o.locked(func() wire.HResult {
		switch {
		case d == nil, d.WrongSize, asked&^everySearch != 0, each == nil && !stops:
			return wire.ErrInvalidParams
		case o.isOpen() && !stops:
			return wire.ErrGeneric // guessed: nobody looks for sessions from inside one
		}
		s = o.sess
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	if stops {
		o.stopSearch()
		if each != nil {
			each(nil, &timeout)
		}
		return wire.OK
	}
	if s == nil { // otherwise nobody is waited for who is on the way into a session
		var err error
		o.entering.Lock()
		s, err = o.sockets()
		o.entering.Unlock()
		if err != nil {
			return o.result(err)
		}
	}
	ask := sock.Ask{Application: d.Application, Flags: asked, Password: given(d.Password), Repeat: never}
	for {
		found := o.look(s, ask, time.Duration(timeout)*time.Millisecond)
		for _, f := range found {
			told := describe(&f.Desc, f.Name, nil)
			told.Name = &f.Name
			if !each(&told, &timeout) {
				return wire.OK
			}
		}
		if !each(nil, &timeout) || asked&wire.EnumAsync != 0 || o.ctx.Err() != nil {
			return wire.OK
		}
	}
}

// look searches, for a while or in the background, and returns what was found.
func (o *Object) look(s *sock.Session, ask sock.Ask, period time.Duration) []sock.Found {
	ours := period <= 0
	if ours {
		period = defaultSearch
	}
	if ask.Flags&wire.EnumAsync != 0 {
		o.inBackground(s, ask, max(period, seldom))
		return o.found(func(h *hit) bool {
			tell := !h.old && h.round+stale > o.search.round
			h.fresh = h.fresh && !tell
			return tell
		})
	}
	o.begin(s, ask, 0)
	ctx, cancel := context.WithTimeout(o.ctx, period)
	defer cancel()
	<-ctx.Done()
	if ours {
		o.await(longer, func() bool { return slices.ContainsFunc(o.search.hits, func(h *hit) bool { return h.fresh }) })
	}
	return o.found(func(h *hit) bool { // what comes later is for the next search
		defer func() { h.fresh = false }()
		return h.fresh
	})
}

// found returns the sessions that are wanted.
func (o *Object) found(want func(*hit) bool) []sock.Found {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []sock.Found
	for _, h := range o.search.hits {
		if want(h) {
			all = append(all, h.Found)
		}
	}
	return all
}

// inBackground has a search in the background, and leaves the one that is there if it is the same.
func (o *Object) inBackground(s *sock.Session, ask sock.Ask, period time.Duration) {
	o.mu.Lock()
	same := o.search.busy && o.search.asked == question{ask.Application, ask.Flags, ask.Password, period}
	o.mu.Unlock()
	if !same {
		o.begin(s, ask, period)
	}
}

// begin begins a search in place of the one before, which asks once if period is 0. It listens until the next one, or
// stopSearch: answers may be late, and are for the next call then.
func (o *Object) begin(s *sock.Session, ask sock.Ask, period time.Duration) {
	ctx, stop := context.WithCancel(o.ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.search.stop
	o.search.asked, o.search.busy, o.search.stop = question{ask.Application, ask.Flags, ask.Password, period}, period > 0, stop
	o.search.round++
	for _, h := range o.search.hits {
		h.old = h.old || period == 0 // Windows has in its cache what answered the last search (Wine's test_EnumSessions)
	}
	go func() {
		var ok bool
		if ask.Hosts, ok = o.hosts(ctx); ok {
			o.listen(ctx, s, ask, period)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if ctx.Err() == nil {
			o.search.busy = false // it failed: the next call tries again
		}
	}()
	before()
}

// listen asks, once or once a period, and takes the answers.
func (o *Object) listen(ctx context.Context, s *sock.Session, ask sock.Ask, period time.Duration) {
	for ctx.Err() == nil {
		round, end := context.WithTimeout(ctx, cmp.Or(period, never))
		for f, err := range s.Enumerate(round, ask) {
			if err != nil {
				end()
				o.log.Error("search", "why", err)
				return
			}
			o.hit(f)
		}
		end()
		o.mu.Lock()
		o.search.round++
		o.mu.Unlock()
	}
}

// hit takes an answer.
func (o *Object) hit(f sock.Found) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.told.Broadcast()
	h := &hit{Found: f, round: o.search.round, fresh: true}
	i := slices.IndexFunc(o.search.hits, func(x *hit) bool { return x.Desc.Instance == f.Desc.Instance })
	if i >= 0 {
		o.search.hits[i] = h
		return
	}
	o.search.hits = append(o.search.hits, h)
	o.search.hits = slices.Delete(o.search.hits, 0, max(0, len(o.search.hits)-maxHits))
}

// stopSearch ends the search in the background. What was found can still be joined; the next search begins with nothing.
func (o *Object) stopSearch() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.search.stop()
	o.search.busy = false
	for _, h := range o.search.hits {
		h.old, h.fresh = true, false
	}
}

// known returns a session that was found.
func (o *Object) known(instance wire.GUID) (sock.Found, bool) {
	return o.one(func(h *hit) bool { return h.Desc.Instance == instance })
}

// one returns the first session that was found and is wanted.
func (o *Object) one(wanted func(*hit) bool) (sock.Found, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h, ok := pick(o.search.hits, wanted)
	return deref(h).Found, ok
}

// pick returns the first of some that is wanted, and whether there is one.
func pick[T any](all []T, wanted func(T) bool) (x T, ok bool) {
	if i := slices.IndexFunc(all, wanted); i >= 0 {
		return all[i], true
	}
	return x, false
}

// hosts returns whom to ask, nobody for everybody on the network. The game's word counts, then the configuration's: where the
// game names nobody, Microsoft's provider asks the player in a dialog, or everybody if the address has an empty name; the player
// who set an address has answered both. ok is false for a name that leads nowhere.
func (o *Object) hosts(ctx context.Context) (all []netip.Addr, ok bool) {
	o.mu.Lock()
	name := cmp.Or(o.conn.host, o.opt.Config.Address)
	o.mu.Unlock()
	if name == "" || name == "255.255.255.255" {
		return nil, true
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{a}, true
	}
	if o.opt.Resolve == nil {
		o.log.Error("not an address", "host", name)
		return nil, false
	}
	all, err := o.opt.Resolve(ctx, name)
	if err != nil {
		o.log.Error("no address", "host", name, "why", err)
	}
	return all, len(all) > 0
}

// given returns a text as the engine takes it. NULL becomes "", which is also what the engine takes for no password.
func given(s *string) dpsp.Text {
	if s == nil {
		return ""
	}
	return text(s)
}
