package link

import (
	"encoding/binary"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"dplay4/captures/internal/pcapfile"
)

// Sizes of link headers, in octets.
const (
	ethernetSize = 14
	vlanSize     = 4
	sllSize      = 16
	sll2Size     = 20
	loopbackSize = 4
)

// A layer is a kind of header.
type layer struct {
	name  string
	size  int // octets that it has at least; strip is called only with as many
	strip func(*Decoder, span) Status
}

var (
	ethernetLayer = layer{"Ethernet", ethernetSize, (*Decoder).ether}
	sllLayer      = layer{"SLL", sllSize, func(d *Decoder, s span) Status { return d.cooked(s, sllSize, 14) }}
	sll2Layer     = layer{"SLL2", sll2Size, func(d *Decoder, s span) Status { return d.cooked(s, sll2Size, 0) }}
	loopbackLayer = layer{"loopback", loopbackSize, (*Decoder).loop}
	rawLayer      = layer{"IP", 1, (*Decoder).raw}
	ip4Layer      = layer{"IPv4", ip4Size, (*Decoder).ipv4}
	ip6Layer      = layer{"IPv6", ip6Size, (*Decoder).ipv6}
	pppLayer      = layer{strip: (*Decoder).ppp}
	pppoeLayer    = layer{"PPPoE", pppoeSize, (*Decoder).pppoe}
	arpLayer      = layer{strip: func(*Decoder, span) Status { return skipped(WhyARP, 0) }}
)

// links are the layers of the link types that this package strips.
var links = map[pcapfile.LinkType]layer{
	pcapfile.LinkEthernet: ethernetLayer, pcapfile.LinkLinuxSLL: sllLayer, pcapfile.LinkLinuxSLL2: sll2Layer, pcapfile.LinkNull: loopbackLayer,
	pcapfile.LinkLoop: loopbackLayer, pcapfile.LinkRawBSD: rawLayer, pcapfile.LinkRawOBSD: rawLayer, pcapfile.LinkRaw: rawLayer, pcapfile.LinkIPv4: ip4Layer,
	pcapfile.LinkIPv6: ip6Layer, pcapfile.LinkPPP: pppLayer, pcapfile.LinkPPPHDLC: pppLayer, pcapfile.LinkPPPoE: pppoeLayer,
}

// frame strips the link header.
func (d *Decoder) frame(link pcapfile.LinkType, s span) Status {
	return next(links, link, WhyLinkType, d, s)
}

// next decodes s by the layer that a key announces, or skips it because this package has none.
func next[K ~uint8 | ~uint16 | ~uint32](announced map[K]layer, key K, why Why, d *Decoder, s span) Status {
	l, ok := announced[key]
	switch {
	case !ok:
		return skipped(why, uint32(key))
	case s.lacks(l.size):
		return s.short(l.size, l.name)
	}
	return l.strip(d, s)
}

func (d *Decoder) ether(s span) Status {
	_ = d.ethernet.DecodeFromBytes(s.data[:ethernetSize], gopacket.NilDecodeFeedback) // fails on fewer octets alone
	return d.etherType(d.ethernet.EthernetType, s.from(ethernetSize))
}

// etherTypes are the layers that an EtherType announces, but for VLAN tags.
var etherTypes = map[layers.EthernetType]layer{
	layers.EthernetTypeIPv4: ip4Layer, layers.EthernetTypeIPv6: ip6Layer, layers.EthernetTypePPPoESession: pppoeLayer, layers.EthernetTypeARP: arpLayer,
}

// etherType strips VLAN tags and decodes what an EtherType announces.
func (d *Decoder) etherType(t layers.EthernetType, s span) Status {
	for range MaxTags + 1 {
		switch t {
		case layers.EthernetTypeDot1Q, layers.EthernetTypeQinQ, 0x9100, 0x9200: // the last two before 802.1ad
			if s.lacks(vlanSize) {
				return s.short(vlanSize, "VLAN")
			}
			_ = d.vlan.DecodeFromBytes(s.data[:vlanSize], gopacket.NilDecodeFeedback) // likewise
			t, s = d.vlan.Type, s.from(vlanSize)
		default:
			if t < 0x600 { // IEEE 802.3: a length, of which gopacket makes 0
				return llc(s)
			}
			return next(etherTypes, t, WhyEtherType, d, s)
		}
	}
	return malformed("VLAN", s.off, "more tags than the limit")
}

// llc names what stands behind a length instead of an EtherType: by the two addresses of its header (IEEE 802.2), or by
// the EtherType in it (SNAP).
func llc(s span) Status {
	const snap, snapSize = 0xaaaa, 8
	if s.lacks(2) {
		return skipped(WhyLLC, 0)
	}
	saps := binary.BigEndian.Uint16(s.data)
	if saps == snap && !s.lacks(snapSize) {
		return skipped(WhyEtherType, uint32(binary.BigEndian.Uint16(s.data[6:])))
	}
	return skipped(WhyLLC, uint32(saps))
}

// cooked strips a header of Linux's "any" device, which has the EtherType at an octet. layers.LinuxSLL takes the address length, which is
// above 8 for some devices although the field has 8 octets, as an index; the second header is not in gopacket.
func (d *Decoder) cooked(s span, size, at int) Status {
	return d.etherType(layers.EthernetType(binary.BigEndian.Uint16(s.data[at:])), s.from(size))
}

// families are the layers of BSD's address families.
var families = map[layers.ProtocolFamily]layer{
	layers.ProtocolFamilyIPv4: ip4Layer,
	24:                        ip6Layer, // AF_INET6 of NetBSD, OpenBSD and Npcap
	28:                        ip6Layer, // of FreeBSD
	30:                        ip6Layer, // of macOS
}

// loop strips a BSD loopback header. Its address family is in either byte order, by the machine and the system.
func (d *Decoder) loop(s span) Status {
	if err := d.loopback.DecodeFromBytes(s.data[:loopbackSize], gopacket.NilDecodeFeedback); err != nil {
		return malformed("loopback", s.off, "no address family in either byte order") // above 255
	}
	return next(families, d.loopback.Family, WhyFamily, d, s.from(loopbackSize))
}

// versions are the versions of IP.
var versions = map[uint8]layer{4: ip4Layer, 6: ip6Layer}

// raw decodes IP of either version.
func (d *Decoder) raw(s span) Status {
	version := s.data[0] >> 4
	if versions[version].size == 0 {
		return malformed("IP", s.off, "version is neither 4 nor 6")
	}
	return next(versions, version, 0, d, s)
}
