package wire

import "strconv"

// EnumPort is where hosts are asked for their sessions, by UDP and, as gpgnet4ta and Microsoft's own firewall
// notes have it, by TCP as well (2.1; facts, 2.3).
const EnumPort = 47624

// Ports is a range of port numbers, both ends included. The zero value is none.
type Ports struct{ First, Last uint16 }

// Where machines listen at the first free port, unless the game has a setting of its own (facts, 1.14).
var (
	StreamPorts   = Ports{2300, 2349} // TCP
	DatagramPorts = Ports{2350, 2399} // UDP
)

// String returns the range as people write it: "2300-2349", or "31415" for one port.
func (p Ports) String() string {
	s := strconv.Itoa(int(p.First))
	if p.Last != p.First {
		s += "-" + strconv.Itoa(int(p.Last))
	}
	return s
}
