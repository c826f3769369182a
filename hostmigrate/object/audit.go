package object

import "dplay4/wire"

// scrubbed is how many objects of others one audit acknowledges once more; of many, an eighth.
const scrubbed = 8

// Audit puts right what was lost with a connection that broke, and is meant to be called once in a while, such as once
// a period of the ping timer. Peers that have not acknowledged an object of ours since the last audit are told again. Of
// what others own we acknowledge a part once more, in turn: an owner that missed it sends its UPDATEs again, and one that
// destroyed the object says so again.
func (t *Table) Audit() {
	if t == nil {
		return
	}
	for _, o := range t.objects {
		if o.dead || o.owner != t.cfg.Self {
			continue
		}
		missing := false
		for _, p := range t.peers {
			if _, known := o.view(p); known || t.flow(p).queued[o.id] {
				continue
			}
			if missing = true; o.missed {
				t.tell(p, o)
			}
		}
		o.missed = missing
	}
	for range min(max(scrubbed, len(t.objects)/8), len(t.objects)) {
		t.scrub = (t.scrub + 1) % len(t.objects)
		if o := t.objects[t.scrub]; !o.dead && o.owner != t.cfg.Self && t.here(o.owner) {
			t.send(o.owner, true, wire.KindObjectAck, o, nil)
		}
	}
}
