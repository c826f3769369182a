package link

import (
	"encoding/binary"
	"net/netip"

	"github.com/google/gopacket/layers"
)

// Sizes of IPv6 headers, in octets.
const (
	ip6Size          = 40
	ip6FragmentSize  = 8
	ip6ExtensionUnit = 8 // the least of an extension header, and what its length field counts beyond
)

// ipv6 strips an IPv6 header. It is read here because layers.IPv6 goes on into the hop-by-hop options, counts them
// twice, allocates each, and refuses a payload length of 0.
func (d *Decoder) ipv6(s span) Status {
	n := int(binary.BigEndian.Uint16(s.data[4:]))
	offload := n == 0 // or a jumbogram (RFC 2675), which is the same to us
	if offload {
		n = s.whole - ip6Size
	}
	switch {
	case s.data[0]>>4 != 6:
		return malformed("IPv6", s.off, "version is not 6")
	case n > s.whole-ip6Size:
		return malformed("IPv6", s.off, "payload length is above what was on the wire")
	}
	src, dst := netip.AddrFrom16([16]byte(s.data[8:])), netip.AddrFrom16([16]byte(s.data[24:]))
	return d.extensions(Proto(s.data[6]), src, dst, s.upTo(ip6Size+n).from(ip6Size), offload, true)
}

// extensions strips extension headers. A fragment header may come only if split is true: not in a datagram that
// was put together from fragments.
func (d *Decoder) extensions(next Proto, src, dst netip.Addr, s span, offload, split bool) Status {
	for range MaxExtensions + 1 {
		switch layers.IPProtocol(next) {
		case layers.IPProtocolTCP, layers.IPProtocolUDP:
			return d.transport(next, src, dst, s, offload)
		case layers.IPProtocolICMPv6:
			return skipped(WhyICMPv6, 0)
		case layers.IPProtocolNoNextHeader:
			return skipped(WhyNoNext, 0)
		case layers.IPProtocolIPv6HopByHop, layers.IPProtocolIPv6Routing, layers.IPProtocolIPv6Destination:
			n := ip6ExtensionUnit
			if !s.lacks(n) {
				n += ip6ExtensionUnit * int(s.data[1])
			}
			if s.lacks(n) {
				return s.short(n, "IPv6 extension header")
			}
			next, s = Proto(s.data[0]), s.from(n)
		case layers.IPProtocolIPv6Fragment:
			if s.lacks(ip6FragmentSize) {
				return s.short(ip6FragmentSize, "IPv6 fragment header")
			}
			if !split {
				return malformed("IPv6 fragment header", s.off, "a second fragment header")
			}
			next = Proto(s.data[0])
			at, more := int(binary.BigEndian.Uint16(s.data[2:])&^7), s.data[3]&1 != 0
			if at != 0 || more {
				return d.ip6Fragment(src, dst, s, at, more)
			}
			s, split = s.from(ip6FragmentSize), false // a fragment that is the whole datagram (RFC 6946)
		default:
			return skipped(WhyIPProtocol, uint32(next))
		}
	}
	return malformed("IPv6 extension header", s.off, "more extension headers than the limit")
}

// ip6Fragment hands a fragment on, if what it is part of can be TCP or UDP.
func (d *Decoder) ip6Fragment(src, dst netip.Addr, s span, at int, more bool) Status {
	next := Proto(s.data[0])
	switch layers.IPProtocol(next) {
	case layers.IPProtocolTCP, layers.IPProtocolUDP, layers.IPProtocolIPv6Destination, layers.IPProtocolIPv6Routing:
	case layers.IPProtocolICMPv6:
		return skipped(WhyICMPv6, 0)
	default:
		return skipped(WhyIPProtocol, uint32(next))
	}
	return d.fragment(&fragment{
		key:  datagramKey{src: src, dst: dst, id: binary.BigEndian.Uint32(s.data[4:])}, // RFC 8200 4.5: no protocol
		next: next, span: s.from(ip6FragmentSize), at: at, more: more,
		most: maxIP, layer: "IPv6 fragment header", header: s.off,
	})
}
