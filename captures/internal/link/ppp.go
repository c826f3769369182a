package link

import (
	"encoding/binary"

	"github.com/google/gopacket/layers"
)

// pppoeSize is the size of a PPPoE header (RFC 2516 4), in octets.
const pppoeSize = 6

// pppoe strips the header of PPP over Ethernet. Gopacket's has no DecodeFromBytes.
func (d *Decoder) pppoe(s span) Status {
	n := int(binary.BigEndian.Uint16(s.data[4:]))
	if n > s.whole-pppoeSize {
		return malformed("PPPoE", s.off, "length is above what was on the wire")
	}
	if code := s.data[1]; code != 0 { // not a session's data
		return skipped(WhyEtherType, uint32(layers.EthernetTypePPPoEDiscovery))
	}
	return d.ppp(s.from(pppoeSize).upTo(n))
}

// ppp strips a PPP header (RFC 1661 2), with or without the address and control octets of HDLC-like framing (RFC
// 1662 3.1), and with a protocol of one or two octets. Gopacket's has no DecodeFromBytes and reads past short data.
func (d *Decoder) ppp(s span) Status {
	if len(s.data) >= 2 && s.data[0] == 0xff && s.data[1] == 3 {
		s = s.from(2)
	}
	if s.lacks(1) {
		return s.short(1, "PPP")
	}
	protocol, n := layers.PPPType(s.data[0]), 1 // the last octet of a protocol is odd, all before are even
	if protocol&1 == 0 {
		if s.lacks(2) {
			return s.short(2, "PPP")
		}
		protocol, n = layers.PPPType(binary.BigEndian.Uint16(s.data)), 2
	}
	return next(pppTypes, protocol, WhyPPP, d, s.from(n))
}

// pppTypes are the layers of PPP's protocols.
var pppTypes = map[layers.PPPType]layer{layers.PPPTypeIPv4: ip4Layer, layers.PPPTypeIPv6: ip6Layer}
