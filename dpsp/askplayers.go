package dpsp

import (
	"net/netip"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// An asking waits for the list of players of a session that we are not in (3.1.4.3). There is one at a time: nothing
// in an answer says which request it is for.
type asking struct {
	token    uint64
	host     netip.AddrPort
	from     netip.Addr    // of EnumeratePlayers
	within   time.Duration // of EnumeratePlayers
	tries    int
	deadline time.Duration
}

// enumeratePlayers asks a host who is in its session. In a session the answer is our own list, at once.
func (sr *search) enumeratePlayers(token uint64, c EnumeratePlayers) error {
	e := sr.e
	sr.timer() // one that nobody waits for any more is no reason to refuse
	switch {
	case e.state == member:
		sr.playersFound(c.Host, e.list)
		e.done(token, e.self, nil)
		return nil
	case e.state != idle:
		return ErrInSession
	case !c.Host.IsValid():
		return ErrNoHost
	case sr.asking != nil:
		return ErrBusy
	}
	sr.asking = &asking{token: token, host: c.Host, from: c.From, within: c.Within}
	sr.askPlayers()
	return nil
}

func (sr *search) askPlayers() {
	sr.asking.tries++
	sr.asking.deadline = sr.e.now + sr.e.cfg.Reply
	if sr.asking.within > 0 {
		sr.asking.deadline = sr.e.now + sr.asking.within
	}
	sr.e.sendTCP(sr.asking.host, &wire.EnumPlayer{})
}

// playersReply takes the list that we asked for. Entries that make no sense were left out of it, and are reported.
func (sr *search) playersReply(o origin, name string, l *playerlist.List, err error) {
	if err != nil {
		sr.e.drop(o, name, Conflict, err.Error())
	}
	sr.playersFound(sr.asking.host, l)
	sr.askingDone(nil)
}

func (sr *search) askingDone(err error) {
	a := sr.asking
	sr.asking = nil
	sr.e.hangUpAt(a.host)
	sr.e.done(a.token, 0, err)
}

// timer asks once more, or gives up.
func (sr *search) timer() {
	switch {
	case sr.asking == nil || sr.asking.deadline > sr.e.now:
	case sr.asking.tries >= sr.e.cfg.Tries, sr.asking.within > 0:
		sr.askingDone(ErrTimeout)
	default:
		sr.askPlayers()
	}
}

// next returns the time of the next timer.
func (sr *searching) next() time.Duration {
	if sr.asking == nil {
		return Never
	}
	return sr.asking.deadline
}

// playersFound tells the program who is in a session.
func (sr *search) playersFound(host netip.AddrPort, l *playerlist.List) {
	s := l.Session()
	sr.e.event(PlayersFound{Host: host, Desc: s.Desc, Name: sr.e.read(s.Name), Changes: sr.e.introduction(l)})
}
