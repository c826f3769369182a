package hostmigrate

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A migration is one that is under way.
type migration struct {
	leader   wire.PlayerID
	deadline time.Duration // of the answers that the leader waits for; of the leader's next word; Never: for nothing
	number   uint32        // leading: what was said of this machine, though its replica may say more by now
	old      wire.PlayerID // leading: who went, as was said
	peers    []peer        // leading: who takes part
	asked    wire.PlayerID // leading: who was asked for operations; 0: nobody
	greeted  bool          // following: its leader has said that it leads
}

// A peer is a machine that takes part in a migration that this one leads.
type peer struct {
	id      wire.PlayerID
	heard   bool
	whole   bool // it needs the whole table
	version uint32
}

// A candidacy is a HOST_MIGRATE that was not followed, because a better candidate was known. If that one is gone too,
// it is answered.
type candidacy struct {
	from, old wire.PlayerID
	olds      []wire.PlayerID // all that went one after the other, old the last
	round     uint32
	number    uint32 // by which it is compared with others
}

func (c *candidacy) claim() claim { return claim{c.number, c.from} }

// maxHeld bounds the candidacies that are remembered, and maxOlds the hosts and candidates that went before one.
const (
	maxHeld = 64
	maxOlds = 64
)

// Begin begins a migration: the host, or the last candidate, old, is gone, and leader is the candidate now, by
// whichever rule ([Candidate]). If that is this machine, it resynchronises peers, the modern members that are left;
// otherwise it waits for the leader's word, and peers means nothing. Called again with another leader, when that one is
// lost too, it starts over. For a leader whose word came before, and again for the same leader, it does nothing.
//
// The leader has to be one that says HOST_MIGRATE, a modern peer. Where a rule makes a legacy peer host there is nobody
// to wait for, and no migration of the table.
func (t *Table) Begin(now time.Duration, old, leader wire.PlayerID, peers []wire.PlayerID) {
	if leader == t.host && leader != old && (leader != t.cfg.Self || t.leads() || t.leading) {
		t.gone = include(t.gone, old)
		if t.leading || t.leads() {
			t.lostAsLeader(now, old)
		}
		return
	}
	if t.prefers(leader, old) {
		t.went(t.host, old)
		t.gone = include(t.gone, old)
		return
	}
	t.begins()
	called := t.called != 0 && t.called == t.host
	t.step(leader)
	t.went(leader, old)
	t.gone = remove(t.gone, leader)
	if leader == t.cfg.Self {
		t.candidate(now, old, peers)
		return
	}
	t.move = &migration{leader: leader, deadline: after(now, t.cfg.Patience)}
	if t.joinHeld(now, leader); !t.move.greeted {
		if len(t.held) > 0 {
			t.move.deadline = min(t.move.deadline, after(now, t.cfg.Timeout/2)) // as when one is held while it is waited for
		}
		t.report(calling)
		if called {
			t.event(Called{t.caller})
		}
	}
}

// begins forgets who went in the last migration, for another one begins. It goes on while no host was named: the table may
// have been led to its end while all waited for a machine that was to be host by the rule of DirectPlay 4.
func (t *Table) begins() {
	if t.move == nil && t.named {
		t.olds, t.gone = nil, nil
	}
	t.named = false
}

// calling is the round of who tells a candidate that it waits for it. Machines whose replicas got differently far may wait
// for each other, and nobody would lead.
const calling = math.MaxUint32

// isCalled notes that another machine waits for this one to lead.
func (t *Table) isCalled(from wire.PlayerID) {
	switch {
	case t.leads():
		t.include(from)
	case t.leading, t.Waits():
		t.event(Called{from})
	default: // this machine may be slow to notice that its host is gone; or the candidate that it follows may go
		t.called, t.caller = t.host, from
	}
}

// prefers reports whether the candidate that said that it leads goes on, though another machine is next by what this one
// knows, which may be more than that machine does. If it knows as well, it speaks, and is followed if it is better. Only
// this machine itself has to be better to lead.
func (t *Table) prefers(leader, gone wire.PlayerID) bool {
	return t.Greeted() && t.host != gone && t.word.from == t.host &&
		(leader != t.cfg.Self || !t.claimOf(leader).better(t.word.claim()))
}

// Again begins a migration that this machine leads, or led, once more: with peers that were not known to take part. Those
// who wait for a better candidate do not answer, and what that one says comes first.
func (t *Table) Again(now time.Duration, old wire.PlayerID, peers []wire.PlayerID) {
	t.step(t.cfg.Self)
	t.candidate(now, old, peers)
}

// went notes that hosts and candidates went, and that leader did not. Those that were named last are remembered.
func (t *Table) went(leader wire.PlayerID, olds ...wire.PlayerID) {
	for _, id := range olds {
		t.olds = include(remove(t.olds, id), id)
	}
	t.olds = remove(t.olds, leader)
	t.olds = slices.Delete(t.olds, 0, max(0, len(t.olds)-maxOlds))
}

// joinHeld takes part in a migration whose leader spoke before.
func (t *Table) joinHeld(now time.Duration, leader wire.PlayerID) {
	i := slices.IndexFunc(t.held, func(c candidacy) bool { return c.from == leader })
	if i < 0 {
		return
	}
	c := t.held[i]
	t.held = slices.Delete(t.held, i, i+1)
	t.join(now, c)
}

// step leaves whatever role this machine had: leader's operations count from now on.
func (t *Table) step(leader wire.PlayerID) {
	if t.leading { // the list is the caller's; a copy is the replica
		if l, err := playerlist.Load(t.list.State()); err == nil {
			t.list = l
		}
	}
	t.leading, t.host, t.called = false, leader, 0
	t.members, t.checks, t.parts, t.asked = nil, nil, nil, false
}

// candidate begins a migration that this machine leads, unless a better candidate has said that it does.
func (t *Table) candidate(now time.Duration, old wire.PlayerID, peers []wire.PlayerID) {
	us := t.claimOf(t.cfg.Self)
	if c, ok := t.betterHeld(candidacy{from: us.id, number: us.number, olds: append([]wire.PlayerID{old}, t.olds...)}); ok {
		t.join(now, c)
		return
	}
	t.round++
	t.held, t.lost = nil, nil
	t.move = &migration{leader: t.cfg.Self, deadline: after(now, t.cfg.Timeout), number: us.number}
	for _, id := range peers {
		if id == 0 || id == t.cfg.Self || id == old || t.move.find(id) != nil {
			continue
		}
		t.gone, t.olds = remove(t.gone, id), remove(t.olds, id)
		t.move.peers = append(t.move.peers, peer{id: id})
	}
	t.move.old = old
	for _, p := range t.move.peers {
		t.sayLeader(p.id)
	}
	t.gather(now)
}

// sayLeader tells a peer that this machine leads.
func (t *Table) sayLeader(to wire.PlayerID) {
	var tail []byte
	for _, id := range append([]wire.PlayerID{wire.PlayerID(t.round), wire.PlayerID(t.move.number)}, t.olds...) {
		tail = binary.LittleEndian.AppendUint32(tail, uint32(id))
	}
	t.send(to, &dpl8.HostMigrate{OldHost: dpl8.DPNID(t.move.old), NewHost: dpl8.DPNID(t.cfg.Self)}, tail...)
}

// include has a peer take part in the migration that this machine leads: it was not known to know the table when that
// began.
func (t *Table) include(id wire.PlayerID) {
	if id == t.move.old || t.move.find(id) != nil || slices.Contains(t.olds, id) {
		return
	}
	t.move.peers = append(t.move.peers, peer{id: id})
	t.sayLeader(id)
}

// leads reports whether this machine leads a migration that is under way.
func (t *Table) leads() bool { return t.move != nil && t.move.leader == t.cfg.Self }

// find returns a peer of a migration that this machine leads; nil: it takes no part.
func (m *migration) find(id wire.PlayerID) *peer {
	for i := range m.peers {
		if m.peers[i].id == id {
			return &m.peers[i]
		}
	}
	return nil
}

// hostMigrate takes the word of a candidate. It is followed if it says that the host of this machine is gone: who is
// slow to notice must not be left behind. If it names one that this machine knows to be gone, it is followed if it is a
// better candidate than the one that is followed now.
func (t *Table) hostMigrate(now time.Duration, from wire.PlayerID, m *dpl8.HostMigrate) error {
	c, ok := t.readCandidacy(from, m)
	switch {
	case !ok, slices.Contains(c.olds, t.cfg.Self):
		return ErrUnexpected
	case t.move == nil && t.named && t.host == t.cfg.Self && t.Follows(from):
		return ErrCandidate // it is older than that it follows this machine, and came over an older connection
	case from == t.host, t.host == 0, slices.Contains(c.olds, t.host):
	case t.knows(c.olds) && c.claim().better(t.followed()):
	default:
		t.hold(now, c)
		if t.leads() {
			t.include(from) // it does not know that we lead
		}
		return ErrCandidate
	}
	if h, ok := t.betterHeld(c); ok {
		t.hold(now, c)
		c = h
	}
	t.join(now, c)
	return nil
}

// betterHeld returns a candidacy of the same migration that was not followed, though it is better than one that is to be:
// its sender was compared with what this machine took the other one for.
func (t *Table) betterHeld(than candidacy) (c candidacy, ok bool) {
	i := slices.IndexFunc(t.held, func(h candidacy) bool {
		return h.from != than.from && h.claim().better(than.claim()) && !slices.Contains(than.olds, h.from) &&
			slices.ContainsFunc(h.olds, func(id wire.PlayerID) bool { return slices.Contains(than.olds, id) })
	})
	if i < 0 {
		return c, false
	}
	c = t.held[i]
	t.held = slices.Delete(t.held, i, i+1)
	return c, true
}

// followed is the claim of the candidate that this machine follows, or of itself: what was said, or what the replica
// says.
func (t *Table) followed() claim {
	switch {
	case t.leads():
		return claim{t.move.number, t.host}
	case t.word.from == t.host:
		return t.word.claim()
	}
	return t.claimOf(t.host)
}

// readCandidacy reads what stands behind the two fields: the leader's round and number, and all that went before it, for
// it may be the second or third candidate of a migration that others have not noticed yet.
func (t *Table) readCandidacy(from wire.PlayerID, m *dpl8.HostMigrate) (c candidacy, ok bool) {
	c = candidacy{from: from, old: wire.PlayerID(m.OldHost), number: t.claimOf(from).number}
	for _, s := range m.Layout.Stray() {
		b := s.Octets
		if len(b) < 8 || len(b)%4 != 0 || len(b) > 8+4*maxOlds {
			return c, false
		}
		c.round, c.number = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		for b = b[8:]; len(b) > 0; b = b[4:] {
			c.olds = include(c.olds, wire.PlayerID(binary.LittleEndian.Uint32(b)))
		}
	}
	c.olds = include(remove(c.olds, c.old), c.old)
	return c, wire.PlayerID(m.NewHost) == from && !slices.Contains(c.olds, from)
}

// knows reports whether one of some hosts is known to be gone.
func (t *Table) knows(olds []wire.PlayerID) bool {
	return slices.ContainsFunc(olds, func(id wire.PlayerID) bool { return slices.Contains(t.olds, id) })
}

// hold remembers a candidacy, the last one of each candidate. While the better candidate has not said a word, its
// turn comes before the other one can lose patience: the better one may be gone, and only this machine slow to notice.
func (t *Table) hold(now time.Duration, c candidacy) {
	t.held = slices.DeleteFunc(t.held, func(h candidacy) bool { return h.from == c.from })
	if len(t.held) < maxHeld {
		t.held = append(t.held, c)
	}
	if t.move != nil && !t.leads() && !t.move.greeted {
		t.move.deadline = min(t.move.deadline, after(now, t.cfg.Timeout/2))
	}
}

// join takes part in a migration that somebody else leads, and tells it the version of this table.
func (t *Table) join(now time.Duration, c candidacy) {
	t.begins()
	t.went(c.from, c.olds...)
	if t.word.from == t.host && t.host != 0 && t.host != c.from {
		t.hold(now, t.word) // if c's sender dies, the one before counts on this machine still
	}
	t.word = c
	t.step(c.from)
	t.move = &migration{leader: c.from, deadline: after(now, t.cfg.Patience), greeted: true}
	t.report(c.round)
	t.event(LeaderKnown{c.from, c.old})
}

// migrated takes the leader's word that the migration is over.
func (t *Table) migrated(from wire.PlayerID) error {
	if err := t.following(from); err != nil {
		return err
	}
	if t.move == nil || !t.move.greeted {
		return ErrUnexpected
	}
	t.move, t.held = nil, nil
	t.event(Complete{t.Version(), t.list})
	for _, id := range t.lost {
		t.askHost(id)
	}
	t.lost = nil
	return nil
}

// Lost says that contact with a peer is lost. The leader of a migration and the host go on without it. A member asks
// the host whether it is still there, once a migration is over; of the host itself it waits for [Table.Begin].
func (t *Table) Lost(now time.Duration, id wire.PlayerID) {
	if id == 0 || id == t.cfg.Self {
		return
	}
	if t.move != nil {
		t.gone = include(t.gone, id)
	}
	t.Left(id)
	switch {
	case t.leading || t.host == t.cfg.Self:
		t.lostAsLeader(now, id)
	case id == t.host && t.move != nil:
		t.move.greeted = false // that it leads counts for nothing
	case id == t.host:
	case t.move != nil:
		t.lost = include(t.lost, id)
	default:
		t.askHost(id)
	}
}

// Left says that the session has a peer no longer, by the word of another one: that it was a candidate counts for nothing
// then. It is for members; the host and the leader of a migration say [Table.Lost].
func (t *Table) Left(id wire.PlayerID) {
	t.held = slices.DeleteFunc(t.held, func(c candidacy) bool { return c.from == id })
}

// lostAsLeader goes on without a peer.
func (t *Table) lostAsLeader(now time.Duration, id wire.PlayerID) {
	t.drop(id)
	if t.leads() {
		t.without(now, id)
	}
}
