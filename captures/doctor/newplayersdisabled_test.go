package doctor

import "dplay4/wire"

func init() {
	examples["new-players-disabled"] = []example{
		{name: "live", live: offering(LiveOffer{Name: "A", Flags: wire.SessionNewPlayersDisabled, Players: 4, Max: 4}),
			want: []string{`the session "A" of ` + hostIP + " takes no new players"}, shows: []string{"ENUMSESSIONSREPLY Flags="}},
		{name: "live, open", live: offering(LiveOffer{Flags: wire.SessionMigrateHost})},
		{name: "no new players", want: []string{joinerIP + ` got no player in the session "Test": the host takes no new players`},
			capture: refusedPlayer(wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
		{name: "closed", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrNoNewPlayers)},
	}
}
