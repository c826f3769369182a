package doctor

var enumPortTaken = rule{
	code: "enum-port-taken", severity: Failure,
	cause: "another program on this machine holds 47624, where hosts are asked for their sessions: Windows' " +
		"dplaysvr.exe, a game that hosts and does not answer, or a program that has nothing to do with games.",
	advice: "End that program before you host. A game that was closed can leave dplaysvr.exe behind: end it in the task manager.",
	live: func(l *Live) []Finding {
		if l.hosts() != "" {
			return nil // this machine hosts: it is as it should be
		}
		f := Finding{Text: "a session hosted on this machine could not be found: port 47624 is not to be had"}
		for i := range l.Ports {
			if p := &l.Ports[i]; p.Number == enumPort && p.Err != "" {
				f.Evidence = append(f.Evidence, p.show())
			}
		}
		if len(f.Evidence) == 0 {
			return nil
		}
		return []Finding{f}
	},
}
