package doctor

import "strings"

var messageMalformed = rule{
	code: "message-malformed", severity: Warning,
	cause:  "the program that sent it makes the message wrong, or it speaks something that only looks like DirectPlay 4.",
	advice: "Update that program. What the message was to do may not have happened: compare the player lists of both sides.",
	capture: func(c *Case) (list []Finding) {
		for _, b := range c.Broken {
			if strings.HasPrefix(b.Message, "EXTENSION") {
				continue // of another release of this project, and nobody else's business
			}
			if b.Message == "SUPERENUMPLAYERSREPLY" || b.Message == "ENUMPLAYERSREPLY" {
				if endsJoin(c, b) {
					continue
				}
			}
			e := b.show("", b.Text)
			if b.Err != nil {
				e.Field, e.Value = b.Err.Field, b.Err.Err.Error()
			}
			list = append(list, Finding{
				Text:     c.who(b.From) + " sent " + b.Message + " to " + c.who(b.To) + " that cannot be read, " + times(b.Count),
				Evidence: []Evidence{e}, More: b.Count - 1,
			})
		}
		return list
	},
}

// endsJoin says whether a broken list is one that another rule tells of.
func endsJoin(c *Case, b *Broken) bool {
	for _, j := range c.Joins {
		if j.List.N == b.N {
			return true
		}
	}
	return false
}
