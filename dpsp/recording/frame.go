package recording

import (
	"encoding/binary"
	"net/netip"
)

// The numbers of the protocols in an IPv4 header.
const (
	protocolTCP = 6
	protocolUDP = 17
)

// The flags of a TCP header.
const (
	fin = 0x01
	syn = 0x02
	psh = 0x08
	ack = 0x10
)

const (
	ethernetSize = 14
	ipv4Size     = 20
	tcpSize      = 20
	udpSize      = 8
	smallest     = 60 // octets of an Ethernet frame, without its check sum
)

// frame writes one packet: an Ethernet frame with the header of TCP or UDP, whose check sum is at an octet of it, and data.
func (w *Writer) frame(from, to netip.Addr, protocol byte, header []byte, sum int, data []byte) {
	if w.err != nil {
		return
	}
	w.ids++
	source, target := from.As4(), to.As4()
	b := append(w.packet[:0], hardware(to)...)
	b = append(b, hardware(from)...)
	b = append(b, 0x08, 0x00) // IPv4
	length := ipv4Size + len(header) + len(data)
	b = append(b, 0x45, 0) // version 4, five words
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = binary.BigEndian.AppendUint16(b, w.ids)
	b = append(b, 0x40, 0, 128, protocol, 0, 0) // not to be fragmented, lives 128 hops
	b = append(append(b, source[:]...), target[:]...)
	ip := b[ethernetSize:]
	binary.BigEndian.PutUint16(ip[10:], ^fold(add(0, ip)))
	b = append(append(b, header...), data...)
	segment := b[ethernetSize+ipv4Size:]
	total := add(uint32(protocol)+uint32(len(segment)), ip[12:ipv4Size]) // of the header that is made up for it
	binary.BigEndian.PutUint16(segment[sum:], ^fold(add(total, segment)))
	if protocol == protocolUDP && segment[sum] == 0 && segment[sum+1] == 0 {
		segment[sum], segment[sum+1] = 0xff, 0xff // the same number; 0 would say that there is no sum
	}
	if len(b) < smallest {
		b = append(b, make([]byte, smallest-len(b))...)
	}
	w.packet = b
	w.block = appendPacket(w.block, w.last, b)
	w.packets++
}

// hardware makes a locally administered Ethernet address out of an IPv4 address; that of everybody for everybody.
func hardware(a netip.Addr) []byte {
	b := a.As4()
	if b == [4]byte{255, 255, 255, 255} {
		return []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	}
	return []byte{0x02, 0x00, b[0], b[1], b[2], b[3]}
}

// add adds octets to a sum, two by two.
func add(sum uint32, b []byte) uint32 {
	for ; len(b) > 1; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1]) // 65,535 octets do not overflow it
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	return sum
}

// fold makes 16 bits of a sum.
func fold(sum uint32) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}
