package doctor

import (
	"fmt"
	"net/netip"
	"strings"

	"dplay4/wire"
)

// appMismatch adds what app-mismatch finds in a capture.
func appMismatch(c *facts, out *findings) {
	for _, a := range c.asking() {
		mismatches(c, out, a)
		for _, o := range ownGame(c, a) {
			out.add(o.Host.Addr().String()+" hosts "+c.app(o.App)+", and answers only who asks for that game, not "+c.who(a.Asker)+
				", who asks for any", c.apps(a, o)...).in("named")
		}
	}
	for _, a := range c.Asks.list {
		if !c.answered(a) || a.App.IsZero() || exists(c.Joins, func(j *join) bool { return j.Joiner == a.Asker && j.joined() }) {
			continue
		}
		if len(c.offered(a, func(o *offer) bool { return o.App == a.App || o.App.IsZero() || c.wants[wanting{a.Asker, o.App}] })) == 0 {
			mismatches(c, out, a)
		}
	}
}

// apps makes evidence of the game that is asked for, and the one that is hosted.
func (c *facts) apps(a *ask, o *offer) []Evidence {
	return []Evidence{a.first().show("ApplicationGuid", c.app(a.App)), o.show("ApplicationGUID", c.app(o.App))}
}

// ownGame returns the first offer of a host that did not answer a question for any game, but one for its own of the same machine.
func ownGame(c *facts, a *ask) []*offer {
	if !a.App.IsZero() || a.Broadcast() {
		return nil
	}
	machines := [2]netip.Addr{a.Asker.Addr(), a.To.Addr()}
	o := find(c.Offers.list, func(o *offer) bool { return machines == [2]netip.Addr{o.To.Addr(), o.Host.Addr()} })
	if o == nil || o.App.IsZero() || !exists(c.Asks.list, func(q *ask) bool {
		return machines == [2]netip.Addr{q.Asker.Addr(), q.To.Addr()} && q.App == o.App && q.first().N < o.N && q.first().N > a.first().N
	}) {
		return nil // or it answered before
	}
	return []*offer{o}
}

// liveGame judges a host that has no session of the game that is looked for, or tells of its own only to who names it.
func liveGame(l *Live, out *findings) {
	var f Finding
	for i := range l.Ways {
		w := &l.Ways[i]
		for _, o := range w.Offers {
			if o.App == l.App || l.App.IsZero() && !w.Any {
				return
			}
			name := appName(l.Game, o.App)
			f.Evidence = append(f.Evidence, o.show("Application", name))
			f.Text = o.Host.String() + " hosts " + name
			if l.App.IsZero() {
				f.Text += ", and answers only who asks for that game"
				f.in("named-live", "{hosted}", l.option(o.App))
				continue
			}
			f.Text += ", which is not " + appName(l.Game, l.App)
			section, fill := unrelated(l.Game, l.App, o.App)
			if l.ThroughBridge() {
				section, fill = section+" bridge", append(fill, "{hosts}", l.option(o.App), "{asked}", l.option(l.App))
			}
			f.in(section, fill...)
		}
	}
	if f.Text != "" {
		*out = append(*out, &f)
	}
}

// option returns an application as it is typed behind --app.
func (l *Live) option(app wire.GUID) string {
	if l.Game != nil {
		if n := l.Game(app); n != "" {
			return quote(n)
		}
	}
	return app.String()
}

// mismatches adds a finding for each host of another game that an asker met.
func mismatches(c *facts, out *findings, a *ask) {
	for _, o := range otherApp(c, a) {
		section, fill := unrelated(c.game, a.App, o.App)
		out.add(c.who(a.Asker)+" looks for "+c.app(a.App)+", but "+c.who(o.Host)+" hosts "+c.app(o.App), c.apps(a, o)...).in(section, fill...)
	}
}

// unrelated returns the case where both are games that are known, and neither is an edition of the other by its name; "" otherwise.
func unrelated(game func(wire.GUID) string, wanted, hosted wire.GUID) (section string, fill []string) {
	if game == nil {
		return "", nil
	}
	a, b := game(wanted), game(hosted)
	if a == "" || b == "" || strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
		return "", nil
	}
	return "unrelated", []string{"{wanted}", a, "{hosted}", b}
}

// otherApp returns an offer of each host that a question may have reached, and that has sessions of other games only.
func otherApp(c *facts, a *ask) []*offer {
	if a.App.IsZero() {
		return nil
	}
	seen := map[netip.AddrPort]bool{}
	return where(c.Offers.list, func(o *offer) bool {
		at := o.Host.Addr()
		if o.App == a.App || o.App.IsZero() || c.hosts[hosting{at, a.App}] || c.hosts[hosting{at, wire.GUID{}}] || seen[o.Host] || len(seen) >= maxEvidence {
			return false
		}
		if o.To.Addr() != a.Asker.Addr() && !a.near(at) {
			return false
		}
		seen[o.Host] = true
		return true
	})
}

// near reports whether a question went to an address: to it alone, or to everybody on its network.
func (a *ask) near(at netip.Addr) bool {
	return a.To.Addr() == at || a.Broadcast() && sameNetwork(at, a.Asker.Addr())
}

// dialectMismatch adds what dialect-mismatch finds in a capture.
func dialectMismatch(c *facts, out *findings) {
	for _, a := range c.Asks.list {
		unspoken(out, c.who(a.Asker), a.Version, a.first().show("Version", a.Version.String()))
	}
	for _, o := range c.Offers.list {
		unspoken(out, c.who(o.Host), o.Version, o.show("Version", o.Version.String()))
	}
	c.eachStop(func(j *join, s stop) {
		if !s.host || j.HostVersion == 0 || j.Version == j.HostVersion || !spoken(j.Version) || !spoken(j.HostVersion) {
			return
		}
		last := pick(j.List.Frame > 0, j.List, j.ID) // of the host
		out.add(fmt.Sprintf("%s speaks version %s and %s version %s, and the join came to nothing", c.who(j.Joiner), j.Version, c.who(j.Host), j.HostVersion),
			j.Asked.show("Version", j.Version.String()), last.show("Version", j.HostVersion.String()))
	})
}

// liveDialectMismatch adds what dialect-mismatch finds on this machine.
func liveDialectMismatch(l *Live, out *findings) {
	for _, o := range l.sessions() {
		if o.Version != 0 {
			unspoken(out, o.Host.Addr().String(), o.Version, o.show("Version", o.Version.String()))
		}
	}
}

// unspoken adds a finding if a machine speaks a version which is none of DirectPlay 4.
func unspoken(out *findings, who string, v wire.Dialect, e Evidence) {
	if !spoken(v) {
		out.add(fmt.Sprintf("%s speaks version %d, which no DirectPlay 4 knows", who, v), e)
	}
}

// spoken reports whether a dialect is one of DirectPlay 4.
func spoken(v wire.Dialect) bool { return v >= wire.DX6 && v <= wire.DX9 }
