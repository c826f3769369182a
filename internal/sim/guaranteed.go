package sim

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A Cause is a reason for which a guaranteed message never arrived, or arrived after a later one.
type Cause string

// The causes.
const (
	NoCause Cause = ""

	Broke    Cause = "broke"    // the connection that it was on broke, and its sender did not keep it, or reported that it may be lost
	Former   Cause = "former"   // it was on a connection that its sender had closed, and the two met again: that one may be slow
	Parted   Cause = "parted"   // one of the two machines had lost the other one, or came into a view with another part
	Unknown  Cause = "unknown"  // the receiver did not know the player that it is from
	Deleted  Cause = "deleted"  // the player or group that it is from or for was deleted, or left the group, meanwhile
	Overflow Cause = "overflow" // too much waited for a program that stood still, see maxInbox

	Fragments Cause = "fragments" // it was sent in fragments, which later messages overtake
	Links     Cause = "links"     // the reliable protocol counts for each pair of players, and the later one was on another link
	Routed    Cause = "routed"    // one of the two came by way of the host, the other directly

	maybe Cause = "-" // its receiver may get it, or not: it had no player then
)

// LossCauses returns the causes for which a message never arrives, in order.
func LossCauses() []Cause { return []Cause{Broke, Former, Parted, Unknown, Deleted, Overflow} }

// OrderCauses returns the causes for which a message arrives after a later one, in order. Parted is none, because a message that is kept for a
// lost machine goes before newer ones.
func OrderCauses() []Cause { return []Cause{Former, Unknown, Fragments, Links, Routed} }

// A tag is at the beginning of a game message: the sender's machine, its membership, and the number of the message among the
// guaranteed ones of that membership; 0 in others.
type tag struct {
	lane   int
	entry  uint32 // below 2^24
	number uint32
}

// tagMark begins a tag.
const tagMark = "sim:"

const tagSize = len(tagMark) + 8

func (g tag) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(append(b, tagMark...), uint64(g.lane)<<56|uint64(g.entry)<<32|uint64(g.number))
}

func parseTag(b []byte) (tag, bool) {
	if len(b) < tagSize || string(b[:len(tagMark)]) != tagMark {
		return tag{}, false
	}
	n := binary.LittleEndian.Uint64(b[len(tagMark):])
	return tag{int(n >> 56), uint32(n>>32) & 0xffffff, uint32(n)}, true
}

// A flow is the guaranteed messages from one machine to another one while both are in a session.
type flow struct {
	waiting []sent // what the receiver does not have yet, by number
	last    uint32 // the highest number that arrived
	forgot  uint32 // the highest number of those of which it is not known whether they are to arrive
	entry   uint32 // the newest membership of the sender that the receiver got a message of
	copied  uint32 // the number that arrived last, the step in which it did, and the player that it was for first
	step    int
	to      wire.PlayerID
}

// A sent is a guaranteed message on its way to a machine. One to a group is on its way to each player in it.
type sent struct {
	at       time.Duration
	number   uint32
	from, to wire.PlayerID
	group    wire.PlayerID // that it was sent to, 0 for none
	large    bool          // it goes in fragments
	former   bool          // it is on a connection that its sender has closed
	held     bool          // the receiver did not know its sender, and may hold it until it does
	why      Cause
}

// maxWaiting bounds what a flow keeps: beyond it the oldest message counts as lost.
const maxWaiting = 1024

// guaranteed holds the flows of all pairs of machines.
type guaranteed struct {
	flows   [][]flow // by receiver and sender
	entry   []uint32 // by machine: the number of its membership, 0 for none
	said    []uint32 // by machine: the number that its last guaranteed message has
	entries uint32
	systems []wire.PlayerID // scratch
}

// enters begins the membership of a program.
func (t *truth) enters(p *process) {
	n := len(t.w.lanes)
	if t.flows == nil {
		t.entry, t.said, t.flows = make([]uint32, n), make([]uint32, n), make([][]flow, n)
		for i := range t.flows {
			t.flows[i] = make([]flow, n)
		}
	}
	t.entries++
	t.entry[p.l.i], t.said[p.l.i] = t.entries, 0
	for i := range n { // what was sent before may arrive, or not
		t.flows[p.l.i][i].forgot = t.said[i]
	}
}

// leaves ends the membership of a program. What is on its way to it, or from it, may be lost.
func (t *truth) leaves(p *process) {
	if t.flows == nil {
		return
	}
	for i := range t.flows {
		in, out := &t.flows[p.l.i][i], &t.flows[i][p.l.i]
		t.settle(in, p.l, t.w.lanes[i], t.patience())
		t.settle(out, t.w.lanes[i], p.l, t.patience())
		*in, *out = flow{waiting: in.waiting}, flow{waiting: out.waiting, entry: out.entry}
	}
	t.entry[p.l.i] = 0
}

// patience is how long a message may be under way: as long as its connection stands, or its receiver stands still.
func (t *truth) patience() time.Duration { return t.w.opt.longest() + t.w.opt.Retransmit }

// tag returns the tag of a program's next message.
func (g *program) tag(guaranteed bool) []byte {
	t, i := g.w.truth, g.p.l.i
	x := tag{lane: i, entry: t.entry[i]}
	if guaranteed {
		t.said[i]++
		x.number = t.said[i]
	}
	return x.append(nil)
}

// peer returns the program of a machine that another one has in its session, nil if it has none there.
func (t *truth) peer(p *process, system wire.PlayerID) *process {
	addr, ok := p.told.peers[system]
	if !ok || !addr.IsValid() {
		return nil
	}
	if l := t.w.programAt(addr); l != nil && l != p.l && l.proc != nil && l.proc.told.self == system && l.proc.told.in &&
		l.proc.told.instance == p.told.instance {
		return l.proc
	}
	return nil
}

// sent notes whom a message is for that an engine has just sent.
func (t *truth) sent(p *process, c dpsp.Send) {
	x, ok := parseTag(c.Payload)
	if !ok || x.number == 0 || x.entry != t.entry[p.l.i] || x.entry == 0 {
		return
	}
	s := sent{at: t.w.now, number: x.number, from: c.From, to: c.To, large: t.large(c.Payload)}
	group := p.told.groups[c.To]
	switch {
	case c.To == wire.IDAll:
		t.systems = t.systems[:0]
		for _, x := range p.told.players { // peers that a healed session does not have yet are in told.peers still
			if !x.local && !slices.Contains(t.systems, x.system) {
				t.systems = append(t.systems, x.system)
			}
		}
		n := len(t.systems)
		for system := range p.told.peers {
			if !slices.Contains(t.systems[:n], system) {
				t.systems = append(t.systems, system)
			}
		}
		slices.Sort(t.systems[:n]) // a full flow violates, and violations have an order
		slices.Sort(t.systems[n:])
		for _, system := range t.systems[:n] {
			t.expect(p, system, s)
		}
		for _, system := range t.systems[n:] {
			t.mayGet(p, t.peer(p, system), s)
		}
	case group != nil:
		s.group = c.To
		for _, id := range group.members {
			s.to = id
			t.expect(p, p.told.players[id].system, s)
		}
	case p.told.players[c.To] != nil:
		t.expect(p, p.told.players[c.To].system, s)
		return // nobody passes it on
	}
	if !t.routed() {
		return
	}
	for _, l := range t.w.lanes { // the host decides who gets it
		if q := l.proc; q != nil && l != p.l && q.told.in && q.told.instance == p.told.instance {
			t.mayGet(p, q, s)
		}
	}
}

// mayGet notes that a machine may get a message, or not.
func (t *truth) mayGet(p, q *process, s sent) {
	if q != nil {
		s.why, s.to = maybe, wire.IDAll
		t.wait(&t.flows[q.l.i][p.l.i], q.l, p.l, s)
	}
}

// expect notes that a message is on its way to a machine.
func (t *truth) expect(p *process, system wire.PlayerID, s sent) {
	q := t.peer(p, system)
	if q == nil {
		t.toFormer(p, system, s.number)
	}
	if q == nil || t.entry[q.l.i] == 0 {
		return
	}
	to, in := q.told.players[s.to], q.told.groups[s.group]
	switch h := t.host(p); {
	case s.to == wire.IDAll && len(q.program.players) == 0:
		s.why = maybe
	case !q.knows(p.told.self):
		s.why, s.held = Parted, true
	case q.told.players[s.from] == nil, t.routed() && (h == nil || h.told.players[s.from] == nil || !h.knows(q.told.self)):
		s.why = Unknown
	case s.to != wire.IDAll && (to == nil || !to.local), s.group != 0 && (in == nil || !slices.Contains(in.members, s.to)):
		s.why = Deleted
	}
	if s.why != maybe {
		t.w.res.Stats.Guaranteed++
	}
	t.wait(&t.flows[q.l.i][p.l.i], q.l, p.l, s)
}

// toFormer notes a message of a machine without views to a program that began anew, which its sender does not know. A frame names no program, so that
// the new one may get it, where it gives the same index to a player.
func (t *truth) toFormer(p *process, system wire.PlayerID, number uint32) {
	at, ok := p.told.peers[system]
	if !ok || !at.IsValid() || !t.framed() || !p.l.legacy && !p.l.older {
		return
	}
	if l := t.w.programAt(at); l != nil && l != p.l {
		f := &t.flows[l.i][p.l.i]
		f.forgot = max(f.forgot, number)
	}
}

// wait adds a message to a flow.
func (t *truth) wait(f *flow, to, from *lane, s sent) {
	if len(f.waiting) == maxWaiting {
		t.lost(&f.waiting[0], to, from)
		f.forgot = f.waiting[0].number
		f.waiting = slices.Delete(f.waiting, 0, 1)
	}
	f.waiting = append(f.waiting, s)
}

// routed reports whether what is for several goes by way of the host.
func (t *truth) routed() bool { return t.w.opt.Flags&wire.SessionMulticastServer != 0 }

// framed reports whether messages go in frames, which are counted for each pair of players.
func (t *truth) framed() bool { return t.w.opt.Flags&wire.SessionDirectPlayProtocol != 0 }

// large reports whether a message goes in fragments.
func (t *truth) large(payload []byte) bool {
	return t.w.opt.MaxStream != 0 && len(payload)+60 > t.w.opt.MaxStream // with headers, and those of what it may be wrapped in
}

// arrived takes in a guaranteed message that a program got.
func (t *truth) arrived(q *process, ev dpsp.Message) {
	x, ok := parseTag(ev.Payload)
	if !ev.Guaranteed || !ok || x.number == 0 || x.lane == q.l.i || x.lane >= len(t.w.lanes) || t.flows == nil || !q.told.in {
		return
	}
	w, f, from := t.w, &t.flows[q.l.i][x.lane], t.w.lanes[x.lane]
	if x.entry < f.entry {
		w.res.Stats.Stale++
		if w.opt.Checks.Order {
			w.violate(q.l, "order", "it gets message %d of what %s was, after one of what it is", x.number, from.name)
		}
		return
	}
	f.entry = x.entry
	if x.entry != t.entry[x.lane] {
		return // its sender left meanwhile
	}
	same := x.number == f.copied && w.res.Steps == f.step && ev.To != f.to // another player of ours that it is for
	i := slices.IndexFunc(f.waiting, func(s sent) bool { return s.number == x.number && (s.to == ev.To || s.to == wire.IDAll) })
	why := NoCause
	switch {
	case i >= 0:
		switch s := &f.waiting[i]; {
		case s.former:
			why = Former
		case s.held:
			why = Unknown
		default:
			why = s.why
		}
		f.waiting = slices.Delete(f.waiting, i, i+1)
	case x.number <= f.forgot:
		return
	case same, x.number > f.last:
	case slices.ContainsFunc(f.waiting, func(s sent) bool { return s.number == x.number }):
		return // another player, who entered the group meanwhile
	default:
		w.res.Stats.Doubled++
		if w.opt.Checks.Once {
			w.violate(q.l, "once", "it gets the guaranteed message %d of %s twice", x.number, from.name)
		}
		return
	}
	if !same {
		f.copied, f.step, f.to = x.number, w.res.Steps, ev.To
		t.inOrder(q, f, x, ev, why)
	}
}

// inOrder holds the number of a message against those that arrived before. A message comes late where the receiver holds it until it
// knows its player: behind later ones of other players, and rarely of the same one.
func (t *truth) inOrder(q *process, f *flow, x tag, ev dpsp.Message, why Cause) {
	key, n := linkOf(ev), uint64(x.entry)<<32|uint64(x.number)
	onLink := q.told.order[key]
	if t.framed() {
		q.told.order[key] = max(n, onLink)
	}
	last := f.last
	f.last = max(last, x.number)
	if x.number >= last {
		return
	}
	switch {
	case why == Former:
	case why == Unknown, why == Deleted, why == maybe:
		why = Unknown
	case t.framed() && n > onLink:
		why = Links
	case t.large(ev.Payload):
		why = Fragments
	case t.routed():
		why = Routed
	default:
		why = NoCause
	}
	s := &t.w.res.Stats
	if s.Overtaken == nil {
		s.Overtaken = map[Cause]int{}
	}
	if s.Overtaken[why]++; why == NoCause && t.w.opt.Checks.Order {
		t.w.violate(q.l, "order", "it gets the guaranteed message %d of %s after message %d", x.number, t.w.lanes[x.lane].name, last)
	}
}

// linkOf names the link of the reliable protocol that a message came on.
func linkOf(ev dpsp.Message) [2]wire.PlayerID {
	if ev.Sent == wire.IDAll {
		return [2]wire.PlayerID{ev.From, wire.IDAll}
	}
	return [2]wire.PlayerID{ev.From, ev.To}
}

// blame says why messages of a flow that may still be under way are lost, if they are. Those that later ones overtook are not
// under way any more: whatever lost them, this did not.
func (t *truth) blame(to, from *lane, why Cause, of func(*sent) bool) {
	f := &t.flows[to.i][from.i]
	for i := range f.waiting {
		s := &f.waiting[i]
		if s.why != NoCause || !of(s) {
			continue
		}
		last := f.last
		if t.framed() && to.proc != nil {
			key := [2]wire.PlayerID{s.from, s.to}
			if last = 0; uint32(to.proc.told.order[key]>>32) == t.entry[from.i] {
				last = uint32(to.proc.told.order[key])
			}
		}
		if s.number > last || s.large || t.routed() {
			s.why = why
		}
	}
}

// every is for blame: all messages.
func every(*sent) bool { return true }

// parts notes that a machine lost another one.
func (t *truth) parted(p *process, system wire.PlayerID) {
	if q := t.peer(p, system); q != nil && t.flows != nil {
		t.dropped[q.l] = t.excuse(q)
		t.blame(p.l, q.l, Parted, every)
		t.blame(q.l, p.l, Parted, every)
	}
}

// reported notes that a program was told that messages to a machine may be lost.
func (t *truth) reported(p *process, system wire.PlayerID) {
	if q := t.peer(p, system); q != nil && t.flows != nil {
		t.blame(q.l, p.l, Broke, every)
	}
}

// moved notes that a program is in another part of its session now: what came on the way there may be lost.
func (t *truth) moved(p *process) {
	for _, l := range t.w.lanes {
		if t.flows != nil && l != p.l {
			t.blame(p.l, l, Parted, every)
			t.blame(l, p.l, Parted, every)
		}
	}
}

// deleted notes that a player or group is gone for a program, or that a player of ours is in a group no more.
func (t *truth) deleted(p *process, id wire.PlayerID) {
	if t.flows == nil {
		return
	}
	none := !slices.ContainsFunc(p.program.players, func(x wire.PlayerID) bool { return x != id })
	of := func(s *sent) bool {
		return s.from == id || s.to == id || s.group == id && id != 0 || s.to == wire.IDAll && none
	}
	for _, l := range t.w.lanes {
		if l != p.l {
			t.blame(p.l, l, Deleted, of)
			t.blame(l, p.l, Deleted, of)
		}
	}
}

// overflowed notes that a message is lost because too much waits for a program that stands still.
func (t *truth) overflowed(l *lane, data []byte) { t.gone(l, data, Overflow) }

// broke notes which messages were on a connection that broke, or with another cause that its owner closed. Those that the owner keeps
// are to arrive over the next one.
func (t *truth) broke(c *conn, why Cause) {
	if t.flows == nil || c.peer == nil {
		return
	}
	lost := false
	for i := range c.queue {
		if s := &c.queue[i]; !s.delivered && (!s.kept || why == Former) {
			t.gone(c.peer, s.data, why)
			lost = true
		}
	}
	if lost {
		t.blame(c.peer, c.owner.l, why, func(s *sent) bool { return s.large }) // the first fragment alone has the tag
	}
}

// gone notes that a message to a machine is lost. If the machine is the host, others may have got it from there.
func (t *truth) gone(to *lane, data []byte, why Cause) {
	at := bytes.Index(data, []byte(tagMark))
	if at < 0 || t.flows == nil {
		return
	}
	x, ok := parseTag(data[at:])
	if !ok || x.number == 0 || x.lane >= len(t.w.lanes) || x.entry != t.entry[x.lane] {
		return
	}
	for i := range t.flows {
		if i == to.i || t.routed() {
			for j := range t.flows[i][x.lane].waiting {
				s := &t.flows[i][x.lane].waiting[j]
				if s.number != x.number {
					continue
				}
				if s.former = s.former || why == Former; s.why == NoCause || s.why == Former {
					s.why = why
				}
			}
		}
	}
}

// settle counts what is lost of a flow, by the cause. What is younger than patience may be under way, unless its connection broke.
func (t *truth) settle(f *flow, to, from *lane, patience time.Duration) {
	for i := range f.waiting {
		if s := &f.waiting[i]; s.why == Broke || t.w.now-s.at >= patience {
			t.lost(s, to, from)
		}
	}
	f.waiting = f.waiting[:0]
}

// lost counts a message that never arrived.
func (t *truth) lost(s *sent, to, from *lane) {
	w := t.w
	if s.why == maybe {
		return
	}
	if w.res.Stats.NeverCame == nil {
		w.res.Stats.NeverCame = map[Cause]int{}
	}
	if w.res.Stats.NeverCame[s.why]++; s.why == NoCause && w.opt.Checks.Delivered {
		w.violate(to, "lost", "it never got the guaranteed message %d that %s sent at %.3fs from %v to %v", s.number, from.name,
			s.at.Seconds(), s.from, s.to)
	}
}
