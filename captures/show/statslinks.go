package show

import (
	"fmt"
	"net/netip"
	"strconv"

	"dplay4/captures"
)

// link remembers the link of a frame. How many there are is bounded by package links. Its counts go on while the capture is
// read, and are of the whole capture, whichever messages are counted here.
func (s *Stats) link(r *captures.Record) {
	if r.Step == nil || r.Step.Link == nil || s.byLink[r.Step.Link] {
		return
	}
	s.byLink[r.Step.Link] = true
	s.links = append(s.links, r.Step.Link)
}

func (s *Stats) linkTable() *table {
	t := &table{head: []string{"LINK", "from", "to", "frames", "octets", "whole", "again", "unseen", "missing", "ACKs", "NACKs", "unacked",
		"median ms", "max ms"}, left: 3}
	for _, l := range s.links {
		cells := []string{strconv.Itoa(l.Number), linkEnd(l.From, l.FromIndex), linkEnd(l.To, l.ToIndex)}
		for _, n := range []int{l.Data, int(l.Octets), l.Whole, l.Repeated.Count, l.LostFirst, l.Missing(), l.ACKs, l.NACKs, l.Unacked()} {
			cells = append(cells, strconv.Itoa(n))
		}
		if l.Trips.Count == 0 {
			t.add(append(cells, "-", "-")...)
		} else {
			t.add(append(cells, milliseconds(l.Trips.Median()), milliseconds(l.Trips.Worst))...)
		}
	}
	return t
}

// linkEnd returns an end of a link: the machine and the index.
func linkEnd(at netip.AddrPort, index uint16) string {
	return at.String() + " #" + strconv.Itoa(int(index))
}

// jsonLinks writes the links, if there are any.
func (s *Stats) jsonLinks(j *JSON) {
	if len(s.links) == 0 {
		return
	}
	j.openList("links")
	for _, l := range s.links {
		j.openElement()
		j.number("link", int64(l.Number))
		j.string("from", l.From.String())
		j.number("from_index", int64(l.FromIndex))
		j.string("to", l.To.String())
		j.number("to_index", int64(l.ToIndex))
		for _, n := range []struct {
			key   string
			value int
		}{
			{"frames", l.Data}, {"reliable", l.Reliable}, {"octets", int(l.Octets)}, {"octets_counted", int(l.Counted)}, {"whole", l.Whole},
			{"again", l.Repeated.Count}, {"unseen", l.LostFirst}, {"missing", l.Missing()}, {"acks", l.ACKs}, {"nacks", l.NACKs},
			{"acknowledged", l.Acked}, {"unacknowledged", l.Unacked()}, {"past_holes", l.Holes.Count}, {"restarts", l.Restarts.Count},
		} {
			j.number(n.key, int64(n.value))
		}
		j.key("round_trip_ms")
		if l.Trips.Count == 0 {
			j.null()
		} else {
			j.b = fmt.Appendf(j.b, `{"median":%s,"max":%s}`, milliseconds(l.Trips.Median()), milliseconds(l.Trips.Worst))
		}
		j.close()
	}
	j.close()
}
