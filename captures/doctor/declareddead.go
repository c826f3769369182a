package doctor

var declaredDead = rule{
	code: "declared-dead", severity: Failure,
	cause: "the machine was silent for so long that the others gave it up: it stood still (a loading screen, sleep, a debugger), or its network was " +
		"away. When it came back, it was told that it is in the session no more.",
	advice: "Join again. If it happens often, look for what stops the machine, and for a weak wireless network.",
	capture: func(c *Case) (list []Finding) {
		for _, d := range c.Dead {
			list = append(list, Finding{
				Text:     c.who(d.By) + " told " + c.who(d.Machine) + " that it is not in the session any more",
				Evidence: []Evidence{d.show("", "")}, More: d.Count - 1,
			})
		}
		return list
	},
}
