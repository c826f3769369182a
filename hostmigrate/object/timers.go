package object

import (
	"slices"
	"time"

	"dplay4/wire"
)

// Next says when to call Look if nothing happens before, or Never. It may be too early, never too late.
func (t *Table) Next() time.Duration {
	if t == nil {
		return Never
	}
	return t.next
}

// Look does what is due: UPDATEs again, objects without an owner, migrations that nobody announced, tombstones
// whose time is over.
func (t *Table) Look(now time.Duration) {
	if len(t.rescues.queue) > 0 {
		t.resume(now)
	}
	if now < t.next {
		return
	}
	t.next = Never
	if len(t.rescues.queue) > 0 {
		t.alarm(t.rescues.again)
	}
	asked := 0
	var l tally
	for _, d := range slices.Clone(t.decided) {
		if d.until <= now {
			t.again(now, d.id, &l)
		}
	}
	for _, d := range t.decided {
		t.alarm(d.until)
	}
	t.objects = slices.DeleteFunc(t.objects, func(o *object) bool { return t.ended(now, o) })
	for _, o := range t.objects {
		t.lookAt(now, o, &l, &asked)
	}
}

// ended reports whether an object is a tombstone whose time is over.
func (t *Table) ended(now time.Duration, o *object) bool {
	if !o.dead || o.due > now {
		return false
	}
	t.dead--
	return true
}

func (t *Table) lookAt(now time.Duration, o *object, l *tally, asked *int) {
	for i := range o.views {
		v := &o.views[i]
		switch due := v.sent + t.cfg.Resend<<v.wait; {
		case v.seq == o.seq:
		case due <= now:
			v.wait = min(v.wait+1, maxWait)
			t.update(now, o, v)
		default:
			t.alarm(due)
		}
	}
	if !o.timed {
		return
	}
	if !o.dead && o.due <= now {
		o.due = now + t.cfg.Patience
		t.missing(now, o, l, asked)
	}
	if o.timed {
		t.alarm(o.due)
	}
}

// missing acts for an object whose owner has not been there for some time. The host is asked about as much at once as Window, of which
// asked counts the octets, and about the rest soon after.
func (t *Table) missing(now time.Duration, o *object, l *tally, asked *int) {
	switch {
	case t.hosting():
		if t.decision(o.id) == nil {
			t.rescue(now, o, l)
		}
	case !fits(*asked, len(o.state)):
		o.due = now + t.cfg.Patience/8
	default:
		*asked += len(o.state)
		_ = t.ask(o, wire.IDAll) // without a host there is nobody to ask; we come back
	}
}
