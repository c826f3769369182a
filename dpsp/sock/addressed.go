package sock

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// maxOwn bounds the peers for which our address is remembered.
const maxOwn = 1024

// Addressed returns a recorder that tells r the same, but for our address where sockets are bound to none: it is the one that
// packets to the peer are sent from. Several sessions may tell it.
func Addressed(r Recorder) Recorder {
	return &ownAddress{Recorder: r, own: map[netip.Addr]netip.Addr{}}
}

// ownAddress remembers our address as a peer sees it, by the peer's.
type ownAddress struct {
	Recorder
	mu  sync.Mutex
	own map[netip.Addr]netip.Addr
}

func (a *ownAddress) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if from.Addr().IsUnspecified() {
		from = netip.AddrPortFrom(a.ownFor(to.Addr()), from.Port())
	} else if to.Addr().IsUnspecified() {
		to = netip.AddrPortFrom(a.ownFor(from.Addr()), to.Port())
	}
	a.Recorder.Packet(at, transport, from, to, data)
}

// ownFor returns our address as a peer sees it. The system's routes tell; nothing is sent.
func (a *ownAddress) ownFor(peer netip.Addr) netip.Addr {
	if own, ok := a.own[peer]; ok {
		return own
	}
	own := netip.IPv4Unspecified()
	if c, err := DialDatagrams(netip.Addr{}, netip.AddrPortFrom(peer, wire.EnumPort)); err == nil {
		own = c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
		c.Close()
	}
	if len(a.own) < maxOwn {
		a.own[peer] = own
	}
	return own
}
