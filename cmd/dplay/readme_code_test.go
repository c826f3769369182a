package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// hostCastle is the README's code, and ends when play does not want to go on.
func hostCastle(ctx context.Context, options sock.Options, game wire.GUID, play func(dpsp.Message) error) error {
	host, err := sock.Open(options)
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Host(ctx, dpsp.Host{
		Application: game, Name: "Castle", Flags: wire.SessionMigrateHost | wire.SessionKeepAlive,
	}); err != nil {
		return err
	}
	ann, err := host.CreatePlayer(ctx, "Ann", nil)
	if err != nil {
		return err
	}
	for e := range host.Events() {
		switch e := e.(type) {
		case dpsp.PlayerCreated:
			fmt.Println(e.ShortName, "is here")
			if e.ID != ann {
				err = host.Send(ctx, ann, e.ID, []byte("welcome"), true)
			}
		case dpsp.Message:
			err = play(e) // the game's own octets
		case dpsp.HostChanged:
			fmt.Println("the host is", e.New, "now")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestReadmeHost runs the README's host, and a guest that is welcomed and answers.
func TestReadmeHost(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ctx := testkit.Context(t)
	game, err := wire.ParseGUID(at.app)
	require.NoError(t, err)
	options := sock.Options{Bind: netip.MustParseAddr(at.address), Config: dpsp.Config{}}
	var said []string
	over := errors.New("over")
	play := func(m dpsp.Message) error {
		said = append(said, string(m.Payload))
		return over
	}
	done := make(chan error, 1)
	go func() { done <- hostCastle(ctx, options, game, play) }()

	guest, err := sock.Open(options)
	require.NoError(t, err)
	defer guest.Close()
	found, err := guest.Find(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{options.Bind}})
	require.NoError(t, err)
	require.NoError(t, guest.Join(ctx, found, ""))
	bob, err := guest.CreatePlayer(ctx, "Bob", nil)
	require.NoError(t, err)
	for e := range guest.Events() {
		if m, ok := e.(dpsp.Message); ok {
			assert.Equal(t, "welcome", string(m.Payload))
			require.NoError(t, guest.Send(ctx, bob, m.From, []byte("thanks"), true))
			break
		}
	}
	err, _ = testkit.Receive(t, done, "the end of the host")
	require.ErrorIs(t, err, over)
	assert.Equal(t, []string{"thanks"}, said)
}
