package link

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"time"
)

// A Cause says why a datagram was given up unfinished.
type Cause uint8

// The causes.
const (
	CauseTimeout Cause = iota + 1 // FragmentTimeout passed in the capture
	CauseLimit                    // it went for a newer one, or has more than MaxFragments fragments
	CauseEnd                      // the capture ended
)

// An Incomplete is a datagram that was sent in IP fragments of which some are not in the capture. All of it is the
// caller's.
type Incomplete struct {
	Proto    Proto          // the protocol that its first header names
	Src, Dst netip.AddrPort // the ports are 0 unless Ports is true
	Ports    bool           // the first fragment is there, and its TCP or UDP header with it
	Time     time.Time      // of the fragment that came first
	Frames   []int          // numbers of the frames of all its fragments, in the order of the file
	Seen     int            // octets of the datagram that were on the wire, its TCP or UDP header included
	Total    int            // octets of the datagram, likewise; 0 if neither the last fragment nor a UDP header tells
	Payload  []byte         // what is known without a gap from the end of the UDP or TCP header on; nil without Ports
	Cause    Cause
}

// incomplete makes the report of a datagram.
func (g *datagram) incomplete(cause Cause) Incomplete {
	in := Incomplete{
		Proto: g.next, Time: g.time, Frames: g.frames, Seen: g.seen, Total: g.end, Cause: cause,
		Src: netip.AddrPortFrom(g.key.src, 0), Dst: netip.AddrPortFrom(g.key.dst, 0),
	}
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
