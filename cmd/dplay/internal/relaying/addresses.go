package relaying

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"dplay4/dpsp/bridge/relay"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// has reports whether an address is one of this machine's. All of 127.0.0.0/8 are, though no card names them.
func has(own []netip.Addr, a netip.Addr) bool { return a.IsLoopback() || slices.Contains(own, a) }

// listenAt returns where to listen: at the public addresses that are ours, so that answers come from where players ask,
// also on a machine with many; and for others, which a cloud or a router translates, at all of their family.
func listenAt(public, own []netip.Addr) (all []netip.Addr) {
	for _, a := range public {
		switch {
		case has(own, a):
		case a.Is4():
			a = netip.IPv4Unspecified()
		default:
			a = netip.IPv6Unspecified()
		}
		all = append(all, a)
	}
	return all
}

// aboutPublic says what is odd about the public addresses.
func aboutPublic(c relay.Config, own []netip.Addr) (notes []string) {
	for _, a := range c.Public {
		switch {
		case a.IsLoopback():
			notes = append(notes, fmt.Sprintf("%s is this machine alone: nobody else reaches it there", a))
		case !isPublic(a):
			notes = append(notes, fmt.Sprintf("%s is a private address: players reach it in its own network alone", a))
		case own != nil && !has(own, a):
			notes = append(notes, fmt.Sprintf("no card of this machine has %s. That is fine in a cloud that translates it, and behind "+
				"a router that forwards %s to this machine", a, portsOf(&c)))
		}
	}
	return notes
}

// portsOf names the ports of a relay.
func portsOf(c *relay.Config) string {
	parts := []string{fmt.Sprintf("UDP %d-%d", c.Port, c.AlternatePort), fmt.Sprintf("TCP %d", c.Port)}
	if c.TLSPort != 0 {
		parts = append(parts, fmt.Sprintf("TCP %d", c.TLSPort))
	}
	return strings.Join(parts, ", ")
}

// shared is what providers give homes that share an address (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// isPublic reports whether an address may be reached from anywhere.
func isPublic(a netip.Addr) bool { return a.IsGlobalUnicast() && !a.IsPrivate() && !shared.Contains(a) }

// Guess names public addresses of this machine, for who has not said which one it is.
func Guess() string {
	for _, a := range sock.Addresses() {
		if isPublic(a) {
			return fmt.Sprintf(" Perhaps %s, which this machine has", a)
		}
	}
	return " It is what web pages such as your provider's show as your address"
}

// holder names the program that has a port; "" if that cannot be found out.
func holder(network string, at netip.AddrPort) string {
	return strings.Join(sock.Holders(network, at.Addr(), wire.Ports{First: at.Port(), Last: at.Port()}), " and ")
}
