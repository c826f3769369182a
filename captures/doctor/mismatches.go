package doctor

import (
	"fmt"
	"slices"
	"strings"

	"dplay4/wire"
)

var appMismatch = rule{
	code: "app-mismatch", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			list = append(list, mismatches(c, a)...)
			for _, o := range ownGame(c, a) {
				list = append(list, Finding{
					Text: o.Host.Addr().String() + " hosts " + c.app(o.App) + ", and answers only who asks for that " +
						"game, not " + c.who(a.Asker) + ", who asks for any",
					Evidence: []Evidence{a.Marks[0].show("ApplicationGuid", c.app(a.App)), o.show("ApplicationGUID", c.app(o.App))},
					section:  "named",
				})
			}
		}
		for _, a := range c.Asks {
			if !c.answered(a) || a.App.IsZero() || c.joined(a.Asker) {
				continue
			}
			if len(c.offered(a, func(o *offer) bool { return o.App == a.App || o.App.IsZero() || c.wants[wanting{a.Asker, o.App}] })) == 0 {
				list = append(list, mismatches(c, a)...)
			}
		}
		return list
	},
	live: liveGame,
}

// ownGame returns the first offer of a host that did not answer a question for any game, but one for its own of the same machine.
func ownGame(c *facts, a *ask) []*offer {
	if !a.App.IsZero() || a.Broadcast() {
		return nil
	}
	for _, o := range c.Offers {
		if o.Host.Addr() != a.To.Addr() || o.To.Addr() != a.Asker.Addr() {
			continue
		}
		for _, q := range c.Asks {
			if q.Asker.Addr() == a.Asker.Addr() && q.To.Addr() == a.To.Addr() && q.App == o.App && !q.App.IsZero() && q.Marks[0].N < o.N && q.Marks[0].N > a.Marks[0].N {
				return []*offer{o}
			}
		}
		return nil // it answered before
	}
	return nil
}

// liveGame judges a host that has no session of the game that is looked for, or tells of its own only to who names it.
func liveGame(l *Live) []Finding {
	var f Finding
	for i := range l.Ways {
		w := &l.Ways[i]
		for _, o := range w.Offers {
			if o.App == l.App || l.App.IsZero() && !w.Any {
				return nil
			}
			name := appName(l.Game, o.App)
			f.Evidence = append(f.Evidence, o.show("Application", name))
			if l.App.IsZero() {
				f.Text = o.Host.String() + " hosts " + name + ", and answers only who asks for that game"
				f.section, f.fill = "named-live", []string{"{hosted}", l.option(o.App)}
				continue
			}
			f.section, f.fill = unrelated(l.Game, l.App, o.App)
			f.Text = o.Host.String() + " hosts " + name + ", which is not " + appName(l.Game, l.App)
			if l.ThroughBridge() {
				f.section, f.fill = f.section+" bridge", append(f.fill, "{hosts}", l.option(o.App), "{asked}", l.option(l.App))
			}
		}
	}
	if f.Text == "" {
		return nil
	}
	return []Finding{f}
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

// mismatches tells of the hosts of other games that an asker met.
func mismatches(c *facts, a *ask) (list []Finding) {
	for _, o := range otherApp(c, a) {
		section, fill := unrelated(c.game, a.App, o.App)
		list = append(list, Finding{
			section: section, fill: fill,
			Text: c.who(a.Asker) + " looks for " + c.app(a.App) + ", but " + c.who(o.Host) + " hosts " + c.app(o.App),
			Evidence: []Evidence{
				a.Marks[0].show("ApplicationGuid", c.app(a.App)),
				o.show("ApplicationGUID", c.app(o.App)),
			},
		})
	}
	return list
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
func otherApp(c *facts, a *ask) (list []*offer) {
	if a.App.IsZero() {
		return nil
	}
	for _, o := range c.Offers {
		asked := o.To.Addr() == a.Asker.Addr() || a.To.Addr() == o.Host.Addr() || a.Broadcast() && sameNetwork(o.Host.Addr(), a.Asker.Addr())
		if !asked || o.App == a.App || o.App.IsZero() {
			continue
		}
		at := o.Host.Addr()
		if c.hosts[hosting{at, a.App}] || c.hosts[hosting{at, wire.GUID{}}] {
			continue
		}
		if !slices.ContainsFunc(list, func(p *offer) bool { return p.Host == o.Host }) && len(list) < maxEvidence {
			list = append(list, o)
		}
	}
	return list
}

var dialectMismatch = rule{
	code: "dialect-mismatch", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.Asks {
			if !spoken(a.Version) {
				list = append(list, Finding{
					Text:     fmt.Sprintf("%s speaks version %d, which no DirectPlay 4 knows", c.who(a.Asker), a.Version),
					Evidence: []Evidence{a.Marks[0].show("Version", a.Version.String())},
				})
			}
		}
		for _, o := range c.Offers {
			if !spoken(o.Version) {
				list = append(list, Finding{
					Text:     fmt.Sprintf("%s speaks version %d, which no DirectPlay 4 knows", c.who(o.Host), o.Version),
					Evidence: []Evidence{o.show("Version", o.Version.String())},
				})
			}
		}
		for _, j := range c.Joins {
			if c.stalled(j) && j.HostVersion != 0 && j.Version != j.HostVersion && spoken(j.Version) && spoken(j.HostVersion) {
				list = append(list, Finding{
					Text: fmt.Sprintf("%s speaks version %s and %s version %s, and the join came to "+
						"nothing", c.who(j.Joiner), j.Version,
						c.who(j.Host), j.HostVersion),
					Evidence: []Evidence{j.Asked.show("Version", j.Version.String()), j.lastAnswer().show("Version", j.HostVersion.String())},
				})
			}
		}
		return list
	},
	live: func(l *Live) (list []Finding) {
		for _, o := range l.sessions() {
			if o.Version != 0 && !spoken(o.Version) {
				list = append(list, Finding{
					Text:     fmt.Sprintf("%s speaks version %d, which no DirectPlay 4 knows", o.Host.Addr(), o.Version),
					Evidence: []Evidence{o.show("Version", o.Version.String())},
				})
			}
		}
		return list
	},
}

// spoken reports whether a dialect is one of DirectPlay 4.
func spoken(v wire.Dialect) bool { return v >= wire.DX6 && v <= wire.DX9 }

// lastAnswer returns the last message of the host in a join.
func (j *join) lastAnswer() mark {
	if j.List.Frame > 0 {
		return j.List
	}
	return j.ID
}
