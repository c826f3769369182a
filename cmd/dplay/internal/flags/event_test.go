package flags

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEvent takes the events that a command prints, and names the nearest one to any other word.
func TestEvent(t *testing.T) {
	var e Event
	cmd := &cobra.Command{}
	e.AddTo(cmd, "end", "session_opened", "chat")
	for value, want := range map[string]string{
		"session-opened": `this command prints no such event: did you mean "session_opened"? "dplay help events" lists them`,
		"answer":         `this command prints no such event; "dplay help events" lists them`,
		"":               `this command prints no such event; "dplay help events" lists them`,
	} {
		assert.EqualError(t, e.Set(value), want)
		assert.Empty(t, e.Name)
	}
	require.NoError(t, cmd.ParseFlags([]string{"--until", "chat"}))
	assert.Equal(t, "chat", e.Name)
}
