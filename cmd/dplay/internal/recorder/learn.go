package recorder

import (
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// What is learnt from messages, which anybody can send, is bounded: no port that a system's own services have, and few.
const (
	leastLearnt = 1024
	mostLearnt  = 64
)

// A ports is the ports that are recorded. More are learnt from what machines say of themselves and of others.
type ports struct {
	list   []wire.Ports
	learnt int
}

func newPorts(more []wire.Ports) *ports {
	return &ports{list: merged(append(slices.Clone(basePorts), more...))}
}

// add takes in a port, and reports whether it is new.
func (p *ports) add(port uint16) bool {
	if port < leastLearnt || p.learnt >= mostLearnt ||
		slices.ContainsFunc(p.list, func(r wire.Ports) bool { return r.First <= port && port <= r.Last }) {
		return false
	}
	p.learnt++
	p.list = merged(append(p.list, wire.Ports{First: port, Last: port}))
	return true
}

// learn takes in the ports that a message names, and reports whether one is new.
func (p *ports) learn(r *captures.Record) bool {
	before := p.learnt
	spData := func(data []byte) {
		if d, ok := wire.ParseSPData(data); ok { // else it has fields of another protocol
			p.add(d.Stream.Port)
			p.add(d.Datagram.Port)
		}
	}
	p.add(r.Envelope.SP.SockAddr.Port)
	switch m := r.Envelope.Message.(type) {
	case *wire.AddForwardRequest:
		spData(m.Info.SPData)
	case *wire.AddForward:
		spData(m.Info.SPData)
	case *wire.CreatePlayer:
		spData(m.Info.SPData)
	case *wire.CreatePlayerVerify:
		spData(m.Info.SPData)
	case *wire.SuperEnumPlayersReply:
		for i := range m.Players {
			spData(m.Players[i].SPData)
		}
	case *wire.EnumPlayersReply:
		for i := range m.Players {
			spData(m.Players[i].SPData)
		}
	case *wire.IAmNameServer:
		spData(m.SPData)
	}
	return p.learnt > before
}
