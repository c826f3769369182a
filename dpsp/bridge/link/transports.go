package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/transport/v4"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/sock"
)

const (
	udpAlone     = 400 * time.Millisecond // for UDP to answer, until TCP and TLS are tried as well, or for one server of several
	attemptMost  = 4 * time.Second        // for all of them
	addressesTry = 4                      // of a name
)

// A door is one way to a relay's server.
type door struct {
	transport string // "udp", "tcp" or "tls"
	server    netip.AddrPort
	name      string // for TLS
}

// An opened is what came of knocking at a door.
type opened struct {
	allocation *allocation
	err        error
}

// open gets an allocation at the tenant's site of its relay.
func (t *tenant) open(ctx context.Context) (*allocation, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, attemptMost, errors.New("no answer"))
	defer cancel()
	sites, err := Sites(ctx, t.mesh.config.DNS, t.relay, t.mesh.keys.Meeting)
	if err != nil {
		return nil, err
	}
	if t.site >= len(sites) {
		return nil, errNoSite
	}
	doors, err := sites[t.site].doors(ctx, t.mesh.config.DNS)
	if err != nil {
		return nil, err
	}
	if at := t.mesh.near(t); at.IsValid() {
		doors = sites[t.site].nearest(at, doors)
	}
	return openAny(ctx, t.mesh.config.Net, t.relay, t.tag, doors)
}

// openAny tries doors, the first ones first, and gets an allocation through the first at which somebody answers. Only one is got at a
// time: with the same tag the later one would take the address over.
func openAny(ctx context.Context, n transport.Net, r code.Relay, tag string, doors [][]door) (*allocation, error) {
	began := time.Now()
	results := make(chan opened)
	waiting := 0
	next := time.NewTimer(0) // runs while doors are left
	defer next.Stop()
	var failed []error
	for waiting > 0 || len(doors) > 0 {
		if waiting == 0 {
			next.Reset(0)
		}
		select {
		case <-next.C:
			for _, d := range doors[0] {
				waiting++
				go func() {
					a, err := d.reach(ctx, n)
					results <- opened{a, err}
				}()
			}
			if doors = doors[1:]; len(doors) > 0 {
				next.Reset(udpAlone)
			}
		case got := <-results:
			waiting--
			a, err := got.allocation, got.err
			if err == nil {
				a, err = a.enter(ctx, r, tag)
			}
			if err == nil {
				a.took = time.Since(began)
				go closeAll(results, waiting)
				return a, nil
			}
			failed = append(failed, err)
		}
	}
	return nil, trouble(failed)
}

// closeAll ends what comes too late.
func closeAll(results <-chan opened, n int) {
	for range n {
		if got := <-results; got.allocation != nil {
			got.allocation.close()
		}
	}
}

// trouble puts together why no door is open: what the server said, or else that it did not at any of them.
func trouble(all []error) error {
	var silent []string
	for _, err := range all {
		if _, refused := errors.AsType[*RefusedError](err); refused {
			return err
		}
		silent = append(silent, err.Error())
	}
	switch {
	case len(all) == 0:
		return errors.New("it has no address")
	case !slices.ContainsFunc(all, func(err error) bool { return !sock.NoWay(err) }):
		return ErrNoWay
	}
	slices.Sort(silent)
	return fmt.Errorf("%w: %s", ErrUnreachable, strings.Join(silent, ", "))
}

// doors returns the doors of a site, in the groups in which they are tried.
func (s Site) doors(ctx context.Context, dns *net.Resolver) ([][]door, error) {
	addrs, err := s.Addrs(ctx, dns)
	return s.doorsAt(addrs...), err
}

// doorsAt returns the doors that a site has at addresses.
func (s Site) doorsAt(addrs ...netip.Addr) [][]door {
	groups := make([][]door, 2)
	for _, d := range []struct {
		transport string
		port      uint16
		group     int
	}{{"udp", s.UDP, 0}, {"tcp", s.TCP, 1}, {"tls", s.TLS, 1}} {
		for _, a := range addrs {
			if d.port != 0 {
				groups[d.group] = append(groups[d.group], door{transport: d.transport, server: netip.AddrPortFrom(a, d.port), name: s.Host})
			}
		}
	}
	return groups
}

// nearest returns the doors of a server at an address before the others of its site, in the groups in which they are tried.
func (s Site) nearest(at netip.Addr, doors [][]door) [][]door {
	others := slices.DeleteFunc(slices.Concat(doors...), func(d door) bool { return d.server.Addr() == at })
	return append(s.doorsAt(at), others)
}

// reach asks whether anybody answers at the door.
func (d door) reach(ctx context.Context, n transport.Net) (*allocation, error) {
	base, err := d.connect(ctx, n)
	if err == nil {
		var a *allocation
		if a, err = reach(ctx, n, base, d); err == nil {
			return a, nil
		}
	}
	if system, is := errors.AsType[*os.SyscallError](err); is {
		err = system.Err // the rest is known
	}
	return nil, fmt.Errorf("%s %s: %w", strings.ToUpper(d.transport), d.server, err)
}

// enter gets the relayed address, with the first credential that the server takes, and returns the allocation that has it. That is
// another one for each further attempt: coturn takes no second user over one connection. None is open after an error.
func (a *allocation) enter(ctx context.Context, r code.Relay, tag string) (_ *allocation, err error) {
	d, n := a.door, a.net
	host, _ := netip.ParseAddr(r.Host)
	families := []bool{host.Is6()}
	if !host.IsValid() {
		families = []bool{false, true} // all machines shall have an address of the same family
	}
	for _, six := range families {
		for _, c := range r.Credentials(tag, never) {
			if a == nil {
				if a, err = d.reach(ctx, n); err != nil {
					return nil, err
				}
			}
			if err = a.allocate(ctx, c, six); err == nil {
				return a, nil
			}
			a.close()
			a = nil
			if !isCode(err, stun.CodeUnauthorized, stun.CodeForbidden, stun.CodeBadRequest) { // pion's has 400 for 401
				break
			}
		}
		if !isCode(err, stun.CodeAddrFamilyNotSupported) {
			break
		}
	}
	if why := refused(err, r, time.Now()); why != nil {
		return nil, why
	}
	return nil, fmt.Errorf("%s: %w", d.transport, err)
}

// never is when the credentials expire that we make for open relays, which everybody can: the clocks of old machines are wrong.
// coturn takes none that expire later (facts, bridge 5).
var never = time.Unix(math.MaxInt32, 0)

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
	return newLine(c), nil
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
