package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/sock"
)

// Why asks a host that did not answer once more, in all ways, and returns what is the matter as an error for people: the culprit,
// what to do next, and the command that says more. It takes a few times o.Timeout.
func (o *Probe) Why(ctx context.Context, host string) error {
	name := captures.Printable(host)
	at, err := cli.LookUp(ctx, host)
	if err != nil {
		return err
	}
	l := &doctor.Live{Host: at, App: o.App, Waited: o.Timeout, Game: gamelist.Title}
	o.lookAround(ctx, l)
	o.askHost(ctx, l)
	if ctx.Err() != nil {
		return fmt.Errorf("%s does not answer", name)
	}
	r := doctor.ExamineLive(l)
	i := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.Severity == doctor.Failure })
	if i < 0 {
		return fmt.Errorf("%s does not answer in time, but does when it is asked again: wait longer, --timeout", name)
	}
	f := &r.Findings[i]
	text := f.Brief()
	if hides(f.Code) {
		text += " (\"dplay sessions --all\" lists it)"
	}
	switch {
	case l.ThroughBridge() && o.Session:
		return errors.New(text)
	case l.ThroughBridge():
		return fmt.Errorf("%s is the bridge on this machine, %s: %s", name, l.Bridge, text)
	case !l.Answered():
		text = name + " does not answer: " + text
	case !strings.Contains(text, l.Host.String()):
		text = name + ": " + text
	}
	return o.ending(text, host)
}

// ending adds the command that says more.
func (o *Probe) ending(text, host string) error {
	if !strings.HasSuffix(text, "?") {
		text += ";"
	}
	return fmt.Errorf("%s %s", text, o.more(host))
}

// hides reports whether a finding is about a session that hides itself from who looks for one to join.
func hides(c doctor.Code) bool {
	return slices.Contains([]doctor.Code{"session-full", "join-disabled", "new-players-disabled"}, c)
}

// more names the command that says more.
func (o *Probe) more(host string) string {
	command := "dplay doctor --live "
	if !o.App.IsZero() {
		g, _ := gamelist.Games().ByGUID(o.App)
		command += "--app " + cmp.Or(g.Short, o.App.String()) + " "
	}
	return `"` + command + captures.Printable(host) + `" says more`
}

// WhyNotIn says why a session that was found could not be joined, when its host did not answer or could not be reached: it
// connects to where the session is to be joined, and the answer of the search is known to have got here. host is
// the name or address that the user typed, "" if everybody was asked.
func (o *Probe) WhyNotIn(ctx context.Context, s *sock.Found, host string) error {
	at := s.Host
	door := o.connect(ctx, []doctor.Door{{At: at, Offered: true, Session: s.Name, From: s.From}})[0]
	asked, _ := cli.LookUp(ctx, host) // it was looked up before
	l := &doctor.Live{Host: cmp.Or(asked, s.From), Doors: []doctor.Door{door}}
	host = cmp.Or(host, s.From.String())
	if r := doctor.ExamineLive(l); len(r.Findings) > 0 {
		return o.ending(captures.Printable(host)+": "+r.Findings[0].Brief(), host)
	}
	return fmt.Errorf("%s found us and takes connections at TCP %d, but does not answer who joins: its game may stand still, or wait for another player's machine; try again, then record it (--record) and ask dplay doctor", at.Addr(), at.Port())
}
