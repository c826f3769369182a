package doctor

import "dplay4/wire"

func init() {
	examples["refused"] = []example{
		{name: "access", want: []string{joinerIP + ` got no player in the session "Test": the host answered DPERR_ACCESSDENIED`},
			capture: refusedPlayer(0, wire.ErrAccessDenied)},
		{name: "login", want: []string{joinerIP + ` was not let into the session "Test": the host answered DPERR_LOGONDENIED`}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", &wire.LogonDenied{})
		}},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
	}
}
