package dpsp

import (
	"fmt"
	"net/netip"
	"time"

	"dplay4/wire"
)

// What is asked of a host may get lost, with its answer: hosts with Windows answer over a connection that they have had
// since an earlier search (facts, 10.1), and that one may be dead without their knowing. So each request is sent once more,
// and the first one twice: a host that reads nothing of its own connections, such as Wine's, loses one answer that the other
// side does not take any more, and by the next one learns why.
const (
	// askAgain is how long a request waits for its answer before it is sent once more. The reliable API timer goes on.
	askAgain = time.Second
	// firstRepeats and laterRepeats are how often the first request, and each later one, is sent once more.
	firstRepeats, laterRepeats = 2, 1
	// hungUpGrace is how long the answer may take once the host has closed the connection of the request twice: it may
	// answer over another one.
	hungUpGrace = 500 * time.Millisecond
)

// ask sends the request that is due, once more if nobody answered.
func (j *joining) ask() {
	e := j.e
	j.tries++
	j.deadline, j.again, j.why = e.now+e.cfg.Reply, Never, nil
	if j.admitted && j.tries >= e.cfg.Tries {
		j.deadline += e.cfg.Populate // for so long the host may wait for others before it answers
	}
	j.again, j.repeats = e.now+askAgain, firstRepeats
	if j.admitted {
		j.repeats = laterRepeats
	}
	j.say()
}

// askOnceMore repeats the request that the host has not answered. Both may be answered: then one answer is too many.
func (j *joining) askOnceMore() {
	j.again = Never
	if j.repeats--; j.repeats > 0 {
		j.again = j.e.now + askAgain
	}
	j.e.wanted.doubled++
	j.say()
}

// say sends the request of a newcomer that is due.
func (j *joining) say() {
	e := j.e
	if !j.admitted {
		e.sendTCP(j.want.Host, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
		return
	}
	e.sendTCP(j.want.Host, &wire.AddForwardRequest{
		Player: e.self, Password: j.want.Password.in(e.encoding()),
		Reserved1: j.want.Desc.Reserved1, // not a tick count: facts, 3.6 and 10.4
		Info: wire.PackedPlayer{
			Flags: wire.PlayerSystem | wire.PlayerLocal, ID: e.self, System: e.self, Version: uint32(e.cfg.Dialect), SPData: e.cfg.spData(),
		},
	})
}

// timer asks once more, or gives up: with the list that is without us, if there is one, or an error.
func (j *joining) timer() (last *listWithout, err error) {
	switch {
	case j.deadline > j.e.now && j.again <= j.e.now:
		j.askOnceMore()
	case j.deadline > j.e.now:
	case j.without != nil && (j.why != nil || j.tries >= j.e.cfg.Tries):
		return j.without, nil
	case j.why != nil:
		return nil, j.why
	case j.tries >= j.e.cfg.Tries:
		return nil, ErrTimeout
	default:
		j.ask()
	}
	return nil, nil
}

// request returns the name of the request that waits for its answer.
func (j *way) request() string {
	if j.admitted {
		return wire.CmdAddForwardRequest.String()
	}
	return wire.CmdRequestPlayerID.String()
}

// next returns the time of the next timer.
func (j *way) next() time.Duration { return min(j.deadline, j.again) }

// streamEnded says that a host closed the connection that we asked it by, or let us make none. It may answer on one of
// its own all the same; if it did not read the request, it is to get it once more.
func (j *joining) streamEnded(listener netip.AddrPort, err error) {
	if j.e.state != joinState || j.want.Host != listener || j.why != nil {
		return
	}
	if j.again != Never {
		j.askOnceMore()
		return
	}
	j.deadline = min(j.deadline, j.e.now+hungUpGrace)
	if j.why = fmt.Errorf("%w, without an answer to %s", ErrHungUp, j.request()); err != nil {
		j.why = fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
}

// nonsense ends what waits for an answer of the host when one comes that does not decode: there will be no better one. What
// others send, and who may be at the same address for other reasons by UDP, does not count.
func (e *Engine) nonsense(o origin, m wire.Message, err error) {
	if o.udp || !isAnswer(m) {
		return
	}
	err = fmt.Errorf("%w: %w", ErrNonsense, err)
	switch from := o.from.Addr().Unmap(); {
	case e.state == joinState && (from == e.join.want.Host.Addr() || from == e.join.want.From.Unmap()):
		e.joinFailed(err)
	case e.search.asking != nil && (from == e.search.asking.host.Addr() || from == e.search.asking.from.Unmap()):
		e.search.askingDone(err)
	case e.state == member && m != nil && len(e.requests.line) > 0:
		if p := e.peerOf(o); p != nil && p.system == e.host && p.at(from) {
			e.requests.done(e.requests.line[0], 0, err)
		}
	}
}

// isAnswer reports whether a message, or the beginning of one, can be what a newcomer or a member waits for; nil is one that
// cannot even be named.
func isAnswer(m wire.Message) bool { return m == nil || ruleOf(m).answer }

// joinFailed ends the way into a session.
func (e *Engine) joinFailed(err error) {
	token, host := e.way.token, e.way.want.Host
	e.reset()
	e.hangUpAt(host)
	e.event(JoinFailed{Host: host, Err: err})
	e.done(token, 0, err)
}
