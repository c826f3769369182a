package object

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"dplay4/wire"
)

// Clone copies a table, for tests that try what comes next in several ways.
func (t *Table) Clone() *Table {
	c := *t
	c.peers, c.decided = slices.Clone(t.peers), slices.Clone(t.decided)
	c.sends, c.events = slices.Clone(t.sends), slices.Clone(t.events)
	c.flows = map[wire.PlayerID]*flow{}
	for p, f := range t.flows {
		c.flows[p] = &flow{slices.Clone(f.queue), maps.Clone(f.queued), slices.Clone(f.sent), f.octets}
	}
	c.rescues.queue, c.rescues.sent = slices.Clone(t.rescues.queue), maps.Clone(t.rescues.sent)
	c.objects = make([]*object, len(t.objects))
	for i, o := range t.objects {
		n := *o
		n.views = slices.Clone(o.views)
		c.objects[i] = &n
	}
	return &c
}

// Given returns how many machines have open decisions by the octets that they were given.
func (t *Table) Given() int { return len(t.rescues.sent) }

// Key returns a text that two tables have in common if and only if they go on alike. Outputs must have been taken.
func (t *Table) Key() string {
	var b []byte
	num := func(v ...uint64) {
		for _, n := range v {
			b = binary.AppendUvarint(b, n)
		}
	}
	state := func(s []byte) { num(uint64(len(s))); b = append(b, s...) }
	num(uint64(t.cfg.Self), uint64(t.host), uint64(t.number), uint64(t.next), uint64(len(t.peers)))
	for _, p := range t.peers {
		num(uint64(p))
	}
	num(uint64(len(t.objects)))
	for _, o := range t.objects {
		due := o.due
		if !o.timed {
			due = 0
		}
		num(uint64(o.id.Creator), uint64(o.id.Number), uint64(o.owner), uint64(o.counter), uint64(o.seq), flag(o.dead),
			flag(o.timed), uint64(due))
		state(o.state)
		num(uint64(len(o.views)))
		for _, v := range o.views {
			sent := v.sent
			if v.seq == o.seq {
				sent = 0 // Update sets it anew
			}
			num(uint64(v.peer), uint64(v.seq), uint64(sent))
		}
	}
	num(uint64(len(t.decided)))
	for _, d := range t.decided {
		num(uint64(d.id.Creator), uint64(d.id.Number), uint64(d.to), uint64(d.counter), uint64(d.until), uint64(d.tries),
			uint64(d.base), uint64(d.seq))
		state(d.state)
	}
	return string(b)
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// A Rank is how new what a table knows of an object is.
type Rank struct {
	Counter uint32
	Owner   wire.PlayerID
	Dead    bool
	Seq     uint32
}

// Older reports whether r is older than q.
func (r Rank) Older(q Rank) bool {
	o := object{owner: r.Owner, counter: r.Counter}
	switch c := o.against(q.Counter, q.Owner); {
	case c != 0:
		return c > 0
	case r.Dead != q.Dead:
		return q.Dead
	}
	return r.Seq < q.Seq
}

// Ranks returns those of all objects and tombstones.
func (t *Table) Ranks() map[wire.ObjectID]Rank {
	all := map[wire.ObjectID]Rank{}
	for _, o := range t.objects {
		all[o.id] = Rank{o.counter, o.owner, o.dead, o.seq}
	}
	return all
}

// Lacking returns the peers that have not acknowledged the newest state of an object of ours.
func (t *Table) Lacking() []wire.PlayerID {
	var lacking []wire.PlayerID
	for _, o := range t.objects {
		for _, p := range t.peers {
			if i, ok := o.view(p); !o.dead && o.owner == t.cfg.Self && (!ok || o.views[i].seq != o.seq) {
				lacking = append(lacking, p)
			}
		}
	}
	return lacking
}

// Check returns what is wrong with what the table keeps about itself, "" if nothing is.
func (t *Table) Check() string {
	dead, octets := 0, 0
	for i, o := range t.objects {
		if o.dead {
			dead++
		}
		octets += len(o.state)
		if i > 0 && compareIDs(t.objects[i-1].id, o.id) >= 0 {
			return "objects out of order"
		}
		if len(o.views) > len(t.peers) || o.owner != t.cfg.Self && len(o.views) > 0 {
			return "too many views"
		}
		if o.timed && o.due < t.next {
			return "an object is due before Next"
		}
	}
	for _, d := range t.decided {
		octets += len(d.state)
		if d.until < t.next {
			return "a decision is due before Next"
		}
	}
	switch {
	case octets > MaxOctets:
		return "too many octets"
	case dead != t.dead || octets != t.octets:
		return "wrong sums"
	case len(t.decided) > 0 && !t.hosting():
		return "decisions of a table that is not host"
	case !slices.IsSorted(t.peers):
		return "peers out of order"
	}
	return ""
}

// SetCounters sets the numbers of an object, to try their ends.
func (t *Table) SetCounters(id wire.ObjectID, counter, seq uint32) {
	o := t.find(id)
	o.counter, o.seq = counter, seq
}

// Pending returns how many decisions are open and when Look has something to do.
func (t *Table) Pending() (int, time.Duration) { return len(t.decided), t.next }

// Octets returns how much of MaxOctets is taken.
func (t *Table) Octets() int { return t.octets }

// Self returns whose table it is.
func Self(t *Table) wire.PlayerID { return t.cfg.Self }

// Host returns who is host for the table.
func Host(t *Table) wire.PlayerID { return t.host }

// Visits returns how many objects were visited so far to count what machines own.
func (t *Table) Visits() int { return t.visits }

// Carried has a host find an owner for each object of ids anew, with one tally, and gives the first of them after
// which that is not what counting gives; false if it is right after all.
func (t *Table) Carried(now time.Duration, ids []wire.ObjectID) (wire.ObjectID, bool) {
	l := tally{all: t.loads()}
	for _, id := range ids {
		if t.decision(id) != nil {
			t.again(now, id, &l)
		} else if o := t.find(id); o != nil && !o.dead {
			t.rescue(now, o, &l)
		}
		if !slices.Equal(l.all, t.loads()) {
			return id, true
		}
	}
	return wire.ObjectID{}, false
}
