package code

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode"
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
	err := cmp.Or(
		fault(c.Secret == [16]byte{}, "a code needs a secret"),
		fault(len(c.Relays) == 0, "a code needs a relay"),
		fault(len(c.Relays) > MaxRelays, "a code can name %d relays, not %d", MaxRelays, len(c.Relays)),
		CheckMeeting(c.Meeting))
	for _, r := range c.Relays {
		err = cmp.Or(err, r.Check())
	}
	return err
}

// fault returns an error with a formatted text if bad is true, nil otherwise.
func fault(bad bool, format string, args ...any) error {
	if !bad {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// CheckMeeting says whether a meeting address cannot be written down.
func CheckMeeting(at netip.AddrPort) error {
	return fault(at != netip.AddrPort{} && (at.Port() == 0 || !Reachable(at.Addr())), "nobody can answer at %s", at)
}

// Reachable reports whether an address can be that of a machine to others. An IPv4 address has to be in its own form.
func Reachable(a netip.Addr) bool {
	return a.IsValid() && a == plain(a) && !a.IsUnspecified() && !a.IsMulticast()
}

// plain returns an address without a zone, an IPv4 address in its own form.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Check says what of the relay cannot be written down.
func (r Relay) Check() error {
	a, err := netip.ParseAddr(r.Host)
	host := checkName(r.Host)
	if err == nil {
		host = cmp.Or(
			fault(plain(a).String() != r.Host, "relay %s: write the address as %s", r.Host, plain(a)),
			fault(r.Port == 0, "relay %s: it needs a port", r.Host),
			fault(!Reachable(a), "relay %s: this is the address of no machine", r.Host))
	}
	return cmp.Or(host,
		fault(r.User == "" && r.Password != "", "relay %s: a password without a user", r.Host),
		fault(max(len(r.User), len(r.Password)) > maxText, "relay %s: the user and the password can have %d octets", r.Host, maxText),
		fault(!printable(r.User) || !printable(r.Password), "relay %s: the user or the password holds what is no text", r.Host))
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
	return cmp.Or(
		fault(name == "" || len(name) > maxName, "a relay's name has 1 to %d letters, not %d", maxName, len(name)),
		fault(!names.MatchString(name) || numeric.MatchString(name), "relay %.260q: this is no name and no address of a machine", name))
}

// printable reports whether the text is fit for a terminal.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
