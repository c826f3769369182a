package doctor

import (
	"fmt"

	"dplay4/wire"
)

var dialectMismatch = rule{
	code: "dialect-mismatch", severity: Failure,
	cause: "the two programs speak versions of DirectPlay that do not understand each other. Windows and Wine speak 9 to 14 and get " +
		"along; other numbers are other programs, or DirectPlay 8, which is another protocol.",
	advice: "Use DirectPlay 4 on both sides: the same version of the game, with the DirectPlay component of Windows, or Wine.",
	capture: func(c *Case) (list []Finding) {
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
			if j.stalled(c) && j.HostVersion != 0 && j.Version != j.HostVersion && spoken(j.Version) && spoken(j.HostVersion) {
				list = append(list, Finding{
					Text: fmt.Sprintf("%s speaks version %s and %s version %s, and the join came to nothing", c.who(j.Joiner), j.Version,
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

// spoken says whether a dialect is one of DirectPlay 4.
func spoken(v wire.Dialect) bool { return v >= wire.DX6 && v <= wire.DX9 }

// lastAnswer gives the last message of the host in a join.
func (j *Join) lastAnswer() Mark {
	if j.List.Frame > 0 {
		return j.List
	}
	return j.ID
}
