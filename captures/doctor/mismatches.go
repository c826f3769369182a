package doctor

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"dplay4/wire"
)

// appMismatch is the rule app-mismatch for captures.
var appMismatch = all(each((*facts).otherGames, func(c *facts, x meeting) *Finding {
	section, fill := c.game.unrelated(x.a.App, x.o.App)
	return found(c.who(x.a.Asker)+" looks for "+c.game.title(x.a.App)+", but "+c.who(x.o.Host)+" hosts "+c.game.title(x.o.App), c.apps(x.a, x.o)...).
		in(section, fill...)
}), func(c *facts) []*Finding {
	return flat(c.silent, func(a *ask) []*Finding {
		return mapped(a.own, func(o *offer) *Finding {
			return found(o.Host.Addr().String()+" hosts "+c.game.title(o.App)+", and answers only who asks for that game, not "+c.who(a.Asker)+
				", who asks for any", c.apps(a, o)...).in("named")
		})
	})
})

// A meeting is a question and an offer of a host that it reached.
type meeting struct {
	a *ask
	o *offer
}

// otherGames returns the offers of other games to askers that found no session of their own game.
func (c *facts) otherGames() []meeting {
	vain := where(c.Asks.list, func(a *ask) bool {
		return a.answered && !a.App.IsZero() && !exists(c.Joins, func(j *join) bool { return j.Joiner == a.Asker && j.joined() }) &&
			len(c.offered(a, func(o *offer) bool { return cmp.Or(o.App, a.App) == a.App || c.wants[wanting{a.Asker, o.App}] })) == 0
	})
	return flat(slices.Concat(c.silent, vain), func(a *ask) []meeting {
		return mapped(otherApp(c, a), func(o *offer) meeting { return meeting{a, o} })
	})
}

// apps makes evidence of the game that is asked for, and the one that is hosted.
func (c *facts) apps(a *ask, o *offer) []Evidence {
	return []Evidence{a.first().show("ApplicationGuid", c.game.title(a.App)), o.show("ApplicationGUID", c.game.title(o.App))}
}

// ownGame returns the first offer of a host that did not answer a question for any game, but a later one of the same machine for its own game.
func ownGame(c *facts, a *ask) []*offer {
	its := addrs{a.Asker.Addr(), a.To.Addr()}
	o := cmp.Or(find(c.Offers.list, func(o *offer) bool { return addrs{o.To.Addr(), o.Host.Addr()} == its }), new(offer))
	named := exists(c.Asks.list, func(q *ask) bool {
		return addrs{q.Asker.Addr(), q.To.Addr()} == its && q.App == o.App && q.first().N < o.N && q.first().N > a.first().N
	})
	if !a.App.IsZero() || o.App.IsZero() || a.Broadcast() || !named {
		return nil
	}
	return []*offer{o}
}

// liveGame is the rule app-mismatch for this machine: a host has no session of the game that is looked for, or shows its own only to
// a question for that game.
var liveGame = one(func(l *Live) *Finding {
	ways := where(l.Ways, func(w Way) bool { return len(w.Offers) > 0 })
	wanted := func(w Way) bool {
		return l.App.IsZero() && !w.Any || exists(w.Offers, func(o LiveOffer) bool { return o.App == l.App })
	}
	if len(ways) == 0 || exists(ways, wanted) {
		return nil
	}
	offers, game := l.Offers(), namer(l.Game)
	f := found("", mapped(offers, func(o LiveOffer) Evidence { return o.show("Application", game.title(o.App)) })...)
	o := last(offers)
	f.Text = o.Host.String() + " hosts " + game.title(o.App)
	if l.App.IsZero() {
		f.Text += ", and answers only who asks for that game"
		return f.in("named-live", "{hosted}", l.option(o.App))
	}
	f.Text += ", which is not " + game.title(l.App)
	section, fill := game.unrelated(l.App, o.App)
	if l.ThroughBridge() {
		section, fill = section+" bridge", append(fill, "{hosts}", l.option(o.App), "{asked}", l.option(l.App))
	}
	return f.in(section, fill...)
})

// option returns an application as it is typed behind --app.
func (l *Live) option(app wire.GUID) string {
	name := namer(l.Game).name(app)
	return pick(name == "", app.String(), quote(name))
}

// otherApp returns an offer of each host that a question may have reached, and that has sessions of other games only.
func otherApp(c *facts, a *ask) []*offer {
	if a.App.IsZero() {
		return nil
	}
	list := once(where(c.Offers.list, func(o *offer) bool {
		at := o.Host.Addr()
		return o.App != a.App && !o.App.IsZero() && (o.To.Addr() == a.Asker.Addr() || a.near(at)) &&
			!c.hosts[hosting{at, a.App}] && !c.hosts[hosting{at, wire.GUID{}}]
	}), func(o *offer) netip.AddrPort { return o.Host })
	return list[:min(len(list), maxEvidence)]
}

// near reports whether a question went to an address: to it alone, or to everybody on its network.
func (a *ask) near(at netip.Addr) bool {
	return a.To.Addr() == at || a.Broadcast() && sameNetwork(at, a.Asker.Addr())
}

// dialectMismatch is the rule dialect-mismatch for captures.
var dialectMismatch = all(each(func(c *facts) []*ask { return c.Asks.list }, func(c *facts, a *ask) *Finding {
	return unspoken(c.who(a.Asker), a.Version, a.first().show("Version", a.Version.String()))
}), each(func(c *facts) []*offer { return c.Offers.list }, func(c *facts, o *offer) *Finding {
	return unspoken(c.who(o.Host), o.Version, o.show("Version", o.Version.String()))
}), each(stopsWhere(func(s *stop) bool {
	return s.host && s.Version != s.HostVersion && spoken(s.Version) && spoken(s.HostVersion)
}), func(c *facts, s *stop) *Finding {
	return found(fmt.Sprintf("%s speaks version %s and %s version %s, and the join came to nothing", c.who(s.Joiner), s.Version, c.who(s.Host), s.HostVersion),
		s.Asked.show("Version", s.Version.String()), cmp.Or(s.List, s.ID).show("Version", s.HostVersion.String()))
}))

// liveDialectMismatch is the rule dialect-mismatch for this machine.
var liveDialectMismatch = each(func(l *Live) []LiveOffer {
	return where(l.sessions(), func(o LiveOffer) bool { return o.Version != 0 })
}, func(_ *Live, o LiveOffer) *Finding {
	return unspoken(o.Host.Addr().String(), o.Version, o.show("Version", o.Version.String()))
})

// unspoken returns a finding if a machine speaks a version which is none of DirectPlay 4.
func unspoken(who string, v wire.Dialect, e Evidence) *Finding {
	return pick(spoken(v), nil, found(fmt.Sprintf("%s speaks version %d, which no DirectPlay 4 knows", who, v), e))
}

// spoken reports whether a dialect is one of DirectPlay 4.
func spoken(v wire.Dialect) bool { return v >= wire.DX6 && v <= wire.DX9 }
