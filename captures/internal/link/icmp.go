package link

import (
	"encoding/binary"
	"net/netip"
)

// An Unreachable is an ICMP message that says that a TCP segment or UDP datagram could not be delivered.
type Unreachable struct {
	By       netip.Addr // who says so
	Code     uint8      // why, as RFC 792 numbers it: 0 net, 1 host, 3 port, 9, 10 and 13 administratively
	Proto    Proto
	Src, Dst netip.AddrPort // of what was not delivered
}

// icmpUnreachable is the type of such messages.
const icmpUnreachable = 3

// Unreachable returns what the packet that was decoded last says, if it is an ICMP message for IPv4 that says so and
// quotes enough of what was not delivered: its IP header and its ports.
func (d *Decoder) Unreachable() (u Unreachable, ok bool) {
	const icmpSize, ports = 8, 4
	if len(d.icmp) < icmpSize+ip4Size || d.icmp[0] != icmpUnreachable {
		return u, false
	}
	ip := d.icmp[icmpSize:]
	header := int(ip[0]&0xf) * 4
	if ip[0]>>4 != 4 || header < ip4Size || len(ip) < header+ports {
		return u, false
	}
	if u.Proto = Proto(ip[9]); u.Proto != TCP && u.Proto != UDP || binary.BigEndian.Uint16(ip[6:])&0x1fff != 0 {
		return u, false // a later fragment has no ports
	}
	u.By, u.Code = d.icmpFrom, d.icmp[1]
	u.Src = netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[12:])), binary.BigEndian.Uint16(ip[header:]))
	u.Dst = netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[16:])), binary.BigEndian.Uint16(ip[header+2:]))
	return u, true
}
