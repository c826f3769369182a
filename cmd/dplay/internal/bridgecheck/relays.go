package bridgecheck

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
)

// routers say what each kind of router means.
var routers = map[natkind.Kind]string{
	natkind.Unknown: "nothing answers by UDP: a firewall stops it, or the relay is down. Everything has to go through a relay " +
		"by TCP or TLS",
	natkind.Open: "none: this machine has the address that others see. Everybody can be reached directly",
	natkind.Restricted: "one outer port, open to whomever was written to, or to everybody: all can be reached directly whose UDP " +
		"gets through",
	natkind.PortRestricted: "one outer port, open to whom was written to: direct ways to all but machines behind symmetric routers",
	natkind.Symmetric:      "another outer port for each destination (symmetric): most go through the relay, which is fine for playing",
	natkind.OnePort:        "this machine is behind one; which kind the relay does not tell, for it answers at one port only",
}

// lookAtRelays asks each relay, and tells the kind of router by the first one that answers by UDP.
func (c *check) lookAtRelays(ctx context.Context) error {
	var router *natkind.Finding
	for _, r := range c.Relays {
		sites, err := c.sitesOf(ctx, r)
		if err != nil && ctx.Err() == nil {
			c.problem("the relay %s: %s", r, err)
		}
		for _, s := range sites {
			host := ""
			if len(sites) > 1 {
				host = s.Host
			}
			for _, f := range c.lookAtSite(ctx, r, s, host) {
				if !errors.Is(f.UDP.Err, natkind.ErrNotAsked) && (router == nil || router.Kind == natkind.Unknown) {
					router = f
				}
			}
		}
		if ctx.Err() != nil {
			return errInterrupted
		}
	}
	if router == nil {
		return nil
	}
	o := routerObject{"router", string(router.Kind), ""}
	seen := ""
	if router.UDP.Seen.IsValid() {
		o.Seen = router.UDP.Seen.String()
		seen = " (seen as " + o.Seen + ")"
	}
	c.tell(o, "router: %s%s", routers[router.Kind], seen)
	return nil
}

// sitesOf returns the servers of a relay that the session uses, or all of a relay that no session is about.
func (c *check) sitesOf(ctx context.Context, r code.Relay) ([]link.Site, error) {
	if c.With == nil {
		return c.sites(ctx, r, "")
	}
	sites, err := c.sites(ctx, r, c.With.Keys().Meeting)
	return sites[:min(len(sites), link.SitesUsed)], err
}

// lookAtSite asks a server of a relay at each of its addresses, and then for an address of ours. host is its name, if that is not
// the relay's.
func (c *check) lookAtSite(ctx context.Context, r code.Relay, s link.Site, host string) []*natkind.Finding {
	addrs, err := c.addrs(ctx, s)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		c.problem("the relay %s: %s", r, err)
		return nil
	}
	all := make([]*natkind.Finding, len(addrs))
	var asked sync.WaitGroup
	for i, a := range addrs {
		asked.Go(func() { all[i] = c.look(ctx, a, natkind.Ports{UDP: s.UDP, TCP: s.TCP, TLS: s.TLS}) })
	}
	asked.Wait()
	if ctx.Err() != nil {
		return nil
	}
	answers := false
	for i, f := range all {
		name := nameOf(r, host)
		if len(all) > 1 {
			name = nameOf(r, host, addrs[i])
		}
		answers = c.tellRelay(relayObject{Type: "relay", Relay: r.String(), Host: host, Address: addrs[i].String()}, name, f) || answers
	}
	if !answers {
		c.problem("the relay %s does not answer at all: is it running, is the address right, and are its ports open?", nameOf(r, host))
		return all
	}
	err = c.try(ctx, r, s)
	var refused *link.RefusedError
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.As(err, &refused) && refused.Credential:
		c.problem("the relay %s: %s; %s", nameOf(r, host), err, bridging.WantsCredential)
	default:
		c.problem("the relay %s: %s", nameOf(r, host), err)
	}
	return all
}

// nameOf names a server of a relay, and perhaps one of its addresses.
func nameOf(r code.Relay, host string, at ...netip.Addr) string {
	var more []string
	if host != "" {
		more = append(more, host)
	}
	for _, a := range at {
		more = append(more, a.String())
	}
	if len(more) == 0 {
		return r.String()
	}
	return r.String() + " (" + strings.Join(more, ", ") + ")"
}

// tellRelay tells how long answers took, and reports whether there were any.
func (c *check) tellRelay(o relayObject, name string, f *natkind.Finding) (answers bool) {
	var ways []string
	for _, w := range []struct {
		name string
		a    natkind.Answer
		to   **float64
	}{{"UDP", f.UDP, &o.UDP}, {"TCP", f.TCP, &o.TCP}, {"TLS", f.TLS, &o.TLS}} {
		switch {
		case errors.Is(w.a.Err, natkind.ErrNotAsked):
		case w.a.Err != nil:
			ways = append(ways, w.name+" no answer")
		default:
			answers = true
			*w.to = new(w.a.Took.Seconds())
			ways = append(ways, fmt.Sprintf("%s %.1f ms", w.name, float64(w.a.Took)/float64(time.Millisecond)))
		}
	}
	c.tell(o, "relay %s: %s", name, strings.Join(ways, ", "))
	return answers
}
