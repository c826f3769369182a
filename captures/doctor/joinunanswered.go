package doctor

import "time"

var joinUnanswered = rule{
	code: "join-unanswered", severity: Failure,
	cause: "the host's program does not answer, or it waits for a member that does not confirm the newcomer (see add-forward-unacked), " +
		"or its answer does not get through.",
	advice: "Try again; if it stays so, restart the host's game, and look into the other findings.",
	capture: func(c *Case) (list []Finding) {
		for _, j := range c.Joins {
			if !j.stalled(c) {
				continue
			}
			step, what := j.Asked, "the request for an id"
			if j.Request.Frame > 0 {
				step, what = j.Request, "the request to be let in"
			}
			list = append(list, Finding{
				Text:     c.who(j.Host) + " did not answer " + what + " of " + c.who(j.Joiner) + " within " + seconds(c.left(step)),
				Evidence: []Evidence{step.show("", "to "+j.Host.String())},
			})
		}
		return list
	},
}

// patience is how long a capture must go on before a missing answer counts.
const patience = time.Second

// stalled says whether a host left a joiner without the answer that is due: an id, or the list. A joiner that had an
// id and went away is not stalled.
func (j *Join) stalled(c *Case) bool {
	switch {
	case j.List.Frame > 0 || j.Refused != nil:
		return false
	case j.Request.Frame > 0:
		return c.left(j.Request) >= patience
	}
	return j.ID.Frame == 0 && c.left(j.Asked) >= patience
}
