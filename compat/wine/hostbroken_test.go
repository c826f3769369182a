//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/compat/wine"
	"dplay4/wire"
)

// TestOurHostBroken lets a client of Wine join a session of three modern machines. The test resets the connections between two of the
// three, then kills the host and resets them again. The client stays a member, exchanges messages with the two other survivors, and gets
// messages of DirectPlay 4 alone. Connections to the client are not reset: Wine leaves by closing them, so that is no fault (facts, 6).
func TestOurHostBroken(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, n := newNeighbourhood(t)
	stop := record(ctx, t, n.lab)
	host := startOurs(ctx, t, n.host, ourRole{Name: "ours", Password: "sesame", MaxPlayers: 8, Player: "Host", Echo: true,
		Flags: wire.SessionKeepAlive | wire.SessionMigrateHost, Extended: true, Seed: 5})
	ann := startOurs(ctx, t, n.guest, newcomer(n.host, "Ann", ""))
	ann.next(ctx, t, "peer_joined") // the host
	bob := startOurs(ctx, t, n.late, newcomer(n.host, "Bob", ""))
	for range 2 {
		bob.next(ctx, t, "peer_joined") // the host and Ann's machine
		host.next(ctx, t, "peer_joined")
	}
	ann.next(ctx, t, "peer_joined")
	modern := []*ours{host, ann, bob}
	if breaks(ctx, t, n.guest, n.late) == 0 {
		t.Skip("NO CONNECTION IS RESET: this system has no INET_DIAG_DESTROY, which ss --kill takes")
	}
	ann.next(ctx, t, "connection_renewed")
	client := newClient(ctx, t, n.one)
	var player wine.Word
	system := ann.about(ctx, t, "player_created", host.player).System // the host's machine
	plays := func(t *testing.T, with ...*ours) {
		t.Helper()
		for _, o := range with {
			echoOf(ctx, t, o, client, player, small)
			o.none(t, "session_lost")
			for _, f := range o.kept {
				assert.False(t, f.Event == "peer_lost" && f.System != system, "%+v", f)
			}
		}
		assert.Empty(t, client.Pending(), "the game is told nothing")
	}
	shows(t, "a Wine client joins, and plays with all", func(t *testing.T) {
		player = enters(ctx, t, client, "ours", "a", "first", "a1", modern...)
		assert.ElementsMatch(t, []string{host.self, ann.self, bob.self, listed(player.String(), "a", "first", "a1")}, list(ctx, t, client))
		client.Pending()
		plays(t, modern...)
	})
	shows(t, "the connections between two modern members are reset, and all play on", func(t *testing.T) {
		require.Equal(t, 1, breaks(ctx, t, n.late, n.guest))
		bob.next(ctx, t, "connection_renewed")
		plays(t, modern...)
	})
	shows(t, "the host is killed while they are reset again, and Ann's machine is the next one", func(t *testing.T) {
		require.Equal(t, 1, breaks(ctx, t, n.guest, n.late))
		host.kill(t)
		for _, o := range []*ours{ann, bob} {
			o.about(ctx, t, "player_deleted", host.player)
			f := o.next(ctx, t, "host_changed")
			assert.Equal(t, o == ann, f.Hosting, "%+v", f)
		}
		ann.next(ctx, t, "connection_renewed")
		plays(t, ann, bob)
	})
	shows(t, "the client quits, and both tell of it", func(t *testing.T) {
		require.NoError(t, client.Quit(ctx))
		for _, o := range []*ours{ann, bob} {
			o.about(ctx, t, "player_deleted", player.String())
			o.none(t, "session_lost", "player_deleted") // the end of its connections is all that its machine says
		}
	})
	shows(t, "the client was told what DirectPlay 4 says", func(t *testing.T) {
		commands, deleted := n.toWine(ctx, t, stop().Bytes())
		assert.ElementsMatch(t, []string{system, host.player}, deleted)
		assert.Equal(t, []string{"DELETEPLAYER", "ENUMSESSIONSREPLY", "IAMNAMESERVER", "PLAYERMESSAGE", "REQUESTPLAYERREPLY",
			"SUPERENUMPLAYERSREPLY"}, slices.DeleteFunc(commands, func(c string) bool { return c == "PING" })) // on a slow machine
	})
}

// breaks resets the connections to another machine that a machine has made, and returns how many there were.
func breaks(ctx context.Context, t *testing.T, from, to *wine.Machine) int {
	t.Helper()
	out, err := from.Command(ctx, "ss", "--no-header", "--tcp", "--numeric", "--kill", "state", "established", "dst", to.Addr().String(),
		"dport", "=", ":2300").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bytes.Count(out, []byte("\n"))
}

// toWine returns the commands that our machines sent to the first client, and the ids that they deleted: each once, sorted.
func (n *neighbourhood) toWine(ctx context.Context, t *testing.T, pcap []byte) (commands, deleted []string) {
	t.Helper()
	_, err := captures.Read(ctx, bytes.NewReader(pcap), captures.Options{Name: t.Name()}, func(r *captures.Record) error {
		if r.Dst.Addr() != n.one.Addr() {
			return nil
		}
		commands = append(commands, r.Command())
		if m, ok := r.Envelope.Message.(*wire.DeletePlayer); ok {
			deleted = append(deleted, m.Player.String())
		}
		return nil
	}, nil)
	require.NoError(t, err)
	slices.Sort(commands)
	slices.Sort(deleted)
	return slices.Compact(commands), slices.Compact(deleted)
}
