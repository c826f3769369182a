package hostmigrate

import (
	"dplay4/playerlist"
	"dplay4/wire/dpl8"
)

// FromConnectInfos returns the list that messages of [ConnectInfos] are, in their order. It shares nothing with the
// messages. It gives a *FieldError or ErrParts. Whether it can be a list is for playerlist.Load to say.
func FromConnectInfos(messages ...*dpl8.SendConnectInfo) (playerlist.State, error) {
	var a assembly
	for i, m := range messages {
		done, err := a.add(m)
		switch {
		case err != nil:
			return playerlist.State{}, err
		case done != (i == len(messages)-1):
			return playerlist.State{}, ErrParts
		case done:
			return a.state, nil
		}
	}
	return playerlist.State{}, ErrParts
}
