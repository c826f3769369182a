package link

import (
	"net/netip"

	"github.com/google/gopacket/layers"

	"dplay4/captures/internal/pcapfile"
)

// A Decoder strips the headers of packets and holds fragments. The zero value is ready. It must not be copied
// after use, and one goroutine may use it at a time.
type Decoder struct {
	ethernet layers.Ethernet
	vlan     layers.Dot1Q
	loopback layers.Loopback
	ip4      layers.IPv4
	tcp      layers.TCP
	udp      layers.UDP

	packet    *pcapfile.Packet // only during Decode
	unit      Unit
	one       [1]int // Frames of a unit of one frame
	icmp      []byte // of the last packet
	icmpFrom  netip.Addr
	fragments reassembler
}

// Decode strips the headers of the next packet of a capture. The Unit is valid if the status is [KindUnit], and zero
// otherwise. Its Payload aliases p.Data or a buffer of the Decoder: it is valid until the next Decode or the next
// change of p.Data.
func (d *Decoder) Decode(p *pcapfile.Packet) (Unit, Status) {
	d.packet = p
	d.one[0] = p.Frame
	d.icmp = nil
	d.fragments.reports = nil
	d.unit = Unit{Time: p.Time, Frames: d.one[:]}
	st := d.frame(p.Link, span{data: p.Data, whole: max(p.Length, len(p.Data))})
	d.packet = nil
	if st.Kind != KindUnit {
		return Unit{}, st
	}
	return d.unit, st
}

// Incomplete returns the datagrams that the last Decode gave up unfinished, in that order; the slice is the caller's.
func (d *Decoder) Incomplete() []Incomplete { return d.fragments.reports }

// Flush gives up all datagrams that are held, at the end of a capture, and returns them.
func (d *Decoder) Flush() (all []Incomplete) {
	for _, g := range d.fragments.order {
		all = append(all, g.incomplete())
	}
	d.fragments = reassembler{}
	return all
}
