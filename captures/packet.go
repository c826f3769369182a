package captures

import (
	"fmt"
	"net/netip"
	"time"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
)

// A Packet is a packet of a capture, of whatever protocol. It is valid during the call that it is handed to.
type Packet struct {
	Frame    int       // of the last fragment, if it came in several
	Time     time.Time // of that frame
	Protocol string    // "TCP", "UDP", PacketDirectPlay8, or a name of what is neither
	Src, Dst netip.AddrPort
	Seq      uint32 // TCP: sequence number of the first octet
	Ack      uint32 // TCP: sequence number of the octet that is expected; 0 without the flag ACK
	Payload  []byte // behind the header of TCP or UDP, as far as it was captured
}

// PacketDirectPlay8 names the datagrams of sockets that speak DirectPlay 8, from the first one on that shows it.
const PacketDirectPlay8 = "DirectPlay 8"

// Names of packets that are neither TCP nor UDP, for those who judge a capture by them.
const (
	PacketIPX       = "IPX"
	PacketCut       = "a packet that was cut inside its headers"
	PacketMalformed = "a malformed packet"
	PacketLinkType  = "a packet of link type " // and the number: this program cannot read such
)

// skips are the names of what is neither TCP nor UDP: by the value of its reason, and a format for other values. The names are those that
// occur where games are played, and the IP protocols of VPNs and routers.
var skips = map[link.Why]struct {
	names  map[uint32]string
	format string
}{
	link.WhyARP:    {names: map[uint32]string{0: "ARP"}},
	link.WhyICMP:   {names: map[uint32]string{0: "ICMP"}},
	link.WhyICMPv6: {names: map[uint32]string{0: "ICMPv6"}},
	link.WhyIGMP:   {names: map[uint32]string{0: "IGMP"}},
	link.WhyCut:    {names: map[uint32]string{0: PacketCut}},
	link.WhyNoNext: {names: map[uint32]string{0: "IPv6 without content"}},
	link.WhyLLC: { // IPX without a header begins with a checksum that nobody computes
		map[uint32]string{0xffff: PacketIPX, 0xe0e0: PacketIPX, 0x4242: "Spanning Tree", 0xf0f0: "NetBEUI"}, "IEEE 802.2 0x%04x"},
	link.WhyIPProtocol: {
		map[uint32]string{4: "IP in IP", 41: "IPv6 in IP", 47: "GRE", 50: "ESP", 51: "AH", 112: "VRRP", 132: "SCTP"}, "IP protocol %d"},
	link.WhyEtherType: {map[uint32]string{
		0x8137: PacketIPX, 0x8138: PacketIPX, 0x809b: "AppleTalk", 0x80f3: "AppleTalk ARP", 0x8863: "PPPoE Discovery",
		0x886d: "Intel teaming", 0x888e: "802.1X", 0x88cc: "LLDP", 0x893a: "IEEE 1905",
	}, "EtherType 0x%04x"},
	link.WhyPPP:      {map[uint32]string{0x2b: PacketIPX}, "PPP protocol 0x%04x"},
	link.WhyFamily:   {format: "address family %d"},
	link.WhyLinkType: {format: PacketLinkType + "%d"},
}

// packet tells of a packet. A fragment is told with the datagram that it completes.
func (r *run) packet(p *pcapfile.Packet, u *link.Unit, s link.Status) {
	t := Packet{Frame: p.Frame, Time: p.Time}
	switch s.Kind {
	case link.KindHeld:
		return
	case link.KindMalformed:
		t.Protocol = PacketMalformed
	case link.KindSkipped:
		t.Protocol = skippedName(s.Reason)
	default:
		t.Protocol, t.Src, t.Dst, t.Payload = u.Proto.String(), u.Src, u.Dst, u.Payload
		t.Seq, t.Ack = u.Seq, u.Ack
		if u.Proto == link.UDP && r.sorted.eighth == certain {
			t.Protocol = PacketDirectPlay8
		}
	}
	r.opt.Packet(&t)
}

// skippedName names what is neither TCP nor UDP.
func skippedName(why link.Reason) string {
	skip := skips[why.Why]
	if name := skip.names[why.Value]; name != "" {
		return name
	}
	return fmt.Sprintf(skip.format, why.Value)
}
