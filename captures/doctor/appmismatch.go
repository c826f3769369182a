package doctor

import (
	"slices"
	"strings"

	"dplay4/wire"
)

var appMismatch = rule{
	code: "app-mismatch", severity: Failure,
	cause: "the two run different games, or different versions of one: an expansion, a demo, or a patch has a GUID of its own.",
	advice: "If it is meant to be one game, install the same version, expansion and patch on both machines. If it is not, nobody there " +
		"hosts the game that is looked for: let somebody host it.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			list = append(list, mismatches(c, a)...)
		}
		for _, a := range c.Asks {
			if !c.answered(a) || a.App.IsZero() || c.joined(a.Asker) {
				continue
			}
			if len(c.offered(a, func(o *Offer) bool { return o.App == a.App || o.App.IsZero() || c.wants[wanting{a.Asker, o.App}] })) == 0 {
				list = append(list, mismatches(c, a)...)
			}
		}
		return list
	},
	live: func(l *Live) (list []Finding) {
		if l.App.IsZero() {
			return nil
		}
		var f Finding
		for _, w := range l.Ways {
			for _, o := range w.Offers {
				if o.App == l.App {
					return nil
				}
				f.Evidence = append(f.Evidence, Evidence{Message: "ENUMSESSIONSREPLY", Field: "Application", Value: appName(l.Game, o.App)})
				f.Cause, f.Advice = unrelated(l.Game, l.App, o.App)
				f.Text = o.Host.String() + " hosts " + appName(l.Game, o.App) + ", which is not " + appName(l.Game, l.App)
			}
		}
		if f.Text == "" {
			return nil
		}
		return []Finding{f}
	},
}

// mismatches tells of the hosts of other games that an asker met.
func mismatches(c *Case, a *Ask) (list []Finding) {
	for _, o := range otherApp(c, a) {
		cause, advice := unrelated(c.game, a.App, o.App)
		list = append(list, Finding{
			Cause: cause, Advice: advice,
			Text: c.who(a.Asker) + " looks for " + c.app(a.App) + ", but " + c.who(o.Host) + " hosts " + c.app(o.App),
			Evidence: []Evidence{
				a.Marks[0].show("ApplicationGuid", c.app(a.App)),
				o.show("ApplicationGUID", c.app(o.App)),
			},
		})
	}
	return list
}

// unrelated gives cause and advice where both are games that are known, and neither is an edition of the other by its
// name; "" otherwise, for those of the rule.
func unrelated(game func(wire.GUID) string, wanted, hosted wire.GUID) (cause, advice string) {
	if game == nil {
		return "", ""
	}
	a, b := game(wanted), game(hosted)
	if a == "" || b == "" || strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
		return "", ""
	}
	return "these are two games, which happen to be on one network; neither sees the sessions of the other.",
		"Let somebody host " + a + ", or ask the one who does for the address of his machine. If " + b + " is to be played, start that here."
}

// otherApp gives an offer of each host that a question may have reached, and that has sessions of other games only.
func otherApp(c *Case, a *Ask) (list []*Offer) {
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
		if !slices.ContainsFunc(list, func(p *Offer) bool { return p.Host == o.Host }) && len(list) < maxEvidence {
			list = append(list, o)
		}
	}
	return list
}
