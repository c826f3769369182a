package dpsp

import (
	"math/rand/v2"

	"dplay4/playerlist"
	"dplay4/wire"
)

// open begins a session of our own.
func (e *Engine) open(c Host) error {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	switch {
	case e.state != idle:
		return ErrInSession
	case e.search.asking != nil:
		return ErrBusy
	case c.Flags&wire.SessionMigrateHost != 0 && c.Flags&routed != 0:
		return ErrFlags // as Windows has it (facts, 5.4)
	case c.Flags&wire.SessionSecureServer != 0:
		return ErrSecure
	}
	enc, _ := e.cfg.encodingOf(c.Application)
	s := playerlist.Session{Name: c.Name.in(enc), Password: c.Password.optional(enc)}
	s.Desc = wire.SessionDesc{
		Flags: sessionFlags(c.Flags, c.Password), Instance: c.Instance, Application: c.Application,
		MaxPlayers: c.MaxPlayers, Reserved1: e.rng.Uint32(), User: c.User,
	}
	if s.Desc.Instance.IsZero() {
		s.Desc.Instance = newGUID(e.rng)
	}
	l, err := playerlist.New(s)
	if err != nil {
		return err
	}
	ids := playerlist.NewIDs(s.Desc.Reserved1, uint16(e.rng.Uint32N(1<<15)))
	ids.Rotate = c.Flags&wire.SessionDirectPlayProtocol != 0
	self, err := ids.Reserve()
	if err != nil {
		return err
	}
	if _, err := l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{
		ID: self, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: uint32(e.cfg.Dialect), SPData: e.cfg.spData(),
	}}); err != nil {
		return err
	}
	ids.Hold(self)
	e.list, e.admission.IDs, e.self, e.host, e.state = l, ids, self, self, member
	e.text.called = c.Name
	e.arrivals.begin(e.rng, e.cfg.Legacy)
	e.dec.Options.NoMessageID = c.Flags&wire.SessionNoMessageID != 0
	e.views.open()
	e.openObjects()
	e.event(SessionOpened{Desc: l.Desc(), Name: c.Name.String(), System: self, Host: self, Hosting: true})
	return nil
}

// newGUID draws a GUID.
func newGUID(r *rand.Rand) wire.GUID {
	var g wire.GUID
	for i := range g {
		g[i] = byte(r.Uint32())
	}
	return g
}
