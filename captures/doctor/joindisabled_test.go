package doctor

import "dplay4/wire"

func init() {
	examples["join-disabled"] = []example{
		{name: "closed", want: []string{joinerIP + ` got no player in the session "Test": the host lets nobody join any more`},
			capture: refusedPlayer(wire.SessionJoinDisabled|wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
		{name: "another reason", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrInvalidPassword)},
	}
}
