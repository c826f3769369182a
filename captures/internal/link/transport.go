package link

import (
	"encoding/binary"
	"net/netip"

	"github.com/google/gopacket"
)

// Sizes of transport headers, in octets.
const (
	tcpSize = 20 // without options
	udpSize = 8
)

// transport strips a TCP or UDP header and fills in the unit. offload says that the IP header told no length.
func (d *Decoder) transport(proto Proto, src, dst netip.Addr, s span, offload bool) Status {
	d.unit.Proto = proto
	if proto == TCP {
		return d.segment(src, dst, s)
	}
	return d.datagram(src, dst, s, offload)
}

func (d *Decoder) segment(src, dst netip.Addr, s span) Status {
	if s.lacks(tcpSize) {
		return s.short(tcpSize, "TCP")
	}
	switch header := int(s.data[12]>>4) * 4; {
	case header < tcpSize:
		return malformed("TCP", s.off, "data offset is below 20")
	case header > s.whole:
		return malformed("TCP", s.off, "header is longer than the segment")
	default:
		// Only the options can displease gopacket now, or the snap length cut them: no reason to lose data.
		_ = d.tcp.DecodeFromBytes(s.data[:min(header, len(s.data))], gopacket.NilDecodeFeedback)
		d.payload(s.from(header))
	}
	d.unit.Src = netip.AddrPortFrom(src, uint16(d.tcp.SrcPort))
	d.unit.Dst = netip.AddrPortFrom(dst, uint16(d.tcp.DstPort))
	d.unit.Seq, d.unit.SYN, d.unit.FIN, d.unit.RST = d.tcp.Seq, d.tcp.SYN, d.tcp.FIN, d.tcp.RST
	if d.unit.ACK = d.tcp.ACK; d.unit.ACK {
		d.unit.Ack = d.tcp.Ack
	}
	return Status{Kind: KindUnit}
}

func (d *Decoder) datagram(src, dst netip.Addr, s span, offload bool) Status {
	if s.lacks(udpSize) {
		return s.short(udpSize, "UDP")
	}
	n := int(binary.BigEndian.Uint16(s.data[4:]))
	if n == 0 && offload {
		n = s.whole
	}
	switch {
	case n < udpSize:
		return malformed("UDP", s.off, "length is below 8")
	case n > s.whole:
		return malformed("UDP", s.off, "length is above the IP payload's")
	}
	_ = d.udp.DecodeFromBytes(s.data[:udpSize], gopacket.NilDecodeFeedback) // fails at other lengths alone
	d.unit.Src = netip.AddrPortFrom(src, uint16(d.udp.SrcPort))
	d.unit.Dst = netip.AddrPortFrom(dst, uint16(d.udp.DstPort))
	d.payload(s.upTo(n).from(udpSize))
	return Status{Kind: KindUnit}
}

func (d *Decoder) payload(s span) {
	d.unit.Payload = s.data[:len(s.data):len(s.data)]
	d.unit.Cut = s.whole - len(s.data)
}
