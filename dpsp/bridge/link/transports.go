package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/transport/v4"
	"github.com/pion/turn/v5"

	"dplay4/dpsp/bridge/code"
)

const (
	tlsPort      = 5349
	httpsPort    = 443                    // where a relay there is, networks let TLS through if nothing else
	udpAlone     = 400 * time.Millisecond // for UDP to answer, until TCP and TLS are tried as well
	attemptMost  = 6 * time.Second        // for all of them
	addressesTry = 4                      // of a name
)

// A door is one way to a relay's server.
type door struct {
	transport string
	server    netip.AddrPort
	name      string // for TLS
}

// An opened is what came of knocking at a door.
type opened struct {
	allocation *allocation
	err        error
}

// openAny tries all doors of a relay, UDP first, and gets an allocation through the first at which somebody answers. Only one is
// got at a time: with the same tag the later one would take the address over.
func openAny(ctx context.Context, n transport.Net, r code.Relay, tag string) (*allocation, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, attemptMost, errors.New("no answer"))
	defer cancel()
	first, second, err := doors(ctx, r)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	results := make(chan opened)
	waiting := 0
	try := func(all []door) {
		for _, d := range all {
			waiting++
			go func() {
				a, err := d.reach(ctx, n)
				results <- opened{a, err}
			}()
		}
	}
	try(first)
	alone := time.NewTimer(udpAlone)
	defer alone.Stop()
	var failed []error
	for waiting > 0 || second != nil {
		if waiting == 0 {
			alone.Reset(0)
		}
		select {
		case <-alone.C:
			try(second)
			second = nil
			continue
		case got := <-results:
			waiting--
			err := got.err
			if err == nil {
				err = got.allocation.enter(ctx, r, tag)
			}
			if err == nil {
				got.allocation.took = time.Since(began)
				go closeAll(results, waiting)
				return got.allocation, nil
			}
			failed = append(failed, err)
		}
	}
	return nil, worst(failed)
}

// closeAll ends what comes too late.
func closeAll(results <-chan opened, n int) {
	for range n {
		if got := <-results; got.allocation != nil {
			got.allocation.close()
		}
	}
}

// worst returns the error that tells most: what the server said, rather than that it did not.
func worst(all []error) error {
	for _, err := range all {
		var refused *stun.TurnError
		if errors.As(err, &refused) {
			return err
		}
	}
	if len(all) == 0 {
		return errors.New("it has no address")
	}
	return all[0]
}

// doors returns the doors of a relay, first those that are tried first.
func doors(ctx context.Context, r code.Relay) (first, second []door, err error) {
	udp, err := servers(ctx, r, "turn", "udp", r.Port)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range udp {
		first = append(first, door{transport: "udp", server: s})
	}
	tcp, err := servers(ctx, r, "turn", "tcp", r.Port)
	if err == nil {
		for _, s := range tcp {
			second = append(second, door{transport: "tcp", server: s})
		}
	}
	over := uint16(tlsPort)
	if r.Port == httpsPort {
		over = httpsPort
	}
	if r.Port == 0 {
		over = 0
	}
	secure, err := servers(ctx, r, "turns", "tcp", over)
	if err == nil {
		for _, s := range secure {
			second = append(second, door{transport: "tls", server: s, name: r.Host})
		}
	}
	return first, second, nil
}

// servers returns the addresses of a relay for one transport. For a name without a port DNS may have SRV records.
func servers(ctx context.Context, r code.Relay, service, proto string, port uint16) ([]netip.AddrPort, error) {
	if a, err := netip.ParseAddr(r.Host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(a, port)}, nil
	}
	type target struct {
		name string
		port uint16
	}
	targets := []target{{r.Host, port}}
	if port == 0 {
		targets[0].port = code.DefaultPort
		if service == "turns" {
			targets[0].port = tlsPort
		}
		if _, records, err := net.DefaultResolver.LookupSRV(ctx, service, proto, r.Host); err == nil && len(records) > 0 {
			targets = targets[:0]
			for _, s := range records {
				targets = append(targets, target{s.Target, s.Port})
			}
		}
	}
	var all []netip.AddrPort
	var failed error
	for _, t := range targets {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", t.name)
		failed = errors.Join(failed, err)
		slices.SortStableFunc(addrs, func(a, b netip.Addr) int { return a.Unmap().BitLen() - b.Unmap().BitLen() })
		for _, a := range addrs {
			all = append(all, netip.AddrPortFrom(a.Unmap(), t.port))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("relay %s has no address: %w", r.Host, failed)
	}
	return all[:min(len(all), addressesTry)], nil
}

// reach asks whether anybody answers at the door.
func (d door) reach(ctx context.Context, n transport.Net) (*allocation, error) {
	base, err := d.connect(ctx, n)
	if err == nil {
		var a *allocation
		if a, err = reach(ctx, n, base, d.server); err == nil {
			a.transport = d.transport
			return a, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", d.transport, err)
}

// enter gets the relayed address, with the first credential that the server takes. After an error the connection is closed.
func (a *allocation) enter(ctx context.Context, r code.Relay, tag string) (err error) {
	host, _ := netip.ParseAddr(r.Host)
	families := []bool{host.Is6()}
	if !host.IsValid() {
		families = []bool{false, true} // all machines shall have an address of the same family
	}
	for _, six := range families {
		for _, c := range r.Credentials(tag, never) {
			if err = a.allocate(ctx, c, six); err == nil {
				return nil
			}
			if !isCode(err, stun.CodeUnauthorized, stun.CodeForbidden) {
				break
			}
		}
		if !isCode(err, stun.CodeAddrFamilyNotSupported) {
			break
		}
	}
	a.close()
	return fmt.Errorf("%s: %w", a.transport, err)
}

// never is when the credentials expire that we make for open relays, which everybody can: the clocks of old machines are wrong.
var never = time.Unix(1<<32, 0)

// connect opens what the server is spoken to over.
func (d door) connect(ctx context.Context, n transport.Net) (net.PacketConn, error) {
	if d.transport == "udp" {
		if d.server.Addr().Is4() {
			return n.ListenPacket("udp4", "0.0.0.0:0")
		}
		return n.ListenPacket("udp6", "[::]:0")
	}
	c, err := dial(ctx, n, d.server)
	if err != nil {
		return nil, err
	}
	if t, ok := c.(interface{ SetWriteBuffer(int) error }); ok {
		t.SetWriteBuffer(lineBuffer) //nolint:errcheck // it would be better, no more
	}
	if d.transport == "tls" {
		// Whether it is the relay that it says is no matter: it sees nothing but what both sides encrypt. TLS is for networks that
		// let nothing else through.
		secure := tls.Client(c, &tls.Config{ServerName: d.name, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c = secure
	}
	return turn.NewSTUNConn(newLine(c)), nil
}

// dial makes a connection, which the context ends only while it is being made.
func dial(ctx context.Context, n transport.Net, to netip.AddrPort) (net.Conn, error) {
	type dialed struct {
		c   net.Conn
		err error
	}
	done := make(chan dialed, 1)
	go func() {
		c, err := n.CreateDialer(&net.Dialer{Timeout: attemptMost}).Dial("tcp", to.String())
		done <- dialed{c, err}
	}()
	select {
	case d := <-done:
		return d.c, d.err
	case <-ctx.Done():
		go func() {
			if d := <-done; d.c != nil {
				d.c.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
