package code

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Code is all that a machine has to know to meet the others of a session.
type Code struct {
	Relays []Relay // 1 to MaxRelays, in the order in which to try them
	// Meeting is the meeting address on the first relay, if that gave one of its own: not valid where the address is the relay's, and
	// the port one of Ports(Code.Keys().Meeting).
	Meeting netip.AddrPort
	Secret  [16]byte
}

// A Relay is a TURN server.
type Relay struct {
	Host     string // an IPv4 or IPv6 address, or a name in small letters
	Port     uint16 // 0 for a name: as DNS has it in SRV records, or DefaultPort
	User     string // "" for an open relay, which takes the credentials that anybody can make
	Password string
}

const (
	// DefaultPort is that of TURN.
	DefaultPort = 3478
	// MaxRelays is how many relays a code can name.
	MaxRelays = 3

	maxName = 253 // of DNS
	maxText = 128 // of users and passwords
)

// Check says what of the code cannot be written down.
func (c Code) Check() error {
	switch {
	case c.Secret == [16]byte{}:
		return errors.New("a code needs a secret")
	case len(c.Relays) == 0:
		return errors.New("a code needs a relay")
	case len(c.Relays) > MaxRelays:
		return fmt.Errorf("a code can name %d relays, not %d", MaxRelays, len(c.Relays))
	}
	if err := CheckMeeting(c.Meeting); err != nil {
		return err
	}
	for _, r := range c.Relays {
		if err := r.Check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckMeeting says whether a meeting address cannot be written down.
func CheckMeeting(at netip.AddrPort) error {
	if at != (netip.AddrPort{}) && (at.Port() == 0 || !Reachable(at.Addr())) {
		return fmt.Errorf("nobody can answer at %s", at)
	}
	return nil
}

// Reachable reports whether an address can be that of a machine to others. An IPv4 address has to be in its own form.
func Reachable(a netip.Addr) bool {
	return a.IsValid() && a.Zone() == "" && !a.Is4In6() && !a.IsUnspecified() && !a.IsMulticast()
}

// Check says what of the relay cannot be written down.
func (r Relay) Check() error {
	if a, err := netip.ParseAddr(r.Host); err == nil {
		switch {
		case a.Zone() != "" || a.Is4In6() || a.String() != r.Host:
			return fmt.Errorf("relay %s: write the address as %s", r.Host, a.Unmap().WithZone(""))
		case r.Port == 0:
			return fmt.Errorf("relay %s: it needs a port", r.Host)
		case !Reachable(a):
			return fmt.Errorf("relay %s: this is the address of no machine", r.Host)
		}
	} else if err := checkName(r.Host); err != nil {
		return err
	}
	switch {
	case r.User == "" && r.Password != "":
		return fmt.Errorf("relay %s: a password without a user", r.Host)
	case len(r.User) > maxText || len(r.Password) > maxText:
		return fmt.Errorf("relay %s: the user and the password can have %d octets", r.Host, maxText)
	case !printable(r.User) || !printable(r.Password):
		return fmt.Errorf("relay %s: the user or the password holds what is no text", r.Host)
	}
	return nil
}

// label matches one part of a name.
const label = `[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?`

// names matches names of machines, and numeric what ends like an IPv4 address.
var (
	names   = regexp.MustCompile(`^` + label + `(\.` + label + `)*$`)
	numeric = regexp.MustCompile(`(^|\.)[0-9]+$`)
)

// checkName returns an error if a name cannot be that of a machine.
func checkName(name string) error {
	switch {
	case name == "" || len(name) > maxName:
		return fmt.Errorf("a relay's name has 1 to %d letters, not %d", maxName, len(name))
	case !names.MatchString(name) || numeric.MatchString(name):
		return fmt.Errorf("relay %.260q: this is no name and no address of a machine", name)
	}
	return nil
}

// printable reports whether the text is fit for a terminal.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
}
