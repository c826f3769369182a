package annotate

import (
	"cmp"
	"fmt"
	"strings"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/show"
	"dplay4/wire"
)

// section returns the comments on the file.
func (c *collector) section() []string {
	program := cmp.Or(c.notes.opt.Program, "dplay")
	report := c.notes.Report
	list := []string{
		program + ` wrote its comments on packets: messages of DirectPlay 4 by their number, "finding" for what is odd about ` +
			`them, "doctor" for what went wrong in the game. A display filter: frame.comment contains "doctor"`,
		"doctor: " + report.Verdict(),
	}
	for i := range report.Findings {
		if i == maxGeneral {
			list = append(list, fmt.Sprintf("and %d findings more: dplay doctor prints them all", len(report.Findings)-i))
			break
		}
		list = append(list, judged(&report.Findings[i]))
	}
	for _, s := range c.sessions {
		if s.Described || len(s.Players()) > 0 {
			list = append(list, c.session(s))
		}
	}
	if c.left {
		list = append(list, "and more sessions")
	}
	list = append(list, c.general...)
	if c.more > 0 {
		list = append(list, beyond(c.more))
	}
	account := strings.TrimSpace(string(show.AppendSummary(nil, report.Summary)))
	list = append(list, strings.TrimSuffix(account, " No findings.")) // the doctor may have some
	for i := range list {
		list[i] = clean(list[i], maxSection)
	}
	return list
}

// judged returns a finding of the doctor with all that is said about it.
func judged(f *doctor.Finding) string {
	text := fmt.Sprintf("doctor, %s %s: %s.", f.Severity, f.Code, f.Text)
	var list []int
	last := 0
	for _, e := range f.Evidence {
		if e.Frame > last {
			list, last = append(list, e.Frame), e.Frame
		}
	}
	if len(list) > 0 {
		text += " See " + frames(list) + "."
	}
	return text + " Why: " + f.Cause + " Do: " + f.Advice
}

// session tells of a session what is known at the end of the capture.
func (c *collector) session(s *captures.Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %q", s.Name)
	if !s.Instance.IsZero() {
		b.WriteString(" " + s.Instance.String())
	}
	if !s.Application.IsZero() {
		b.WriteString(" of the game " + c.game(s.Application))
	}
	if s.Flags != 0 {
		b.WriteString(", " + s.Flags.String())
	}
	if host := s.Player(s.Host); host == nil {
		b.WriteString("; who hosts is not known")
	} else {
		b.WriteString("; hosted by " + located(host))
	}
	return b.String() + members(s.Players())
}

// members lists the members of a session by their kinds.
func members(all []*captures.Player) (text string) {
	var shown [len(kinds)][]string
	for _, p := range all {
		kind, show := kindOf(p)
		shown[kind] = append(shown[kind], show(p))
	}
	for i, list := range shown {
		if len(list) > 0 {
			text += "; " + kinds[i] + ": " + strings.Join(list[:min(len(list), maxPlayers)], ", ")
		}
		if more := len(list) - maxPlayers; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return text
}

func (c *collector) game(application wire.GUID) string {
	name := ""
	if c.notes.opt.Game != nil {
		name = c.notes.opt.Game(application)
	}
	return strings.TrimPrefix(name+" "+application.String(), " ")
}

// kinds are those of a session's members.
var kinds = [...]string{"machines", "players", "groups"}

// kindOf returns the kind of a member, and how it is shown. The system player of a machine stands for the machine.
func kindOf(p *captures.Player) (kind int, show func(*captures.Player) string) {
	switch {
	case p.Group:
		return 2, player
	case p.Flags&wire.PlayerSystem != 0:
		return 0, located
	}
	return 1, player
}

// located shows a player and where its machine listens, if that is known.
func located(p *captures.Player) string {
	if !p.Machine.IsValid() {
		return player(p)
	}
	return player(p) + " at " + p.Machine.String()
}

func player(p *captures.Player) string {
	if p.Name == "" {
		return p.ID.String()
	}
	return fmt.Sprintf("%q %s", p.Name, p.ID)
}
