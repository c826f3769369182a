package doctor

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// ask stores a question for sessions.
func (c *collector) ask(m *message, x *wire.EnumSessions) {
	c.listen(m.from)
	c.listen(m.Src) // nobody listens there, but some hosts think so
	k := askKey{m.from, c.answersAt(m), m.Dst, m.Transport, x.Application, x.Flags, string(clonePassword(x.Password))}
	a := c.Asks.at(k, ask{askKey: k, From: m.Src, Version: m.Envelope.Version})
	if c.Asks.by[k] != a {
		return // the table is full
	}
	put(&c.wants, wanting{m.from, x.Application}, true, maxFacts)
	if a.again(m.at); a.Count <= maxPieces {
		a.Hidden = c.hiding(a)
	}
}

// answersAt returns where the header of a message wants answers.
func (c *collector) answersAt(m *message) netip.AddrPort {
	wanted := netip.AddrPortFrom(resolve(m, m.Envelope.SP.SockAddr), m.from.Port())
	return pick(m.Envelope.HasSP, wanted, m.from)
}

// offer stores a session of an answer to a question.
func (c *collector) offer(m *message, x *wire.EnumSessionsReply) {
	s := c.describe(m, &x.Desc, x.Name, nil)
	c.listen(m.from)
	c.acts(m, false)
	k := offerKey{m.from, m.Dst, m.Transport, x.Desc.Instance}
	o := c.Offers.at(k, offer{offerKey: k, At: c.answersAt(m), App: x.Desc.Application, Name: s.name, Version: m.Envelope.Version})
	o.mark = m.at
	if o.Count++; o.Count == 1 {
		m.sender.offers = o.Name
		put(&c.hosts, hosting{m.from.Addr(), x.Desc.Application}, true, maxFacts)
	}
}

// offered returns the offers that reached an asker from a question on.
func (c *facts) offered(a *ask, fits func(*offer) bool) []*offer {
	return where(c.offersTo[a.Asker.Addr()], func(o *offer) bool { return o.N > a.first().N && fits(o) })
}

// answered reports whether a question was answered as it should be: over TCP, to the asker's listener. A machine that
// joined a session later was answered, whatever the capture lacks.
func (c *facts) answered(a *ask) bool {
	ok := c.offered(a, func(o *offer) bool { return o.Transport == captures.TCP && o.To.Port() == a.Asker.Port() })
	return len(ok) > 0 || c.known(a.Asker).inside.N > a.first().N
}

// searchTime is how far the first questions of one search are apart at most.
const searchTime = time.Second

// sameSearch reports whether one program asked two questions of one search at about the same time, each from another address: it asks by
// each of its adapters, and itself at 127.0.0.1. A socket has one source port for all of them. A program that opens a
// socket for each adapter waits for answers at the same port of each.
func (a *ask) sameSearch(b *ask) bool {
	if !wire.Text(a.Password).Equal(wire.Text(b.Password)) || sameNetwork(a.From.Addr(), b.From.Addr()) {
		return false // or they are two machines
	}
	oneSocket := a.From.Port() == b.From.Port() && a.To.Addr() != b.To.Addr() // to one address, all its datagrams have one source
	everyCard := a.Broadcast() && b.Broadcast()
	return (oneSocket || everyCard) && a.first().Time.Sub(b.first().Time).Abs() <= searchTime
}

// A search identifies the questions of one search, which are asked by UDP.
type search struct {
	port      uint16
	transport captures.Transport
	app       wire.GUID
	flags     wire.EnumFlags
}

// search returns the search of a question.
func (a *ask) search() search { return search{a.Asker.Port(), a.Transport, a.App, a.Flags} }

// asksWhere returns a function for the questions that were not answered, and for which so returns true.
func asksWhere(so func(*ask) bool) func(*facts) []*ask {
	return func(c *facts) []*ask { return where(c.silent, so) }
}

// findAsking returns the questions that were not answered, the first one of each asker; and of a machine that asks the same one at
// several ports, as "doctor --live" does, the first of them all. Those are left out that were asked too short before the end of a
// capture that has more, those of a machine that found nothing and then became host itself, and those of a search of which
// another question was answered. Of a search that found nothing, the question at 127.0.0.1 is left out.
func (c *facts) findAsking() []*ask {
	more := len(c.Offers.list)+len(c.Joins) > 0
	over := where(c.Asks.list, func(a *ask) bool { return a.answered || c.unanswerable(a) || more && c.late(a.first()) })
	done := set(append(mapped(c.Offers.list, func(o *offer) netip.AddrPort { return o.Host }), mapped(over, func(a *ask) netip.AddrPort { return a.Asker })...))
	firsts := once(c.silentSearches(done), func(a *ask) netip.AddrPort { return a.Asker })
	open := where(firsts, func(a *ask) bool { return !done[a.Asker] })
	type machines struct {
		pair
		broadcast netip.AddrPort // its asker, so that it is told apart from others
	}
	return once(open, func(a *ask) machines { return machines{a.pair(), pick(a.Broadcast(), a.Asker, netip.AddrPort{})} })
}

// silentSearches returns the questions of which no other one of the same search has an asker that is done. Of the others
// it leaves out those at 127.0.0.1 where the search went to other machines as well.
func (c *facts) silentSearches(done map[netip.AddrPort]bool) []*ask {
	searches := index(where(c.Asks.list, func(a *ask) bool { return a.Transport == captures.UDP }), (*ask).search)
	return where(c.Asks.list, func(a *ask) bool {
		return !exists(searches[a.search()], func(b *ask) bool {
			local := a.Asker.Addr().IsLoopback() && !b.Asker.Addr().IsLoopback()
			return b.Asker != a.Asker && (local || done[b.Asker]) && a.sameSearch(b)
		})
	})
}

// unansweredBy returns a finding with all unanswered questions of an asker as evidence.
func (c *facts) unansweredBy(a *ask, text string) *Finding {
	f := found(text)
	for _, q := range c.asksBy[a.Asker] {
		value := "answers are wanted at " + q.Wants.String() + ", asked by " + q.Transport.String() + " at " + q.To.String()
		f.with(mapped(q.Marks, func(m mark) Evidence { return m.show("SockAddr", value) })...).more(q.more())
	}
	slices.SortStableFunc(f.Evidence, func(a, b Evidence) int { return a.Frame - b.Frame })
	return f
}
