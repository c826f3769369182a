package filter

import "dplay4/wire"

// Ports are where the game of a machine listens on 127.0.0.1.
type Ports struct {
	TCP uint16 `json:"tcp"`
	UDP uint16 `json:"udp"`
}

// Of returns the port of one kind of socket.
func (p *Ports) Of(datagram bool) *uint16 {
	if datagram {
		return &p.UDP
	}
	return &p.TCP
}

// A Plan is the ports on 127.0.0.1 that the game may be told of. It does not change.
type Plan struct {
	ours  Ports
	ports map[socket]bool
}

// A socket is a port and its kind.
type socket struct {
	port     uint16
	datagram bool
}

// NewPlan returns the plan of the slots that have the ports, of which the first one is ours; 0 is none.
func NewPlan(slots ...Ports) *Plan {
	p := &Plan{ports: map[socket]bool{}}
	if len(slots) > 0 {
		p.ours = slots[0]
	}
	for _, s := range slots {
		p.ports[socket{s.TCP, false}], p.ports[socket{s.UDP, true}] = true, true
	}
	delete(p.ports, socket{0, false})
	delete(p.ports, socket{0, true})
	return p
}

// has reports whether a port is in the plan.
func (p *Plan) has(port uint16, datagram bool) bool { return p.ports[socket{port, datagram}] }

// here reports whether an address is this machine, or where a message came from.
func here(a wire.SockAddr) bool {
	return a.Family == wire.FamilyINet && (a.Addr == [4]byte{} || a.Addr == [4]byte{127, 0, 0, 1})
}
