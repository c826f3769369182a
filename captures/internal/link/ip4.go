package link

import (
	"encoding/binary"
	"net/netip"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// maxIP is the largest IPv4 packet, and the largest payload of an IPv6 packet, in octets.
const maxIP = 65535

// ip4Size is the size of an IPv4 header without options, in octets.
const ip4Size = 20

// ipv4 strips an IPv4 header.
func (d *Decoder) ipv4(s span) Status {
	header, total := int(s.data[0]&0xf)*4, int(binary.BigEndian.Uint16(s.data[2:]))
	offload := total == 0
	if offload {
		total = s.whole
	}
	switch {
	case s.data[0]>>4 != 4:
		return malformed("IPv4", s.off, "version is not 4")
	case header < ip4Size:
		return malformed("IPv4", s.off, "header length is below 20")
	case total < header:
		return malformed("IPv4", s.off, "total length is below the header's")
	case total > s.whole:
		return malformed("IPv4", s.off, "total length is above what was on the wire")
	}
	if s.lacks(header) {
		return s.short(header, "IPv4")
	}
	// Once the header length is known to be good only its options can displease gopacket: no reason to lose data.
	_ = d.ip4.DecodeFromBytes(s.data[:header], gopacket.NilDecodeFeedback)
	src, dst := netip.AddrFrom4([4]byte(d.ip4.SrcIP)), netip.AddrFrom4([4]byte(d.ip4.DstIP))
	proto, payload := Proto(d.ip4.Protocol), s.upTo(total).from(header)
	switch {
	case proto == Proto(layers.IPProtocolICMPv4):
		d.icmpFrom, d.icmp = src, payload.data
		return skipped(WhyICMP, 0)
	case proto == Proto(layers.IPProtocolIGMP):
		return skipped(WhyIGMP, 0)
	case proto != TCP && proto != UDP:
		return skipped(WhyIPProtocol, uint32(proto))
	case d.ip4.Flags&layers.IPv4MoreFragments == 0 && d.ip4.FragOffset == 0:
		return d.transport(proto, src, dst, payload, offload)
	}
	return d.fragment(&fragment{
		key: datagramKey{src: src, dst: dst, id: uint32(d.ip4.Id), proto: proto}, next: proto,
		span: payload, at: int(d.ip4.FragOffset) * 8, more: d.ip4.Flags&layers.IPv4MoreFragments != 0,
		most: maxIP - header, layer: "IPv4", header: s.off,
	})
}
