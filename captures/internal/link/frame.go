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

// frame strips the link header.
func (d *Decoder) frame(link pcapfile.LinkType, s span) Status {
	switch link {
	case pcapfile.LinkEthernet:
		return d.ether(s)
	case pcapfile.LinkLinuxSLL, pcapfile.LinkLinuxSLL2:
		return d.sll(link, s)
	case pcapfile.LinkNull, pcapfile.LinkLoop:
		return d.loop(s)
	case pcapfile.LinkRawBSD, pcapfile.LinkRawOBSD, pcapfile.LinkRaw:
		return d.raw(s)
	case pcapfile.LinkIPv4:
		return d.ipv4(s)
	case pcapfile.LinkIPv6:
		return d.ipv6(s)
	case pcapfile.LinkPPP, pcapfile.LinkPPPHDLC:
		return d.ppp(s)
	case pcapfile.LinkPPPoE:
		return d.pppoe(s)
	}
	return skipped(WhyLinkType, uint32(link))
}

func (d *Decoder) ether(s span) Status {
	if s.lacks(ethernetSize) {
		return s.short(ethernetSize, "Ethernet")
	}
	if err := d.ethernet.DecodeFromBytes(s.data[:ethernetSize], gopacket.NilDecodeFeedback); err != nil {
		return malformed("Ethernet", s.off, err.Error())
	}
	if d.ethernet.EthernetType == layers.EthernetTypeLLC {
		return llc(s.from(ethernetSize))
	}
	return d.etherType(d.ethernet.EthernetType, s.from(ethernetSize))
}

// etherType strips VLAN tags and decodes what an EtherType announces.
func (d *Decoder) etherType(t layers.EthernetType, s span) Status {
	for range MaxTags + 1 {
		switch t {
		case layers.EthernetTypeIPv4:
			return d.ipv4(s)
		case layers.EthernetTypeIPv6:
			return d.ipv6(s)
		case layers.EthernetTypeARP:
			return skipped(WhyARP, 0)
		case layers.EthernetTypePPPoESession:
			return d.pppoe(s)
		case layers.EthernetTypeDot1Q, layers.EthernetTypeQinQ, 0x9100, 0x9200: // the last two before 802.1ad
			if s.lacks(vlanSize) {
				return s.short(vlanSize, "VLAN")
			}
			if err := d.vlan.DecodeFromBytes(s.data[:vlanSize], gopacket.NilDecodeFeedback); err != nil {
				return malformed("VLAN", s.off, err.Error())
			}
			t, s = d.vlan.Type, s.from(vlanSize)
		default:
			if t < 0x600 { // IEEE 802.3: a length
				return llc(s)
			}
			return skipped(WhyEtherType, uint32(t))
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

// sll strips the two headers of Linux's "any" device. layers.LinuxSLL takes the address length, which is above 8 for
// some devices although the field has 8 octets, as an index; the second header is not in gopacket.
func (d *Decoder) sll(link pcapfile.LinkType, s span) Status {
	if link == pcapfile.LinkLinuxSLL2 {
		if s.lacks(sll2Size) {
			return s.short(sll2Size, "SLL2")
		}
		return d.etherType(layers.EthernetType(binary.BigEndian.Uint16(s.data)), s.from(sll2Size))
	}
	if s.lacks(sllSize) {
		return s.short(sllSize, "SLL")
	}
	return d.etherType(layers.EthernetType(binary.BigEndian.Uint16(s.data[14:])), s.from(sllSize))
}

// loop strips a BSD loopback header. Its address family is in either byte order, by the machine and the system.
func (d *Decoder) loop(s span) Status {
	if s.lacks(loopbackSize) {
		return s.short(loopbackSize, "loopback")
	}
	if err := d.loopback.DecodeFromBytes(s.data[:loopbackSize], gopacket.NilDecodeFeedback); err != nil {
		return malformed("loopback", s.off, "no address family in either byte order") // above 255
	}
	switch d.loopback.Family {
	case layers.ProtocolFamilyIPv4:
		return d.ipv4(s.from(loopbackSize))
	case 24, 28, 30: // AF_INET6 of NetBSD, OpenBSD and Npcap, of FreeBSD, of macOS
		return d.ipv6(s.from(loopbackSize))
	}
	return skipped(WhyFamily, uint32(d.loopback.Family))
}

// raw decodes IP of either version.
func (d *Decoder) raw(s span) Status {
	if s.lacks(1) {
		return s.short(1, "IP")
	}
	switch s.data[0] >> 4 {
	case 4:
		return d.ipv4(s)
	case 6:
		return d.ipv6(s)
	}
	return malformed("IP", s.off, "version is neither 4 nor 6")
}
