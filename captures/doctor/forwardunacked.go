package doctor

var forwardUnacked = rule{
	code: "add-forward-unacked", severity: Warning,
	cause: "the member did not get the news of the newcomer, or its program does not confirm it. A host that waits for all members keeps the " +
		"newcomer waiting; one that does not leaves two players that do not see each other.",
	advice: "Look at the machine of that member: its firewall has to let the host in on TCP 2300-2400, and the host in turn the member.",
	capture: func(c *Case) (list []Finding) {
		for _, f := range c.Forwards {
			if f.Acked || c.left(f.Mark) < patience {
				continue
			}
			list = append(list, Finding{
				Text:     c.who(f.Member) + " did not confirm the newcomer " + f.Player.String() + " to the host " + c.who(f.Host) + " within " + seconds(c.left(f.Mark)),
				Evidence: []Evidence{f.show("PlayerID", f.Player.String())},
			})
		}
		return list
	},
}
