package doctor

import "dplay4/wire"

// refusedPlayer is a session with flags, whose host gives a machine that is in it no player.
func refusedPlayer(flags wire.SessionFlags, why wire.HResult) func(*network) {
	return func(n *network) {
		s := newSession(n)
		s.desc.Flags, s.desc.MaxPlayers = flags, 1
		s.found(joinerIP)
		s.request(joinerIP, 0x100)
		s.toldBy(joinerIP+":2300", s.list())
		s.tell(joinerIP, &wire.RequestPlayerID{})
		s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: why})
	}
}

func init() {
	examples["session-full"] = []example{
		{name: "no player", want: []string{joinerIP + ` got no player in the session "Test": the session is full`},
			shows:   []string{"REQUESTPLAYERREPLY Result=DPERR_NONEWPLAYERS (0x8877014a)"},
			capture: refusedPlayer(wire.SessionMigrateHost, wire.ErrNoNewPlayers)},
		{name: "as Windows says of its own", want: []string{joinerIP + " got no player"}, capture: refusedPlayer(0, wire.ErrCantCreatePlayer)},
		{name: "no machine", want: []string{joinerIP + ` was not let into the session "Test"`}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers})
		}},
		{name: "closed", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrNoNewPlayers)},
		{name: "no new players", rest: true, capture: refusedPlayer(wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
	}
}
