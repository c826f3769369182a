//go:build linux

package wine_test

import (
	"context"
	"encoding/hex"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// everybody is what facts say of a message to all.
const everybody = "0x00000000"

// A company is a session of our host, our joiner and two clients of Wine's, with a player each. The joiner's player is in
// a group, and so is the first client's.
type company struct {
	host, joiner *ours
	a, b         *wine.Client
	pa, pb       wine.Word
	group        string
	lost         string // the second client's machine
}

// gather brings the clients into the session, where the joiner is already.
func gather(ctx context.Context, t *testing.T, n *neighbourhood, host, joiner *ours) *company {
	t.Helper()
	c := &company{host: host, joiner: joiner, a: newClient(ctx, t, n.one), b: newClient(ctx, t, n.two)}
	c.host.next(ctx, t, "peer_joined")
	c.host.about(ctx, t, "player_created", joiner.player)
	c.group = joiner.next(ctx, t, "group_created").ID
	c.host.about(ctx, t, "group_created", c.group)
	c.host.next(ctx, t, "member_added")
	joiner.next(ctx, t, "peer_joined") // the host, when it joined

	shows(t, "two Wine clients join our host and our joiner, who learn names and data", func(t *testing.T) {
		c.pa = enters(ctx, t, c.a, "ours", "a", "first", "a1", host, joiner)
		c.pb = enters(ctx, t, c.b, "ours", "b", "second", "b2", host, joiner)
		c.lost = host.systems[c.pb]
	})
	shows(t, "they see each other, our host and our joiner, with names and data, and the group",
		func(t *testing.T) { c.seen(ctx, t) })
	shows(t, "one enters the group, and our host and our joiner tell of it", func(t *testing.T) {
		do(ctx, t, c.a, wine.Cmd("add-to-group", c.group, c.pa.String()))
		await(ctx, t, c.a, wine.About("member_added", c.pa)) // its own: the other client is not told
		for _, o := range []*ours{host, joiner} {
			f := o.wait(ctx, t, "a member", func(f fact) bool { return f.Event == "member_added" && f.Player == c.pa.String() })
			assert.Equal(t, c.group, f.Group)
		}
	})
	return c
}

// seen looks at the lists of the clients.
func (c *company) seen(ctx context.Context, t *testing.T) {
	t.Helper()
	b := listed(c.pb.String(), "b", "second", "b2")
	e := await(ctx, t, c.a, wine.About("player_created", c.pb))
	assert.Equal(t, b, listed(e.ID.String(), *e.Short, *e.Long, hex.EncodeToString(e.Data.Data)))
	for _, client := range []*wine.Client{c.a, c.b} {
		everybody := []string{c.host.self, c.joiner.self, listed(c.pa.String(), "a", "first", "a1"), b}
		assert.ElementsMatch(t, everybody, list(ctx, t, client))
		groups := do(ctx, t, client, wine.Cmd("groups")).Groups
		assert.Equal(t, []string{c.group}, ids(groups))
		assert.Equal(t, "team", *groups[0].Short)
		members := do(ctx, t, client, wine.Cmd("players").With("group", c.group)).Players
		assert.Equal(t, []string{c.joiner.player}, ids(members))
	}
}

// toOurs has a client send to our joiner, to everybody and to the group, guaranteed and not.
func (c *company) toOurs(ctx context.Context, t *testing.T) {
	t.Helper()
	shows(t, "what a client sends to our joiner, to everybody and to the group arrives unchanged, guaranteed and not",
		func(t *testing.T) {
			seed := uint32(10)
			for _, to := range []string{c.joiner.player, everybody, c.group} {
				for _, guaranteed := range []bool{true, false} {
					seed++
					c.toAll(ctx, t, to, seed, guaranteed)
				}
			}
		})
}

// toAll has a client send one message, and looks for it at those whom it is for.
func (c *company) toAll(ctx context.Context, t *testing.T, to string, seed uint32, guaranteed bool) {
	t.Helper()
	sent := do(ctx, t, c.a, sendSize(to, 8, seed, guaranteed))
	payload := wine.Octets(8, seed)
	c.joiner.message(ctx, t, c.pa, to, guaranteed, payload)
	if c.joiner.echoes {
		hears(ctx, t, c.a, c.joiner.player, c.pa, sent.CRC32)
	}
	if to == everybody {
		c.host.message(ctx, t, c.pa, to, guaranteed, payload)
		hears(ctx, t, c.a, c.host.player, c.pa, sent.CRC32)
		hears(ctx, t, c.b, c.pa.String(), c.pb, sent.CRC32)
	}
}

// sendSize makes the command.
func sendSize(to string, size, seed uint32, guaranteed bool) wine.Command {
	command := wine.Cmd("send-size", to, wine.Word(size).String(), wine.Word(seed).String())
	if guaranteed {
		return command.Flag("guaranteed")
	}
	return command
}

// crc returns what the client says of octets.
func crc(payload []byte) wine.Word { return wine.Word(crc32.ChecksumIEEE(payload)) }

// hears waits for a game message.
func hears(ctx context.Context, t *testing.T, c *wine.Client, from string, to, crc wine.Word) {
	t.Helper()
	await(ctx, t, c, func(e *wine.Event) bool {
		return e.Name == "message" && e.From.String() == from && e.To == to && e.CRC32 == crc
	})
}

// quiet says that no message is left at the clients.
func (c *company) quiet(t *testing.T) {
	t.Helper()
	for _, client := range []*wine.Client{c.a, c.b} {
		for _, e := range client.Pending() {
			assert.NotEqual(t, "message", e.Name, string(e.Raw))
		}
	}
}

// disband kills the second client and ends the first one: everybody is told.
func (c *company) disband(ctx context.Context, t *testing.T) {
	t.Helper()
	// The joiner's own connections to the clients end, too: what the host says of them may be no news then.
	c.joiner.mayDrop = "DELETEPLAYER"
	shows(t, "one client is killed, our host and our joiner tell of it", func(t *testing.T) {
		require.NoError(t, c.b.Kill())
		f := c.host.next(ctx, t, "peer_lost")
		assert.Equal(t, c.lost, f.System, f.Reason)
		c.host.about(ctx, t, "player_deleted", c.pb.String())
		c.joiner.about(ctx, t, "player_deleted", c.pb.String())
		assert.Contains(t, ids(do(ctx, t, c.a, wine.Cmd("players")).Players), c.pb.String(), "Wine takes no DELETEPLAYER")
	})
	shows(t, "the other one quits, our host and our joiner tell of it", func(t *testing.T) {
		require.NoError(t, c.a.Quit(ctx))
		c.host.about(ctx, t, "player_deleted", c.pa.String())
		c.joiner.about(ctx, t, "player_deleted", c.pa.String())
	})
}

// ourThird is the session in which our joiner is told what to send and when. It gives what our host has to have said to
// the clients.
func ourThird(ctx context.Context, t *testing.T, n *neighbourhood) []string {
	host := startOurs(ctx, t, n.host, ourRole{Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive,
		Player: "Host", Long: "of ours", Data: []byte("ours"), Echo: true})
	joiner := startOurs(ctx, t, n.guest, ourRole{Host: n.host.Addr().String(), Name: "ours", Password: "sesame",
		Player: "Ann", Long: "Änn of ours", Data: []byte("\x01\x02\x03"), Group: "team"})
	assert.Equal(t, []string{listed(host.player, "Host", "of ours", "6f757273"),
		listed(joiner.player, "Ann", "Änn of ours", "010203")},
		[]string{host.self, joiner.self}, "what the clients have to see")
	c := gather(ctx, t, n, host, joiner)
	c.toOurs(ctx, t)
	shows(t, "what our joiner sends to a client, to everybody and to the group arrives unchanged, guaranteed and not",
		func(t *testing.T) {
			for i, to := range []string{c.pa.String(), everybody, c.group} {
				for _, guaranteed := range []bool{true, false} {
					payload := []byte{0xA0 + byte(i), 0xFF}
					joiner.order(order{To: id(t, to), Payload: payload, Guaranteed: guaranteed})
					hears(ctx, t, c.a, joiner.player, c.pa, crc(payload))
					if to == everybody {
						hears(ctx, t, c.b, joiner.player, c.pb, crc(payload))
						host.message(ctx, t, word(t, joiner.player), to, guaranteed, payload)
						joiner.message(ctx, t, word(t, host.player), joiner.player, guaranteed, payload) // its echo
					}
				}
			}
		})
	c.quiet(t)
	c.disband(ctx, t)
	return []string{gone(c.pb.String()) + " to one", gone(c.lost) + " to one"}
}
