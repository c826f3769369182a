package relay

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"dplay4/dpsp/bridge/code"
)

// The ports of TURN.
const (
	DefaultPort    = code.DefaultPort
	DefaultTLSPort = 5349
)

// A Config says how a relay is to be.
type Config struct {
	Public []netip.Addr // what relayed addresses are made of: an IPv4 address, an IPv6 address, or one of each
	Listen []netip.Addr // the addresses of this machine to listen on; an unspecified one is for all of its family, at any time

	Port          uint16 // of UDP and TCP
	AlternatePort uint16 // of UDP, for Binding requests alone; 0 for none
	TLSPort       uint16 // 0 for none
	// Certificate returns the certificate for TLS.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	Secret string // of credentials; code.OpenSecret lets everybody in
	Limits Limits

	// Tell is told what happens, by any goroutine; it must not block or ask the relay. Nil tells nobody.
	Tell func(Event)

	look time.Duration // between two looks for other addresses of this machine: 0, but in tests, is lookAgain
}

// Limits bound what clients can have. No field may be zero.
type Limits struct {
	Allocations int           // in all; at most MaxAllocations
	PerAddress  int           // of one IPv4 address, or of one network /64 of IPv6: allocations, and as many connections
	Rate        int           // octets a second of one allocation, each way
	AddressRate int           // octets a second that all allocations of one address send
	Queue       int           // packets that wait for one client
	Memory      int           // octets that wait for all clients
	Lifetime    time.Duration // of an allocation that is not refreshed, where the client asks for no other
}

// MaxAllocations is how many allocations a relay can have: a part of the ports of one address, so that free ones are found soon.
const MaxAllocations = 40000

// DefaultLimits are enough for a thousand sessions on a small machine.
func DefaultLimits() Limits {
	return Limits{Allocations: 10000, PerAddress: 64, Rate: 1 << 20, AddressRate: 4 << 20, Queue: 64,
		Memory: 32 << 20, Lifetime: 10 * time.Minute}
}

// check says what of the configuration cannot be.
func (c *Config) check() error {
	families := map[int]bool{} // by the bits of an address
	for _, a := range c.Public {
		if !code.Reachable(a) {
			return fmt.Errorf("%s is no address at which a machine can be reached", a)
		}
		families[a.BitLen()] = true
	}
	l := c.Limits
	switch {
	case len(c.Public) == 0:
		return errors.New("a relay needs a public address")
	case len(families) < len(c.Public):
		return errors.New("a relay has one public IPv4 address and one IPv6 address at most")
	case len(c.Listen) == 0 || c.Port == 0:
		return errors.New("a relay needs an address and a port to listen on")
	case c.TLSPort != 0 && c.Certificate == nil:
		return errors.New("TLS needs a certificate")
	case c.Secret == "":
		return errors.New("a relay needs a secret")
	case min(l.Allocations, l.PerAddress, l.Rate, l.AddressRate, l.Queue, l.Memory) <= 0 || l.Lifetime <= 0:
		return errors.New("a limit is missing")
	case l.Allocations > MaxAllocations:
		return fmt.Errorf("a relay can have %d allocations, not %d", MaxAllocations, l.Allocations)
	}
	return nil
}

// public returns the public address of a family, not valid if there is none.
func (c *Config) public(six bool) netip.Addr {
	for _, a := range c.Public {
		if a.Is6() == six {
			return a
		}
	}
	return netip.Addr{}
}

// An Event is something that happened to a client. Its tags are keys in JSON.
type Event struct {
	What      What           `json:"-"`
	Client    netip.AddrPort `json:"client"`
	Transport string         `json:"transport,omitzero"` // "udp", "tcp" or "tls"
	Relayed   netip.AddrPort `json:"relayed,omitzero"`   // not of Refused
	Reason    Reason         `json:"reason,omitzero"`    // of Refused alone
}

// What happened.
type What string

// The values of What.
const (
	Allocated What = "allocated"
	Released  What = "released" // given back, expired, taken over, or its connection is gone
	Refused   What = "refused"  // of many in a second, some are told
)

// A Reason says why an allocation was refused.
type Reason string

// The values of Reason.
const (
	BadCredentials Reason = "credentials" // the user is not one of ours, or the password is wrong
	Expired        Reason = "expired"
	AddressFull    Reason = "address" // the client's address has as many as it may
	Full           Reason = "full"
	NoFamily       Reason = "family" // it wants an address of IPv6, or of IPv4, and the relay has none
	Ending         Reason = "ending"
)
