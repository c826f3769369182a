package recorder

import (
	"slices"

	"dplay4/captures"
	"dplay4/captures/show"
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
	walker show.Walker
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

// learn takes in the ports of all addresses in a message, and reports whether one is new.
func (p *ports) learn(r *captures.Record) bool {
	before := p.learnt
	p.walker.Walk(r, func(f *wire.Field) {
		if f.Kind == wire.KindSockAddr {
			p.add(wire.ParseSockAddr(f.Raw).Port)
		}
	})
	return p.learnt > before
}
