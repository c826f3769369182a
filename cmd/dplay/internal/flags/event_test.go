package flags

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEvent takes the events that a command prints, and names the nearest one to any other word.
func TestEvent(t *testing.T) {
	var o struct {
		Until Event `flag:"until" usage:"end"`
	}
	e, cmd := &o.Until, &cobra.Command{}
	*e = NewEvent("session_opened", "chat")
	Register(cmd, &o)
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
