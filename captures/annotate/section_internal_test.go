package annotate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/wire"
)

// TestSectionLimits: of more sessions, findings and players than are told, the first ones are, and the others are mentioned.
func TestSectionLimits(t *testing.T) {
	const more = 7
	report := &doctor.Report{Summary: new(captures.Summary), Findings: make([]doctor.Finding, maxGeneral+more)}
	c := collector{notes: &Notes{Report: report}}
	for i := range maxSessions + more {
		r := captures.Record{Frames: []int{1}, Session: &captures.Session{Described: true, Name: fmt.Sprintf("game %d", i)}}
		for range 2 {
			require.NoError(t, c.record(&r))
		}
		c.finding(&captures.Finding{Text: fmt.Sprintf("odd %d", i)})
	}
	assert.Len(t, c.sessions, maxSessions)
	text := strings.Join(c.section(), "\n")
	assert.Contains(t, text, fmt.Sprintf("\nsession \"game %d\"; who hosts is not known\nand more sessions\n", maxSessions-1))
	assert.Equal(t, maxSessions, strings.Count(text, "\nsession "))
	assert.Equal(t, maxGeneral, strings.Count(text, "\ndoctor, "))
	assert.Contains(t, text, fmt.Sprintf("\nand %d findings more: dplay doctor prints them all\n", more))
	assert.Contains(t, text, fmt.Sprintf(": odd %d\nand %d more: dplay decode prints them all\n", maxGeneral-1, maxSessions+more-maxGeneral))

	var players []*captures.Player
	for i := range maxPlayers + more {
		players = append(players, &captures.Player{ID: wire.PlayerID(i), Name: "Ann"})
	}
	text = members(append(players, &captures.Player{ID: 1, Group: true}))
	assert.Equal(t, maxPlayers, strings.Count(text, `"Ann"`))
	assert.Contains(t, text, fmt.Sprintf("%s and %d more; groups: 0x00000001", wire.PlayerID(maxPlayers-1), more))
}
