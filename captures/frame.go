package captures

import (
	"fmt"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
)

// noUnit counts a frame that gave neither a segment nor a datagram.
func (r *run) noUnit(p *pcapfile.Packet, s link.Status) {
	switch s.Kind {
	case link.KindHeld:
		return // counted with the datagram that it is part of, or as other
	case link.KindMalformed:
		where := ""
		if s.Frames != nil {
			where = " of the reassembled datagram"
		}
		r.find(Finding{Code: FrameMalformed, Frame: p.Frame, Field: s.Layer, Offset: int64(s.Offset),
			Text: fmt.Sprintf("%s at octet %d%s: %s", s.Layer, s.Offset, where, s.Text)})
	}
	r.sum.FramesNotIP += max(1, len(s.Frames))
}

// unfinished reports datagrams of which IP fragments are missing, if they are DirectPlay's.
func (r *run) unfinished(list []link.Incomplete) {
	for i := range list {
		d := &list[i]
		if !d.Ports || d.Proto != link.UDP {
			r.sum.OtherOctets += int64(d.Seen)
			continue
		}
		const header = 8
		seen := int64(d.Seen) - header
		if !r.ours(d) {
			r.sum.OtherOctets += seen
			continue
		}
		text := fmt.Sprintf("UDP datagram %s > %s: %d octets of it are in the file, %d fragments", d.Src, d.Dst, seen, len(d.Frames))
		if d.Total > 0 {
			lost := int64(d.Total) - int64(d.Seen)
			r.sum.UDP.Lost += lost
			text += fmt.Sprintf("; %d are missing", lost)
		} else {
			text += "; how many are missing cannot be seen"
		}
		r.sum.UDP.Octets += seen
		r.sum.UDP.Skipped[SkipIncomplete] += seen
		r.carries(d.Frames...)
		r.find(Finding{Code: FragmentsMissing, Frame: d.Frames[0], Offset: -1, Text: text})
	}
}

// ours reports whether an incomplete UDP datagram is to be taken for DirectPlay.
func (r *run) ours(d *link.Incomplete) bool {
	_, known := r.socket(&d.Unit)
	return known || systemDatagram(d.Payload, d.Total) || r.named(d.Src, d.Dst)
}
