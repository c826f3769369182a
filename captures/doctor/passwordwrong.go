package doctor

import "dplay4/wire"

var passwordWrong = rule{
	code: "password-wrong", severity: Failure,
	cause:  "the session has a password, and another one was typed, or none. Capitals and spaces count.",
	advice: "Ask the host for the password and type it again; if the game has no field for it, the host has to do without one.",
	capture: func(c *Case) []Finding {
		return refusals(c, func(r *Refusal) bool { return r.Result == wire.ErrInvalidPassword }, because("the password was wrong"))
	},
}
