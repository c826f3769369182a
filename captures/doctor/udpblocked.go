package doctor

import "dplay4/captures"

var udpBlocked = rule{
	code: "udp-blocked", severity: Failure,
	cause: "a firewall or router lets TCP through and drops UDP: ports were forwarded for TCP only, or UDP 2350-2399 is missing. Games that " +
		"send moves by UDP stand still or lose players after a while.",
	advice: "Forward UDP 2300-2400 as well as TCP, on both sides, and allow UDP for the game in the firewall.",
	capture: func(c *Case) (list []Finding) {
		for _, q := range c.quiets(func(s *Silence) bool { return s.Between >= 2 }) {
			s := q.list[0]
			ev, more := q.evidence()
			if n := maxEvidence - 1; len(ev) > n {
				ev, more = ev[:n], more+len(ev)-n
			}
			list = append(list, Finding{
				Text:     c.who(q.machine) + " got or answered no ping by UDP, of " + itoa(q.pings) + ", while it went on to speak over TCP",
				Evidence: append(ev, s.Stream.show("", "over TCP, from "+s.Machine.String())), More: more,
			})
		}
		return list
	},
	live: func(l *Live) (list []Finding) {
		if !l.Host.IsValid() {
			return nil
		}
		var udp, tcp *Way
		for i := range l.Ways {
			switch w := &l.Ways[i]; {
			case w.Any:
			case w.Transport == captures.UDP:
				udp = w
			default:
				tcp = w
			}
		}
		if udp == nil || tcp == nil || len(udp.heard()) > 0 || len(tcp.heard()) == 0 {
			return nil
		}
		return []Finding{{
			Text:     l.Host.String() + " answers questions over TCP, but not those by UDP",
			Evidence: []Evidence{udp.show(), tcp.show()},
		}}
	},
}
