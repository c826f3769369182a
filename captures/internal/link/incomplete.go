package link

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// An Incomplete is a datagram that was sent in IP fragments of which some are not in the capture. All of it is the
// caller's.
type Incomplete struct {
	Unit       // without a time; the ports are 0, and Payload is nil, unless Ports is true
	Ports bool // the first fragment is there, and its TCP or UDP header with it; Payload is what is known without a gap behind it
	Seen  int  // octets of the datagram that were on the wire, its TCP or UDP header included
	Total int  // octets of the datagram, likewise; 0 if neither the last fragment nor a UDP header tells
}

// incomplete makes the report of a datagram.
func (g *datagram) incomplete() Incomplete {
	in := Incomplete{Seen: g.seen, Total: g.end, Unit: Unit{
		Proto: g.next, Frames: g.frames, Src: netip.AddrPortFrom(g.key.src, 0), Dst: netip.AddrPortFrom(g.key.dst, 0),
	}}
	data, header := g.known(), 0
	switch {
	case g.next == UDP && len(data) >= udpSize:
		header = udpSize
		if in.Total == 0 {
			in.Total = int(binary.BigEndian.Uint16(data[4:]))
		}
	case g.next == TCP && len(data) >= tcpSize:
		header = int(data[12]>>4) * 4
	default:
		return in
	}
	in.Ports = true
	in.Src = netip.AddrPortFrom(g.key.src, binary.BigEndian.Uint16(data))
	in.Dst = netip.AddrPortFrom(g.key.dst, binary.BigEndian.Uint16(data[2:]))
	in.Payload = bytes.Clone(data[min(header, len(data)):]) // lets go of the buffer behind it
	return in
}
