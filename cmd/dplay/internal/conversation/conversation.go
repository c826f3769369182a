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
	Number int               // 0: by who talks
	ends   [2]netip.AddrPort // port 0: any; the second one is invalid if anybody may be there
}

// Parse reads the value of --conversation.
func Parse(s string) (*Choice, error) {
	if n, err := strconv.Atoi(s); err == nil {
		if n < 1 {
			return nil, fmt.Errorf("--conversation %d: conversations are numbered from 1", n)
		}
		return &Choice{Number: n}, nil
	}
	c := &Choice{}
	parts := strings.Split(s, ",")
	if len(parts) > len(c.ends) {
		return nil, fmt.Errorf("--conversation %s: two addresses at most", s)
	}
	for i, p := range parts {
		p = strings.TrimSpace(p)
		at, err := netip.ParseAddrPort(p)
		if err != nil {
			var ip netip.Addr
			ip, err = netip.ParseAddr(p)
			at = netip.AddrPortFrom(ip, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("--conversation %s: %q is neither a number nor an address such as 10.0.0.1 or 10.0.0.1:2300", s, p)
		}
		c.ends[i] = at
	}
	return c, nil
}

// Wants reports whether a message is of the conversation. Nil wants all.
func (c *Choice) Wants(r *captures.Record) bool {
	switch {
	case c == nil:
		return true
	case c.Number > 0:
		return r.Conversation == c.Number
	}
	isFrom := func(end netip.AddrPort) bool { return isAt(end, r.Src) || isAt(end, r.From.At) }
	isTo := func(end netip.AddrPort) bool { return isAt(end, r.Dst) || isAt(end, r.To.At) }
	return isFrom(c.ends[0]) && isTo(c.ends[1]) || isFrom(c.ends[1]) && isTo(c.ends[0])
}

// isAt reports whether an address is that of an end. The invalid end stands for anybody.
func isAt(end, at netip.AddrPort) bool {
	return !end.IsValid() || end.Addr() == at.Addr() && (end.Port() == 0 || end == at)
}

// String returns what is drawn, for a title.
func (c *Choice) String() string {
	if c.Number > 0 {
		return "conversation " + strconv.Itoa(c.Number)
	}
	var names []string
	for _, e := range c.ends {
		switch {
		case !e.IsValid():
		case e.Port() == 0:
			names = append(names, e.Addr().String())
		default:
			names = append(names, e.String())
		}
	}
	return strings.Join(names, " and ")
}
