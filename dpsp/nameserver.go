package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// iAmNameServer takes a new host.
func (e *Engine) iAmNameServer(o origin, m *wire.IAmNameServer) {
	if p := e.peerOf(o); e.views.on() && p != nil && (p.modern || p.marked) {
		e.drop(o, "IAMNAMESERVER", OutOfTurn, "the leader's view says who is host")
		return
	}
	if e.hosting() {
		e.migration.anotherHost(o)
		return
	}
	host := e.peerByID(m.Host)
	if h := e.peerByID(e.host); e.views.on() && h != nil && h != host && e.views.knows(h) {
		host.claimed = true // if that one is gone it counts
		return
	}
	if e.peerOf(o) == nil {
		e.peers.move(host, host.stream, o.listener) // it says that it is somewhere else than others say
	}
	if p := e.peerOf(o); p == nil || p == host {
		e.migration.correctAddress(o, host, m.SPData)
	}
	e.newHost(m.Host)
}

// diesWithHost is why messages are dropped.
const diesWithHost = "the session does not outlive its host"

// anotherHost answers who says that it is host, as we are.
func (mg *migration) anotherHost(o origin) {
	e := mg.e
	p := e.peerOf(o)
	p.claimed = true
	e.sendTCP(p.stream, &wire.YouAreDead{})
	e.drop(o, "IAMNAMESERVER", OutOfTurn, "we are the host")
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
