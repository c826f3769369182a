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
	Restricted     Kind = "restricted"      // one outer port; it lets in whomever was written to, from all ports
	PortRestricted Kind = "port-restricted" // one outer port; it lets in the very port that was written to
	Symmetric      Kind = "symmetric"       // another outer port for each destination
	OnePort        Kind = "one-port"        // one outer port, perhaps: the server has no second port to compare
)

// An Answer is what came of asking a server by one transport.
type Answer struct {
	Took time.Duration
	Seen netip.AddrPort // where the server saw us
	Err  error
}

// A Finding is what is known of the way to a server.
type Finding struct {
	UDP, TCP, TLS Answer
	Kind          Kind
}

// patience is how long each question waits.
const patience = 1500 * time.Millisecond

// Look asks a server by UDP and TCP at its port and by TLS at another one, all at once.
func Look(ctx context.Context, server netip.AddrPort, tlsPort uint16) *Finding {
	f := &Finding{}
	done := make(chan struct{}, 2)
	go func() { f.TCP = overTCP(ctx, server, nil); done <- struct{}{} }()
	go func() {
		// Whose certificate it is does not matter: what goes over a relay is encrypted from machine to machine.
		f.TLS = overTCP(ctx, netip.AddrPortFrom(server.Addr(), tlsPort), &tls.Config{InsecureSkipVerify: true})
		done <- struct{}{}
	}()
	f.overUDP(ctx, server)
	<-done
	<-done
	return f
}

// errSilent means that nothing answers.
var errSilent = errors.New("no answer")

// overUDP asks by UDP, at the server's ports in turn, from one socket.
func (f *Finding) overUDP(ctx context.Context, server netip.AddrPort) {
	c, err := sock.OpenDatagrams(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
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
	first := exchange(ctx, c, server, answers)
	f.UDP.Took = time.Since(began)
	if first == nil {
		f.UDP.Err = errSilent
		return
	}
	f.UDP.Seen = mapped(first)
	f.Kind = OnePort
	var other stun.OtherAddress
	if other.GetFrom(first) != nil {
		return
	}
	port := uint16(other.Port)
	second := exchange(ctx, c, netip.AddrPortFrom(server.Addr(), port), answers)
	switch {
	case second == nil:
		return
	case mapped(second) != f.UDP.Seen:
		f.Kind = Symmetric
		return
	case isOurs(f.UDP.Seen.Addr()):
		f.Kind = Open
		return
	}
	f.Kind = PortRestricted
	if fresh, err := sock.OpenDatagrams(netip.AddrPortFrom(netip.IPv4Unspecified(), 0)); err == nil {
		defer fresh.Close()
		back := make(chan *stun.Message, 16)
		go listen(ctx, fresh, back)
		change := stun.RawAttribute{Type: stun.AttrChangeRequest, Value: []byte{0, 0, 0, 2}}
		if m := exchange(ctx, fresh, server, back, change); m != nil && m.Type == stun.BindingSuccess {
			f.Kind = Restricted
		}
	}
}

// listen gives what decodes.
func listen(ctx context.Context, c sock.DatagramSocket, to chan<- *stun.Message) {
	for b := make([]byte, 2048); ; {
		n, _, _, _, err := c.ReadMsgUDPAddrPort(b, nil)
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return
		}
		m := &stun.Message{Raw: append([]byte(nil), b[:max(n, 0)]...)}
		if err != nil || m.Decode() != nil {
			continue
		}
		select {
		case to <- m:
		default: // a flood
		}
	}
}

// exchange asks until there is an answer; nil if there is none in time.
func exchange(ctx context.Context, c sock.DatagramSocket, server netip.AddrPort, answers <-chan *stun.Message,
	more ...stun.Setter) *stun.Message {
	q, err := stun.Build(append([]stun.Setter{stun.TransactionID, stun.BindingRequest}, append(more, stun.Fingerprint)...)...)
	if err != nil {
		return nil
	}
	again := time.NewTicker(patience / 5)
	defer again.Stop()
	over := time.After(patience)
	for {
		if _, err := c.WriteToUDPAddrPort(q.Raw, server); err != nil {
			return nil
		}
	waiting:
		for {
			select {
			case m := <-answers:
				if m.TransactionID == q.TransactionID {
					return m
				}
			case <-again.C:
				break waiting
			case <-over:
				return nil
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// overTCP asks over a connection.
func overTCP(ctx context.Context, server netip.AddrPort, secure *tls.Config) (a Answer) {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	began := time.Now()
	var c net.Conn
	if c, a.Err = new(net.Dialer).DialContext(ctx, "tcp", server.String()); a.Err != nil {
		return a
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if secure != nil {
		t := tls.Client(c, secure)
		if a.Err = t.HandshakeContext(ctx); a.Err != nil {
			return a
		}
		c = t
	}
	q, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.Fingerprint)
	if err != nil {
		return Answer{Err: err}
	}
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

// isOurs reports whether an address is one of this machine.
func isOurs(at netip.Addr) bool {
	list, err := sock.Adapters()
	if err != nil {
		return false
	}
	for _, a := range list {
		for _, p := range a.Addrs {
			if p.Addr().Unmap() == at {
				return true
			}
		}
	}
	return false
}
