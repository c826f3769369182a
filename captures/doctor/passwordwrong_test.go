package doctor

import "dplay4/wire"

func init() {
	examples["password-wrong"] = []example{
		{name: "said of the machine", want: []string{joinerIP + ` was not let into the session "Test": the password was wrong`},
			shows: []string{"ADDFORWARDREPLY Error=DPERR_INVALIDPASSWORD (0x88770154)"},
			capture: func(n *network) {
				s := newSession(n)
				s.found(joinerIP)
				s.request(joinerIP, 0x100)
				s.toldBy(joinerIP+":2300", &wire.AddForwardReply{Error: wire.ErrInvalidPassword})
			}},
		{name: "said of the id", want: []string{joinerIP + ` was not let into the session "Test": the password was wrong`}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrInvalidPassword})
		}},
		{name: "twice, then the right one", as: Warning, want: []string{joinerIP + ` was not let into the session "Test": the password was wrong (2 tries); it was let in at 0.0`},
			shows: []string{"SUPERENUMPLAYERSREPLY =a later try went well"}, capture: retried(2, wire.ErrInvalidPassword, true)},
		{name: "very often", want: []string{joinerIP + ` was not let into the session "Test": the password was wrong (20 tries)`}, capture: retried(20, wire.ErrInvalidPassword, false)},
		{name: "of two machines", want: []string{joinerIP + " was", thirdIP + " was"}, capture: func(n *network) {
			retried(1, wire.ErrInvalidPassword, false)(n)
			s := newSession(n)
			s.tell(thirdIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(thirdIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrInvalidPassword})
		}},
		{name: "another refusal", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", &wire.AddForwardReply{Error: wire.ErrNoNewPlayers})
		}},
		{name: "the right one", capture: func(n *network) {
			s := newSession(n)
			s.desc.Flags = wire.SessionPasswordRequired
			s.join(joinerIP, 0x100)
		}},
	}
}
