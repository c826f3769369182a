package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// MaxFound bounds the sessions that are remembered. More than a network has; who makes up more is left out.
const MaxFound = 4096

// Others is how long to wait for other sessions after one was found, to know whether it is the only one.
const Others = 300 * time.Millisecond

// EnumFlags are those of an enumeration. Sessions with a password are wanted: the user sees that they have one.
func EnumFlags(all bool) wire.EnumFlags {
	if all {
		return wire.EnumAll | wire.EnumPasswordRequired
	}
	return wire.EnumAvailable | wire.EnumPasswordRequired
}

// TakesNewcomers reports whether a session's description promises that one can join.
func TakesNewcomers(d *wire.SessionDesc) bool {
	return d.Flags&(wire.SessionJoinDisabled|wire.SessionNewPlayersDisabled) == 0 && !Full(d)
}

// Full reports whether a session's description says that it is full.
func Full(d *wire.SessionDesc) bool { return d.MaxPlayers > 0 && d.CurrentPlayers >= d.MaxPlayers }

// Typed returns what somebody typed. Octets that are no UTF-8 would mean something else to the engine.
func Typed(s string) dpsp.Text { return dpsp.Text(strings.ToValidUTF8(s, "\uFFFD")) }

// lookUpMost is how long a name is looked up: a question may be lost, and is asked again after five seconds.
const lookUpMost = 6 * time.Second

// LookUp returns the IPv4 address of a host; an invalid one beside an error, and for no host.
func LookUp(ctx context.Context, host string) (at netip.Addr, err error) {
	ip, notIP := netip.ParseAddr(host)
	switch {
	case host == "":
		return at, nil
	case ip.Unmap().Is4():
		return ip.Unmap(), nil
	case notIP == nil:
		return at, fmt.Errorf("%s: DirectPlay 4 knows IPv4 addresses only", host)
	case strings.ContainsAny(host, ":/"):
		return at, fmt.Errorf("%s: a name or an address alone is wanted, such as 192.0.2.7, without a port", host)
	}
	limited, cancel := context.WithTimeout(ctx, lookUpMost)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(limited, "ip4", host)
	if ctx.Err() != nil {
		return at, errors.New("interrupted")
	}
	if err != nil {
		return at, fmt.Errorf("%s: %s", host, whyUnknown(err))
	}
	// One is enough: the others are other ways to the same machine, and each would answer.
	return all[0].Unmap(), nil
}

// whyUnknown says why a machine's name has no address.
func whyUnknown(err error) string {
	var dns *net.DNSError
	var odd *net.AddrError
	switch {
	case errors.As(err, &odd):
		return "that machine has no IPv4 address, and DirectPlay 4 knows no others"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no machine of that name with an IPv4 address: look how it is written, or give the address, such as 192.0.2.7"
	}
	return "the name could not be looked up, for nobody answered who knows names: give the address, such as 192.0.2.7"
}
