package code

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// ParseRelay reads a relay as users write it: 203.0.113.5, relay.example.org, [2001:db8::5]:443,
// user:password@relay.example.org:443.
func ParseRelay(s string) (Relay, error) {
	var r Relay
	host := strings.TrimSpace(s)
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		// A user that "dplay bridge credential" made has a colon of its own, and no password that it made has one. Passwords of
		// others may.
		colon := strings.IndexByte(host[:at], ':')
		if last := strings.LastIndexByte(host[:at], ':'); last > colon && strings.Trim(host[:colon], "0123456789") == "" {
			colon = last
		}
		if colon < 1 {
			return r, fmt.Errorf("relay %q: before @ goes USER:PASSWORD", s)
		}
		r.User, r.Password, host = host[:colon], host[colon+1:at], host[at+1:]
	}
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !isAddress(host) {
		n, err := strconv.ParseUint(host[colon+1:], 10, 16)
		if err != nil || n == 0 {
			return r, fmt.Errorf("relay %q: %q is no port", s, host[colon+1:])
		}
		host, r.Port = host[:colon], uint16(n)
	}
	r.Host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		r.Host = a.Unmap().String()
		if r.Port == 0 {
			r.Port = DefaultPort
		}
	}
	return r, r.Check()
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
