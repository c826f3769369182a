package plan

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"
)

// A peer is another machine that we know of.
type peer struct {
	id   ID
	link Link   // the one that counts; 0: none
	said *state // its last one; nil if it never said one
	met  uint64 // which one we met before which; 0 for all that were there when we came

	stood *Stands   // what the caller was told
	lost  time.Time // when the link went down
	loose time.Time // since when it is linked without being in

	dialing bool
	dialAt  time.Time
	tries   int
	hinted  time.Time // when another machine last said that it is there
	hint    hint

	waited  bool   // it was told to wait
	granted *grant // what we gave it, until it says that it has it

	grantedAt time.Time

	asksWays  bool // it was asked for its ways, and has not answered
	wantsWays bool // it asks for ours
	waysAt    time.Time

	told   []byte // the last state that it was told over this link
	toldAt time.Time
}

// A line is a connection that is up, whether it counts or not.
type line struct {
	id    ID
	ours  bool
	since time.Time
	heard time.Time // the first message; zero: none came
	quiet bool
	spent int // messages within the second
	from  time.Time
}

// machine returns what the peer says of itself, or what others say of it.
func (q *peer) machine() Machine {
	if q.said == nil {
		at := q.hint.place()
		return Machine{ID: q.id, Slot: at.slot, Ports: at.ports}
	}
	return Machine{ID: q.id, Name: q.said.Name, Slot: q.said.Slot, Order: q.said.Order, Ports: q.said.Ports, At: q.said.At}
}

// shown reports whether the user is to see a machine that is in: it has said who it is, or others have it and we call it in vain.
func (q *peer) shown() bool {
	const vain = 3
	return q.said != nil || q.hint.Slot >= 0 && q.tries >= vain
}

// peer returns the machine with the ID, and makes it if there is room.
func (p *Plan) peer(id ID) *peer {
	q := p.peers[id]
	if q == nil {
		if len(p.peers) >= maxKnown {
			return nil
		}
		q = &peer{id: id, hint: hint{Slot: -1}}
		p.peers[id] = q
	}
	return q
}

// meetPeer returns the machine with the ID. If there is no room for it, it takes that of one that was only said to be there.
func (p *Plan) meetPeer(id ID) *peer {
	if q := p.peer(id); q != nil {
		return q
	}
	for _, q := range p.known() {
		if q.link == 0 && q.said == nil && !q.dialing {
			delete(p.peers, q.id)
			break
		}
	}
	return p.peer(id)
}

// up takes a new connection. It counts from the first message on, and whoever made it says the first. So who has
// another one with that machine can end it without harm.
func (p *Plan) up(in Up) {
	if in.Knock {
		p.answered()
	} else if q := p.peers[in.ID]; q != nil && in.Ours {
		q.dialing = false
	}
	reason := ""
	switch {
	case p.never.has(in.ID):
		reason = Kicked
	case in.ID == p.self.ID:
		reason = Full
	case in.Ours: // as many as we dialed and knocked
		if q := p.meetPeer(in.ID); q == nil {
			reason = Full
		} else if q.link != 0 {
			reason = Twice
		}
	case p.unheard(in.ID) >= maxUnheard:
		reason = Twice
	case len(p.links) >= 2*maxKnown && !p.in[in.ID]:
		reason = Full
	}
	if reason != "" {
		p.do(Close{Link: in.Link, Reason: reason})
		return
	}
	p.links[in.Link] = &line{id: in.ID, ours: in.Ours, since: p.now, from: p.now}
	if in.Ours {
		p.use(p.peers[in.ID], in.Link)
	}
}

// unheard returns how many connections a machine has over which it said nothing yet.
func (p *Plan) unheard(id ID) (n int) {
	for _, w := range p.links {
		if w.id == id && w.heard.IsZero() {
			n++
		}
	}
	return n
}

// use has a link count.
func (p *Plan) use(q *peer, l Link) {
	if q.link != 0 {
		p.hangUp(q, Twice)
	}
	q.link, q.told, q.granted, q.waited, q.tries, q.loose = l, nil, nil, false, 0, p.now
	q.asksWays, q.wantsWays = false, false
}

// hangUp ends the link that counts.
func (p *Plan) hangUp(q *peer, reason string) {
	if q.link == 0 {
		return
	}
	p.fall(q)
	delete(p.links, q.link)
	p.do(Close{Link: q.link, Reason: reason})
	q.link, q.lost = 0, p.now
}

// down takes the end of a connection.
func (p *Plan) down(in Down) {
	w := p.links[in.Link]
	if w == nil {
		return
	}
	delete(p.links, in.Link)
	q := p.peers[w.id]
	if q == nil || q.link != in.Link {
		return
	}
	p.fall(q)
	q.link, q.lost, q.dialAt, q.dialing = 0, p.now, p.now.Add(p.jitter(dialSoon)), false
	if !in.Closed {
		return
	}
	reason, text, _ := strings.Cut(in.Reason, ": ")
	switch reason {
	case Left, Out:
		if reason == Out {
			reason = Kicked
		}
		p.gone(q, reason)
		delete(p.in, q.id)
		p.never.add(q.id) // a machine that comes again has a new ID
	case Kicked, Cut, Refused, Full, Later:
		if p.self.Order == 0 && (p.keeper == ID{} || q.id == p.keeper) || q.id == p.keeper && reason == Kicked {
			p.end(End{Reason: reason, Text: CleanName(text)})
			return
		}
		if reason == Kicked || reason == Cut {
			reason = Refused // it is we whom it sent away
		}
		p.gone(q, reason) // it alone does not want us
		if q = p.peer(w.id); q != nil {
			q.dialAt = p.now.Add(standing)
		}
	}
}

// heard takes a message.
func (p *Plan) heard(in Heard) {
	w := p.links[in.Link]
	if w == nil {
		return
	}
	q := p.meetPeer(w.id)
	m, err := decode(in.Data)
	switch {
	case m.Least > Version:
		p.refuse(w, in.Link, Later)
		return
	case err != nil || !w.afford(p.now) || q == nil || w.heard.IsZero() && m.State == nil:
		p.refuse(w, in.Link, Broken)
		return
	}
	if w.heard.IsZero() {
		w.heard = p.now
		if !w.ours && q.link != 0 {
			old := p.links[q.link]
			if old.ours && (old.heard.IsZero() || !old.heard.Before(w.since)) && p.self.ID.less(q.id) {
				delete(p.links, in.Link) // both called at once: the call of the lower ID counts
				p.do(Close{Link: in.Link, Reason: Twice})
				return
			}
		}
		if q.link != in.Link {
			p.use(q, in.Link)
		}
	}
	if q.link != in.Link {
		return
	}
	if m.State != nil {
		p.state(q, m.State)
	}
	if m.Grant != nil && p.links[in.Link] != nil {
		p.grant(q, *m.Grant)
	}
	p.hearWays(q, m)
	if m.Wait && p.self.Order == 0 && !p.waits {
		p.waits = true
		p.do(Waits{})
	}
}

// refuse ends a connection whose other side we do not understand.
func (p *Plan) refuse(w *line, l Link, reason string) {
	if q := p.peers[w.id]; q != nil && q.link == l {
		p.hangUp(q, reason)
		q.dialAt = p.now.Add(patience)
		return
	}
	delete(p.links, l)
	p.do(Close{Link: l, Reason: reason})
}

// afford counts messages. Ours say ten a second at most.
func (w *line) afford(now time.Time) bool {
	const most = 50
	if now.Sub(w.from) >= time.Second {
		w.from, w.spent = now, 0
	}
	w.spent++
	return w.spent <= most
}

// state takes what a machine says of itself.
func (p *Plan) state(q *peer, s *state) {
	if old := q.said; old != nil && old.Order != 0 && s.Order != old.Order {
		p.hangUp(q, Broken) // nobody gets older or younger
		q.dialAt = p.now.Add(patience)
		return
	}
	if q.said == nil {
		if p.self.Order > 0 && p.now.Sub(p.since) > hearing {
			p.met++
		}
		q.met = p.met
	}
	q.said = s
	if q.granted != nil && s.Slot >= 0 {
		q.granted = nil
	}
	p.orders = max(p.orders, s.Order)
	if q.id == p.keeper {
		p.follow()
	}
}

// gone forgets a machine. Its slot rests.
func (p *Plan) gone(q *peer, reason string) {
	p.fall(q)
	if q.shown() && p.in[q.id] {
		p.do(Gone{Machine: q.machine(), Reason: reason})
	}
	if q.said != nil && q.said.Slot >= 0 {
		p.rest[q.said.Slot] = resting{q.id, p.now.Add(quarantine)}
	}
	delete(p.peers, q.id)
}

// forget lets go of what is over.
func (p *Plan) forget() {
	for _, q := range p.known() {
		switch {
		case q.link != 0 && !p.in[q.id] && p.self.Order > 0 && p.due(q.loose.Add(standing)):
			p.hangUp(q, Refused+": nobody said yes within ten minutes")
		case q.link != 0 || q.dialing:
		case p.now.Before(later(q.lost, q.hinted).Add(patience)):
			p.at(later(q.lost, q.hinted).Add(patience))
		case q.dialAt.Sub(p.now) > patience: // one that does not want us
			p.at(q.dialAt)
		default:
			p.gone(q, Lost)
		}
	}
	for _, l := range slices.Sorted(maps.Keys(p.links)) {
		if w := p.links[l]; w.heard.IsZero() && p.due(w.since.Add(hearing)) {
			p.refuse(w, l, Broken)
		}
	}
	maps.DeleteFunc(p.rest, func(_ int, r resting) bool { return p.due(r.until) })
	if p.waits && len(p.links) == 0 {
		p.waits, p.since = false, p.now
	}
	if p.self.Order == 0 && !p.waits && p.due(p.since.Add(patience)) {
		p.end(End{Reason: Nobody, Text: p.excuse})
	}
}

// later returns the later one of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// hints takes where machines are said to be by those that we are linked with and that are in, our keeper first.
func (p *Plan) hints() {
	all := p.known()
	if k := p.peers[p.keeper]; k != nil {
		all = append([]*peer{k}, all...)
	}
	for _, q := range all {
		if q.link == 0 || q.said == nil || p.self.Order > 0 && !p.in[q.id] {
			continue
		}
		for _, h := range q.said.Peers {
			if h.ID == p.self.ID || p.never.has(h.ID) || len(p.peers) >= maxHinted && p.peers[h.ID] == nil {
				continue
			}
			r := p.peer(h.ID)
			r.hinted, r.hint = p.now, h
		}
	}
}

// tell says to all what is new of us, to each at its pace.
func (p *Plan) tell() {
	data := p.says()
	for _, q := range p.known() {
		if q.link == 0 || bytes.Equal(data, q.told) {
			continue
		}
		if w := p.links[q.link]; !w.ours && w.heard.IsZero() {
			continue
		}
		if q.told == nil || p.due(q.toldAt.Add(pace)) {
			p.sendState(q, data)
		}
	}
}

func (p *Plan) sendState(q *peer, data []byte) {
	q.told, q.toldAt = data, p.now
	p.do(Send{Link: q.link, Data: data})
}

// send says something else. The state goes before it, if it was not said yet.
func (p *Plan) send(q *peer, m message) {
	if q.told == nil {
		p.sendState(q, p.says())
	}
	p.do(Send{Link: q.link, Data: encode(m)})
}

// says returns what we say of ourselves.
func (p *Plan) says() []byte {
	s := state{Name: p.self.Name, Slot: p.self.Slot, Order: p.self.Order, Ports: p.self.Ports, At: p.self.At,
		Keeper: p.keeps(), Ask: p.ask, Kicked: slices.Clone(p.kicked)}
	if s.Keeper {
		s.Meeting = p.meeting
	}
	if p.lone {
		s.Slot = -1
	}
	for _, q := range p.known() {
		if q.link != 0 && q.said != nil && p.in[q.id] && len(s.Peers) < maxPeers {
			h := hint{ID: q.id, At: q.said.At, Slot: q.said.Slot}
			if h.Slot >= 0 && q.said.Ports != At(h.Slot) {
				h.Ports = q.said.Ports
			}
			s.Peers = append(s.Peers, h)
		}
	}
	return encode(message{State: &s})
}
