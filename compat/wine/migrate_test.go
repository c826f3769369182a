//go:build linux

package wine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// TestOurHostGone has a session with MIGRATEHOST, of our host, our joiner and two clients of Wine's, lose its host. By the
// rule of DirectPlay 4 the machine with the lowest id is to be the next one. The seed makes the ids.
func TestOurHostGone(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, n := newNeighbourhood(t)
	t.Run("ours is next", func(t *testing.T) { oursIsNext(ctx, t, n) })
	t.Run("wine is next", func(t *testing.T) { wineIsNext(ctx, t, n) })
}

// loseHost opens the session and kills its host. It gives the machine that is to be the next one.
func loseHost(ctx context.Context, t *testing.T, n *neighbourhood, seed byte) (c *company, candidate wine.Word) {
	t.Helper()
	host := startOurs(ctx, t, n.host, ourRole{Name: "ours", Password: "sesame", MaxPlayers: 8, Player: "Host", Echo: true,
		Flags: wire.SessionKeepAlive | wire.SessionMigrateHost, Extended: true, Seed: seed})
	c = gather(ctx, t, n, host, startOurs(ctx, t, n.guest, newcomer(n.host, "Ann", "team")))
	c.a.Pending()
	c.b.Pending()
	shows(t, "our host is killed, and our joiner tells of it", func(t *testing.T) {
		host.kill(t)
		assert.Equal(t, "it does not answer", c.joiner.next(ctx, t, "host_lost").Reason)
		c.joiner.about(ctx, t, "player_deleted", host.player)
		candidate = word(t, c.joiner.next(ctx, t, "migration_started").Candidate)
		c.joiner.next(ctx, t, "peer_lost")
	})
	return c, candidate
}

// longPeriod is between two pings: five of them pass until a machine is passed over that does not take over. The recordings in
// captures/interop were made with 500 ms, and replays of them have that (compat/replay_test.go).
const longPeriod = 4 * time.Second

// newcomer joins the session at the machine that is its host.
func newcomer(host *wine.Machine, player, group string) ourRole {
	return ourRole{Host: host.Addr().String(), Name: "ours", Password: "sesame", Player: player, Group: group, Echo: true,
		Extended: true, Seed: 100 + player[0]%26, Period: longPeriod, Probes: 2} // an incarnation is drawn by the seed
}

// small is the size of the large messages where the recording is for captures/interop.
const small = 100

// oursIsNext: our joiner becomes host. The clients take no notice, play on with it, and with those who join it: another
// machine of ours, and one of Wine's.
func oursIsNext(ctx context.Context, t *testing.T, n *neighbourhood) {
	stop := record(ctx, t, n.lab)
	c, candidate := loseHost(ctx, t, n, 5)
	shows(t, "our joiner becomes host, and the clients play on with it and with each other", func(t *testing.T) {
		f := c.joiner.next(ctx, t, "host_changed")
		require.Equal(t, fact{Event: "host_changed", Host: candidate.String(), Hosting: true}, f, "the lowest id is Ann's machine's")
		c.playsOn(ctx, t, small)
	})
	bob := c.letsIn(ctx, t, n, small)
	stranger := newClient(ctx, t, n.two) // beside the second client
	shows(t, "a Wine client that comes now joins our joiner, and plays with everybody", func(t *testing.T) {
		c.strangerJoins(ctx, t, stranger, bob)
	})
	shows(t, "a client quits, and both machines of ours tell of it", func(t *testing.T) {
		require.NoError(t, c.b.Quit(ctx))
		c.joiner.about(ctx, t, "player_deleted", c.pb.String())
		bob.about(ctx, t, "player_deleted", c.pb.String())
	})
	stop() // a replay could not tell the two clients apart that have the same sockets
	again := newClient(ctx, t, n.two)
	shows(t, "it starts again and plays with ours; what a Wine client guarantees it fails (a limit of Wine)", func(t *testing.T) {
		c.startsAgain(ctx, t, again, bob)
	})
}

// wineIsNext: a client of Wine's has the lowest id. It lives on and is never host: it is passed over, as is the other one if
// its id is the next one, and our joiner is host.
func wineIsNext(ctx context.Context, t *testing.T, n *neighbourhood) {
	c, candidate := loseHost(ctx, t, n, 1)
	shows(t, "a client should be host, knows nothing of it, and plays on", func(t *testing.T) {
		assert.Contains(t, []wine.Word{word(t, c.joiner.systems[c.pa]), word(t, c.joiner.systems[c.pb])}, candidate)
		c.playsOn(ctx, t, 60000)
	})
	shows(t, "it is passed over: our joiner becomes host, and the clients play on", func(t *testing.T) {
		f := c.joiner.next(ctx, t, "host_changed")
		assert.True(t, f.Hosting)
		assert.NotContains(t, []string{c.joiner.systems[c.pa], c.joiner.systems[c.pb]}, f.Host)
		c.playsOn(ctx, t, 60000)
		c.joiner.none(t, "peer_lost", "player_deleted")
	})
	bob := c.letsIn(ctx, t, n, 60000)
	shows(t, "the clients are killed, and both machines of ours tell of it", func(t *testing.T) {
		for client, player := range map[*wine.Client]wine.Word{c.a: c.pa, c.b: c.pb} {
			require.NoError(t, client.Kill())
			c.joiner.about(ctx, t, "player_deleted", player.String())
			bob.about(ctx, t, "player_deleted", player.String())
		}
	})
}

// playsOn has the clients talk to each other and to our joiner. Nothing else comes to them.
func (c *company) playsOn(ctx context.Context, t *testing.T, large uint32) {
	t.Helper()
	talkOf(ctx, t, c.a, c.b, c.pa, c.pb, large)
	talkOf(ctx, t, c.b, c.a, c.pb, c.pa, large)
	echoOf(ctx, t, c.joiner, c.a, c.pa, large)
	echoOf(ctx, t, c.joiner, c.b, c.pb, large)
	assert.Empty(t, c.a.Pending(), "the game is told nothing")
	assert.Empty(t, c.b.Pending())
}

// letsIn has a machine of ours join the new host. The clients are told of its player, and play with it.
func (c *company) letsIn(ctx context.Context, t *testing.T, n *neighbourhood, large uint32) (bob *ours) {
	t.Helper()
	bob = startOurs(ctx, t, n.late, newcomer(n.guest, "Bob", ""))
	shows(t, "a joiner of ours that comes now is let in, and the clients play with it", func(t *testing.T) {
		c.joiner.next(ctx, t, "peer_joined")
		c.joiner.about(ctx, t, "player_created", bob.player)
		for client, player := range map[*wine.Client]wine.Word{c.a: c.pa, c.b: c.pb} {
			e := await(ctx, t, client, wine.About("player_created", word(t, bob.player)))
			assert.Equal(t, "Bob", *e.Short)
			echoOf(ctx, t, bob, client, player, large)
		}
		c.playsOn(ctx, t, large)
	})
	return bob
}

// strangerJoins has a client of Wine's join the new host, which it finds as it finds any host.
func (c *company) strangerJoins(ctx context.Context, t *testing.T, stranger *wine.Client, bob *ours) {
	t.Helper()
	player := enters(ctx, t, stranger, "ours", "c", "another", "c3", c.joiner)
	bob.about(ctx, t, "player_created", player.String())
	for _, client := range []*wine.Client{c.a, c.b} {
		e := await(ctx, t, client, wine.About("player_created", player))
		assert.Equal(t, listed(player.String(), "c", "another", "\xc3"), listed(e.ID.String(), *e.Short, *e.Long, string(e.Data.Data)))
	}
	assert.ElementsMatch(t, []string{c.joiner.self, bob.self, listed(c.pa.String(), "a", "first", "a1"),
		listed(c.pb.String(), "b", "second", "b2"), listed(player.String(), "c", "another", "c3")}, list(ctx, t, stranger))
	talkOf(ctx, t, c.a, stranger, c.pa, player, small)
	talkOf(ctx, t, stranger, c.a, player, c.pa, small)
	echoOf(ctx, t, c.joiner, stranger, player, small)
	echoOf(ctx, t, bob, stranger, player, small)
}

// startsAgain has a client join that has the sockets of the one that quit, to which the first client still has a connection.
func (c *company) startsAgain(ctx context.Context, t *testing.T, again *wine.Client, bob *ours) {
	t.Helper()
	player := enters(ctx, t, again, "ours", "d", "again", "d4", c.joiner)
	bob.about(ctx, t, "player_created", player.String())
	await(ctx, t, c.a, wine.About("player_created", player))
	echoOf(ctx, t, c.joiner, again, player, small)
	echoOf(ctx, t, bob, again, player, small)
	do(ctx, t, c.a, sendSize(player.String(), 8, 1, true)) // into the old connection
	refused(ctx, t, c.a, "DPERR_UNAVAILABLE", sendSize(player.String(), 8, 2, true))
	refused(ctx, t, c.a, "DPERR_UNAVAILABLE", sendSize(player.String(), 8, 3, true))
	do(ctx, t, c.a, sendSize(player.String(), small, 4, false))
	hears(ctx, t, again, c.pa.String(), player, crc(wine.Octets(small, 4)))
	talkOf(ctx, t, again, c.a, player, c.pa, small)
}
