package relay

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pion/logging"
	"github.com/pion/turn/v5"
)

// realm is what clients over TCP and TLS are asked for credentials with.
const realm = "dplay"

// A front is where clients reach the relay: a socket or a listener, with a TURN server behind it. They share the exchange.
type front struct {
	server    *Server
	transport string // "udp", "tcp" or "tls"
	way       way
	turn      *turn.Server

	allocations atomic.Int64
	connections atomic.Int64
}

// A way is how packets come to a front and leave it.
type way interface {
	net.PacketConn
	address(netip.AddrPort) net.Addr
	// send sends a packet to a client. It does not wait, and keeps nothing of b.
	send(b []byte, to netip.AddrPort)
	// sendElsewhere sends one from the alternate port, and reports whether there is one.
	sendElsewhere(b []byte, to netip.AddrPort) bool
	// reaches reports whether the client is still there, as far as is known.
	reaches(netip.AddrPort) bool
	// released is told that a client has no allocation any more. It may not ask the exchange.
	released(netip.AddrPort)
}

func (f *front) address(at netip.AddrPort) net.Addr { return f.way.address(at) }

// serve begins to serve TURN.
func (f *front) serve() (err error) {
	f.turn, err = turn.NewServer(turn.ServerConfig{
		PacketConnConfigs: []turn.PacketConnConfig{{PacketConn: f.way, RelayAddressGenerator: f, PermissionHandler: f.permit}},
		LoggerFactory:     &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled},
		Realm:             realm, AuthHandler: f.authenticate, QuotaHandler: f.quota,
		AllocationLifetime: f.server.config.Limits.Lifetime,
		// All members of a session need addresses of one family, however each of them reaches us.
		StrictAddressFamily: f.server.config.public(false).IsValid(),
		EventHandler: turn.EventHandler{
			OnAuth:            f.authenticated,
			OnAllocationError: func(_, _ net.Addr, _, _ string) { f.server.counts.add(requestsFailed, 1) },
			OnChannelCreated: func(from, _ net.Addr, _, _, _ string, relayed, peer net.Addr, number uint16) {
				f.channels(from, relayed, func(c *channels) { c.bind(number, addrPort(peer).Port()) })
			},
			OnChannelDeleted: func(from, _ net.Addr, _, _, _ string, relayed, _ net.Addr, number uint16) {
				f.channels(from, relayed, func(c *channels) { c.unbind(number) })
			},
			OnPermissionCreated: func(from, _ net.Addr, _, _, _ string, relayed net.Addr, _ net.IP) {
				f.channels(from, relayed, func(c *channels) { c.permit(true) })
			},
			OnPermissionDeleted: func(from, _ net.Addr, _, _, _ string, relayed net.Addr, _ net.IP) {
				f.channels(from, relayed, func(c *channels) { c.permit(false) })
			},
		},
	})
	return err
}

// admit looks at a packet of a client and returns what the TURN server is to have of it, and from which address; nil for nothing.
func (f *front) admit(from netip.AddrPort, b []byte) ([]byte, net.Addr) {
	switch k := kindOf(b); k {
	case malformed, unknown:
		return f.drop(droppedMalformed)
	case ignored:
		return nil, nil
	case binding:
		if !f.allow(from.Addr(), false) {
			return f.drop(droppedFlood)
		}
		f.bind(b, from, false)
		return nil, nil
	default:
		if a := f.server.exchange.of(client{f, from}); a != nil {
			return f.admitKnown(a, k, b)
		}
		return f.admitStranger(from, k, b)
	}
}

// drop counts a packet of which the TURN server gets nothing.
func (f *front) drop(what count) ([]byte, net.Addr) {
	f.server.counts.add(what, 1)
	return nil, nil
}

// admitStranger is admit for a client without an allocation.
func (f *front) admitStranger(from netip.AddrPort, k kind, b []byte) ([]byte, net.Addr) {
	switch {
	case k == channelData || k == send:
		return f.drop(droppedStranger)
	case k == allocate:
		return f.screen(b, from), f.address(from)
	case !f.allow(from.Addr(), false):
		return f.drop(droppedFlood)
	}
	f.mismatch(b, from)
	return f.drop(droppedStranger)
}

// admitKnown is admit for a client with an allocation.
func (f *front) admitKnown(a *allocation, k kind, b []byte) ([]byte, net.Addr) {
	switch now := time.Now(); {
	case k == channelData || k == send:
		if !a.sends.AllowN(now, len(b)) || !a.source.sends.AllowN(now, len(b)) {
			return f.drop(droppedRate)
		}
		if k == channelData {
			f.relay(a, b)
			return nil, nil
		}
	case !a.requests.Allow() || k == channelBind && a.channels.tooMany(b):
		return f.drop(droppedFlood)
	}
	return b, a.back
}

// relay hands over what came on a channel.
func (f *front) relay(a *allocation, b []byte) {
	to := netip.AddrPortFrom(a.relayed.Addr(), a.channels.port(binary.BigEndian.Uint16(b)))
	f.server.exchange.send(a, to, b[channelHeader:channelHeader+int(binary.BigEndian.Uint16(b[2:]))])
}

// of returns the client that the TURN server means by an address.
func (f *front) of(a net.Addr) client { return client{f, addrPort(a)} }

// addrPort reads an address of package net.
func addrPort(a net.Addr) netip.AddrPort {
	var p netip.AddrPort
	switch a := a.(type) {
	case *net.UDPAddr:
		p = a.AddrPort()
	case *net.TCPAddr:
		p = a.AddrPort()
	}
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}

// authenticate returns the key that a request has to be signed with. The TURN server knows the user by the client's address
// and the tag: that is how these come to AllocatePacketConn.
func (f *front) authenticate(r *turn.RequestAttributes) (string, []byte, bool) {
	c := f.of(r.SrcAddr)
	u, key, why := f.user(r.Username, r.Realm)
	if why != "" {
		f.refuse(c, why)
		return "", nil, false
	}
	return c.at.String() + " " + u.Tag, key, true
}

// authenticated is told whether a request was signed with the right key.
func (f *front) authenticated(from, _ net.Addr, _, _, _, _ string, right bool) {
	if !right {
		f.refuse(f.of(from), BadCredentials)
	}
}

// quota reports whether the client may have another allocation. If not, it is told that this is for its address.
func (f *front) quota(user, _ string, from net.Addr) bool {
	_, tag, _ := strings.Cut(user, " ")
	if f.server.exchange.addressFull(f.of(from), tag) {
		f.refuse(f.of(from), AddressFull)
		return false
	}
	return true
}

// permit reports whether an allocation may talk with an address: with ours alone, which stands for other allocations.
func (f *front) permit(_ net.Addr, peer net.IP) bool {
	a, ok := netip.AddrFromSlice(peer)
	if ok && a.Unmap() == f.server.config.public(a.Unmap().Is6()) {
		return true
	}
	f.server.counts.add(permissionsRefused, 1)
	return false
}

// channels tells an allocation what it may talk with now. The client may have another one already.
func (f *front) channels(from, relayed net.Addr, change func(*channels)) {
	if a := f.server.exchange.of(f.of(from)); a != nil && a.address == relayed {
		change(&a.channels)
	}
}

// Validate is for the TURN server.
func (f *front) Validate() error { return nil }

// AllocatePacketConn makes an allocation, for a user that authenticate has named.
func (f *front) AllocatePacketConn(want turn.AllocateListenerConfig) (net.PacketConn, net.Addr, error) {
	at, tag, _ := strings.Cut(want.UserID, " ")
	from, err := netip.ParseAddrPort(at)
	if err != nil || want.RequestedPort != 0 {
		return nil, nil, errRefused // EVEN-PORT and RESERVATION-TOKEN, which are for RTP
	}
	c := client{f, from}
	a, why := f.server.exchange.allocate(c, tag, want.Network == "udp6")
	if why != "" {
		f.refuse(c, why)
		return nil, nil, errRefused
	}
	f.server.tell(Event{What: Allocated, Client: from, Transport: f.transport, Relayed: a.relayed})
	if !f.way.reaches(from) { // its connection ended while its request waited
		a.Close()
		return nil, nil, errRefused
	}
	return a, a.address, nil
}

// errNoTCP is for relayed TCP connections (RFC 6062), which there are none of.
var errNoTCP = errors.New("this relay relays UDP alone")

// AllocateListener refuses.
func (f *front) AllocateListener(turn.AllocateListenerConfig) (net.Listener, net.Addr, error) {
	return nil, nil, errNoTCP
}

// AllocateConn refuses.
func (f *front) AllocateConn(turn.AllocateConnConfig) (net.Conn, error) { return nil, errNoTCP }

// refuse counts and tells a refusal.
func (f *front) refuse(c client, why Reason) {
	f.server.counts.add(refusedFor[why], 1)
	if f.server.refusals.Allow() {
		f.server.tell(Event{What: Refused, Client: c.at, Transport: f.transport, Reason: why})
	}
}

// released is told that an allocation is gone.
func (f *front) released(a *allocation) {
	f.allocations.Add(-1)
	f.way.released(a.client.at)
	f.server.tell(Event{What: Released, Client: a.client.at, Transport: f.transport, Relayed: a.relayed})
}
