package captures

import (
	"fmt"
	"net/netip"

	"dplay4/captures/internal/stream"
	"dplay4/wire"
)

// chunk takes the next octets of a stream.
func (r *run) chunk(c *stream.Chunk) {
	st, _ := c.Stream.User.(*tcpStream)
	if st == nil {
		st = &tcpStream{key: c.Stream.Key, searching: c.Stream.Midway, before: c.Stream.Midway}
		c.Stream.User = st
	}
	if c.Lost > 0 {
		r.gap(st, c)
	}
	if len(c.Data) > 0 {
		r.tcpData(st, c)
	}
	if c.End {
		r.tcpEnd(st, c)
	}
}

func (r *run) tcpData(st *tcpStream, c *stream.Chunk) {
	data := c.Data
	switch {
	case st.other:
		r.sum.OtherOctets += int64(len(data))
		return
	case st.speaks:
		r.sum.TCP.Octets += int64(len(data))
		r.carries(c.Frame)
	default:
		st.octets += int64(len(data))
	}
	n := min(st.discard, int64(len(data)))
	st.discard -= n
	r.sum.TCP.Skipped[SkipIncomplete] += n
	if data = data[n:]; len(data) == 0 {
		return
	}
	before := st.cost()
	buf := r.append(st, data, c)
	used := r.split(st, buf, 0)
	r.keep(st, buf, used)
	if r.pending += st.cost() - before; r.pending > maxPending {
		r.overfull(st, c.Frame)
	}
}

// overfull gives up the message in work of a stream because there are too many octets of such messages.
func (r *run) overfull(st *tcpStream, frame int) {
	n := len(st.pending)
	text := fmt.Sprintf("%d octets of an unfinished message were given up: too many are unfinished at once", n)
	r.find(Finding{Code: LimitReached, Frame: frame, Offset: -1, Text: text})
	if !st.speaks {
		st.skip(0, n)
		st.searching = true
	} else {
		r.sum.TCP.Skipped[SkipLimit] += int64(n)
		if size, _ := wire.FrameSize(st.pending); size > 0 && !st.searching {
			st.discard = int64(size - n)
		} else {
			st.searching = true
		}
	}
	r.drop(st, n)
}

// split takes whole messages off the front of the octets in work, buf, and gives the number of octets that are
// done with; done is that number before.
func (r *run) split(st *tcpStream, buf []byte, done int) int {
	for {
		b := buf[done:]
		if st.searching {
			done += r.search(st, b, done)
			if st.searching || st.other {
				return done
			}
			continue
		}
		if len(b) < wire.SPHeaderSize {
			return done
		}
		switch headerAt(b) {
		case headerPartial:
			return done
		case headerNone:
			if !st.speaks && !r.expected(st.key) {
				r.isOther(st)
				return done
			}
			st.searching = true
			continue
		}
		r.speaks(st)
		n, message, _ := wire.SplitStream(b, false)
		if n == 0 {
			return done
		}
		st.before = false
		r.tcpMessage(st, message, done)
		done += n
	}
}

// search looks for the next header in b, which stands at a place in the octets in work, and gives the number
// of octets before it, or, if there is none, of those that cannot be the beginning of one.
func (r *run) search(st *tcpStream, b []byte, at int) int {
	n := findHeader(b)
	found := n >= 0
	if !found {
		n = max(0, len(b)-lookAhead+1)
	}
	st.skip(at, n)
	if found {
		r.speaks(st)
		r.endSearch(st, "")
		st.searching, st.before = false, false
		return n
	}
	if st.searched += n; !st.speaks && st.searched > maxSearch && !r.expected(st.key) {
		r.isOther(st)
	}
	return n
}

// endSearch accounts for the octets that a search went over.
func (r *run) endSearch(st *tcpStream, end string) {
	if st.skipped == 0 {
		return
	}
	reason, text := SkipNoHeader, "%d octets skipped: no header where one should be%s"
	if st.before {
		reason, text = SkipBefore, "%d octets skipped before the first header of a stream that began before the capture%s"
	}
	r.sum.TCP.Skipped[reason] += st.skipped
	r.find(Finding{Code: OctetsSkipped, Frame: st.skipFrame, Offset: -1, Text: fmt.Sprintf(text, st.skipped, end),
		Src: st.key.Src, Dst: st.key.Dst})
	st.skipped = 0
}

// speaks settles that a stream is DirectPlay.
func (r *run) speaks(st *tcpStream) {
	if st.speaks {
		return
	}
	st.speaks = true
	r.sum.Streams++
	r.sum.TCP.Octets += st.octets
	for _, m := range st.marks {
		r.carries(m.frame)
	}
	if st.lost > 0 {
		r.lost(st, st.lost, st.lostFrame)
	}
}

// lost counts octets that are missing from a stream.
func (r *run) lost(st *tcpStream, n int64, frame int) {
	r.sum.TCP.Lost += n
	r.find(Finding{Code: OctetsLost, Frame: frame, Offset: -1,
		Text: fmt.Sprintf("%d octets are missing from the TCP stream %s > %s", n, st.key.Src, st.key.Dst)})
}

// isOther settles that a stream is not DirectPlay.
func (r *run) isOther(st *tcpStream) {
	st.other = true
	r.sum.OtherOctets += st.octets
}

// expected reports whether DirectPlay is to be expected on a connection before a header was seen: to the port
// where hosts are asked, to or from a socket that was learnt, or by the reader's word.
func (r *run) expected(k stream.Key) bool {
	for _, at := range [...]netip.AddrPort{k.Dst, k.Src} {
		if _, ok := r.learn.streams[r.learn.machines.listener(at)]; ok || at.Port() == wire.EnumPort {
			return true
		}
	}
	return r.named(k.Src, k.Dst)
}

// gap deals with octets that are missing from a stream.
func (r *run) gap(st *tcpStream, c *stream.Chunk) {
	if st.other {
		return
	}
	lost := c.Lost
	if !st.speaks { // should it turn out to be DirectPlay
		if st.lost == 0 {
			st.lostFrame = c.Frame
		}
		st.lost += lost
		st.skip(0, len(st.pending))
		r.drop(st, len(st.pending))
		st.searching = true
		return
	}
	r.lost(st, lost, c.Frame)
	n := min(st.discard, lost)
	st.discard -= n
	if lost -= n; lost == 0 {
		return
	}
	missing := r.giveUp(st, "a gap") - lost
	if st.searching {
		r.leave(st, ", at a gap")
		return
	}
	// After the rest of a message stands the next one; where more was lost, or its size, that has to be found.
	st.discard = max(0, missing)
	st.searching = missing < 0
}

// giveUp ends the message in work before its end, and gives the octets of it that did not come, as far as its
// header tells. A size that is a lie swallows the messages behind it: where a header stands inside, they are
// decoded first.
func (r *run) giveUp(st *tcpStream, why string) (missing int64) {
	done := 0
	for buf := st.pending; !st.searching && done < len(buf); {
		b := buf[done:]
		n, then := len(b), why
		size, _ := wire.FrameSize(b)
		missing = int64(max(0, size-n))
		if at := findHeader(b[min(wire.SPHeaderSize, n):]); at >= 0 {
			n, then = wire.SPHeaderSize+at, "another header"
		}
		r.sum.TCP.Skipped[SkipIncomplete] += int64(n)
		r.find(Finding{Code: MessageIncomplete, Frame: st.frameAt(done), Offset: -1, Text: unfinished(b, n) + ", then " + then,
			Src: st.key.Src, Dst: st.key.Dst})
		if done += n; done < len(buf) {
			missing = 0
			done = r.split(st, buf, done)
		}
	}
	r.drop(st, done)
	return missing
}

// leave ends a search without a header.
func (r *run) leave(st *tcpStream, where string) {
	st.skip(0, len(st.pending))
	r.drop(st, len(st.pending))
	r.endSearch(st, where)
}

// tcpEnd ends a stream.
func (r *run) tcpEnd(st *tcpStream, c *stream.Chunk) {
	if !st.speaks && !st.other {
		if len(st.pending) > 0 && r.expected(st.key) {
			r.speaks(st) // too short for a header, but on its way to a socket of DirectPlay
		} else {
			r.isOther(st)
		}
	}
	if st.speaks {
		r.giveUp(st, "the end of the stream")
		if st.searching {
			r.leave(st, ", up to the end of the stream")
		}
		r.repeats(st, c)
	}
	r.drop(st, len(st.pending))
}

// repeats counts the octets of a DirectPlay stream that came again or belong nowhere, and reports those that
// differed.
func (r *run) repeats(st *tcpStream, c *stream.Chunk) {
	r.sum.Duplicate += c.Stream.Duplicate
	r.sum.Stray += c.Stream.Stray
	if n := c.Stream.Conflict; n > 0 {
		r.find(Finding{Code: RetransmitConflict, Frame: c.Frame, Offset: -1,
			Text: fmt.Sprintf("%d octets of %s > %s came again with other content; the first were taken", n, st.key.Src, st.key.Dst)})
	}
}

// tcpMessage decodes one message of a stream, which begins at a place in the octets in work.
func (r *run) tcpMessage(st *tcpStream, raw []byte, at int) {
	sp, _ := wire.ParseSPHeader(raw)
	p := peerPair{src: r.learn.machines.heard(st.key.Src, sp.SockAddr), dst: r.learn.machines.listener(st.key.Dst),
		ip: st.key.Src.Addr()}
	frames, t := r.framesOf(st, at, at+len(raw))
	rec := r.record(TCP, st.key.Src, st.key.Dst, raw, frames, t)
	rec.Base = wire.SPHeaderSize
	r.decode(rec, p, r.learn.sessionOf(p))
	r.settle(rec, &r.sum.TCP)
	r.between(rec, p.src)
	r.emit(rec)
	r.fragment(rec, p)
}
