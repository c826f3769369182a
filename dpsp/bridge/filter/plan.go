package filter

import (
	"slices"

	"dplay4/wire"
)

// Ports are where the game of a machine listens on 127.0.0.1.
type Ports struct {
	TCP uint16 `json:"tcp"`
	UDP uint16 `json:"udp"`
}

// A Plan is the ports on 127.0.0.1 that the game may be told of. It does not change.
type Plan struct {
	ours     Ports
	tcp, udp []uint16 // in order
}

// NewPlan returns the plan of the slots that have the ports, of which the first one is ours; 0 is none.
func NewPlan(slots ...Ports) *Plan {
	p := &Plan{}
	for i, s := range slots {
		if i == 0 {
			p.ours = s
		}
		if s.TCP != 0 {
			p.tcp = append(p.tcp, s.TCP)
		}
		if s.UDP != 0 {
			p.udp = append(p.udp, s.UDP)
		}
	}
	slices.Sort(p.tcp)
	slices.Sort(p.udp)
	return p
}

// has reports whether a port is in the plan.
func (p *Plan) has(port uint16, datagram bool) bool {
	of := p.tcp
	if datagram {
		of = p.udp
	}
	_, ok := slices.BinarySearch(of, port)
	return ok
}

// is reports whether a port is the one that a machine has.
func (p Ports) is(port uint16, datagram bool) bool {
	if datagram {
		return port == p.UDP
	}
	return port == p.TCP
}

// here reports whether an address is this machine, or where a message came from.
func here(a wire.SockAddr) bool {
	return a.Family == wire.FamilyINet && (a.Addr == [4]byte{} || a.Addr == [4]byte{127, 0, 0, 1})
}
