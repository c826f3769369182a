// Package admit keeps what a host of a session has given away and may have to take back: ids for machines on their way in, ids for players
// and groups of members, lists of players for strangers, and corrections after a refusal. It is state: the engine sends.
//
// # Rules
//
//   - A newcomer holds an id until it is in the list, or its deadline. Anybody can ask for one, so newcomers are bounded in all and by
//     address.
//   - A promise is an id that a member was given and has not used. Promises for players count as players. A promise lapses at its
//     deadline: the id takes no place any more, and its member may still use it while there is room.
//   - Strangers are sent a bounded number of lists a second, in all and by address.
//   - A correction is sent a few times, with time between, because it may be larger than what it corrects.
//
// # Invariants
//
//   - Every id of a newcomer that is not told yet, and of a promise, is reserved in IDs.
//   - No two newcomers, and no two promises, have one id.
//   - Newcomers are at most MaxNewcomers, promises and lapsed promises at most MaxPromises each.
package admit

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Reservations are the ids and newcomers that a host keeps track of.
type Reservations struct {
	IDs       *playerlist.IDs // nil: we are not the host
	Newcomers []*Newcomer     // in the order in which they asked
	Promises  []Promise       // ids given to members
	Lapsed    []Promise       // and too long ago
	lists     lists

	corrections []Correction // in the order of the refusals
	correctAt   time.Duration
}

// A Newcomer is on its way in: an id was given, then the members were told.
type Newcomer struct {
	ID       wire.PlayerID
	Listener netip.AddrPort // at the address that its packets come from
	Told     bool           // the members were told: it is in the list
	Latest   time.Duration  // then it gets the list in any case, once told
	Deadline time.Duration  // Latest or earlier; before it is told, when its id is taken back
}

// Newcomers that are on their way in at a time are bounded, for each holds an id and anybody can ask for one.
const (
	// MaxNewcomers is how many there are in all: more than machines ever join one session within a minute, and 100 kB.
	// Beyond it the one that has waited longest makes room, of the address that has the most: so strangers at few
	// addresses keep nobody out, and those at many only who does not go on before they have asked that often. A game
	// goes on as soon as it has its id.
	MaxNewcomers = 1024
	// MaxNewcomersEach is how many there are of one address: as many machines can be behind one, in a laboratory or
	// behind a router, before they have to wait for each other.
	MaxNewcomersEach = 64
)

// Room reports whether there may be one more newcomer from an address, and which other one has to go for it; nil: none.
func (r *Reservations) Room(from netip.Addr) (ok bool, last *Newcomer) {
	each := map[netip.Addr]int{}
	for _, n := range r.Newcomers {
		each[n.Listener.Addr()]++
	}
	mine := each[from]
	if mine >= MaxNewcomersEach || len(r.Newcomers) < MaxNewcomers {
		return mine < MaxNewcomersEach, nil
	}
	for _, n := range r.Newcomers {
		has := each[n.Listener.Addr()]
		if !n.Told && has > mine && (last == nil || has > each[last.Listener.Addr()]) {
			last = n
		}
	}
	return last != nil, last
}

// Newcomer returns the newcomer with an id, nil if there is none.
func (r *Reservations) Newcomer(id wire.PlayerID) *Newcomer {
	if i := slices.IndexFunc(r.Newcomers, func(n *Newcomer) bool { return n.ID == id }); i >= 0 {
		return r.Newcomers[i]
	}
	return nil
}

// Remove forgets a newcomer.
func (r *Reservations) Remove(n *Newcomer) {
	r.Newcomers = slices.DeleteFunc(r.Newcomers, func(x *Newcomer) bool { return x == n })
}

// Depart forgets a machine that is gone.
func (r *Reservations) Depart(system wire.PlayerID) {
	itsOwn := func(p Promise) bool { return p.To == system }
	r.breakPromises(itsOwn)
	r.Lapsed = slices.DeleteFunc(r.Lapsed, itsOwn)
	r.Newcomers = slices.DeleteFunc(r.Newcomers, func(n *Newcomer) bool { return n.ID == system })
}

// Next returns the time of the next deadline, or never.
func (r *Reservations) Next(never time.Duration) time.Duration {
	next := never
	for _, n := range r.Newcomers {
		next = min(next, n.Deadline)
	}
	for _, p := range r.Promises {
		next = min(next, p.Deadline)
	}
	if len(r.corrections) > 0 {
		next = min(next, r.correctAt)
	}
	return next
}

// lists counts the lists of players that strangers were sent in the second that began at since.
type lists struct {
	since time.Duration
	all   int
	each  map[netip.Addr]int
}

const (
	// MaxAskersEach is how many lists the strangers of an address are sent in a second. DirectPlay asks once for each call of a
	// program, and a program that shows sessions to a player calls every few seconds.
	MaxAskersEach = 8
	// MaxAskers is how many all strangers are sent in a second.
	MaxAskers = 64
)

// MaySee reports whether a stranger is sent one more list, and counts that.
func (r *Reservations) MaySee(from netip.Addr, now time.Duration) bool {
	k := &r.lists
	if k.each == nil || now >= k.since+time.Second {
		*k = lists{since: now, each: map[netip.Addr]int{}}
	}
	if k.all >= MaxAskers || k.each[from] >= MaxAskersEach {
		return false
	}
	k.all++
	k.each[from]++
	return true
}
