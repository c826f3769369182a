package doctor

import "dplay4/wire"

func init() {
	examples["new-players-disabled"] = []example{
		{name: "no new players", want: []string{joinerIP + ` got no player in the session "Test": the host takes no new players`},
			capture: refusedPlayer(wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
		{name: "closed", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrNoNewPlayers)},
	}
}
