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
	c := collector{notes: &Notes{Report: report}, seen: map[*captures.Session]bool{}}
	for i := range maxSessions + more {
		r := captures.Record{Session: &captures.Session{Described: true, Name: fmt.Sprintf("game %d", i)}}
		for range 2 {
			require.NoError(t, c.record(&r))
		}
		c.finding(&captures.Finding{Text: fmt.Sprintf("odd %d", i)})
	}
	assert.Len(t, c.seen, maxSessions)
	text := strings.Join(c.section(), "\n")
	assert.Contains(t, text, fmt.Sprintf("\nsession \"game %d\"; who hosts is not known\nand more sessions\n", maxSessions-1))
	assert.Equal(t, maxSessions, strings.Count(text, "\nsession "))
	assert.Equal(t, maxGeneral, strings.Count(text, "\ndoctor, "))
	assert.Contains(t, text, fmt.Sprintf("\nand %d findings more: dplay doctor prints them all\n", more))
	assert.Contains(t, text, fmt.Sprintf(": odd %d\nand %d more: dplay decode prints them all\n", maxGeneral-1, maxSessions+more-maxGeneral))

	var players []*captures.Player
	for i := range maxPlayers + more {
		players = append(players, &captures.Player{ID: wire.PlayerID(i), Name: "Ann"}, &captures.Player{Group: true})
	}
	var b strings.Builder
	c.members(&b, "players", players, 1)
	assert.Equal(t, maxPlayers, strings.Count(b.String(), `"Ann"`))
	assert.True(t, strings.HasSuffix(b.String(), fmt.Sprintf("%s and %d more", wire.PlayerID(maxPlayers-1), more)), b.String())
}
