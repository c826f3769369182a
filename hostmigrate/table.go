package hostmigrate

import (
	"math"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// Never is what [Table.Next] gives while a table waits for nothing.
const Never time.Duration = math.MaxInt64

// Config is what a [Table] is made of.
type Config struct {
	Self     wire.PlayerID // this machine's system player
	Rule     Rule          // which of two candidates is the better one
	Timeout  time.Duration // for one answer; 0 or less: DefaultTimeout
	Patience time.Duration // for the candidate to say anything; 0 or less: DefaultPatience
}

// A Table is one machine's part in the name table of a session: the host's, who numbers the operations, or a member's,
// who follows. See the package documentation. It is not safe for use by several goroutines at once.
type Table struct {
	cfg     Config
	host    wire.PlayerID    // whose operations count; 0: nobody's
	list    *playerlist.List // the table, or a replica; nil: none
	leading bool             // this machine numbers; list is shared with the caller

	members []member // leading: who is told
	oldest  uint32   // leading: the version that all are known to have
	checks  []check  // leading: who was asked whether it is there

	parts *assembly       // following: a table of which parts have come
	asked bool            // following: the host was asked for the whole table
	lost  []wire.PlayerID // following: peers to ask the host about when the migration is over

	move   *migration
	called wire.PlayerID   // the host that was followed when another machine said that it waits for this one to lead; 0: none
	caller wire.PlayerID   // that machine
	round  uint32          // of the last migration that this machine led
	olds   []wire.PlayerID // hosts that went in this migration, or the last one
	gone   []wire.PlayerID // peers lost in this migration, or the last one
	held   []candidacy     // of candidates that were not the best
	word   candidacy       // that was followed last
	named  bool            // the host was named when it was over: the next one is another migration

	out Output
}

// A member is somebody who is told the table.
type member struct {
	id    wire.PlayerID
	sent  uint32 // the version that it has when all that was sent is there
	whole bool   // it needs the whole table, not operations
	known uint32 // the version that it reported last
	tried uint32 // the version at which what it needs did not fit in a message; 0: none

	follows bool // it said that it follows
}

// NewTable returns a table of a machine that follows nobody and has no replica.
func NewTable(c Config) *Table {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Patience <= 0 {
		c.Patience = DefaultPatience
	}
	return &Table{cfg: c}
}

// Replica returns the table as far as this machine knows it; nil: not at all. It is not the caller's to change, except
// for the host, who gave it to [Table.Lead] or got it with [Complete].
func (t *Table) Replica() *playerlist.List { return t.list }

// Version is the number of the last operation that this machine knows; 0 without a table.
func (t *Table) Version() uint32 {
	if t.list == nil {
		return 0
	}
	return t.list.Version()
}

// Host is the system player whose operations count: the host's, or the leader's of a migration; 0: nobody's.
func (t *Table) Host() wire.PlayerID { return t.host }

// Migrating reports whether a migration has begun and is not over.
func (t *Table) Migrating() bool { return t.move != nil }

// Greeted reports whether a migration is under way whose leader, another machine, has said that it leads.
func (t *Table) Greeted() bool { return t.move != nil && t.move.greeted }

// Waits reports whether a migration is under way whose leader, another machine, has not said yet that it leads.
func (t *Table) Waits() bool { return t.move != nil && !t.leads() && !t.move.greeted }

// Take returns what is to be done since it was called last. It is to be called after every other method.
func (t *Table) Take() Output {
	o := t.out
	t.out = Output{}
	return o
}

// Next is when Look is to be called, on the clock that now is read from; Never: nothing is waited for.
func (t *Table) Next() time.Duration {
	next := Never
	if t.move != nil {
		next = t.move.deadline
	}
	for i := range t.checks {
		next = min(next, t.checks[i].deadline)
	}
	return next
}

// Look does what is due: it gives up peers that did not answer in time.
func (t *Table) Look(now time.Duration) {
	t.lookChecks(now)
	if t.move != nil && now >= t.move.deadline {
		t.expire(now)
	}
}

// after returns the time after a wait, not beyond Never.
func after(now, wait time.Duration) time.Duration {
	if now > Never-wait {
		return Never
	}
	return now + wait
}

func (t *Table) event(e Event) { t.out.Events = append(t.out.Events, e) }

// send sends a message of fixed size, which can always be encoded.
func (t *Table) send(to wire.PlayerID, m dpl8.Message, tail ...byte) {
	if b, err := dpl8.Append(nil, m); err == nil {
		t.out.Sends = append(t.out.Sends, Send{to, append(b, tail...)})
	}
}

// report tells the host the version of this table.
func (t *Table) report(round uint32) {
	t.send(t.host, &dpl8.NameTableVersion{Version: t.Version(), VersionNotUsed: round})
}

// indexOf finds a member; -1: no member.
func (t *Table) indexOf(id wire.PlayerID) int {
	return slices.IndexFunc(t.members, func(m member) bool { return m.id == id })
}

func remove(ids []wire.PlayerID, id wire.PlayerID) []wire.PlayerID {
	return slices.DeleteFunc(ids, func(x wire.PlayerID) bool { return x == id })
}

// include adds an id to a list that has none twice.
func include(ids []wire.PlayerID, id wire.PlayerID) []wire.PlayerID {
	if id == 0 || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}
