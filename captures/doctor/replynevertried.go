package doctor

import (
	"net/netip"

	"dplay4/captures"
)

var replyNeverTried = rule{
	code: "reply-never-tried", severity: Failure,
	cause: "the host got the question and had no way to send the answer to, a firewall on its machine keeps the game from connecting out, or " +
		"it hides the session from this question: it is private, closed, or wants a password.",
	advice: "On the host's machine allow the game to connect out, and look whether the session shows to others.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			host, how, ok := reached(c, a)
			if !ok || len(c.replies(a)) > 0 || elsewhere(c, a) {
				continue
			}
			ev, more := c.questions(a.Asker)
			list = append(list, Finding{
				Text:     "the question of " + c.who(a.Asker) + " for sessions reached " + host.String() + ", which never tried to answer at " + a.Wants.String(),
				Evidence: append(ev, how), More: more,
			})
		}
		return list
	},
}

// reached gives a host that a question reached for certain, and how that is known: it took the connection that
// brought it, or it answered the same question of somebody else.
func reached(c *Case, a *Ask) (netip.Addr, Evidence, bool) {
	for _, q := range c.Asks {
		if q.Asker == a.Asker && q.Transport == captures.TCP {
			return q.To.Addr(), q.Marks[0].show("", "over a connection that "+q.To.String()+" took"), true
		}
	}
	for _, o := range c.Offers {
		if o.To != a.Asker && o.App == a.App && (a.To.Addr() == o.Host.Addr() || a.Broadcast() && sameNetwork(o.Host.Addr(), a.Asker.Addr())) {
			return o.Host.Addr(), o.show("", "it answered "+o.To.String()), true
		}
	}
	return netip.Addr{}, Evidence{}, false
}
