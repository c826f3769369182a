package draw

import (
	"net/netip"

	"dplay4/captures"
)

// An endpoint is a socket that messages came from or went to.
type endpoint struct {
	captures.Machine
	sent   int
	octets int64
	seen   int // messages from it and to it
}

// endpoints are the sockets met so far. The first one stands for all that there is no place for.
type endpoints struct {
	list    []endpoint
	index   map[netip.AddrPort]int
	streams map[netip.AddrPort]netip.AddrPort // from a machine's UDP socket to its TCP socket
	lost    map[netip.Addr]bool               // addresses of sockets that there was no place for
}

func newEndpoints() *endpoints {
	return &endpoints{list: make([]endpoint, 1), index: map[netip.AddrPort]int{},
		streams: map[netip.AddrPort]netip.AddrPort{}, lost: map[netip.Addr]bool{}}
}

// add returns the number of an end.
func (e *endpoints) add(end captures.Machine) int {
	i, ok := e.index[end.At]
	switch {
	case ok:
		e.list[i].Sure = e.list[i].Sure || end.Sure
		return i
	case len(e.list) >= maxEndpoints:
		if len(e.lost) < maxEndpoints {
			e.lost[end.At.Addr()] = true
		}
		return 0
	}
	e.index[end.At] = len(e.list)
	e.list = append(e.list, endpoint{Machine: end})
	return len(e.list) - 1
}

// name names the socket of an end.
func (e *endpoints) name(i int) string {
	if i == 0 {
		return "another machine"
	}
	return e.list[i].At.String()
}

// learn notes which machines UDP sockets are of: a datagram may come before that shows.
func (e *endpoints) learn(r *captures.Record) {
	if r.Transport != captures.UDP {
		return
	}
	if r.From.Sure {
		e.bind(r.Src, r.From.At)
	}
	if r.To.Sure {
		e.bind(r.Dst, r.To.At)
	}
}

func (e *endpoints) bind(datagram, stream netip.AddrPort) {
	if _, known := e.streams[datagram]; known || len(e.streams) >= maxEndpoints {
		return
	}
	e.streams[datagram] = stream
}
