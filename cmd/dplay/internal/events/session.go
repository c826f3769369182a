package events

import (
	"cmp"
	"fmt"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// PlayersText says how many players there are and may be: "2 of 8 players", or "2 players" without a limit.
func PlayersText(d *wire.SessionDesc) string { return PlayersColumn(d) + " players" }

// PlayersColumn says it in a column for players: "2 of 8", or "2".
func PlayersColumn(d *wire.SessionDesc) string {
	if d.MaxPlayers == 0 {
		return fmt.Sprint(d.CurrentPlayers)
	}
	return fmt.Sprintf("%d of %d", d.CurrentPlayers, d.MaxPlayers)
}

// FlagsText returns the names of a session's flags as --flags takes them; "no flags" for none.
func FlagsText(d *wire.SessionDesc) string { return cmp.Or(cli.SessionFlagsText(d.Flags), "no flags") }

// AppText returns the name of a game, or its GUID.
func AppText(g wire.GUID) string { return cmp.Or(gamelist.Title(g), g.String()) }

// FlagWords says what the flags mean to people, by their bits.
var FlagWords = []struct {
	Flag wire.SessionFlags
	Word string
}{
	{wire.SessionJoinDisabled, "closed"},
	{wire.SessionNewPlayersDisabled, "no new players"},
	{wire.SessionPasswordRequired, "password"},
	{wire.SessionPrivate, "private"},
	{wire.SessionSecureServer, "secure"},
	{wire.SessionMigrateHost, "outlives its host"},
	{wire.SessionKeepAlive, "drops the silent"},
	{wire.SessionMulticastServer, "host relays groups"},
	{wire.SessionClientServer, "client-server"},
	{wire.SessionDirectPlayProtocol, "reliable protocol"},
	{wire.SessionNoPreserveOrder, "any order"},
	{wire.SessionOptimizeLatency, "low latency"},
	{wire.SessionAllowVoiceRetro, "voice"},
	{wire.SessionNoMessageID, "no message ids"},
	{wire.SessionNoDataMessages, "no data messages"},
	{wire.SessionNoSessionDescMessages, "no news of changes"},
}

// FlagsInWords says what a session's flags mean, those first that keep people out; bits without a name stay numbers. The
// flag for a password is left out: it has a column of its own. "full" is no flag, but what people look for here.
func FlagsInWords(d *wire.SessionDesc) string {
	var words []string
	if cli.Full(d) {
		words = append(words, "full")
	}
	left := d.Flags
	for _, w := range FlagWords {
		if d.Flags&w.Flag != 0 && w.Flag != wire.SessionPasswordRequired {
			words = append(words, w.Word)
		}
		left &^= w.Flag
	}
	if left != 0 {
		words = append(words, fmt.Sprintf("0x%08x", uint32(left)))
	}
	return strings.Join(words, ", ")
}
