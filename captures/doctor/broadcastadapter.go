package doctor

import (
	"net/netip"
	"slices"
	"strings"
)

var broadcastAdapter = rule{
	code: "broadcast-wrong-adapter", severity: Failure,
	cause: "a question to everybody leaves a machine by one adapter only, the one that its system prefers: often that of a VPN or a " +
		"virtual machine, on which nobody plays.",
	advice: "Give the game the host's IP address instead of searching, turn the other adapters off while you play, or give the right one the lowest metric.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			if !a.Broadcast() {
				continue
			}
			others := otherNetworks(c, a.From.Addr())
			if len(others) == 0 && !oddAdapter(a.From.Addr()) {
				continue
			}
			text := c.who(a.Asker) + " asked everybody on the network of " + a.From.Addr().String() + ", and nobody answered"
			if len(others) > 0 {
				text += ", while the capture has traffic of " + strings.Join(others, " and ")
			} else {
				text += "; " + a.From.Addr().String() + " is " + localKind(a.From.Addr())
			}
			var ev []Evidence
			for _, m := range a.Marks {
				ev = append(ev, m.show("", "from "+a.From.Addr().String()+" to "+a.To.Addr().String()))
			}
			list = append(list, Finding{Text: text, Evidence: ev, More: a.Count - len(a.Marks)})
		}
		return list
	},
	live: liveBroadcast,
}

// otherNetworks gives addresses on other interfaces of the capture than the one that an address was seen on: those that
// are of a network that people play on.
func otherNetworks(c *Case, from netip.Addr) (list []string) {
	on := map[int]bool{}
	for _, s := range c.Sources {
		if s.Addr == from {
			on[s.Interface] = true
		}
	}
	for _, s := range c.Sources {
		at := s.Addr.String()
		if len(on) > 0 && !on[s.Interface] && s.Addr.Is4() && !s.Addr.IsLoopback() && !sameNetwork(s.Addr, from) && !slices.Contains(list, at) && len(list) < 3 {
			list = append(list, at)
		}
	}
	return list
}

// liveBroadcast judges where broadcasts of this machine go.
func liveBroadcast(l *Live) []Finding {
	use := l.playable()
	if l.Host.IsValid() {
		return nil // nobody searches
	}
	if !l.BroadcastBy.IsValid() || len(use) == 0 {
		return nil
	}
	by := Evidence{Message: "broadcast", Field: "source address", Value: l.BroadcastBy.String()}
	var ev []Evidence
	for _, a := range use {
		for _, p := range a.Addrs {
			if p.Addr() == l.BroadcastBy && !oddAdapter(p.Addr()) && len(use) == 1 {
				return nil
			}
		}
		ev = append(ev, a.show())
	}
	f := Finding{Evidence: append([]Evidence{by}, ev...)}
	if oddAdapter(l.BroadcastBy) {
		if l.playsOver(netip.PrefixFrom(l.BroadcastBy, 32)) {
			return nil // that is where they play
		}
		f.Text = "a search for games on the network leaves by " + l.BroadcastBy.String() + ", which is " + localKind(l.BroadcastBy)
		return []Finding{f}
	}
	if len(use) > 1 {
		f.Severity = Warning
		f.Text = "this machine is on " + itoa(len(use)) + " networks, and a search for games goes to that of " + l.BroadcastBy.String() + " only"
		return []Finding{f}
	}
	f.Text = "a search for games leaves by " + l.BroadcastBy.String() + ", not by " + use[0].Name
	return []Finding{f}
}
