package doctor

import "dplay4/wire"

func init() {
	examples["join-disabled"] = []example{
		{name: "live", live: offering(LiveOffer{Name: "A", Flags: wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled, Players: 4, Max: 4}),
			want: []string{`the session "A" of ` + hostIP + " is closed: the host lets nobody join any more"}, shows: []string{"ENUMSESSIONSREPLY Flags="}},
		{name: "live, open", live: offering(LiveOffer{Flags: wire.SessionMigrateHost})},
		{name: "closed", want: []string{joinerIP + ` got no player in the session "Test": the host lets nobody join any more`},
			capture: refusedPlayer(wire.SessionJoinDisabled|wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
		{name: "another reason", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrInvalidPassword)},
	}
}
