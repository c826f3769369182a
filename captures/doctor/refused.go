package doctor

import "dplay4/wire"

var refused = rule{
	code: "refused", severity: Failure,
	cause:  "the host gave a result code that stands for none of the usual reasons; secure sessions ask for a login as well.",
	advice: "Look up the code, and what the game on the host says at that moment.",
	capture: func(c *Case) (list []Finding) {
		for _, r := range c.Refusals {
			if noRoom(r) || r.Result == wire.ErrInvalidPassword {
				continue
			}
			only := func(o *Refusal) bool { return o == r }
			list = append(list, refusals(c, only, "the host answered "+r.Result.String())...)
		}
		return list
	},
}
