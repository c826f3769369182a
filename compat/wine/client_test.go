//go:build linux

package wine_test

import (
	"context"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// joins holds the client against a host of a few rules that are read off compat/facts: what comes out wrong here is the
// client's or the lab's doing and no host's.
func joins(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	stop := record(ctx, t, lab)
	_, host := newHost(ctx, t, lab, script{Application: application, Instance: instance, Name: "Größe", Password: "sesame"})
	c := newClient(ctx, t, m)
	connection := join(ctx, t, c, host)
	id := createPlayer(ctx, t, c, host)
	lookAround(ctx, t, c, id)
	echoes(ctx, t, c, host, id)
	stayHome(ctx, t, c, id)
	require.NoError(t, c.Kill()) // no word to anybody, but the connection closes
	host.end(ctx, t, connection)
	require.Error(t, c.Ended(ctx))
	_, err := c.Do(ctx, wine.Cmd("session"))
	require.Error(t, err, "a command to a dead client")

	sum, commands := decode(ctx, t, stop())
	begin := slices.Index(commands, "REQUESTPLAYERID")
	require.Greater(t, begin, 1)
	assert.Equal(t, []string{"ENUMSESSIONS", "ENUMSESSIONSREPLY"}, commands[begin-2:begin])
	assert.Equal(t, []string{
		"REQUESTPLAYERID", "REQUESTPLAYERREPLY", "ADDFORWARDREQUEST", "ADDFORWARDREPLY", // the wrong password
		"REQUESTPLAYERID", "REQUESTPLAYERREPLY", "ADDFORWARDREQUEST", "SUPERENUMPLAYERSREPLY",
		"REQUESTPLAYERID", "REQUESTPLAYERREPLY", "CREATEPLAYER", "CREATEPLAYER",
		"PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE",
		"PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE", "PLAYERMESSAGE",
		"ADDPLAYERTOGROUP", // the one change that it tells anybody
	}, commands[begin:])
	assert.Zero(t, sum.Unclaimed+sum.Stray)
}

// join finds the session and joins it with a wrong password and the right one. It gives the client's end of the
// connection.
func join(ctx context.Context, t *testing.T, c *wine.Client, host *hostProcess) string {
	t.Helper()
	sessions := find(ctx, t, c, host)
	require.Len(t, sessions, 1)
	s := sessions[0]
	assert.Equal(t, instance, s.Instance.String())
	assert.Equal(t, application, s.Application.String())
	assert.Equal(t, "Größe", *s.Name)
	assert.Equal(t, wine.Word(wire.SessionPasswordRequired), s.Flags)
	assert.Equal(t, []uint32{8, 1}, []uint32{s.MaxPlayers, s.Players})
	assert.Equal(t, wine.Word(0xAABBCCDD), s.Reserved1)
	assert.Equal(t, [4]uint32{1, 2, 3, 4}, s.User)

	refused(ctx, t, c, "DPERR_INVALIDPASSWORD", wine.Cmd("join", "Größe").With("password", "open sesame"))
	host.next(ctx, t, "REQUESTPLAYERID")
	assert.Equal(t, "open sesame", host.next(ctx, t, "ADDFORWARDREQUEST").Password)
	do(ctx, t, c, wine.Cmd("join", instance).With("password", "sesame"))
	connection := host.next(ctx, t, "REQUESTPLAYERID").Source
	request := host.next(ctx, t, "ADDFORWARDREQUEST")
	assert.Equal(t, "sesame", request.Password)
	assert.Equal(t, connection, request.Source, "one connection for everything (wire-facts 2.9)")
	return connection
}

// createPlayer makes the client's player, and waits for the one that the host makes then.
func createPlayer(ctx context.Context, t *testing.T, c *wine.Client, host *hostProcess) wine.Word {
	t.Helper()
	r := do(ctx, t, c, wine.Cmd("create-player", "Zoë", "Zoë of \"the\" East").With("data", "00ff7f80"))
	host.next(ctx, t, "REQUESTPLAYERID")
	s := host.next(ctx, t, "CREATEPLAYER")
	assert.Equal(t, [2]string{"Zoë", "Zoë of \"the\" East"}, s.Names)
	assert.Equal(t, []byte{0x00, 0xff, 0x7f, 0x80}, s.Data)
	e := await(ctx, t, c, wine.About("player_created", wine.Word(latePlayer)))
	assert.Equal(t, r.ID, e.To)
	assert.Equal(t, []string{"Late", "Comer"}, []string{*e.Short, *e.Long})
	assert.Equal(t, wine.Hex{9, 8, 7}, e.Data.Data)
	return r.ID
}

// lookAround asks the client's DirectPlay who is there.
func lookAround(ctx context.Context, t *testing.T, c *wine.Client, id wine.Word) {
	t.Helper()
	r := do(ctx, t, c, wine.Cmd("players"))
	var got []string
	for _, p := range r.Players {
		got = append(got, p.ID.String()+" "+*p.Short+"/"+*p.Long+" "+string(p.Data.Data))
	}
	assert.ElementsMatch(t, []string{
		"0x00010002 Host/The Host \x01\x02\x03\x04",
		"0x00010003 Late/Comer \x09\x08\x07",
		id.String() + " Zoë/Zoë of \"the\" East \x00\xff\x7f\x80",
	}, got)
	r = do(ctx, t, c, wine.Cmd("session"))
	assert.Equal(t, instance, r.Session.Instance.String())
	assert.Equal(t, []string{"Team/The Team"}, names(do(ctx, t, c, wine.Cmd("groups")).Groups))
}

// echoes sends game messages of all kinds, and has them back.
func echoes(ctx context.Context, t *testing.T, c *wine.Client, host *hostProcess, id wine.Word) {
	t.Helper()
	to := wine.Word(hostPlayer).String()
	do(ctx, t, c, wine.Cmd("hex-limit", "60000"))
	for seed, command := range []wine.Command{
		wine.Cmd("send-size", to, "8", "0"),
		wine.Cmd("send-size", to, "8", "1").Flag("guaranteed"),
		wine.Cmd("send-size", to, "60000", "2"),
		wine.Cmd("send-size", to, "60000", "3").Flag("guaranteed"),
		wine.Cmd("send-size", "all", "1", "4").Flag("guaranteed"),
	} {
		sent := do(ctx, t, c, command)
		want := wine.Octets(sent.Size, uint32(seed))
		require.Equal(t, wine.Word(crc32.ChecksumIEEE(want)), sent.CRC32, command)
		require.Equal(t, want, []byte(sent.Data.Data), command)
		host.next(ctx, t, "PLAYERMESSAGE")
		e := await(ctx, t, c, wine.Named("message"))
		assert.Equal(t, wine.Word(hostPlayer), e.From, command)
		assert.Equal(t, id, e.To, command)
		assert.Equal(t, len(want), e.Size, command)
		assert.Equal(t, sent.CRC32, e.CRC32, command)
		assert.Equal(t, want, []byte(e.Data.Data), command)
	}
	do(ctx, t, c, wine.Cmd("hex-limit", "0"))
	do(ctx, t, c, wine.Cmd("send", to, "c0ffee").Flag("guaranteed"))
	host.next(ctx, t, "PLAYERMESSAGE")
	e := await(ctx, t, c, wine.Named("message"))
	assert.Equal(t, 3, e.Size)
	assert.Equal(t, wine.Word(crc32.ChecksumIEEE([]byte{0xc0, 0xff, 0xee})), e.CRC32)
	assert.Nil(t, e.Data.Data)
}

// stayHome does what Wine 10 does for its own players alone (wire-facts section 6: it sends none of it).
func stayHome(ctx context.Context, t *testing.T, c *wine.Client, id wine.Word) {
	t.Helper()
	do(ctx, t, c, wine.Cmd("hex-limit", "1024"))
	do(ctx, t, c, wine.Cmd("set-player-name", id.String(), "Zed", "Zed").Flag("guaranteed"))
	do(ctx, t, c, wine.Cmd("set-player-data", id.String(), "0506").Flag("guaranteed"))
	group := do(ctx, t, c, wine.Cmd("create-group", "team", "the team").With("data", "aa")).ID
	do(ctx, t, c, wine.Cmd("add-to-group", group.String(), id.String()))
	r := do(ctx, t, c, wine.Cmd("groups"))
	assert.ElementsMatch(t, []string{"Team/The Team", "team/the team"}, names(r.Groups))
	r = do(ctx, t, c, wine.Cmd("players").With("group", group))
	require.Len(t, r.Players, 1)
	assert.Equal(t, "Zed", *r.Players[0].Short)
	assert.Equal(t, wine.Hex{5, 6}, r.Players[0].Data.Data)
}

// full refuses the client's player, not the client: that is how a full session says so (wire-facts 5.2).
func full(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	_, host := newHost(ctx, t, lab, script{Application: application, Instance: instance, Name: "full", Full: true})
	c := newClient(ctx, t, m)
	require.Len(t, find(ctx, t, c, host), 1)
	do(ctx, t, c, wine.Cmd("join", "full"))
	refused(ctx, t, c, "DPERR_NONEWPLAYERS", wine.Cmd("create-player", "a", "b"))
	require.NoError(t, c.Quit(ctx))
}
