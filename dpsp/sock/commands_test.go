package sock

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// TestEveryCommand: each command of package dpsp is a method of Session with its name.
func TestEveryCommand(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "command.go"), nil, 0)
	require.NoError(t, err)
	commands := 0
	for _, d := range f.Decls {
		m, ok := d.(*ast.FuncDecl)
		if !ok || m.Recv == nil || m.Name.Name != "command" {
			continue
		}
		commands++
		name := m.Recv.List[0].Type.(*ast.Ident).Name
		_, has := reflect.TypeFor[*Session]().MethodByName(name)
		assert.True(t, has, name)
	}
	assert.Greater(t, commands, 20)
}

// TestCommands has one machine do everything that players, groups and the session know, and another one see it.
func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 2, 0)
		host, other, ctx := c.members[0], c.members[1], c.ctx
		ann, err := host.CreatePlayer(ctx, "Ann", []byte("red"))
		require.NoError(t, err)
		made := told(c, other, func(e dpsp.PlayerCreated) bool { return e.ID == ann })
		assert.Equal(t, "Ann", made.ShortName)
		assert.Equal(t, "red", string(made.Data))
		require.NoError(t, host.SetName(ctx, ann, "Anna", "Anna the Great"))
		renamed := told(c, other, func(e dpsp.PlayerChanged) bool { return e.ID == ann && e.Renamed })
		assert.Equal(t, [2]string{"Anna", "Anna the Great"}, [2]string{renamed.ShortName, renamed.LongName})
		require.NoError(t, host.SetData(ctx, ann, []byte("blue")))
		changed := told(c, other, func(e dpsp.PlayerChanged) bool { return e.ID == ann && !e.Renamed })
		assert.Equal(t, "blue", string(changed.Data))

		team, err := host.CreateGroup(ctx, "Team", []byte("best"))
		require.NoError(t, err)
		lair, err := host.CreateGroup(ctx, "Lair", nil)
		require.NoError(t, err)
		group := told(c, other, func(e dpsp.GroupCreated) bool { return e.ID == team })
		assert.Equal(t, "Team", group.ShortName)
		assert.Equal(t, "best", string(group.Data))
		require.NoError(t, host.AddToGroup(ctx, other.id, team))
		told(c, other, func(e dpsp.MemberAdded) bool { return e == dpsp.MemberAdded{Player: other.id, Group: team} })
		for _, guaranteed := range []bool{true, false} {
			require.NoError(t, host.Send(ctx, ann, team, []byte("go"), guaranteed))
			want := dpsp.Message{From: ann, To: other.id, Sent: team, Guaranteed: guaranteed, Payload: []byte("go")}
			assert.Equal(t, want, told(c, other, func(dpsp.Message) bool { return true }))
			require.NoError(t, host.Chat(ctx, ann, team, "hello", guaranteed))
			said := dpsp.ChatMessage{From: ann, FromName: "Anna", To: other.id, Sent: team, Guaranteed: guaranteed, Text: "hello"}
			assert.Equal(t, said, told(c, other, func(dpsp.ChatMessage) bool { return true }))
		}
		require.NoError(t, host.RemoveFromGroup(ctx, other.id, team))
		told(c, other, func(e dpsp.MemberRemoved) bool { return e == dpsp.MemberRemoved{Player: other.id, Group: team} })
		require.NoError(t, host.AddShortcut(ctx, lair, team))
		told(c, other, func(e dpsp.ShortcutAdded) bool { return e == dpsp.ShortcutAdded{Child: lair, Parent: team} })
		require.NoError(t, host.RemoveShortcut(ctx, lair, team))
		told(c, other, func(e dpsp.ShortcutRemoved) bool { return e == dpsp.ShortcutRemoved{Child: lair, Parent: team} })
		require.NoError(t, host.DeleteGroup(ctx, team))
		told(c, other, func(e dpsp.GroupDeleted) bool { return e.ID == team })
		require.NoError(t, host.DeletePlayer(ctx, ann))
		told(c, other, func(e dpsp.PlayerDeleted) bool { return e.ID == ann })

		require.NoError(t, host.SetDesc(ctx, dpsp.SetDesc{Name: "Crew", MaxPlayers: 9, Flags: host.Info().Desc.Flags}))
		desc := told(c, other, func(dpsp.SessionChanged) bool { return true })
		assert.Equal(t, "Crew", desc.Name)
		assert.EqualValues(t, 9, desc.Desc.MaxPlayers)
		require.NoError(t, other.Leave(ctx))
		told(c, other, func(dpsp.SessionClosed) bool { return true })
		told(c, host, func(e dpsp.PlayerDeleted) bool { return e.ID == other.id })
	})
}

// TestEnumeratePlayers asks a host who is in its session, from outside and from inside.
func TestEnumeratePlayers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := soon(t)
		at := lane(2)
		opt := bound(n, at[0])
		opt.Config.Compatible = true // it answers who is in no session
		host, err := hosted(ctx, opt, dpsp.Host{Application: testGame, Name: "Open", Flags: wire.SessionKeepAlive})
		require.NoError(t, err)
		defer host.Close()
		ann, err := host.CreatePlayer(ctx, "Ann", nil)
		require.NoError(t, err)
		team, err := host.CreateGroup(ctx, "Team", nil)
		require.NoError(t, err)
		asker, err := Open(bound(n, at[1]))
		require.NoError(t, err)
		defer asker.Close()
		found, err := seek(ctx, bound(n, at[1]), at[0], "", func(*Found) bool { return true })
		require.NoError(t, err)
		check := func(s *Session) {
			t.Helper()
			who, err := s.EnumeratePlayers(ctx, found)
			require.NoError(t, err)
			assert.Equal(t, found.Host, who.Host)
			assert.Equal(t, "Open", who.Name)
			require.Len(t, who.Changes, 2)
			player, ok := who.Changes[0].(dpsp.PlayerCreated)
			require.True(t, ok)
			assert.Equal(t, ann, player.ID)
			assert.Equal(t, "Ann", player.ShortName)
			group, ok := who.Changes[1].(dpsp.GroupCreated)
			require.True(t, ok)
			assert.Equal(t, team, group.ID)
		}
		check(asker)
		assert.Zero(t, asker.Info().System, "it is not in it for that")
		check(host)
		id, err := host.CreatePlayer(ctx, "Bob", nil)
		require.NoError(t, err)
		assert.NotZero(t, id)
	})
}

// TestCommandErrors: outside of a session, for what is not there, and after the end every command fails, with the same errors.
func TestCommandErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := soon(t)
		s, err := Open(bound(n, lane(1)[0]))
		require.NoError(t, err)
		defer s.Close()
		commands := map[string]func(context.Context) error{
			"Leave":        s.Leave,
			"SetDesc":      func(ctx context.Context) error { return s.SetDesc(ctx, dpsp.SetDesc{}) },
			"CreatePlayer": func(ctx context.Context) error { _, err := s.CreatePlayer(ctx, "", nil); return err },
			"DeletePlayer": func(ctx context.Context) error { return s.DeletePlayer(ctx, 7) },
			"CreateGroup":  func(ctx context.Context) error { _, err := s.CreateGroup(ctx, "", nil); return err },
			"DeleteGroup":  func(ctx context.Context) error { return s.DeleteGroup(ctx, 7) },
			"SetName":      func(ctx context.Context) error { return s.SetName(ctx, 7, "", "") },
			"SetData":      func(ctx context.Context) error { return s.SetData(ctx, 7, nil) },
			"AddToGroup":   func(ctx context.Context) error { return s.AddToGroup(ctx, 7, 8) },
			"RemoveFrom":   func(ctx context.Context) error { return s.RemoveFromGroup(ctx, 7, 8) },
			"AddShortcut":  func(ctx context.Context) error { return s.AddShortcut(ctx, 7, 8) },
			"RemoveShort":  func(ctx context.Context) error { return s.RemoveShortcut(ctx, 7, 8) },
			"SendWith":     func(ctx context.Context) error { return s.SendWith(ctx, dpsp.Send{From: 7, To: 8}) },
			"Send":         func(ctx context.Context) error { return s.Send(ctx, 7, 8, nil, true) },
			"Chat":         func(ctx context.Context) error { return s.Chat(ctx, 7, 8, "", true) },
		}
		for name, do := range commands {
			assert.ErrorIs(t, do(ctx), dpsp.ErrNoSession, name)
		}
		require.NoError(t, s.Host(ctx, dpsp.Host{Application: testGame}))
		assert.ErrorIs(t, s.DeletePlayer(ctx, 7), dpsp.ErrNoID)
		assert.ErrorIs(t, s.SetName(ctx, s.Info().System, "", ""), dpsp.ErrNotOurs)
		over, end := context.WithCancel(ctx)
		end()
		assert.ErrorIs(t, commands["Send"](over), context.Canceled)
		assert.ErrorIs(t, commands["Chat"](over), context.Canceled)
		require.NoError(t, s.Close())
		for name, do := range commands {
			assert.ErrorIs(t, do(ctx), ErrClosed, name)
		}
		_, err = s.EnumeratePlayers(ctx, Found{})
		assert.ErrorIs(t, err, ErrClosed)
	})
}
