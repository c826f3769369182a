package plan

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// A peer is another machine that we know of.
type peer struct {
	*line               // the connection that counts; without a number: none
	id    ID            // as the link proved it, or as members name it
	said  state         // what it said last, or what others say of it
	spoke bool          // it said so itself
	met   time.Duration // how long after our entry we learned of it; 0 for all that were there when we came

	until   time.Time // how long it is waited for, while it is not linked
	dialing bool
	dialAt  time.Time
	tries   int

	granted grant // until it says that it has it
	grantAt time.Time
	waysAt  time.Time // before it, it is not answered
}

// A line is a connection that is up.
type line struct {
	link  Link
	id    ID
	peer  *peer // whose counting connection it is; none: its other side said nothing yet
	ours  bool
	since time.Time
	heard time.Time // the first message; zero: none came
	limit time.Time // within which a message has to come, or afterwards the machine has to be let in
	quiet bool
	spent int // messages within the second
	from  time.Time

	told      []byte // the state that its other side was sent last
	toldAt    time.Time
	waits     bool // it was told to wait
	asksWays  bool // it was asked for its ways, and has not answered
	wantsWays bool // it asks for ours
}

// ungranted is the grant of a machine that we gave nothing.
var ungranted = grant{Slot: -1}

// talks reports whether the peer is linked, and said who it is.
func (q *peer) talks() bool { return q.link != 0 && q.spoke }

// machine returns the peer as it says of itself, or as others say of it.
func (q *peer) machine() Machine {
	return Machine{ID: q.id, Name: q.said.Name, Place: Place{q.said.Slot, q.said.Ports}, Order: q.said.Order, At: q.said.At}
}

// is reports whether the machine is this peer.
func (q *peer) is(m Machine) bool { return m.ID == q.id }

// shown reports whether the user is to see a machine that is in: it has said who it is, or others have it and we dial it in vain.
func (q *peer) shown() bool {
	const vain = 3
	return q.spoke || q.said.Slot >= 0 && q.tries >= vain
}

// peer returns the machine with the ID. A new one is kept, unless most are known already or it cannot come in.
func (p *Plan) peer(id ID, most int) *peer {
	q := p.peers[id]
	if q == nil {
		q = &peer{line: &line{}, id: id, said: state{Slot: -1}, granted: ungranted}
		if p.self.Order > 0 {
			q.met = max(0, p.now.Sub(p.since)-hearing)
		}
		if len(p.peers) < most && !p.barred(id) {
			p.peers[id] = q
		}
	}
	return q
}

// A connection counts from the first message on. The machine that made it sends the first one. So the other side can end it without
// harm, if the two are linked already.
func (in Up) input(p *Plan) {
	if in.Knock {
		p.answered()
	}
	q, links := p.peer(in.ID, maxKnown), 0
	for _, w := range p.links {
		if w.id == in.ID {
			links++
		}
	}
	if in.Ours {
		q.dialing, links = false, 0
	}
	switch {
	case p.barred(in.ID):
		p.do(Close{Link: in.Link, Reason: Kicked})
	case p.peers[in.ID] == nil, len(p.links) >= 2*maxKnown && !p.in[in.ID]:
		p.do(Close{Link: in.Link, Reason: Full})
	case in.Ours && q.link != 0, links >= maxLinks:
		p.do(Close{Link: in.Link, Reason: Twice})
	default:
		w := &line{link: in.Link, id: in.ID, ours: in.Ours, since: p.now, limit: p.now.Add(hearing)}
		p.links[in.Link] = w
		if in.Ours {
			p.use(q, w)
		}
	}
}

// use has a connection count.
func (p *Plan) use(q *peer, w *line) {
	p.cut(q.line, Twice)
	q.line, w.peer, q.tries = w, q, 0
	q.granted, q.grantAt = ungranted, time.Time{}
}

// lose takes note that a connection is no more. Its machine is waited for, and dialed after a while.
func (p *Plan) lose(w *line, after time.Duration) {
	delete(p.links, w.link)
	if q := w.peer; q != nil {
		q.line, q.until, q.dialAt = &line{}, p.now.Add(patience), p.now.Add(after)
	}
}

// cut ends a connection, if it is one.
func (p *Plan) cut(w *line, reason string) {
	if w.link != 0 {
		p.lose(w, patience)
		p.do(Close{Link: w.link, Reason: reason})
	}
}

// partings has the reasons with which others part from us, and what is told of them then. The other reasons part nobody.
var partings = map[string]string{Left: Left, Out: Kicked, Kicked: Refused, Cut: Refused, Refused: Refused, Full: Full, Later: Later}

func (in Down) input(p *Plan) {
	w := cmp.Or(p.links[in.Link], &line{})
	p.lose(w, p.jitter(dialSoon))
	reason, text, _ := strings.Cut(in.Reason, ": ")
	q, told := w.peer, partings[reason]
	switch {
	case q == nil || told == "":
	case reason == Left, reason == Out:
		p.ban(q.id, told) // it has a new ID if it comes again
	case q.id == cmp.Or(p.keeper, q.id) && (reason == Kicked || p.self.Order == 0):
		p.end(End{Reason: reason, Text: CleanName(text)})
	default: // this one alone does not want us
		p.gone(q, told)
		q = p.peer(q.id, maxKnown)
		q.dialAt, q.until = p.now.Add(standing), p.now.Add(standing)
	}
}

func (in Quiet) input(p *Plan) {
	cmp.Or(p.links[in.Link], &line{}).quiet = in.On
}

func (in Failed) input(p *Plan) {
	p.peer(in.ID, 0).dialing = false
}

func (in Heard) input(p *Plan) {
	w := p.links[in.Link]
	if w == nil {
		return
	}
	m, err := decode(in.Data)
	q := p.peer(w.id, maxKnown)
	switch {
	case errors.Is(err, errLater):
		p.cut(w, Later)
	case err != nil, p.peers[w.id] == nil, !w.afford(p.now), w.heard.IsZero() && m.State == nil, q.contradicts(*cmp.Or(m.State, &q.said)):
		p.cut(w, Broken)
	case w.crosses(q) && p.self.ID.compare(q.id) < 0: // both dialed at once: the dial of the lower ID counts
		p.cut(w, Twice)
	default:
		if q.line != w {
			p.use(q, w)
		}
		if w.heard.IsZero() {
			w.heard, w.limit = p.now, p.now.Add(standing)
		}
		p.hear(q, m)
	}
}

// crosses reports whether we dialed the peer before it dialed us, and heard nothing over our connection until then.
func (w *line) crosses(q *peer) bool {
	return q.ours && q.line != w && !cmp.Or(q.heard, w.since).Before(w.since)
}

// contradicts reports whether a state has another order than before: no machine gets older or younger.
func (q *peer) contradicts(s state) bool { return q.said.Order != 0 && q.said.Order != s.Order }

// afford counts messages. Ours are ten a second at most.
func (w *line) afford(now time.Time) bool {
	const most = 50
	if now.Sub(w.from) >= time.Second {
		w.from, w.spent = now, 0
	}
	w.spent++
	return w.spent <= most
}

// hear takes a message. One without a state leaves that as it is.
func (p *Plan) hear(q *peer, m message) {
	q.said, q.spoke = *cmp.Or(m.State, &q.said), true
	if q.said.Slot >= 0 {
		q.granted, q.grantAt = ungranted, time.Time{}
	}
	p.orders = max(p.orders, q.said.Order)
	if m.Grant != nil {
		p.grant(q, *m.Grant)
	}
	if m.AskWays {
		q.wantsWays = true
	}
	if m.Ways != nil && q.asksWays {
		q.asksWays = false
		p.do(WaysTold{ID: q.id, Ways: m.Ways})
	}
	if m.Wait && p.self.Order == 0 && !p.waits {
		p.waits = true
		p.do(Waits{})
	}
}

// gone forgets a machine. Its slot rests.
func (p *Plan) gone(q *peer, reason string) {
	if q.shown() && p.in[q.id] {
		p.do(Gone{Machine: q.machine(), Reason: reason})
	}
	p.rest[q.said.Slot] = resting{q.id, p.now.Add(quarantine)}
	delete(p.rest, -1) // it had none
	delete(p.peers, q.id)
}

// forget lets go of what is over.
func (p *Plan) forget() {
	for _, q := range p.those(func(q *peer) bool { return q.link == 0 && !q.dialing && p.due(q.until) }) {
		p.gone(q, Lost)
	}
	for _, l := range slices.Sorted(maps.Keys(p.links)) {
		w := p.links[l]
		switch {
		case !p.due(w.limit):
		case w.heard.IsZero():
			p.cut(w, Broken)
		case !p.in[w.id] && p.self.Order > 0:
			p.cut(w, Refused+": nobody said yes within ten minutes")
		}
	}
	maps.DeleteFunc(p.rest, func(_ int, r resting) bool { return p.due(r.until) })
	if p.waits {
		p.since, p.waits = p.now, len(p.links) > 0
	}
	if p.self.Order == 0 && p.due(p.since.Add(patience)) {
		p.end(End{Reason: Nobody, Text: p.excuse})
	}
}

// hints takes where machines are from the members that are linked with them, as long as they have not said so themselves.
func (p *Plan) hints() {
	for _, q := range p.members() {
		for _, h := range q.said.Peers {
			r := p.peer(h.ID, maxHinted)
			if r.talks() {
				continue
			}
			r.said.At = h.At
			if until := p.now.Add(patience); r.until.Before(until) { // longer if it does not want us
				r.until = until
			}
			if at := h.place(); !r.spoke {
				r.said.Slot, r.said.Ports = at.Slot, at.Ports
			}
		}
	}
}

// dial connects to the machines that members name, and to those that vanished, a few at a time.
func (p *Plan) dial() {
	const most = 16
	busy := len(p.those(func(q *peer) bool { return q.dialing }))
	idle := p.those(func(q *peer) bool { return q.link == 0 && !q.dialing && p.due(q.dialAt) })
	for _, q := range idle[:min(len(idle), most-busy)] {
		q.dialing, q.dialAt = true, p.now.Add(p.jitter(min(dialLate, dialSoon<<min(q.tries, 5))))
		q.tries++
		p.do(Dial{ID: q.id, At: slices.Clone(q.said.At)})
	}
}

// tell sends all what is new of us, each at its pace.
func (p *Plan) tell() {
	data := p.says()
	for _, q := range p.known() {
		if q.link != 0 && !bytes.Equal(data, q.told) && p.due(q.toldAt.Add(pace)) {
			p.sendState(q, data)
		}
	}
}

func (p *Plan) sendState(q *peer, data []byte) {
	q.told, q.toldAt = data, p.now
	p.do(Send{Link: q.link, Data: data})
}

// send sends something else. The state goes before it, if it was not sent yet.
func (p *Plan) send(q *peer, m message) {
	if q.told == nil {
		p.sendState(q, p.says())
	}
	p.do(Send{Link: q.link, Data: encode(m)})
}

// says returns what we say of ourselves.
func (p *Plan) says() []byte {
	s := state{Name: p.self.Name, Slot: p.self.Slot, Order: p.self.Order, Ports: p.self.Ports, At: p.self.At,
		Keeper: p.keeps(), Ask: p.ask, Kicked: p.kicked, Meeting: p.meeting}
	if p.lone {
		s.Slot = -1
	}
	members := p.members()
	for _, q := range members[:min(len(members), maxPeers)] {
		h := hint{ID: q.id, At: q.said.At, Slot: q.said.Slot}
		if h.place() != q.machine().Place && h.Slot >= 0 {
			h.Ports = q.said.Ports
		}
		s.Peers = append(s.Peers, h)
	}
	return encode(message{State: &s})
}
