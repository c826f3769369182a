package link

import "slices"

// A reassembler puts datagrams together. What a datagram lacks it never makes up: where fragments overlap, what came
// first counts, for IPv6 too (RFC 5722 would drop the datagram, which loses what a reader wants to see).
type reassembler struct {
	held    map[datagramKey]*datagram
	order   []*datagram  // the oldest first
	octets  int          // of all buffers
	reports []Incomplete // of the datagrams that the fragment in work made it give up
}

// add takes a fragment and gives the datagram that it completes. If it completes none, st says what became of it.
func (r *reassembler) add(f *fragment) (g *datagram, st Status) {
	r.expire(f)
	if text := f.check(); text != "" {
		return nil, malformed(f.layer, f.header, text)
	}
	g = r.held[f.key]
	if g != nil {
		if text := g.conflict(f); text != "" {
			return nil, malformed(f.layer, f.header, text)
		}
		if len(g.frames) == MaxFragments {
			r.giveUp(g)
			g = nil
		}
	}
	if g == nil {
		g = r.begin(f)
	}
	before := len(g.buf)
	g.put(f)
	r.octets += len(g.buf) - before
	if g.complete() {
		r.remove(g)
		return g, Status{}
	}
	for r.octets > MaxHeldOctets {
		r.giveUp(r.order[0])
	}
	return nil, Status{Kind: KindHeld}
}

// begin makes room for a datagram and holds it.
func (r *reassembler) begin(f *fragment) *datagram {
	if len(r.order) == MaxDatagrams {
		r.giveUp(r.order[0])
	}
	g := &datagram{key: f.key, next: f.next, time: f.time, cut: maxIP + 1}
	if r.held == nil {
		r.held = make(map[datagramKey]*datagram)
	}
	r.held[f.key] = g
	r.order = append(r.order, g)
	return g
}

// expire gives up what is older than FragmentTimeout. Clocks of captures step: only the oldest, by the order of the
// file, is looked at, and the limits hold in any case.
func (r *reassembler) expire(f *fragment) {
	for len(r.order) > 0 && f.time.Sub(r.order[0].time) > FragmentTimeout {
		r.giveUp(r.order[0])
	}
}

func (r *reassembler) giveUp(g *datagram) {
	r.remove(g)
	r.reports = append(r.reports, g.incomplete())
}

func (r *reassembler) remove(g *datagram) {
	delete(r.held, g.key)
	r.octets -= len(g.buf)
	i := slices.Index(r.order, g)
	r.order = slices.Delete(r.order, i, i+1)
}
