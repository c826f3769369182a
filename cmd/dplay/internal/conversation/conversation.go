// Package conversation says which messages of a capture are wanted: those of a conversation.
package conversation

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"dplay4/captures"
)

// A Choice says which messages are of the conversation that is wanted: by its number, or by who talks.
type Choice struct {
	Number int // 0: by who talks
	title  string
	wants  func(*captures.Record) bool
}

// An end reports whether an address is that of one who talks.
type end func(at netip.AddrPort) bool

// Parse reads the value of --conversation.
func Parse(s string) (*Choice, error) {
	if n, err := strconv.Atoi(s); err == nil {
		if n < 1 {
			return nil, fmt.Errorf("--conversation %d: conversations are numbered from 1", n)
		}
		return &Choice{n, fmt.Sprint("conversation ", n), func(r *captures.Record) bool { return r.Conversation == n }}, nil
	}
	parts := strings.Split(s, ",")
	if len(parts) > 2 {
		return nil, fmt.Errorf("--conversation %s: two addresses at most", s)
	}
	var names []string
	var ends []end
	for _, p := range parts {
		p = strings.TrimSpace(p)
		name, is, err := parseEnd(p)
		if err != nil {
			return nil, fmt.Errorf("--conversation %s: %q is neither a number nor an address such as 10.0.0.1 or 10.0.0.1:2300", s, p)
		}
		names, ends = append(names, name), append(ends, is)
	}
	anybody := func(netip.AddrPort) bool { return true }
	ends = append(ends, anybody) // unless there are two
	return &Choice{0, strings.Join(names, " and "), between(ends[0], ends[1])}, nil
}

// parseEnd reads an address with a port, or one with any.
func parseEnd(s string) (name string, is end, err error) {
	want, err := netip.ParseAddrPort(s)
	if err == nil && want.Port() != 0 {
		return want.String(), func(at netip.AddrPort) bool { return at == want }, nil
	}
	ip := want.Addr()
	if err != nil {
		ip, err = netip.ParseAddr(s)
	}
	return ip.String(), func(at netip.AddrPort) bool { return at.Addr() == ip }, err
}

// between returns whether a message goes from one end to the other, or back. An end may be the address of a packet, or that of the
// machine that it is known to be of.
func between(a, b end) func(*captures.Record) bool {
	return func(r *captures.Record) bool {
		from := func(is end) bool { return is(r.Src) || is(r.From.At) }
		to := func(is end) bool { return is(r.Dst) || is(r.To.At) }
		return from(a) && to(b) || from(b) && to(a)
	}
}

// Wants reports whether a message is of the conversation. Nil wants all.
func (c *Choice) Wants(r *captures.Record) bool { return c == nil || c.wants(r) }

// String returns what is drawn, for a title.
func (c *Choice) String() string { return c.title }
