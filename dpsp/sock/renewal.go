package sock

import (
	"iter"
	"math"
	"net/netip"

	"dplay4/dpsp"
)

// The engine makes a connection that broke once more when it is told with StreamEnded: it sends something to the peer. This file
// has what becomes of messages meanwhile. If a peer counts, its messages are left to the engine, which sends again those that did not
// arrive. Other messages that the system had taken are not sent again, or one might come twice.

// renews reports whether the engine makes connections to a peer once more when they break, whether it does now, and whether it
// sends messages that count again.
func (l *loop) renews(to netip.AddrPort) (kind, now, kept bool) {
	l.do(func(e *dpsp.Engine) { kind, now, kept = e.Renews(to) })
	return kind, now, kept
}

// handOver queues the messages that a broken connection did not take for a new one, before all that is sent later: with kept
// without those that count. It is called with loop.mu held.
func (l *loop) handOver(o *outbound, kept bool) {
	next := l.successor(o, kept)
	o.wrote(o.waiting()) // it counts for the new one
	l.outbound[o.to] = next
	l.rouse(next)
}

// successor returns a connection that is to be opened, with the messages that a broken one did not take. loop.mu is held.
func (l *loop) successor(o *outbound, kept bool) *outbound {
	next := l.newOutbound(o.to, o.machine) // o may just have been given up
	add := func(b *batch) {
		if kept {
			b.drop()
		}
		for m := range b.messages() {
			next.add(m, math.MaxInt) // they had room
		}
	}
	was := o.debt()
	add(&o.unsent)
	if b := o.take(); b != nil {
		add(b)
		b.free()
	}
	next.since, next.next, next.list = was.since, was.since, min(was.list, next.octets) // who resets connections is as far behind as before
	return next
}

// messages returns the messages of a batch.
func (b *batch) messages() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := b.octets
		for _, size := range b.sizes {
			if !yield(rest[:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// unsent returns the messages of which nothing is among the first octets.
func (b *batch) unsent(octets int) batch {
	at, n := 0, 0
	for ; at < octets; n++ {
		at += b.sizes[n]
	}
	return batch{b.octets[at:], b.sizes[n:]}
}

// drop leaves out the messages of a batch that count, and returns how many octets these are.
func (b *batch) drop() (dropped int) {
	var left batch
	for m := range b.messages() {
		if dpsp.Counted(m) {
			dropped += len(m)
		} else {
			left.octets, left.sizes = append(left.octets, m...), append(left.sizes, len(m))
		}
	}
	*b = left
	return dropped
}

// lost reports whether messages that were written may not have arrived. Systems other than Linux do not tell: there it is true.
func (w *writer) lost() bool { return w.cut || w.used && !acknowledged(w.conn) }
