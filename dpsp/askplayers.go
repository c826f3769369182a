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
	from     netip.Addr // of EnumeratePlayers
	tries    int
	deadline time.Duration
}

// enumeratePlayers asks a host who is in its session. In a session the answer is our own list, at once.
func (e *Engine) enumeratePlayers(token uint64, c EnumeratePlayers) error {
	switch {
	case e.state == member:
		e.event(e.playersFound(c.Host, e.list))
		e.done(token, e.self, nil)
		return nil
	case e.state != idle:
		return ErrInSession
	case !c.Host.IsValid():
		return ErrNoHost
	case e.asking != nil:
		return ErrBusy
	}
	e.asking = &asking{token: token, host: c.Host, from: c.From}
	e.askPlayers()
	return nil
}

func (e *Engine) askPlayers() {
	e.asking.tries++
	e.asking.deadline = e.now + e.cfg.Reply
	e.sendTCP(e.asking.host, &wire.EnumPlayer{})
}

// playersReply takes the list that we asked for. Entries that make no sense were left out of it, and are reported.
func (e *Engine) playersReply(o origin, name string, l *playerlist.List, err error) {
	if !isHost(e.asking.host, e.asking.from, o) {
		e.drop(o, name, NotAllowed, "it is not from the host that we asked")
		return
	}
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
	}
	e.event(e.playersFound(e.asking.host, l))
	e.askingDone(nil)
}

func (e *Engine) askingDone(err error) {
	a := e.asking
	e.asking = nil
	e.hangUpAt(a.host)
	e.done(a.token, 0, err)
}

// askingTimer asks once more, or gives up.
func (e *Engine) askingTimer() {
	switch {
	case e.asking == nil || e.asking.deadline > e.now:
	case e.asking.tries >= e.cfg.Tries:
		e.askingDone(ErrTimeout)
	default:
		e.askPlayers()
	}
}

// playersFound tells the program who is in a session.
func (e *Engine) playersFound(host netip.AddrPort, l *playerlist.List) PlayersFound {
	s := l.Session()
	f := PlayersFound{Host: host, Desc: s.Desc, Name: e.read(s.Name)}
	for _, p := range l.Players() {
		if p.Flags&wire.PlayerSystem == 0 {
			f.Players = append(f.Players, e.playerCreated(&p))
		}
	}
	for _, g := range l.Groups() {
		f.Groups = append(f.Groups, e.groupCreated(&g))
	}
	return f
}
