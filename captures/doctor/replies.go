package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// failedReplies returns a rule's function for failed connections that were to bring an answer, and for which so returns true. before and
// why are parts of the text.
func failedReplies(so func(*facts, *dial) bool, before, why string) func(*facts) []*Finding {
	return func(c *facts) []*Finding {
		return flat(c.silent, func(a *ask) []*Finding {
			return mapped(where(a.replies, func(d *dial) bool { return d.failed() && so(c, d) }), func(d *dial) *Finding {
				return d.series.found(d.From.String()+before+d.To.String()+", where "+c.who(a.Asker)+" waits for the answer, "+why, "to "+d.To.String()).
					with(d.Refused.show("", "refused"))
			})
		})
	}
}

// replyRefused is the rule reply-refused for captures.
var replyRefused = failedReplies(func(_ *facts, d *dial) bool { return d.Refused.Count > 0 }, " answered, but its connection to ", "was refused")

// replyTimedOut is the rule reply-timed-out for captures.
var replyTimedOut = failedReplies(func(c *facts, d *dial) bool { return d.Refused.Count == 0 && !c.late(d.Marks[0]) },
	" answered, but nothing at ", "took its connection")

// replyNeverTried is the rule reply-never-tried for captures.
var replyNeverTried = each(asksWhere(func(a *ask) bool { return a.unexplained() && a.reach != nil }), func(c *facts, a *ask) *Finding {
	to := a.reach
	f := c.unansweredBy(a, "the question of "+c.who(a.Asker)+" for sessions reached "+to.host.String()+", which never tried to answer at "+a.Wants.String()).
		with(to.how)
	at := netip.AddrPortFrom(to.host, wire.EnumPort)
	no := find(c.Blocks.list, func(b *block) bool { // the machine itself reports that nothing listens there
		return b.blockKey == blockKey{captures.UDP, b.Src, at, portUnreachable} && b.By == to.host
	})
	switch {
	case no != nil:
		f.in("stranger").with(no.show("UDP " + no.Dst.String()))
	case !sameNetwork(to.host, a.Asker.Addr()):
		f.in("far", "{asker}", a.Asker.Addr().String())
	}
	return f
})

// portUnreachable is ICMP's code for a port that no program uses (RFC 792).
const portUnreachable = 3

// A reach is a host that a question reached for certain, and how that is known.
type reach struct {
	host netip.Addr
	how  Evidence
}

// reached returns a host that a question reached for certain: it took the connection that
// brought it, or it answered the same question of another machine. reached returns nil if there is none.
func (c *facts) reached(a *ask) *reach {
	q := find(c.Asks.list, func(q *ask) bool { // or at another port
		return q.Transport == captures.TCP && (q.Asker == a.Asker || q.pair() == a.pair())
	})
	if q != nil {
		return &reach{q.To.Addr(), q.first().show("", "over a connection that "+q.To.String()+" took")}
	}
	o := find(c.Offers.list, func(o *offer) bool { return o.To != a.Asker && o.App == a.App && a.near(o.Host.Addr()) })
	if o != nil {
		return &reach{o.Host.Addr(), o.show("", "it answered "+o.To.String())}
	}
	return nil
}

// replyByUDP is the rule reply-by-udp for captures.
func replyByUDP(c *facts) []*Finding {
	return flat(c.silent, func(a *ask) []*Finding {
		return mapped(a.byUDP, func(o *offer) *Finding {
			return found(c.who(o.Host)+" answered the question of "+c.who(a.Asker)+" by UDP only; games wait for TCP at "+a.Wants.String(),
				a.first().show("SockAddr", a.Asker.String()), o.show("", "by UDP to "+o.To.String())).more(o.Count - 1)
		})
	})
}

// liveReplyByUDP is the rule reply-by-udp for this machine.
var liveReplyByUDP = each(func(l *Live) []Way {
	return where(l.Ways, func(w Way) bool { return w.first().Transport == captures.UDP && !w.answered() })
}, func(_ *Live, w Way) *Finding {
	return found(w.first().Host.String()+" answers by UDP only; games wait for TCP", w.show())
})

// replyWrongPort is the rule reply-wrong-port for captures.
func replyWrongPort(c *facts) []*Finding {
	// A host that answers only questions for its own game gave no answer before such a question.
	own := flat(c.silent, func(a *ask) []*offer { return a.own })
	return flat(c.silent, func(a *ask) []*Finding {
		waits := ", but it waits at port " + itoa(a.Asker.Port())
		offers := where(a.wrongPort, func(o *offer) bool { return !slices.Contains(own, o) })
		return slices.Concat(mapped(offers, func(o *offer) *Finding {
			return found(c.who(o.Host)+" answered "+c.who(a.Asker)+" at port "+itoa(o.To.Port())+waits,
				a.first().show("SockAddr", a.Asker.String()), o.show("", "to "+o.To.String())).more(o.Count - 1)
		}), mapped(a.wrongDials, func(d *dial) *Finding {
			return d.vain(d.From.String() + " wants to answer " + c.who(a.Asker) + " at port " + itoa(d.To.Port()) + waits)
		}))
	})
}

// trace finds the outcome of a question.
func (c *facts) trace(a *ask) {
	to := once([]netip.AddrPort{a.Asker, a.Wants}, func(at netip.AddrPort) netip.AddrPort { return at })
	replies := flat(to, func(at netip.AddrPort) []*dial { return c.dialsTo[at] })
	if !exists(replies, func(d *dial) bool { return d.Taken == 0 || d.Used || c.late(d.Marks[0]) }) {
		a.mute = last(replies)
	}
	// Failed ones come first, because each of them can become a finding.
	taken := where(replies, func(d *dial) bool { return !d.failed() })
	a.replies = few(append(where(replies, (*dial).failed), taken...))
	a.byUDP = few(c.offered(a, func(o *offer) bool { return o.Transport == captures.UDP }))
	a.wrongPort = few(c.offered(a, func(o *offer) bool { // another program on the same machine may have asked
		return o.Transport == captures.TCP && c.asksBy[o.To] == nil
	}))
	enum := netip.AddrPortFrom(a.Asker.Addr(), wire.EnumPort) // some hosts answer where hosts are asked
	a.wrongDials = few(where(c.Dials.list, func(d *dial) bool {
		return (d.To == a.From || d.dialKey == dialKey{a.To.Addr(), enum}) && d.To != a.Asker && d.failed()
	}))
	a.others, a.own = otherApp(c, a), ownGame(c, a)
	a.cut = find(c.overruns, func(b *broken) bool { return b.Short && b.to == a.Asker && b.Frame > a.first().Frame })
	a.stream, a.reach, a.networks = c.byStream(a), c.reached(a), otherNetworks(c, a.From.Addr())
}
