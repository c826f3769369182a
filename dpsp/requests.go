package dpsp

import (
	"time"

	"dplay4/wire"
)

// A request for an id waits for the host. They go out one by one: nothing in an answer says which request it is
// for (facts, 5.7).
type request struct {
	token    uint64
	command  Command // CreatePlayer or CreateGroup
	since    time.Duration
	tries    int // 0: not sent yet
	deadline time.Duration
	again    time.Duration // when it is sent once more; 0: it was, or need not be
}

// maxRequests bounds the requests that wait.
const maxRequests = 1024

// The requests are those for ids of players and groups of ours.
type requests struct {
	e *sender
	*requestQueue
}

// A requestQueue is the requests that wait, in order; the first one is with the host. It has no pointer to the engine.
type requestQueue struct {
	line    []*request
	doubled int           // answers of the host that may come twice, for we asked twice: on the way in, too
	was     wire.PlayerID // the id that what is made now had before
}

// create makes a player or group: at once if we are the host, otherwise when the host has given us an id.
func (e *Engine) create(token uint64, c Command) {
	if err := e.checkNew(c); err != nil {
		e.done(token, 0, err)
		return
	}
	if e.hosting() {
		e.createAsHost(&request{token: token, command: c})
		return
	}
	if len(e.wanted.line) >= maxRequests {
		e.done(token, 0, ErrBusy)
		return
	}
	e.wanted.line = append(e.wanted.line, &request{token: token, command: c, since: e.now})
	if len(e.wanted.line) == 1 {
		e.requests.ask()
	}
}

// createAsHost gives ourselves the id.
func (e *Engine) createAsHost(r *request) {
	c := r.command
	p, isPlayer := c.(CreatePlayer)
	d := e.list.Desc()
	if isPlayer && e.admission.Full(&d) {
		e.requests.answer(r, 0, wire.ErrCantCreatePlayer)
		return
	}
	if _, taken := e.list.System(wire.IDServer); taken && p.Flags&wire.PlayerServerPlayer != 0 {
		e.requests.answer(r, 0, wire.ErrCantCreatePlayer)
		return
	}
	id := wire.IDServer // there is one server player, and that is its id (facts, 5.4)
	if !isPlayer || p.Flags&wire.PlayerServerPlayer == 0 {
		var err error
		if id, err = e.admission.IDs.Reserve(); err != nil {
			e.requests.answer(r, 0, err)
			return
		}
	}
	err := e.makeOurs(id, r.command)
	switch {
	case err == nil:
		e.admission.IDs.Hold(id)
	case id != wire.IDServer:
		e.admission.IDs.Free(id)
	}
	e.requests.answer(r, id, err)
}

// ask sends the request that is first in line.
func (q *requests) ask() {
	e := q.e
	r := q.line[0]
	h := e.peerByID(e.host)
	if h == nil {
		r.deadline, r.again = e.patience(), 0 // the host is gone; the next one is asked
		return
	}
	r.tries++
	r.deadline, r.again = e.now+e.cfg.Reply, 0
	if !h.modern && !h.marked { // one of ours reads every request and answers it, and a second id would take somebody's place
		r.again = e.now + askAgain
	}
	q.say(r, h)
}

// next returns the time of its next timer.
func (r *request) next() time.Duration {
	if r.again == 0 {
		return r.deadline
	}
	return min(r.deadline, r.again)
}

// askOnceMore repeats the request that is first in line. Both may be answered: then one answer is too many.
func (q *requests) askOnceMore(r *request) {
	r.again = 0
	if h := q.e.peerByID(q.e.host); h != nil {
		q.doubled++
		q.say(r, h)
	}
}

func (q *requests) say(r *request, h *peer) {
	switch c := r.command.(type) {
	case CreatePlayer:
		q.e.sendTCP(h.stream, &wire.RequestPlayerID{Flags: c.Flags | wire.PlayerLocal})
	case CreateGroup:
		q.e.sendTCP(h.stream, &wire.RequestGroupID{Flags: c.Flags | wire.PlayerLocal})
	}
}

// idCame takes the id that the first request in line waits for.
func (e *Engine) idCame(m *wire.RequestPlayerReply) {
	if _, there := e.list.System(m.ID); there && e.wanted.doubled > 0 && m.Result == wire.OK {
		e.wanted.doubled-- // the same answer once more
		return
	}
	r := e.wanted.line[0]
	if m.Result != wire.OK {
		e.requests.done(r, 0, m.Result)
		return
	}
	e.requests.done(r, m.ID, e.makeOurs(m.ID, r.command))
}

// answer answers a request.
func (q *requests) answer(r *request, id wire.PlayerID, err error) {
	q.e.done(r.token, id, err)
}

// done takes the first request out of the line with its answer, and sends the next one.
func (q *requests) done(r *request, id wire.PlayerID, err error) {
	q.line = q.line[1:]
	q.answer(r, id, err)
	q.resume()
}

// timer asks the host once more for an id, or gives up.
func (q *requests) timer() {
	e := q.e
	switch {
	case len(q.line) == 0:
		return
	case q.line[0].deadline > e.now:
		if r := q.line[0]; r.next() <= e.now {
			q.askOnceMore(r)
		}
		return
	}
	if e.peerByID(e.host) == nil {
		// There was none in all this time, and nobody knows for how long.
		for _, r := range q.takeAll() {
			q.answer(r, 0, ErrTimeout)
		}
		return
	}
	if r := q.line[0]; r.tries < e.cfg.Tries {
		q.ask()
		return
	}
	waited := e.now - multiple(e.cfg.Reply, e.cfg.Tries)
	for first := true; len(q.line) > 0; first = false {
		r := q.line[0]
		if !first && r.since > waited { // others behind it waited as long for the same host
			q.ask()
			return
		}
		q.line = q.line[1:]
		q.answer(r, 0, ErrTimeout)
	}
}

// takeAll empties the line, and returns what was in it.
func (q *requestQueue) takeAll() []*request {
	line := q.line
	q.line = nil
	return line
}

// wait has all begin anew: the first one is sent again when another host is known, or given up at a time.
func (q *requestQueue) wait(until time.Duration) {
	for _, r := range q.line {
		r.tries, r.deadline, r.again = 0, until, 0
	}
}

// resume sends the first request in line, if there is one.
func (q *requests) resume() {
	if len(q.line) > 0 {
		q.ask()
	}
}

// next returns the time of the next timer.
func (q *requestQueue) next() time.Duration {
	if len(q.line) == 0 {
		return Never
	}
	return q.line[0].next()
}

// unasked drops an answer that nobody waits for, without a word if it is the second one to what was asked twice.
func (q *requests) unasked(o origin, name, text string) {
	e := q.e
	p := e.peerOf(o)
	if q.doubled > 0 && (e.state == joinState && e.join.fromJoinHost(o) || p != nil && p.system == e.host) {
		q.doubled--
		return
	}
	e.drop(o, name, OutOfTurn, text)
}
