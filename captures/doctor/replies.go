package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// unansweredReply returns a rule's function: it adds a finding for each failed connection that brings an answer, and for which so is true.
// before and why are parts of the text.
func unansweredReply(so func(*facts, *dial) bool, before, why string) func(*facts, *findings) {
	return func(c *facts, out *findings) {
		for _, a := range c.asking() {
			for _, d := range c.replies(a) {
				if !d.failed() || !so(c, d) {
					continue
				}
				f := out.add(d.From.String()+before+d.To.String()+", where "+c.who(a.Asker)+" waits for the answer, "+why, d.show("to "+d.To.String())...).
					more(d.more())
				if d.Refused > 0 {
					f.Evidence = append(f.Evidence, d.No.show("", "refused"))
				}
			}
		}
	}
}

// replyRefused adds what reply-refused finds in a capture.
var replyRefused = unansweredReply(func(_ *facts, d *dial) bool { return d.Refused > 0 }, " answered, but its connection to ", "was refused")

// replyTimedOut adds what reply-timed-out finds in a capture.
var replyTimedOut = unansweredReply(func(c *facts, d *dial) bool { return d.Refused == 0 && !c.late(d.Marks[0]) },
	" answered, but nothing at ", "took its connection")

// replyNeverTried adds what reply-never-tried finds in a capture.
func replyNeverTried(c *facts, out *findings) {
	for _, a := range c.asking() {
		host, how, ok := reached(c, a)
		if !ok || len(c.replies(a)) > 0 || elsewhere(c, a) || c.ignored(a) != nil || c.byStream(a) != nil {
			continue
		}
		f := c.unansweredBy(out, a, "the question of "+c.who(a.Asker)+" for sessions reached "+host.String()+", which never tried to answer at "+a.Wants.String())
		f.Evidence = append(f.Evidence, how)
		at := netip.AddrPortFrom(host, wire.EnumPort)
		no := find(c.Blocks, func(b *block) bool { // the machine says that nothing listens there
			return b.Transport == captures.UDP && b.Dst == at && b.By == host && b.Code == portUnreachable
		})
		if no != nil {
			f.in("stranger").Evidence = append(f.Evidence, no.show("UDP "+no.Dst.String()))
		} else if !sameNetwork(host, a.Asker.Addr()) {
			f.in("far", "{asker}", a.Asker.Addr().String())
		}
	}
}

// portUnreachable is ICMP's code for a port that no program uses (RFC 792).
const portUnreachable = 3

// reached returns a host that a question reached for certain, and how that is known: it took the connection that
// brought it, or it answered the same question of somebody else.
func reached(c *facts, a *ask) (netip.Addr, Evidence, bool) {
	if q := find(c.Asks.list, func(q *ask) bool { // or at another port
		return (q.Asker == a.Asker || q.pair() == a.pair()) && q.Transport == captures.TCP
	}); q != nil {
		return q.To.Addr(), q.first().show("", "over a connection that "+q.To.String()+" took"), true
	}
	if o := find(c.Offers.list, func(o *offer) bool { return o.To != a.Asker && o.App == a.App && a.near(o.Host.Addr()) }); o != nil {
		return o.Host.Addr(), o.show("", "it answered "+o.To.String()), true
	}
	return netip.Addr{}, Evidence{}, false
}

// replyByUDP adds what reply-by-udp finds in a capture.
func replyByUDP(c *facts, out *findings) {
	for _, a := range c.asking() {
		for _, o := range onlyUDP(c, a) {
			out.add(c.who(o.Host)+" answered the question of "+c.who(a.Asker)+" by UDP only; games wait for TCP at "+a.Wants.String(),
				a.first().show("SockAddr", a.Asker.String()), o.show("", "by UDP to "+o.To.String())).more(o.Count - 1)
		}
	}
}

// liveReplyByUDP adds what reply-by-udp finds on this machine.
func liveReplyByUDP(l *Live, out *findings) {
	for i := range l.Ways {
		w := &l.Ways[i]
		if len(w.Offers) > 0 && w.Offers[0].Transport == captures.UDP && len(w.heard()) == 0 {
			out.add(w.Offers[0].Host.String()+" answers by UDP only; games wait for TCP", w.show())
		}
	}
}

// onlyUDP returns the answers to an asker that came by UDP.
func onlyUDP(c *facts, a *ask) []*offer {
	return c.offered(a, func(o *offer) bool { return o.Transport == captures.UDP })
}

// replyWrongPort adds what reply-wrong-port finds in a capture.
func replyWrongPort(c *facts, out *findings) {
	own := map[*offer]bool{} // hosts that answer only who asks for their game: there was no answer at all until somebody did
	for _, a := range c.asking() {
		for _, o := range ownGame(c, a) {
			own[o] = true
		}
	}
	for _, a := range c.asking() {
		waits := ", but it waits at port " + itoa(int(a.Asker.Port()))
		for _, o := range wrongPort(c, a) {
			if !own[o] {
				out.add(c.who(o.Host)+" answered "+c.who(a.Asker)+" at port "+itoa(int(o.To.Port()))+waits,
					a.first().show("SockAddr", a.Asker.String()), o.show("", "to "+o.To.String())).more(o.Count - 1)
			}
		}
		for _, d := range wrongDials(c, a) {
			noConnection(out, d, d.From.String()+" wants to answer "+c.who(a.Asker)+" at port "+itoa(int(d.To.Port()))+waits)
		}
	}
}

// wrongDials returns the attempts to connect to where a question came from, or to where hosts are asked.
func wrongDials(c *facts, a *ask) []*dial {
	enum := netip.AddrPortFrom(a.Asker.Addr(), wire.EnumPort)
	return where(c.Dials.list, func(d *dial) bool {
		return (d.To == a.From || d.To == enum && d.From == a.To.Addr()) && d.To != a.Asker && d.failed()
	})
}

// wrongPort returns the answers that went to the asker's machine, but to a port that nobody there gave.
func wrongPort(c *facts, a *ask) []*offer {
	return c.offered(a, func(o *offer) bool { // another program on the same machine may have asked
		return o.Transport == captures.TCP && !exists(c.Asks.list, func(q *ask) bool { return q.Asker == o.To })
	})
}
