package object

import (
	"slices"

	"dplay4/wire"
)

// A flow is what a peer is told of objects of ours by CREATE and MIGRATE. The next one waits until the peer has acknowledged enough of
// those before, so that a machine that gets many objects at once, or comes when there are many, does not delay what else goes to the peer.
type flow struct {
	queue  []wire.ObjectID        // to be told of, in order
	queued map[wire.ObjectID]bool // that are in queue
	sent   []telling              // told of and not acknowledged, in order
	octets int                    // of sent
}

// A telling is an object that a peer was told of, and the size that its state had.
type telling struct {
	id     wire.ObjectID
	octets int
}

// fits reports whether a state may be sent while states of so many octets are under way.
func fits(octets, state int) bool { return octets == 0 || octets+state <= Window }

// flow returns the flow to a peer.
func (t *Table) flow(peer wire.PlayerID) *flow {
	f := t.flows[peer]
	if f == nil {
		f = &flow{queued: map[wire.ObjectID]bool{}}
		t.flows[peer] = f
	}
	return f
}

// tell has a peer told CREATE or MIGRATE of an object of ours. UPDATEs wait until it acknowledges.
func (t *Table) tell(peer wire.PlayerID, o *object) {
	o.forget(peer)
	f := t.flow(peer)
	f.done(o.id) // it was told something older
	if !f.queued[o.id] {
		f.queue, f.queued[o.id] = append(f.queue, o.id), true
	}
	t.pump(peer, f)
}

// pump tells a peer what it is to be told next, as far as it may be.
func (t *Table) pump(peer wire.PlayerID, f *flow) {
	for len(f.queue) > 0 {
		o := t.find(f.queue[0])
		ours := o != nil && !o.dead && o.owner == t.cfg.Self
		if ours && !fits(f.octets, len(o.state)) {
			return
		}
		delete(f.queued, f.queue[0])
		f.queue = f.queue[1:]
		if !ours {
			continue
		}
		op := wire.KindObjectMigrate
		if o.counter == 0 {
			op = wire.KindObjectCreate
		}
		t.send(peer, true, op, o, o.state)
		if len(o.state) > 0 {
			f.sent, f.octets = append(f.sent, telling{o.id, len(o.state)}), f.octets+len(o.state)
		}
	}
}

// done notes that a peer is not waited for any more on account of an object.
func (f *flow) done(id wire.ObjectID) {
	if i := slices.IndexFunc(f.sent, func(s telling) bool { return s.id == id }); i >= 0 {
		f.octets -= f.sent[i].octets
		f.sent = slices.Delete(f.sent, i, i+1)
	}
}

// heeded notes that a peer acknowledged an object.
func (t *Table) heeded(peer wire.PlayerID, id wire.ObjectID) {
	if f := t.flows[peer]; f != nil {
		f.done(id)
		t.pump(peer, f)
	}
}

// withdraw notes that an object is ours no more: nobody acknowledges it to us.
func (t *Table) withdraw(id wire.ObjectID) {
	for _, p := range t.peers {
		t.heeded(p, id)
	}
}
