// Package natkind finds out what a relay's server is reached by, and what kind of router is between.
package natkind

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/pion/stun/v4"

	"dplay4/dpsp/sock"
)

// A Kind is that of a router.
type Kind string

// The kinds.
const (
	Unknown        Kind = ""                // nothing answers by UDP
	Open           Kind = "open"            // there is no router that translates
	Restricted     Kind = "restricted"      // one outer port; it lets in whomever was written to, from all ports, or everybody
	PortRestricted Kind = "port-restricted" // one outer port; it lets in the very port that was written to
	Symmetric      Kind = "symmetric"       // another outer port for each destination
	OnePort        Kind = "one-port"        // one outer port, perhaps: the server has no second port to compare
)

// Ports are those of a server; 0 is where it does not listen.
type Ports struct{ UDP, TCP, TLS uint16 }

// An Answer is what came of asking a server by one transport.
type Answer struct {
	Took time.Duration
	Seen netip.AddrPort // where the server saw us
	Err  error          // ErrNotAsked if it does not listen by this transport
}

// ErrNotAsked is what there is instead of an answer where nothing was to be asked.
var ErrNotAsked = errors.New("it was not asked")

// A Finding is what is known of the way to a server.
type Finding struct {
	UDP, TCP, TLS Answer
	Kind          Kind
}

// A patience is how long each question waits.
type patience time.Duration

// usual is that of the program.
const usual = patience(1500 * time.Millisecond)

// Look asks a server at its ports, all at once.
func Look(ctx context.Context, server netip.Addr, at Ports) *Finding {
	return usual.look(ctx, server, at)
}

// look is Look with other timeouts.
func (p patience) look(ctx context.Context, server netip.Addr, at Ports) *Finding {
	f := &Finding{UDP: Answer{Err: ErrNotAsked}, TCP: Answer{Err: ErrNotAsked}, TLS: Answer{Err: ErrNotAsked}}
	var asked sync.WaitGroup
	for _, q := range []struct {
		port uint16
		ask  func(at netip.AddrPort)
	}{
		{at.UDP, func(at netip.AddrPort) { f.overUDP(ctx, p, at) }},
		{at.TCP, func(at netip.AddrPort) { f.TCP = p.overTCP(ctx, at, new(net.Dialer).DialContext) }},
		{at.TLS, func(at netip.AddrPort) { f.TLS = p.overTCP(ctx, at, secure.DialContext) }},
	} {
		if q.port != 0 {
			asked.Go(func() { q.ask(netip.AddrPortFrom(server, q.port)) })
		}
	}
	asked.Wait()
	return f
}

// secure dials a server by TLS. It takes any certificate, because what goes over a relay is encrypted from machine to machine.
var secure = &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}

// errSilent means that nothing answers.
var errSilent = errors.New("no answer")

// overUDP asks by UDP, at the server's ports in turn, from one socket.
func (f *Finding) overUDP(ctx context.Context, p patience, server netip.AddrPort) {
	c, err := open(server)
	if err != nil {
		f.UDP.Err = err
		return
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan *stun.Message, 16)
	go listen(ctx, c, answers)
	began := time.Now()
	first, err := p.exchange(ctx, c, server, answers)
	if err != nil {
		f.UDP.Err = err
		return
	}
	f.UDP = Answer{Took: time.Since(began), Seen: mapped(first)}
	f.Kind = OnePort
	if slices.Contains(sock.Addresses(), f.UDP.Seen.Addr()) {
		f.Kind = Open
		return
	}
	var other stun.OtherAddress
	if other.GetFrom(first) != nil {
		return
	}
	switch second, err := p.exchange(ctx, c, netip.AddrPortFrom(server.Addr(), uint16(other.Port)), answers); {
	case err != nil:
	case mapped(second) != f.UDP.Seen:
		f.Kind = Symmetric
	case p.answersElsewhere(ctx, server):
		f.Kind = Restricted
	default:
		f.Kind = PortRestricted
	}
}

// open opens a socket of a server's family.
func open(server netip.AddrPort) (sock.DatagramSocket, error) {
	any := netip.IPv4Unspecified()
	if server.Addr().Is6() {
		any = netip.IPv6Unspecified()
	}
	return sock.OpenDatagrams(netip.AddrPortFrom(any, 0))
}

// answersElsewhere reports whether we hear a server that answers from its other port, to which we have never written.
func (p patience) answersElsewhere(ctx context.Context, server netip.AddrPort) bool {
	c, err := open(server)
	if err != nil {
		return false
	}
	defer c.Close()
	answers := make(chan *stun.Message, 16)
	go listen(ctx, c, answers)
	const otherPort = 2 // (RFC 5780, 7.2)
	m, err := p.exchange(ctx, c, server, answers, stun.RawAttribute{Type: stun.AttrChangeRequest, Value: []byte{0, 0, 0, otherPort}})
	return err == nil && m.Type == stun.BindingSuccess
}

// listen gives what decodes.
func listen(ctx context.Context, c sock.DatagramSocket, to chan<- *stun.Message) {
	for b := make([]byte, 2048); ; {
		n, _, _, _, err := c.ReadMsgUDPAddrPort(b, nil)
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return
		}
		m := &stun.Message{Raw: append([]byte(nil), b[:max(n, 0)]...)}
		if m.Decode() != nil { // also where nothing was read
			continue
		}
		select {
		case to <- m:
		default: // a flood
		}
	}
}

// exchange asks until there is an answer. The error says why there is none.
func (p patience) exchange(ctx context.Context, c sock.DatagramSocket, server netip.AddrPort, answers <-chan *stun.Message,
	more ...stun.Setter) (*stun.Message, error) {
	q := stun.MustBuild(append([]stun.Setter{stun.TransactionID, stun.BindingRequest}, append(more, stun.Fingerprint)...)...)
	again := time.NewTicker(time.Duration(p / 5))
	defer again.Stop()
	over := time.After(time.Duration(p))
	for {
		if _, err := c.WriteToUDPAddrPort(q.Raw, server); err != nil {
			return nil, err
		}
	waiting:
		for {
			select {
			case m := <-answers:
				if m.TransactionID == q.TransactionID {
					return m, nil
				}
			case <-again.C:
				break waiting
			case <-over:
				return nil, errSilent
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// overTCP asks over a connection that dial opens.
func (p patience) overTCP(ctx context.Context, server netip.AddrPort,
	dial func(ctx context.Context, network, address string) (net.Conn, error)) (a Answer) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(2*p))
	defer cancel()
	began := time.Now()
	var c net.Conn
	if c, a.Err = dial(ctx, "tcp", server.String()); a.Err != nil {
		return a
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	q := stun.MustBuild(stun.TransactionID, stun.BindingRequest, stun.Fingerprint)
	if _, a.Err = c.Write(q.Raw); a.Err != nil {
		return a
	}
	const header = 20
	b := make([]byte, header, 2048)
	if _, a.Err = io.ReadFull(c, b); a.Err != nil {
		return a
	}
	rest := int(b[2])<<8 | int(b[3])
	if rest > cap(b)-header {
		a.Err = fmt.Errorf("an answer of %d octets: it is no relay", rest)
		return a
	}
	b = b[:header+rest]
	if _, a.Err = io.ReadFull(c, b[header:]); a.Err != nil {
		return a
	}
	m := &stun.Message{Raw: b}
	if a.Err = m.Decode(); a.Err == nil {
		a.Took, a.Seen = time.Since(began), mapped(m)
	}
	return a
}

// mapped returns where the server saw us.
func mapped(m *stun.Message) netip.AddrPort {
	var x stun.XORMappedAddress
	if x.GetFrom(m) != nil {
		return netip.AddrPort{}
	}
	at, _ := netip.AddrFromSlice(x.IP)
	return netip.AddrPortFrom(at.Unmap(), uint16(x.Port))
}
