package link

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"dplay4/dpsp/bridge/code"
)

// A Site is where a server of a relay is. A relay that is a name without a port has as many as DNS has SRV records for it
// (RFC 5928); all others have one.
type Site struct {
	Host          string
	UDP, TCP, TLS uint16 // the ports; 0 where it does not listen
}

// SitesUsed is how many sites of a relay a session uses.
const SitesUsed = 2

const (
	tlsPort   = 5349
	httpsPort = 443 // where a relay there is, networks let TLS through if nothing else
)

// Sites returns the sites of a relay, in the order in which a session uses them. They are in the order of the records'
// priorities, and of equal ones first those with more weight, as a rule: chance decides, but the same for all machines of the
// session, which have to meet. What session is does not matter, as long as all of them have it. Nil is the system's resolver.
func Sites(ctx context.Context, dns *net.Resolver, r code.Relay, session string) ([]Site, error) {
	return sitesWithin(ctx, srvMost, dns, r, session)
}

// sitesWithin is Sites with another limit than srvMost.
func sitesWithin(ctx context.Context, most time.Duration, dns *net.Resolver, r code.Relay, session string) ([]Site, error) {
	if r.Port != 0 || !isName(r.Host) {
		s := Site{r.Host, r.Port, r.Port, tlsPort}
		if r.Port == httpsPort {
			s.TLS = httpsPort
		}
		return []Site{s}, nil
	}
	records, err := lookup(ctx, most, dns, r.Host)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be looked up: %w", r.Host, err)
	}
	if sites := records.sites(session); len(sites) > 0 {
		return sites, nil
	}
	return []Site{{r.Host, code.DefaultPort, code.DefaultPort, tlsPort}}, nil
}

// isName reports whether a host is a name rather than an address.
func isName(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil
}

// services are what SRV records are asked for, and where a site has the port.
var services = [...]struct {
	service, proto string
	port           func(*Site) *uint16
}{
	{"turn", "udp", func(s *Site) *uint16 { return &s.UDP }},
	{"turn", "tcp", func(s *Site) *uint16 { return &s.TCP }},
	{"turns", "tcp", func(s *Site) *uint16 { return &s.TLS }},
}

// records are SRV records, by their service.
type records [len(services)][]*net.SRV

// srvMost is how long SRV records are waited for: some routers do not answer such questions.
const srvMost = time.Second

// lookup asks DNS for the records of a name. A resolver that knows no SRV records has none.
func lookup(ctx context.Context, most time.Duration, dns *net.Resolver, name string) (all records, err error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, most)
	defer cancel()
	var done sync.WaitGroup
	for i, s := range services {
		done.Go(func() {
			_, all[i], _ = cmp.Or(dns, net.DefaultResolver).LookupSRV(ctx, s.service, s.proto, name) // one that fails leaves the others
		})
	}
	done.Wait()
	return all, context.Cause(parent)
}

// A ranked is a site with its place among others.
type ranked struct {
	Site
	priority uint16
	chance   float64
}

// sites puts the records of each target together, in order.
func (all records) sites(session string) []Site {
	byTarget := map[string]*ranked{}
	for i, service := range services {
		for _, srv := range all[i] {
			host := strings.ToLower(strings.TrimSuffix(srv.Target, "."))
			s := byTarget[host]
			if s == nil {
				s = &ranked{Site{Host: host}, srv.Priority, chance(session, host, srv.Weight)}
				byTarget[host] = s
			}
			*service.port(&s.Site) = srv.Port
		}
	}
	list := slices.SortedFunc(maps.Values(byTarget), func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.chance, b.chance), strings.Compare(a.Host, b.Host))
	})
	sites := make([]Site, len(list))
	for i, s := range list {
		sites[i] = s.Site
	}
	return sites
}

// chance is a number that the session draws for a target: how long it takes until something happens that happens weight times in
// a while. The least is the first with a probability in proportion to its weight, and a target that comes or goes changes nothing
// among the others.
func chance(session, host string, weight uint16) float64 {
	h := sha256.Sum256([]byte("dplay relay " + session + " " + host))
	u := (float64(binary.BigEndian.Uint64(h[:])>>11) + 0.5) / (1 << 53)
	return -math.Log(u) / max(float64(weight), 1e-3) // weight 0 is for the last resort
}

// errNoSite means that a relay has no more sites.
var errNoSite = errors.New("it has no second server")

// Addrs returns the addresses of the site, those of IPv4 first, a few at most.
func (s Site) Addrs(ctx context.Context, dns *net.Resolver) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(s.Host); err == nil {
		return []netip.Addr{a}, nil
	}
	all, err := cmp.Or(dns, net.DefaultResolver).LookupNetIP(ctx, "ip", s.Host)
	unknown, is := errors.AsType[*net.DNSError](err)
	switch {
	case is && unknown.IsNotFound:
		return nil, fmt.Errorf("there is no machine of the name %s", s.Host)
	case is && ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("the name %s cannot be looked up, for nobody answers who knows names (DNS): is this machine connected?", s.Host)
	case err != nil:
		return nil, fmt.Errorf("%s has no address: %w", s.Host, err)
	}
	for i, a := range all {
		all[i] = a.Unmap()
	}
	slices.SortStableFunc(all, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return all[:min(len(all), addressesTry)], nil
}
