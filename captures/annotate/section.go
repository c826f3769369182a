package annotate

import (
	"fmt"
	"strings"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/show"
	"dplay4/wire"
)

// section returns the comments on the file.
func (c *collector) section() []string {
	program := c.notes.opt.Program
	if program == "" {
		program = "dplay"
	}
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
	for _, e := range f.Evidence {
		if e.Frame > 0 && (len(list) == 0 || e.Frame > list[len(list)-1]) {
			list = append(list, e.Frame)
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
	host := s.Player(s.Host)
	if host == nil {
		b.WriteString("; who hosts is not known")
	} else {
		b.WriteString("; hosted by " + player(host))
		if host.Machine.IsValid() {
			b.WriteString(" at " + host.Machine.String())
		}
	}
	all := s.Players()
	for i, kind := range []string{"machines", "players", "groups"} {
		c.members(&b, kind, all, i)
	}
	return b.String()
}

func (c *collector) game(application wire.GUID) string {
	if c.notes.opt.Game != nil {
		if name := c.notes.opt.Game(application); name != "" {
			return name + " " + application.String()
		}
	}
	return application.String()
}

// members lists those of one kind.
func (c *collector) members(b *strings.Builder, name string, all []*captures.Player, kind int) {
	n := 0
	for _, p := range all {
		switch {
		case kindOf(p) != kind:
			continue
		case n == 0:
			b.WriteString("; " + name + ": ")
		case n < maxPlayers:
			b.WriteString(", ")
		}
		if n++; n > maxPlayers {
			continue
		}
		b.WriteString(player(p))
		if kind == 0 && p.Machine.IsValid() {
			b.WriteString(" at " + p.Machine.String())
		}
	}
	if n > maxPlayers {
		fmt.Fprintf(b, " and %d more", n-maxPlayers)
	}
}

// kindOf returns 0 for the system player of a machine, 1 for a player, 2 for a group.
func kindOf(p *captures.Player) int {
	switch {
	case p.Group:
		return 2
	case p.Flags&wire.PlayerSystem != 0:
		return 0
	}
	return 1
}

func player(p *captures.Player) string {
	if p.Name == "" {
		return p.ID.String()
	}
	return fmt.Sprintf("%q %s", p.Name, p.ID)
}
