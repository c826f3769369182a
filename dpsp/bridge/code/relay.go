package code

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// ParseRelay reads a relay as users write it: 203.0.113.5, relay.example.org, [2001:db8::5]:443,
// user:password@relay.example.org:443.
func ParseRelay(s string) (Relay, error) {
	var r Relay
	host := strings.TrimSpace(s)
	if err := refuseURL(host); err != nil {
		return r, err
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		m := credential.FindStringSubmatch(host[:at])
		if m == nil {
			return r, fmt.Errorf("relay %q: before @ goes USER:PASSWORD", s)
		}
		r.User, r.Password, host = m[1], m[2], host[at+1:]
	}
	switch path := strings.IndexByte(host, '/'); {
	case path >= 0:
		return r, fmt.Errorf("relay %q: leave %q away%s", host, host[path:], form)
	case strings.ContainsFunc(host, unicode.IsSpace):
		return r, fmt.Errorf("relay %q: there is a space in it%s", host, form)
	}
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !isAddress(host) {
		n, err := strconv.ParseUint(host[colon+1:], 10, 16)
		if err != nil || n == 0 {
			return r, fmt.Errorf("relay %q: %q is no port: they go from 1 to 65535", host, host[colon+1:])
		}
		host, r.Port = host[:colon], uint16(n)
	}
	r.Host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		r.Host = a.Unmap().String()
		r.Port = cmp.Or(r.Port, DefaultPort)
	}
	return r, r.Check()
}

// credential splits a user from a password. A user that "dplay bridge credential" made begins with digits and a colon, and no
// password that it made has a colon. Passwords of others may have one.
var credential = regexp.MustCompile(`(?s)^([0-9]*:.*|[^:]+):(.*)$`)

// form says how relays are written.
const form = "; a relay is an address or a name, such as 203.0.113.5 or relay.example.org:443"

// scheme is what URLs begin with, those of TURN (RFC 7065) among them, which have no user.
var scheme = regexp.MustCompile(`(?i)^([a-z]+://)|^((?:turns?|stun):)[^@]*$`)

// refuseURL refuses those. It does not repeat what may be a password.
func refuseURL(s string) error {
	m := scheme.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	return fmt.Errorf("relay %q: leave %q away%s", s[strings.LastIndexByte(s, '@')+1:], m[1]+m[2], form)
}

// isAddress reports whether the text is an address without a port. An IPv6 address may stand in brackets.
func isAddress(s string) bool {
	_, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return err == nil
}

// String returns the relay as ParseRelay reads it, but for the password.
func (r Relay) String() string {
	s := r.Host
	if strings.Contains(s, ":") {
		s = "[" + s + "]"
	}
	if r.Port != 0 && (r.Port != DefaultPort || !isAddress(r.Host)) {
		s += ":" + strconv.Itoa(int(r.Port))
	}
	if r.User != "" {
		s = r.User + "@" + s
	}
	return s
}
