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
	Number int              // 0: by who talks
	ends   []netip.AddrPort // one or two; port 0: any
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
	if len(parts) > 2 {
		return nil, fmt.Errorf("--conversation %s: two addresses at most", s)
	}
	for _, p := range parts {
		p = strings.TrimSpace(p)
		if at, err := netip.ParseAddrPort(p); err == nil {
			c.ends = append(c.ends, at)
			continue
		}
		ip, err := netip.ParseAddr(p)
		if err != nil {
			return nil, fmt.Errorf("--conversation %s: %q is neither a number nor an address such as 10.0.0.1 or 10.0.0.1:2300", s, p)
		}
		c.ends = append(c.ends, netip.AddrPortFrom(ip, 0))
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
	from, to := r.From, r.To
	isFrom := func(i int) bool { return isEnd(c.ends[i], r.Src, from.At) }
	isTo := func(i int) bool { return isEnd(c.ends[i], r.Dst, to.At) }
	if len(c.ends) == 1 {
		return isFrom(0) || isTo(0)
	}
	return isFrom(0) && isTo(1) || isFrom(1) && isTo(0)
}

// isEnd reports whether an address is that of a packet or of the machine that it is known to be of.
func isEnd(want, packet, machine netip.AddrPort) bool {
	if want.Port() == 0 {
		return want.Addr() == packet.Addr() || want.Addr() == machine.Addr()
	}
	return want == packet || want == machine
}

// String returns what is drawn, for a title.
func (c *Choice) String() string {
	if c.Number > 0 {
		return "conversation " + strconv.Itoa(c.Number)
	}
	var names []string
	for _, e := range c.ends {
		if e.Port() == 0 {
			names = append(names, e.Addr().String())
		} else {
			names = append(names, e.String())
		}
	}
	return strings.Join(names, " and ")
}
