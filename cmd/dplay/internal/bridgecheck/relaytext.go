package bridgecheck

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
)

// routers say what each kind of router means, with its name behind.
var routers = map[natkind.Kind]string{
	natkind.Unknown: "nothing comes back by UDP: a firewall stops it, or the relay has another port for it. Everything has to go through a " +
		"relay, by TCP or TLS",
	natkind.Open:           "there is none that changes addresses: everybody can be reached directly",
	natkind.Restricted:     "an easy one: direct ways to everybody whose UDP gets through (restricted or full cone)",
	natkind.PortRestricted: "of the usual kind: direct ways to most others, relayed ones to those behind a strict router (port-restricted cone)",
	natkind.Symmetric: "a strict one: most ways go through the relay, which is fine for playing (symmetric: another outer port for each " +
		"destination)",
	natkind.OnePort: "there is one. Of which kind it is this relay does not tell, for it answers at one port only",
}

// tellRelays tells of all relays and of the router. What is wrong with one is in nobody's way where another one is well.
func (c *check) tellRelays(all []*asked) {
	wrong := c.problem
	if slices.ContainsFunc(all, func(a *asked) bool { return slices.ContainsFunc(a.servers, (*server).well) }) {
		wrong = c.warning
	}
	var router *natkind.Finding
	for _, a := range all {
		if a.unknown != nil {
			wrong("the relay %s: %s", a.relay, a.unknown)
		}
		for _, s := range a.servers {
			host := ""
			if len(a.servers) > 1 {
				host = s.Host
			}
			for _, f := range c.tellServer(a.relay, s, host, wrong) {
				untold := !s.answers() || errors.Is(f.UDP.Err, natkind.ErrNotAsked)
				if !untold && (router == nil || router.Kind == natkind.Unknown) {
					router = f
				}
			}
		}
	}
	c.tellRouter(router)
}

// tellRouter tells the kind of router, as a relay shows it.
func (c *check) tellRouter(router *natkind.Finding) {
	if router == nil {
		return
	}
	c.kind = router.Kind
	o := routerObject{"router", string(router.Kind), ""}
	seen := ""
	if router.UDP.Seen.IsValid() {
		o.Seen = router.UDP.Seen.String()
		seen = "; others see " + o.Seen
	}
	c.tell(o, "router: %s%s", routers[router.Kind], seen)
}

// tellServer tells of a server at each of its addresses, and what is wrong with it. host is its name, if that is not the relay's.
func (c *check) tellServer(r code.Relay, s *server, host string, wrong func(string, ...any)) []*natkind.Finding {
	if s.unknown != nil {
		wrong("the relay %s: %s", r, s.unknown)
		return nil
	}
	for i, f := range s.found {
		name := nameOf(r, host)
		if len(s.found) > 1 {
			name = nameOf(r, host, s.addrs[i])
		}
		c.tellAnswers(relayObject{Type: "relay", Relay: r.String(), Host: host, Address: s.addrs[i].String()}, name, f)
	}
	name := nameOf(r, host)
	var refused *link.RefusedError
	switch {
	case s.noWay():
		wrong("the relay %s: %s", name, noWayTo(s.addrs))
	case !s.answers() && s.every(sock.Refused, inStreams):
		wrong("the relay %s refuses: no relay runs there, or it has other ports. Is the address right?", name)
	case !s.answers():
		wrong("the relay %s does not answer at all: is it running, is the address right, and are its ports open?", name)
	case errors.As(s.refuses, &refused) && refused.Credential:
		wrong("the relay %s: %s; %s", name, s.refuses, bridging.WantsCredential)
	case s.refuses != nil:
		wrong("the relay %s: %s", name, s.refuses)
	case s.every(sock.Refused, inTCP) && s.every(failed, inUDP) && s.TCP == s.UDP:
		c.warning("nobody listens at port %d of the relay %s: it is used by TLS, at its port %d. Is the port right?", s.TCP, name, s.TLS)
	}
	return s.found
}

// failed reports whether there was no answer.
func failed(err error) bool { return err != nil }

// noWayTo says what is missing where this machine knows no way to a server.
func noWayTo(addrs []netip.Addr) string {
	if slices.ContainsFunc(addrs, netip.Addr.Is4) {
		return link.ErrNoWay.Error()
	}
	return "it has IPv6, and this machine has none that leads there"
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

// tellAnswers tells how long answers took, or why there were none.
func (c *check) tellAnswers(o relayObject, name string, f *natkind.Finding) {
	var ways []string
	for _, w := range []struct {
		name string
		a    natkind.Answer
		to   **float64
	}{{"UDP", f.UDP, &o.UDP}, {"TCP", f.TCP, &o.TCP}, {"TLS", f.TLS, &o.TLS}} {
		switch {
		case errors.Is(w.a.Err, natkind.ErrNotAsked):
		case w.a.Err == nil:
			*w.to = new(w.a.Took.Seconds())
			ways = append(ways, fmt.Sprintf("%s %.1f ms", w.name, float64(w.a.Took)/float64(time.Millisecond)))
		case sock.NoWay(w.a.Err):
			ways = append(ways, w.name+" no way")
		case sock.Refused(w.a.Err):
			ways = append(ways, w.name+" refused")
		default:
			ways = append(ways, w.name+" no answer")
		}
	}
	c.tell(o, "relay %s: %s", name, strings.Join(ways, ", "))
}
