//go:build linux

package wine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// marker is a game message that says that everything before it was received.
const marker = "that is all"

// attempts returns a message of each command that would change something that the client can see.
func attempts(t *testing.T) map[wire.Command]wire.Message {
	t.Helper()
	newcomer := wire.PackedPlayer{Flags: wire.PlayerGroup, ID: 0x00010007, System: hostSystem, Version: 14,
		ShortName: wire.NewText("new")}
	game := wire.PlayerMessage{From: hostPlayer, Payload: []byte("in pieces")}
	inner, err := wire.AppendMessage(nil, 14, &wire.CreatePlayer{Player: 0x00010008, Info: player(0x00010008, "a", "b", nil)})
	require.NoError(t, err)
	total := uint32(len(inner))
	messages := []wire.Message{
		&wire.CreateGroup{Player: newcomer.ID, Info: newcomer},
		&wire.DeletePlayer{Player: hostPlayer},
		&wire.DeleteGroup{Group: hostGroup},
		&wire.AddPlayerToGroup{Player: latePlayer, Group: hostGroup},
		&wire.DeletePlayerFromGroup{Player: hostPlayer, Group: hostGroup},
		&wire.PlayerDataChanged{Player: hostPlayer, Data: []byte("new")},
		&wire.PlayerNameChanged{Player: hostPlayer, ShortName: wire.NewText("new"), LongName: wire.NewText("new")},
		&wire.GroupNameChanged{Group: hostGroup, ShortName: wire.NewText("new"), LongName: wire.NewText("new")},
		&wire.Packet{Total: 1, MessageSize: total, Data: wire.Inner{Octets: inner}},
		&wire.YouAreDead{},
		&wire.PlayerWrapper{Player: game},
		&wire.SessionDescChanged{Desc: wire.SessionDesc{MaxPlayers: 99}, Name: wire.NewText("new")},
		&wire.AddShortcutToGroup{Child: hostGroup, Parent: hostGroup},
		&wire.Chat{From: hostPlayer, Text: wire.NewText("new")},
		&wire.Packet2Data{Total: 1, MessageSize: total, Data: wire.Inner{Octets: inner}},
		&wire.IAmNameServer{Host: hostSystem, Flags: wire.PlayerSystem | wire.PlayerNameServer},
	}
	by := map[wire.Command]wire.Message{}
	for _, m := range messages {
		by[m.Command()] = m
	}
	return by
}

// ignores sends a member everything that Ignored lists, after something that it does not ignore, and looks for any
// effect.
func ignores(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	all := attempts(t)
	then := []wire.Message{&wire.GroupDataChanged{Group: hostGroup, Data: []byte("seen")}}
	for _, d := range wine.Ignored {
		require.Contains(t, all, d.Command, "nothing tries it")
		then = append(then, all[d.Command])
	}
	then = append(then, &wire.PlayerMessage{From: hostPlayer, To: wire.IDAll, Payload: []byte(marker)})
	s := script{Application: application, Instance: instance, Name: "busy"}
	for _, m := range then {
		s.Then = append(s.Then, encode(t, m))
	}
	_, host := newHost(ctx, t, lab, s)
	c := newClient(ctx, t, m)
	find(ctx, t, c, host)
	do(ctx, t, c, wine.Cmd("join", "busy"))
	do(ctx, t, c, wine.Cmd("create-player", "me", "myself"))
	e := await(ctx, t, c, wine.Named("message"))
	require.Equal(t, marker, string(e.Data.Data))

	events := c.Pending()
	var names []string
	for _, e := range events {
		names = append(names, e.Name+" "+string(e.Data.Data))
	}
	assert.Equal(t, []string{"player_created \x09\x08\x07", "group_data seen"}, names, "what is new here Wine ignores no longer")
	asJoined(ctx, t, c)
	require.NoError(t, c.Quit(ctx))
}

// asJoined looks at the lists, which should be what they were.
func asJoined(ctx context.Context, t *testing.T, c *wine.Client) {
	t.Helper()
	assert.ElementsMatch(t, []string{"Host/The Host", "Late/Comer", "me/myself"}, names(do(ctx, t, c, wine.Cmd("players")).Players))
	assert.Equal(t, []string{"Team/The Team"}, names(do(ctx, t, c, wine.Cmd("groups")).Groups))
	members := do(ctx, t, c, wine.Cmd("players").With("group", wine.Word(hostGroup))).Players
	assert.Equal(t, []string{"Host/The Host"}, names(members))
	assert.Equal(t, wine.Hex{1, 2, 3, 4}, members[0].Data.Data)
	session := do(ctx, t, c, wine.Cmd("session")).Session
	assert.Equal(t, uint32(8), session.MaxPlayers)
}

// TestWineLimits holds that each limit names a test that there is, and says what Wine cannot do: for who runs make interop.
func TestWineLimits(t *testing.T) {
	var all strings.Builder
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	for _, l := range wine.Limits {
		t.Logf("Wine 10: %s.\n\tSo: %s. (%s)", l.Does, l.Follows, l.Test)
		test, part, _ := strings.Cut(l.Test, "/")
		assert.Contains(t, all.String(), "func "+test+"(t *testing.T)", l.Does)
		assert.Regexp(t, `[({]"`+strings.ReplaceAll(part, "_", " ")+`", `, all.String(), l.Does)
	}
	for _, d := range wine.Ignored {
		t.Logf("Wine 10 ignores %s: %s (TestWine/ignores)", d.Command, d.Follows)
	}
}

// names returns players as short/long. A name that is not there is empty.
func names(players []wine.Player) []string {
	var all []string
	for _, p := range players {
		name := ""
		if p.Short != nil {
			name = *p.Short
		}
		if name += "/"; p.Long != nil {
			name += *p.Long
		}
		all = append(all, name)
	}
	return all
}
