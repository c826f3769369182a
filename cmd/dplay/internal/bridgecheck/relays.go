package bridgecheck

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"

	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
)

// An asked is what came of asking a relay.
type asked struct {
	relay   code.Relay
	unknown error // why its servers are not known
	servers []*server
}

// A server is one of a relay's, and what came of asking it.
type server struct {
	link.Site
	unknown error // why it has no address
	addrs   []netip.Addr
	found   []*natkind.Finding // at each
	refuses error              // why it does not let us in
}

// answers reports whether the server does, in any way.
func (s *server) answers() bool {
	return slices.ContainsFunc(s.found, func(f *natkind.Finding) bool { return f.UDP.Err == nil || f.TCP.Err == nil || f.TLS.Err == nil })
}

// well reports whether the server is good for a session.
func (s *server) well() bool { return s.answers() && s.refuses == nil }

// every reports whether all that was asked of the server went wrong in some way.
func (s *server) every(wrong func(error) bool, answers func(*natkind.Finding) []natkind.Answer) bool {
	some := false
	for _, f := range s.found {
		for _, a := range answers(f) {
			switch {
			case errors.Is(a.Err, natkind.ErrNotAsked):
			case !wrong(a.Err):
				return false
			default:
				some = true
			}
		}
	}
	return some
}

// The answers that every can look at.
func inAll(f *natkind.Finding) []natkind.Answer     { return []natkind.Answer{f.UDP, f.TCP, f.TLS} }
func inStreams(f *natkind.Finding) []natkind.Answer { return []natkind.Answer{f.TCP, f.TLS} }
func inTCP(f *natkind.Finding) []natkind.Answer     { return []natkind.Answer{f.TCP} }
func inUDP(f *natkind.Finding) []natkind.Answer     { return []natkind.Answer{f.UDP} }

// noWay reports whether this machine knows no way to the server.
func (s *server) noWay() bool { return s.every(sock.NoWay, inAll) }

// lookAtRelays asks all relays at once, and tells of each, and the kind of router by the first one that answers by UDP.
func (c *check) lookAtRelays(ctx context.Context) error {
	all := make([]*asked, len(c.Relays))
	var group sync.WaitGroup
	for i, r := range c.Relays {
		group.Go(func() { all[i] = c.ask(ctx, r) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return errInterrupted
	}
	c.tellRelays(all)
	return nil
}

// ask asks all servers of a relay.
func (c *check) ask(ctx context.Context, r code.Relay) *asked {
	a := &asked{relay: r}
	sites, err := c.sitesOf(ctx, r)
	if a.unknown = err; err != nil {
		return a
	}
	var group sync.WaitGroup
	for _, site := range sites {
		s := &server{Site: site}
		a.servers = append(a.servers, s)
		group.Go(func() { c.askServer(ctx, r, s) })
	}
	group.Wait()
	return a
}

// sitesOf returns the servers of a relay that the session uses, or all of a relay that no session is about.
func (c *check) sitesOf(ctx context.Context, r code.Relay) ([]link.Site, error) {
	if c.With == nil {
		return c.sites(ctx, r, "")
	}
	sites, err := c.sites(ctx, r, c.With.Keys().Meeting)
	return sites[:min(len(sites), link.SitesUsed)], err
}

// askServer asks a server at each of its addresses, and then for an address of ours.
func (c *check) askServer(ctx context.Context, r code.Relay, s *server) {
	if s.addrs, s.unknown = c.addrs(ctx, s.Site); s.unknown != nil {
		return
	}
	s.found = make([]*natkind.Finding, len(s.addrs))
	var group sync.WaitGroup
	for i, a := range s.addrs {
		group.Go(func() { s.found[i] = c.look(ctx, a, natkind.Ports{UDP: s.UDP, TCP: s.TCP, TLS: s.TLS}) })
	}
	group.Wait()
	if s.answers() && ctx.Err() == nil {
		s.refuses = c.try(ctx, r, s.Site)
	}
}
