package doctor

import "strings"

var listMalformed = rule{
	code: "list-malformed", severity: Failure,
	cause:  "the program that hosts makes the list of players wrong. Strict joiners give up, others go on with an incomplete list.",
	advice: "Update the program that hosts, or host with another one: this project's \"dplay host\", or Windows.",
	capture: func(c *Case) (list []Finding) {
		for _, j := range c.Joins {
			if j.ListErr == nil && !j.gaveUp() {
				continue
			}
			list = append(list, badList(c, j))
		}
		return list
	},
}

// badList tells of one list.
func badList(c *Case, j *Join) Finding {
	e := j.List.show("", j.Strays)
	text := "the list of players that " + c.who(j.Host) + " sent to " + c.who(j.Joiner)
	var f Finding
	switch x := j.ListErr; {
	case x != nil && strings.Contains(x.Field, "PackedOffset") && x.Value == 0:
		text += " does not say where the players begin (PackedOffset is 0)"
		e.Field, e.Value = x.Field, "0"
		f.Cause = "the program that hosts leaves PackedOffset 0: an unfinished Wine branch of 2008 to 2010 does that."
	case x != nil:
		text += " cannot be read (" + x.Error() + ")"
		e.Field, e.Value = x.Field, x.Err.Error()
	default:
		text += " has octets that belong to nothing (" + j.Strays + ")"
	}
	f.Evidence = []Evidence{e}
	if j.gaveUp() {
		f.Text = text + ", and the joiner gave up"
		return f
	}
	f.Severity = Warning
	f.Text = text + ", but the joiner went on"
	return f
}
