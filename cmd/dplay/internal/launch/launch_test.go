package launch

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// TestAnswers answers who asks whether there is a lobby, says no to other properties, and nothing to what wants no answer.
func TestAnswers(t *testing.T) {
	ask := directplay.LobbyMessage{Type: directplay.GetProperty, Request: 7, Player: wire.GUID{1}, Property: directplay.PropertyMessagesSupported}
	assert.Equal(t, &directplay.LobbyMessage{Type: directplay.GetPropertyResponse, Request: 7, Player: wire.GUID{1},
		Property: directplay.PropertyMessagesSupported, Data: []byte{1, 0, 0, 0}}, answerTo(&ask))
	ask.Property = directplay.PropertyPlayerScore
	assert.Equal(t, wire.ErrUnsupported, answerTo(&ask).Code)
	ask.Type = directplay.SetProperty
	assert.Equal(t, directplay.SetPropertyResponse, answerTo(&ask).Type)
	ask.Request = 0
	assert.Nil(t, answerTo(&ask))
	assert.Nil(t, answerTo(&directplay.LobbyMessage{Type: directplay.ConnectSucceeded, Request: 7}))
}
