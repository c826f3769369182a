package doctor

import "dplay4/wire"

var refused = rule{
	code: "refused", severity: Failure,
	cause:  "the host gave a result code that stands for none of the usual reasons; secure sessions ask for a login as well.",
	advice: "Look up the code, and what the game on the host says at that moment.",
	capture: func(c *Case) []Finding {
		return refusals(c, func(r *Refusal) bool {
			return !noRoom(r) && r.Result != wire.ErrInvalidPassword
		}, func(r *Refusal, f *Finding) { f.Text += "the host answered " + r.Result.String() })
	},
}
