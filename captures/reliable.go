package captures

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"

	"dplay4/captures/internal/link"
	"dplay4/captures/links"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// A linkKey names one direction between two players of a session with the reliable protocol. A machine may
// send each datagram from another port, and number reliable messages apart from the others.
type linkKey struct {
	src      netip.Addr
	dst      netip.AddrPort
	from, to uint16
	reliable bool
}

// A reliableLink puts the messages of one direction together.
type reliableLink struct {
	assembler reliable.Assembler
	frames    map[uint8][]int // by messageid, of unfinished messages, at most maxLinkFrames each
	count     int             // of them
	cost      int             // what the link counts against maxHeld
}

// partCost is what a frame that waits costs beside its octets, here and in the assembler.
const partCost = 64

// maxLinkFrames bounds the frame numbers that are kept for one message.
const maxLinkFrames = 4096

// reliableFrame decodes a datagram that is a frame of the reliable protocol, and the message in it if it is there
// whole. Longer messages become a record of their own with the frame that completes them.
func (r *run) reliableFrame(u *link.Unit, s *Session) {
	rec := r.record(UDP, u.Src, u.Dst, u.Payload, u.Frames, u.Time)
	rec.Session = s
	f, err := reliable.Decode(u.Payload)
	r.frm = f
	rec.Frame, rec.Err = &r.frm, err
	p := peerPair{src: r.learn.machines.datagram(u.Src), dst: r.learn.machines.datagram(u.Dst), from: u.Src,
		to: u.Dst, ip: u.Src.Addr()}
	var message []byte
	if err == nil && f.Kind() == reliable.KindData && !f.MustIgnore() {
		message = r.part(rec)
		if oneFrame(&f) {
			r.wholeMessage(rec, p, s)
		}
	}
	r.settleDatagram(rec, u)
	r.between(rec, netip.AddrPort{})
	if err == nil && r.follows(rec, u, message != nil) && message == nil {
		message = r.part(rec)
	}
	r.emit(rec)
	if message != nil {
		r.longMessage(rec, p, message)
	}
	r.fragment(rec, p)
}

// follows tells the tracker of a frame. It reports whether the frame begins a new link between the same indexes: then
// what is unfinished of the old one was given up.
func (r *run) follows(rec *Record, u *link.Unit, whole bool) (again bool) {
	place := links.Place{Frame: rec.lastFrame(), N: r.sum.Messages + 1, Time: rec.Time}
	f := links.Frame{Place: place, Frame: rec.Frame, Whole: whole,
		Key: links.Key{From: nameOf(rec.From), To: nameOf(rec.To), FromIndex: rec.Frame.From, ToIndex: rec.Frame.To}}
	if m, ok := rec.Envelope.Message.(*wire.PlayerMessage); ok && rec.Err == nil {
		f.Game, f.IDs = true, !m.NoIDs
	}
	if to := rec.Session.ByIndex(rec.Frame.To); to != nil {
		f.ToSystem = to.Flags&wire.PlayerSystem != 0
	}
	if from := rec.Session.ByIndex(rec.Frame.From); from != nil && from.Machine.IsValid() {
		at := cmp.Or(r.learn.machines.datagram(u.Src), netip.AddrPortFrom(u.Src.Addr(), from.Machine.Port()))
		if rec.Foreign = at != from.Machine; rec.Foreign {
			f.Key.From = nameOf(Machine{u.Src, false}) // a link of its own: it says nothing about the player's
		}
	}
	if r.step = r.tracker.Add(&f); r.step.Link == nil {
		r.full("directions of the reliable protocol")
		return false
	}
	rec.Step = &r.step
	if l := r.step.Link; l.Restarts.Count == 0 || l.Restarts.Last != place {
		return false
	}
	for _, rly := range []bool{false, true} {
		if old := r.links[linkKey{rec.Src.Addr(), rec.Dst, rec.Frame.From, rec.Frame.To, rly}]; old != nil {
			r.lostMessages(old, old.assembler.Flush())
			r.charge(old)
		}
	}
	return true
}

// nameOf names a machine of a link: by its address alone where its socket is not known.
func nameOf(m Machine) netip.AddrPort {
	if m.Sure {
		return m.At
	}
	return netip.AddrPortFrom(m.At.Addr(), 0)
}

// wholeMessage decodes the message of a frame that holds it all.
func (r *run) wholeMessage(rec *Record, p peerPair, s *Session) {
	f := rec.Frame
	rec.Base = len(rec.Raw) - len(f.Data)
	r.decodeBare(rec, p, r.frameOptions(s, f, f.Data))
}

// frameOptions reports whether a game message in a frame carries ids. The frame has indexes of its own, and the
// specification does not say whether the ids are there as well; they are if they agree with the indexes.
func (r *run) frameOptions(s *Session, f *reliable.Frame, message []byte) wire.Options {
	if r.opt.MessageIDs != Auto || wire.HasSignature(message) {
		return r.options(s)
	}
	if len(message) < 8 {
		return wire.Options{NoMessageID: true}
	}
	from := wire.PlayerID(binary.LittleEndian.Uint32(message))
	to := wire.PlayerID(binary.LittleEndian.Uint32(message[4:]))
	reserved := uint32(from.Index(uint32(f.From))) // what the mask has to be for the sender to agree
	if s != nil && (s.Described || s.Reserved1 != 0) {
		reserved = s.Reserved1
	}
	agree := from.Index(reserved) == f.From && (to == wire.IDAll || to.Index(reserved) == f.To)
	return wire.Options{NoMessageID: !agree}
}

// part hands a Data frame to its link, and gives the message if the frame was the last one of a longer one.
func (r *run) part(rec *Record) []byte {
	l := r.direction(linkKey{rec.Src.Addr(), rec.Dst, rec.Frame.From, rec.Frame.To, rec.Frame.Flags&reliable.RLY != 0})
	if l == nil {
		return nil
	}
	id := rec.Frame.MessageID
	res := l.assembler.Add(rec.Frame)
	r.lostMessages(l, res.Dropped)
	switch {
	case res.Verdict == reliable.Complete:
		r.linkFrames = append(l.take(id), rec.Frames...)
	case res.Verdict == reliable.Kept && len(l.frames[id]) < maxLinkFrames:
		l.frames[id] = append(l.frames[id], rec.Frames...)
		l.count += len(rec.Frames)
	}
	if r.charge(l); r.held > maxHeld {
		r.lostMessages(l, l.assembler.Flush())
		r.charge(l)
	}
	if oneFrame(rec.Frame) {
		return nil
	}
	return res.Message
}

// direction returns the link of a direction, made if need be; nil if there are too many.
func (r *run) direction(k linkKey) *reliableLink {
	l := r.links[k]
	if l == nil {
		if len(r.links) >= maxLinks {
			r.full("directions of the reliable protocol")
			return nil
		}
		l = &reliableLink{assembler: reliable.Assembler{Capture: true}, frames: map[uint8][]int{}}
		r.links[k] = l
		r.linkOrder = append(r.linkOrder, l)
	}
	return l
}

// take returns the frames of a message, which is done with.
func (l *reliableLink) take(id uint8) []int {
	frames := l.frames[id]
	l.count -= len(frames)
	delete(l.frames, id)
	return frames
}

// charge counts what a link holds now.
func (r *run) charge(l *reliableLink) {
	cost := l.assembler.Held() + partCost*l.count
	r.held += cost - l.cost
	l.cost = cost
}

// oneFrame reports whether a Data frame holds its message whole.
func oneFrame(f *reliable.Frame) bool {
	const both = reliable.STA | reliable.EOM
	return f.Flags&both == both
}

// longMessage hands out a message that took several frames.
func (r *run) longMessage(last *Record, p peerPair, message []byte) {
	rec := r.follow(last, message, r.linkFrames)
	r.decodeJoined(rec, p, r.frameOptions(rec.Session, rec.Frame, message))
}

// lostMessages reports messages of a link of which frames are missing.
func (r *run) lostMessages(l *reliableLink, list []reliable.Dropped) {
	for _, d := range list {
		frame := 0
		if f := l.take(d.MessageID); len(f) > 0 {
			frame = f[len(f)-1]
		}
		r.find(Finding{Code: ReliableIncomplete, Frame: frame, Offset: -1,
			Text: fmt.Sprintf("message %d of the reliable protocol was given up with %d octets in %d frames: %s", d.MessageID, d.Octets,
				d.Frames, d.Reason)})
	}
}

// endLinks gives up the messages that are unfinished at the end.
func (r *run) endLinks() {
	for _, l := range r.linkOrder {
		r.lostMessages(l, l.assembler.Flush())
	}
}
