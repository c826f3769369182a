package doctor

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
)

// offered returns the offers that reached an asker from a question on.
func (c *facts) offered(a *ask, fits func(*offer) bool) []*offer {
	var list []*offer
	for _, o := range c.Offers {
		if o.To.Addr() == a.Asker.Addr() && o.N > a.Marks[0].N && fits(o) {
			list = append(list, o)
		}
	}
	return list
}

// answered reports whether a question was answered as it should be: over TCP, to the asker's listener. A machine that
// joined a session later was answered, whatever the capture lacks.
func (c *facts) answered(a *ask) bool {
	ok := c.offered(a, func(o *offer) bool { return o.Transport == captures.TCP && o.To.Port() == a.Asker.Port() })
	l := c.lives[a.Asker]
	return len(ok) > 0 || l != nil && l.inside.N > a.Marks[0].N
}

// searchTime is how far the first questions of one search are apart at most.
const searchTime = time.Second

// sameSearch reports whether one program asked both questions at about the same time, each from another address: it asks by
// each of its adapters, and itself at 127.0.0.1. A socket has one source port for all of them. A program that opens a
// socket for each adapter waits for answers at the same port of each.
func (a *ask) sameSearch(b *ask) bool {
	if a.Asker.Port() != b.Asker.Port() || a.Transport != captures.UDP || b.Transport != captures.UDP {
		return false
	}
	if a.App != b.App || a.Flags != b.Flags || !a.Password.Equal(b.Password) {
		return false
	}
	if sameNetwork(a.From.Addr(), b.From.Addr()) {
		return false // two machines
	}
	oneSocket := a.From.Port() == b.From.Port() && a.To.Addr() != b.To.Addr() // to one address, all its datagrams have one source
	everyCard := a.Broadcast() && b.Broadcast()
	return (oneSocket || everyCard) && a.Marks[0].Time.Sub(b.Marks[0].Time).Abs() <= searchTime
}

// asking returns the questions that were not answered, the first one of each asker; and of a machine that asks the same one at
// several ports, as "doctor --live" does, the first of them all. Those are left out that were asked too short before the end of a
// capture that has more, those of a machine that found nothing and then became host itself, and those of a search of which
// another question was answered. Of a search that found nothing, the question at 127.0.0.1 is left out.
func (c *facts) asking() []*ask {
	if !c.sought {
		c.sought = true
		c.unheard = c.findAsking()
	}
	return c.unheard
}

func (c *facts) findAsking() (list []*ask) {
	done := map[netip.AddrPort]bool{}
	for _, o := range c.Offers {
		done[o.Host] = true
	}
	more := len(c.Offers)+len(c.Joins) > 0
	for _, a := range c.Asks {
		if c.answered(a) || c.unanswerable(a) || more && c.left(a.Marks[0]) < patience {
			done[a.Asker] = true
		}
	}
	told := map[pair]bool{}
	for _, a := range c.silentSearches(done) {
		if !done[a.Asker] && !told[a.pair()] {
			list = append(list, a)
			told[a.pair()] = !a.Broadcast()
		}
		done[a.Asker] = true
	}
	return list
}

// silentSearches returns the questions of which no other one of the same search has an asker that is done. Of the others
// it leaves out those at 127.0.0.1 where the search went to other machines as well.
func (c *facts) silentSearches(done map[netip.AddrPort]bool) (list []*ask) {
	for _, a := range c.Asks {
		if !slices.ContainsFunc(c.Asks, func(b *ask) bool {
			local := a.Asker.Addr().IsLoopback() && !b.Asker.Addr().IsLoopback()
			return b.Asker != a.Asker && (local || done[b.Asker]) && a.sameSearch(b)
		}) {
			list = append(list, a)
		}
	}
	return list
}

// questions returns all unanswered questions of an asker as evidence.
func (c *facts) questions(asker netip.AddrPort) (list []Evidence, more int) {
	for _, a := range c.Asks {
		if a.Asker != asker {
			continue
		}
		for _, m := range a.Marks {
			list = append(list, m.show("SockAddr", "answers are wanted at "+a.Wants.String()+", asked by "+a.Transport.String()+" at "+a.To.String()))
		}
		more += a.Count - len(a.Marks)
	}
	slices.SortStableFunc(list, func(a, b Evidence) int { return a.Frame - b.Frame })
	return list, more
}
