package show_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// TestLongTexts bounds what a text takes on the line of a message. JSON has all of it.
func TestLongTexts(t *testing.T) {
	text := strings.Repeat("a", 20_000)
	one(t, &wire.Chat{From: 1, To: 2, Text: wire.NewText(text)}, func(r *captures.Record) {
		line := string(show.Details(nil, r, show.PayloadHex))
		assert.Contains(t, line, "a\"... (20000 letters)")
		assert.Less(t, len(line), 2000)
		var js show.JSON
		assert.Equal(t, text, object(t, &js, r)["message"].(map[string]any)["chat_message"])
	})
}
