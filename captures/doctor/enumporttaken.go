package doctor

var enumPortTaken = rule{
	code: "enum-port-taken", severity: Failure,
	cause: "another program on this machine holds 47624, where hosts are asked for their sessions: another game that hosts, " +
		"Windows' dplaysvr.exe, \"dplay host\", or a program that has nothing to do with games.",
	advice: "End that program before you host. A game that was closed can leave dplaysvr.exe behind: end it in the task manager.",
	live: func(l *Live) []Finding {
		var f Finding
		for i := range l.Ports {
			p := &l.Ports[i]
			if p.Number != enumPort || p.Err == "" {
				continue
			}
			if f.Text == "" {
				f.Text = "a session hosted on this machine could not be found: port 47624 is not to be had"
			}
			if p.Hosts != "" {
				f.Severity = Warning
				f.Text = "a session is hosted on this machine, " + quote(clip(p.Hosts)) + ": another program that hosts beside it could not be found"
			}
			f.Evidence = append(f.Evidence, p.show())
		}
		if f.Text == "" {
			return nil
		}
		return []Finding{f}
	},
}
