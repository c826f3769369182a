package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// A machine is another member of the session.
type machine struct {
	system   wire.PlayerID
	stream   netip.AddrPort // its TCP listener
	datagram netip.AddrPort // its UDP socket
	alias    netip.AddrPort // its TCP listener by its own headers, where we reach it at another address
	seen     netip.Addr     // where its messages came from when we met; not known of machines that others told us of
	dialect  wire.Dialect
	modern   bool // it knows the extension
	hellos   int  // how often it was greeted once more
	claimed  bool // it said IAMNAMESERVER while we were the host
	told     int  // how often it was told all in the period from toldFrom on
	toldFrom time.Duration
	silent   bool   // it let a newcomer wait in vain
	passed   bool   // it was a candidate, and did not become host
	verified uint64 // up to which player of ours CREATEPLAYERVERIFY named them all
}

// machineByID gives the machine whose system player has the id.
func (e *Engine) machineByID(system wire.PlayerID) *machine {
	for _, m := range e.machines {
		if m.system == system {
			return m
		}
	}
	return nil
}

// machineOf gives the machine that a message came from: the one that listens where the header says. Without a
// header, for a game message on UDP, only the ids can tell.
func (e *Engine) machineOf(o origin) *machine {
	if !o.listener.IsValid() {
		return nil
	}
	for _, m := range e.machines {
		if (m.stream == o.listener || m.alias == o.listener) && (!e.cfg.Strict || m.at(o.from.Addr())) {
			return m
		}
	}
	return nil
}

// machineAt gives the machine that we reach at a listener.
func (e *Engine) machineAt(listener netip.AddrPort) *machine {
	for _, m := range e.machines {
		if m.stream == listener {
			return m
		}
	}
	return nil
}

// at says whether a machine's packets may come from an address. A header says what its sender likes; the source
// of a connection is harder to forge, so strict engines want both.
func (m *machine) at(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsValid() && (ip == m.stream.Addr() || ip == m.datagram.Addr() || ip == m.seen)
}

// owner gives the machine of a player or group; nil for ours and for ids that nobody has.
func (e *Engine) owner(id wire.PlayerID) *machine {
	system, _ := e.list.System(id)
	return e.machineByID(system)
}

// ours says whether a player or group is ours.
func (e *Engine) ours(id wire.PlayerID) bool {
	system, ok := e.list.System(id)
	return ok && system == e.self
}

// addMachine adds a machine to the session by its system player's service provider data.
func (e *Engine) addMachine(system wire.PlayerID, sp []byte, dialect wire.Dialect, from netip.Addr) *machine {
	m := &machine{system: system, dialect: dialect}
	if d, ok := wire.ParseSPData(sp); ok {
		m.stream, m.datagram = resolve(d.Stream, from), resolve(d.Datagram, from)
	}
	e.machines = append(e.machines, m)
	e.unbury(system)
	e.formers = slices.DeleteFunc(e.formers, func(f former) bool { return f.system == system || f.stream == m.stream })
	if e.watched(system) {
		e.pings.Add(system, e.now)
	}
	return m
}

// removeMachine forgets a machine. Its connection is closed.
func (e *Engine) removeMachine(m *machine) {
	if i := slices.Index(e.machines, m); i >= 0 {
		e.machines = slices.Delete(e.machines, i, i+1)
	}
	e.pings.Remove(m.system)
	switch {
	case e.table == nil:
	case e.hosting() || e.migr != nil:
		e.table.Lost(e.now, m.system)
	default:
		e.table.Left(m.system)
	}
	if e.objects != nil {
		e.objects.Leave(e.now, m.system)
	}
	e.forgetFragments(m)
	e.hangUpAt(m.stream)
}

// heard counts a message as a sign of life.
func (e *Engine) heard(o origin) {
	if m := e.machineOf(o); m != nil {
		e.pings.Heard(m.system)
	}
}
