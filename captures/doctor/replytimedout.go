package doctor

var replyTimedOut = rule{
	code: "reply-timed-out", severity: Failure,
	cause: "the joiner's firewall or router drops the connection that brings the answer: in DirectPlay the host connects to the joiner, not only the " +
		"other way round.",
	advice: "The joiner has to forward TCP and UDP 2300-2400 to his machine as well, and to allow the game in the firewall.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			for _, d := range c.replies(a) {
				if d.Refused > 0 || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience {
					continue
				}
				list = append(list, Finding{
					Text: d.From.String() + " answered, but nothing at " + d.To.String() + ", where " + c.who(a.Asker) +
						" waits for the answer, took its connection",
					Evidence: dialEvidence(d), More: d.Syns - len(d.Marks),
				})
			}
		}
		return list
	},
}
