package sock

import (
	"math"
	"net/netip"

	"dplay4/dpsp"
	"dplay4/wire"
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
	add := func(messages []byte) {
		for size := frame(messages); size > 0; size = frame(messages) {
			if !kept || !dpsp.Counted(messages[:size]) {
				next.add(messages[:size], math.MaxInt) // they had room
			}
			messages = messages[size:]
		}
	}
	was := o.debt()
	add(o.unsent)
	if b := o.take(); b != nil {
		add(b.octets)
		b.free()
	}
	next.since, next.next, next.list = was.since, was.since, min(was.list, next.octets) // who resets connections is as far behind as before
	return next
}

// unsent returns the messages of which nothing is among the first octets.
func unsent(messages []byte, octets int) []byte {
	for octets > 0 {
		size := frame(messages)
		if size == 0 {
			return nil
		}
		messages, octets = messages[size:], octets-size
	}
	return messages
}

// drop leaves out the messages of a batch that count, and returns how many octets these are.
func (b *batch) drop() (dropped int) {
	from := b.octets
	b.octets, b.sizes = b.octets[:0], nil
	for size := frame(from); size > 0; size = frame(from) {
		if dpsp.Counted(from[:size]) {
			dropped += size
		} else {
			b.octets, b.sizes = append(b.octets, from[:size]...), append(b.sizes, size)
		}
		from = from[size:]
	}
	return dropped
}

// frame returns the size of the first message, 0 if there is no whole one.
func frame(messages []byte) int {
	if size, _ := wire.FrameSize(messages); size <= len(messages) { // 0 with an error
		return size
	}
	return 0
}

// lost reports whether messages that were written may not have arrived. Systems other than Linux do not tell: there it is true.
func (w *writer) lost() bool { return w.cut || w.used && !acknowledged(w.conn) }
