package doctor

var gameIDsUnknown = rule{
	code: "game-ids-unknown", severity: Failure,
	cause: "the sender writes something else where the ids of sender and addressee belong, so the beginning of what the game " +
		"said is lost. An unfinished Wine branch of 2008 to 2010 writes a header over it.",
	advice: "Use another program on the machine that sends: the receiver's game cannot know whom such a message is for.",
	capture: func(c *Case) (list []Finding) {
		for _, s := range c.Strangers {
			list = append(list, Finding{
				Text: c.who(s.Machine) + " sent game messages between players that do not exist, " + times(s.Count),
				Evidence: []Evidence{
					s.show("From", s.From.String()),
					s.show("To", s.To.String()),
				},
				More: s.Count - 1,
			})
		}
		return list
	},
}
