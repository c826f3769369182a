package draw

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// enumPort is where hosts are asked for their sessions: a machine's, whatever it listens on besides.
const enumPort = 47624

// An End is a machine as one message shows it: by the socket where it listens for TCP if the message or its session
// says so (Sure), otherwise by the packet's own.
type End struct {
	At   netip.AddrPort
	Sure bool
}

// Ends gives the machines that a message came from and went to.
func Ends(r *captures.Record) (from, to End) { return sender(r), addressee(r) }

func sender(r *captures.Record) End {
	if r.Envelope.HasSP {
		ip := netip.AddrFrom4(r.Envelope.SP.SockAddr.Addr)
		if ip.IsUnspecified() {
			ip = r.Src.Addr()
		}
		if port := r.Envelope.SP.SockAddr.Port; port != 0 {
			return End{netip.AddrPortFrom(ip, port), true}
		}
	}
	if id, ok := show.Sender(r); ok {
		if p := r.Session.Player(id); p != nil && p.Machine.IsValid() {
			return End{p.Machine, true}
		}
	}
	return End{r.Src, false}
}

func addressee(r *captures.Record) End {
	if r.Dst.Port() == enumPort {
		return End{r.Dst, false}
	}
	if r.Transport == captures.TCP { // connections go one way: the addressee listens on this socket
		return End{r.Dst, true}
	}
	if _, id, ok := r.FromTo(); ok {
		if p := r.Session.Player(id); p != nil && !p.Group && p.Machine.IsValid() {
			return End{p.Machine, true}
		}
	}
	return End{r.Dst, false}
}

// An endpoint is a socket that messages came from or went to.
type endpoint struct {
	End
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

// add gives the number of an end.
func (e *endpoints) add(end End) int {
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
	e.list = append(e.list, endpoint{End: end})
	return len(e.list) - 1
}

// learn notes which UDP sockets belong to which machine: the one a message with a header came from, and those that
// the data of players names.
func (e *endpoints) learn(r *captures.Record, from End) {
	if r.Transport == captures.UDP && from.Sure {
		e.bind(r.Src, from.At)
	}
	switch m := r.Envelope.Message.(type) {
	case *wire.AddForwardRequest:
		e.packed(r, m.Info.SPData)
	case *wire.AddForward:
		e.packed(r, m.Info.SPData)
	case *wire.CreatePlayer:
		e.packed(r, m.Info.SPData)
	case *wire.IAmNameServer:
		e.packed(r, m.SPData)
	case *wire.SuperEnumPlayersReply:
		for i := range m.Players {
			e.packed(r, m.Players[i].SPData)
		}
	case *wire.EnumPlayersReply:
		for i := range m.Players {
			e.packed(r, m.Players[i].SPData)
		}
	}
}

func (e *endpoints) packed(r *captures.Record, data []byte) {
	sp, ok := wire.ParseSPData(data)
	if !ok {
		return
	}
	e.bind(resolve(r, sp.Datagram), resolve(r, sp.Stream))
}

// resolve gives the socket that an address in a message means: 0.0.0.0 is where the message came from.
func resolve(r *captures.Record, a wire.SockAddr) netip.AddrPort {
	ip := netip.AddrFrom4(a.Addr)
	if ip.IsUnspecified() {
		ip = r.Src.Addr()
	}
	return netip.AddrPortFrom(ip, a.Port)
}

func (e *endpoints) bind(datagram, stream netip.AddrPort) {
	if _, known := e.streams[datagram]; datagram.Port() == 0 || stream.Port() == 0 || known || len(e.streams) >= maxEndpoints {
		return
	}
	e.streams[datagram] = stream
}
