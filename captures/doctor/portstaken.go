package doctor

import "dplay4/captures"

var portsTaken = rule{
	code: "ports-taken", severity: Warning,
	cause:  "other programs on this machine hold all the ports that games look for a free one among, so a game would listen where nobody can reach it, or fail.",
	advice: "End programs that hold ports 2300 to 2399, among them games that hang.",
	live: func(l *Live) (list []Finding) {
		for _, t := range []captures.Transport{captures.TCP, captures.UDP} {
			f := Finding{Text: "no " + t.String() + " port is free for a game on this machine"}
			free := false
			for i := range l.Ports {
				p := &l.Ports[i]
				if p.Number == enumPort || p.Transport != t {
					continue
				}
				free = free || p.Err == ""
				f.Evidence = append(f.Evidence, p.show())
			}
			if !free && len(f.Evidence) > 0 {
				list = append(list, f)
			}
		}
		return list
	},
}
