package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// iAmNameServer takes a new host.
func (mg *migration) iAmNameServer(o origin, m *wire.IAmNameServer) {
	e := mg.e
	const name = "IAMNAMESERVER"
	switch {
	case e.state != member:
		e.drop(o, name, OutOfTurn, "we are in no session")
	case e.peerOf(o).isLate(o):
		e.drop(o, name, OutOfTurn, lateWord)
	case e.hosting():
		mg.anotherHost(o, m)
	case !e.cfg.Compatible && !e.migrates():
		e.drop(o, name, NotAllowed, diesWithHost)
	case e.peerByID(m.Host) == nil:
		e.drop(o, name, NoSuchID, m.Host.String()+" is not in the session")
	case !mg.mayName(o, e.peerByID(m.Host)):
		e.drop(o, name, NotAllowed, "its sender is not "+m.Host.String())
	default:
		host := e.peerByID(m.Host)
		if e.peerOf(o) == nil {
			e.peers.move(host, host.stream, o.listener) // it says that it is somewhere else than others say
		}
		if p := e.peerOf(o); p == nil || p == host {
			mg.correctAddress(o, host, m.SPData)
		}
		mg.newHost(m.Host)
	}
}

// Why messages are dropped.
const (
	lateWord     = "its sender said it before it was lost and came back"
	diesWithHost = "the session does not outlive its host"
)

// anotherHost answers who says that it is host, as we are.
func (mg *migration) anotherHost(o origin, m *wire.IAmNameServer) {
	e := mg.e
	const name = "IAMNAMESERVER"
	p := e.peerOf(o)
	switch {
	case p == nil:
		e.liveness.sayDead(o.direct())
	case p.back || e.reconcile.table != nil && e.reconcile.table.Follows(p.system):
		e.drop(o, name, OutOfTurn, "its sender follows us since") // it came over an older connection
		return
	case p.modern && m.Host == p.system && e.migrates():
		p.claimed = true
		e.partition.twoHosts(p)
		return
	default:
		p.claimed = true
		e.sendTCP(p.stream, &wire.YouAreDead{})
	}
	e.drop(o, name, OutOfTurn, "we are the host")
}

// correctAddress takes the addresses that a new host gives itself (2.2.33). 0.0.0.0, as it is to say, is where its message
// came from. Another one is believed if its packets may come from there: anybody could have us connect to a third machine.
func (mg *migration) correctAddress(o origin, host *peer, data []byte) {
	d, ok := wire.ParseSPData(data)
	stream, datagram := resolve(d.Stream, o.from.Addr()), resolve(d.Datagram, o.from.Addr())
	if !ok || stream.Port() == 0 || datagram.Port() == 0 || !host.at(stream.Addr()) || !host.at(datagram.Addr()) {
		return
	}
	if p := mg.e.peerAt(stream); p != nil && p != host {
		return
	}
	if stream != host.stream {
		mg.e.peers.move(host, stream, host.stream) // what it sent before still counts
	}
	mg.e.peers.moveDatagram(host, datagram)
	mark := d.Datagram.Zero
	d.Stream, d.Datagram = sockAddr(stream), sockAddr(datagram)
	d.Datagram.Zero = mark
	mg.e.list.Apply(playerlist.SetSPData{ID: host.system, SPData: d.Append(nil)})
}

// mayName reports whether the sender of a message may say that a machine is host: that machine itself. A compatible engine
// believes any member, and that machine even if its header names another listener than others say.
func (mg *migration) mayName(o origin, host *peer) bool {
	p := mg.e.peerOf(o)
	return p == host || mg.e.cfg.Compatible && (p != nil || host.at(o.from.Addr()))
}
