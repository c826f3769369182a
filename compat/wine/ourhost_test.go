//go:build linux

package wine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// A neighbourhood is the machines that the runs against ours share: Wine takes some seconds to start.
type neighbourhood struct {
	lab               *wine.Lab
	host, guest, late *wine.Machine // with our files
	one, two          *wine.Machine // with Wine
}

func newNeighbourhood(t *testing.T) (context.Context, *neighbourhood) {
	t.Helper()
	ctx, lab := newLab(t)
	n := &neighbourhood{lab: lab}
	for _, plug := range []struct {
		into **wine.Machine
		how  func(context.Context, string) (*wine.Machine, error)
		name string
	}{{&n.host, lab.Machine, "host"}, {&n.one, lab.Wine, "one"}, {&n.two, lab.Wine, "two"},
		{&n.guest, lab.Machine, "guest"}, {&n.late, lab.Machine, "late"}} {
		m, err := plug.how(ctx, plug.name)
		missing(t, err)
		*plug.into = m
	}
	return ctx, n
}

// recorded runs a part of a test and holds its recording against package captures: every octet decodes, and nothing in
// it is odd. That is for sessions in which nobody says what is.
func (n *neighbourhood) recorded(ctx context.Context, t *testing.T, run func()) {
	t.Helper()
	stop := record(ctx, t, n.lab)
	run()
	sum, commands := decode(ctx, t, stop())
	assert.True(t, sum.TCP.Balanced() && sum.UDP.Balanced(), "%+v", sum)
	assert.Zero(t, sum.Findings, sum.ByCode)
	assert.Contains(t, commands, "SUPERENUMPLAYERSREPLY")
}

// TestOurHost has Wine's own dplayx join sessions that this project hosts, with ids that are the same in every run.
func TestOurHost(t *testing.T) {
	ctx, n := newNeighbourhood(t)
	for _, c := range []struct {
		name string
		run  func(ctx context.Context, t *testing.T, n *neighbourhood)
	}{
		{"two-clients", func(ctx context.Context, t *testing.T, n *neighbourhood) {
			h := startOurs(ctx, t, n.host, ourRole{Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive,
				Player: "Host", Long: "of ours", Data: []byte("ours"), Echo: true})
			twoClients(ctx, t, n, h)
		}},
		{"full", func(ctx context.Context, t *testing.T, n *neighbourhood) {
			h := startOurs(ctx, t, n.host, ourRole{Name: "small", MaxPlayers: 2, Player: "Host", Long: "of ours", Data: []byte("ours")})
			fullSession(ctx, t, n, h)
		}},
		{"third", ourThird},
	} {
		t.Run(c.name, func(t *testing.T) { n.recorded(ctx, t, func() { c.run(ctx, t, n) }) })
	}
}

// look enumerates until a session is found.
func look(ctx context.Context, t *testing.T, c *wine.Client) wine.Session {
	t.Helper()
	for {
		r := do(ctx, t, c, wine.Cmd("enum", application).With("flags", uint32(wire.EnumPasswordRequired)).With("timeout", 500))
		if len(r.Sessions) > 0 {
			return r.Sessions[0]
		}
		require.NoError(t, ctx.Err())
	}
}

// enters has a client join and make a player, which our machines have to be told of.
func enters(ctx context.Context, t *testing.T, c *wine.Client, session, short, long, data string, told ...*ours) wine.Word {
	t.Helper()
	look(ctx, t, c)
	do(ctx, t, c, wine.Cmd("join", session).With("password", "sesame"))
	player := do(ctx, t, c, wine.Cmd("create-player", short, long).With("data", data)).ID
	for _, o := range told {
		o.next(ctx, t, "peer_joined")
		f := o.about(ctx, t, "player_created", player.String())
		assert.Equal(t, fact{Event: "player_created", ID: player.String(), Name: short, LongName: long, Data: data, System: f.System}, f)
	}
	return player
}

// twoClients is the session of our host and two clients of Wine's.
func twoClients(ctx context.Context, t *testing.T, n *neighbourhood, h *ours) {
	a, b := newClient(ctx, t, n.one), newClient(ctx, t, n.two)
	look(ctx, t, a)
	refused(ctx, t, a, "DPERR_INVALIDPASSWORD", wine.Cmd("join", "ours").With("password", "wrong"))
	pa := enters(ctx, t, a, "ours", "a", "first", "a1", h)
	assert.Contains(t, ids(do(ctx, t, a, wine.Cmd("players")).Players), h.player)

	pb := enters(ctx, t, b, "ours", "b", "second", "b2")
	e := await(ctx, t, a, wine.About("player_created", pb))
	assert.Equal(t, []string{"b", "second", "\xb2"}, []string{*e.Short, *e.Long, string(e.Data.Data)})
	list := do(ctx, t, b, wine.Cmd("players")).Players
	assert.Contains(t, names(list), "a/first")
	assert.Contains(t, ids(list), h.player)
	lost := h.next(ctx, t, "peer_joined").System
	assert.Equal(t, "b", h.about(ctx, t, "player_created", pb.String()).Name)

	talk(ctx, t, a, b, pa, pb)
	talk(ctx, t, b, a, pb, pa)
	echo(ctx, t, h, a, pa)
	echo(ctx, t, h, b, pb)

	require.NoError(t, b.Kill())
	f := h.next(ctx, t, "peer_lost")
	assert.Equal(t, lost, f.System, f.Reason)
	h.about(ctx, t, "player_deleted", pb.String())
	echo(ctx, t, h, a, pa) // the others go on
	require.NoError(t, a.Quit(ctx))
	h.about(ctx, t, "player_deleted", pa.String())
}

// echo sends messages of all kinds to a player of ours, and wants them back unchanged.
func echo(ctx context.Context, t *testing.T, o *ours, c *wine.Client, from wine.Word) {
	t.Helper()
	to := word(t, o.player)
	for _, command := range []wine.Command{
		wine.Cmd("send-size", o.player, "8", "1").Flag("guaranteed"),
		wine.Cmd("send-size", o.player, "8", "2"),
		wine.Cmd("send-size", o.player, "60000", "3").Flag("guaranteed"),
		wine.Cmd("send-size", o.player, "60000", "4"),
	} {
		sent := do(ctx, t, c, command)
		f := o.next(ctx, t, "message")
		assert.Equal(t, []any{from.String(), o.player, sent.Size}, []any{f.From, f.To, f.Size}, command)
		e := await(ctx, t, c, wine.Named("message"))
		assert.Equal(t, []wine.Word{to, sent.CRC32}, []wine.Word{e.From, e.CRC32}, command)
		assert.Equal(t, sent.Size, e.Size, command)
	}
}

// fullSession is a session for two players: whoever is one too many is refused, until there is room.
func fullSession(ctx context.Context, t *testing.T, n *neighbourhood, h *ours) {
	a, b := newClient(ctx, t, n.one), newClient(ctx, t, n.two)
	look(ctx, t, a)
	look(ctx, t, b)
	do(ctx, t, a, wine.Cmd("join", "small"))
	do(ctx, t, a, wine.Cmd("create-player", "a", "first"))
	h.next(ctx, t, "peer_joined")
	refused(ctx, t, a, "DPERR_NONEWPLAYERS", wine.Cmd("create-player", "x", "one too many"))
	refused(ctx, t, b, "DPERR_NONEWPLAYERS", wine.Cmd("join", "small"))
	require.NoError(t, a.Quit(ctx))
	h.next(ctx, t, "player_deleted")
	look(ctx, t, b)
	do(ctx, t, b, wine.Cmd("join", "small"))
	require.NoError(t, b.Quit(ctx))
}

// ids gives the ids of players or groups.
func ids(players []wine.Player) []string {
	var all []string
	for _, p := range players {
		all = append(all, p.ID.String())
	}
	return all
}
