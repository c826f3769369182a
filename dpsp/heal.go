package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// A former machine was lost, not left, and knows the extension. It may live on in a part of the session that has a
// host of its own, if it was the network that broke.
type former struct {
	system   wire.PlayerID
	stream   netip.AddrPort
	datagram netip.AddrPort
	until    time.Duration
}

// How long, and of how many, a host remembers who was lost.
const (
	formerLife = 10 * time.Minute
	maxFormer  = 256
)

// remember notes a machine that was lost.
func (e *Engine) remember(p *machine) {
	if !p.modern || !e.migrates() || !e.extended() {
		return
	}
	e.forget(p.system)
	if len(e.formers) >= maxFormer {
		e.formers = e.formers[1:]
	}
	e.formers = append(e.formers, former{p.system, p.stream, p.datagram, e.now + formerLife})
	if e.claimAt == Never {
		e.claimAt = e.now + e.cfg.Period
	}
}

// forget forgets a machine that is back.
func (e *Engine) forget(system wire.PlayerID) {
	e.formers = slices.DeleteFunc(e.formers, func(f former) bool { return f.system == system })
}

// claimTimer has a host tell those it lost that it is host.
func (e *Engine) claimTimer() {
	if e.claimAt > e.now {
		return
	}
	e.formers = slices.DeleteFunc(e.formers, func(f former) bool { return f.until <= e.now })
	e.claimAt = Never
	if len(e.formers) > 0 {
		e.claimAt = e.now + e.cfg.Period
	}
	if !e.hosting() {
		return
	}
	for _, f := range e.formers {
		e.send(UDP, f.datagram, e.ourClaim(f.system))
	}
}

// ourClaim says to a machine that we lost, or to a rival, that we are host; to 0, to members, that all is well again.
func (e *Engine) ourClaim(to wire.PlayerID) *wire.Extension {
	return wire.NewExtension(e.self, &wire.ExtensionClaim{
		To: to, Instance: e.list.Session().Desc.Instance, Version: e.list.Version(), Stream: e.header().SockAddr,
	})
}

// claim takes the word of a host of our session that is not ours: the session is in two parts. The host with the
// lower id keeps it, by the DirectPlay 4 rule; the other one's machines go over to it.
func (e *Engine) claim(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	const name = "EXTENSION CLAIM"
	switch {
	case b.Instance != e.list.Session().Desc.Instance:
		e.drop(o, name, NotMember, "it is about another session")
	case rival == e.host && !e.hosting() && e.machineOf(o) == e.machineByID(rival):
		switch {
		case b.To == 0:
			e.event(SessionHealed{Host: rival, System: e.self})
		case b.To == e.self && e.table != nil && b.Version >= e.table.Version(): // not from before we came back
			e.rejoin(o.listener, rival)
		}
	case !e.hosting(): // it tells everybody that it lost; our host hears of it, too
	case rival == e.self:
		e.drop(o, name, Conflict, "its sender has our id")
	case e.cfg.Strict && !e.wasHere(o, rival):
		e.drop(o, name, NotMember, rival.String()+" was never in the session")
	case e.self < rival:
		e.split(rival)
		e.send(UDP, netip.AddrPortFrom(o.from.Addr().Unmap(), o.from.Port()), e.ourClaim(rival))
	default:
		e.split(rival)
		e.yield(o.direct().listener, rival)
	}
}

// twoHosts settles who is host when a member says that it is, and we thought so of ourselves.
func (e *Engine) twoHosts(p *machine) {
	e.split(p.system)
	if e.self < p.system {
		e.send(TCP, p.stream, e.ourClaim(p.system))
	} else {
		e.yield(p.stream, p.system)
	}
}

// wasHere says whether a machine is one that we lost, or have.
func (e *Engine) wasHere(o origin, system wire.PlayerID) bool {
	ip := o.from.Addr().Unmap()
	if p := e.machineByID(system); p != nil {
		return p.at(ip)
	}
	return slices.ContainsFunc(e.formers, func(f former) bool {
		return f.system == system && (f.stream.Addr().Unmap() == ip || f.datagram.Addr().Unmap() == ip)
	})
}

// lastHost is the host, or the one that is gone if there is none.
func (e *Engine) lastHost() wire.PlayerID {
	if e.migr != nil {
		return e.migr.old
	}
	return e.host
}

// split tells the program once that the session is in two parts.
func (e *Engine) split(rival wire.PlayerID) {
	if e.rival != rival {
		e.rival = rival
		e.event(SessionSplit{Host: e.lastHost(), Other: rival})
	}
}

// yield gives our part of the session to another host: all our machines go over to it, and so do we. Machines that do
// not know the extension cannot; they are told that they are dead (3.1.5.32).
func (e *Engine) yield(at netip.AddrPort, rival wire.PlayerID) {
	for _, p := range e.machines {
		if p.modern {
			e.sayExtension(TCP, p, &wire.ExtensionRejoinAt{Host: rival, Stream: sockAddr(at)})
		} else {
			e.sendTCP(p.stream, &wire.YouAreDead{})
		}
	}
	e.rejoin(at, rival)
}

// rejoinAt takes our host's word that the session goes on elsewhere, or without us.
func (e *Engine) rejoinAt(o origin, p *machine, b *wire.ExtensionRejoinAt) {
	const name = "EXTENSION REJOINAT"
	switch {
	case e.cfg.Strict && p.system != e.host && !e.isCandidate(p) || e.hosting():
		e.drop(o, name, NotAllowed, "it is not from our host")
	case b.Host == e.self:
		e.drop(o, name, Conflict, "it names us")
	case b.Host == p.system: // it took us for lost
		e.rejoin(p.stream, b.Host)
	default:
		e.split(b.Host)
		e.rejoin(resolve(b.Stream, o.from.Addr()), b.Host)
	}
}

func isClaim(m wire.Message) bool {
	x, ok := m.(*wire.Extension)
	return ok && x.Kind == wire.KindClaim
}
