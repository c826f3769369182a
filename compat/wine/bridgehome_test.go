//go:build linux

package wine_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/compat/wine"
	"dplay4/wire"
)

// TestBridgeOneHome has Wine's own dplayx and our host in one home, each with a bridge. Wine can search by broadcast alone, and the
// host hears that in their network as well, so it knows Wine by its address there. A friend elsewhere, who is told that address,
// joins; Wine and the friend talk.
func TestBridgeOneHome(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, lab := newLab(t)
	pc, err := lab.Wine(ctx, "pc")
	missing(t, err)
	b := newBridged(ctx, t)
	home, err := b.in.Home(ctx, nat.PortRestricted, false)
	require.NoError(t, err)
	require.NoError(t, pc.Rehome(ctx, home.Adopt))
	ann, err := home.Machine(ctx, "ann")
	require.NoError(t, err)
	away, err := b.in.Home(ctx, nat.PortRestricted, false)
	require.NoError(t, err)
	bob, err := away.Machine(ctx, "bob")
	require.NoError(t, err)
	runs := func(m *nat.Machine, args ...string) *ours {
		cmd := m.Command(ctx, b.program, append(args, "--echo", "--commands", "ndjson")...)
		cmd.Env = append(cmd.Env, "HOME="+t.TempDir())
		return begun(ctx, t, cmd)
	}

	share := b.bridges(ctx, t, ann.Command(ctx, b.program, "bridge", "share", "--relay", b.relay.Addr().String(), "--commands", "ndjson"))
	host := runs(ann, "host", "--app", application, "--name", "ours", "--flags", "keepalive", "--player", "Host")
	// With 47624 held, the host does not hear Wine over the bridge as well: else it is a matter of chance how they know each other.
	start[struct{}](t, pc.Inside(ctx, "hold")).line(ctx, t, "ready")
	b.bridges(ctx, t, pc.Here(ctx, b.program, "bridge", "join", share.code, "--commands", "ndjson"))
	c := newClient(ctx, t, pc)
	me := enters(ctx, t, c, "ours", "a", "first", "a1", host)

	friend := runs(bob, "join", share.code, "--player", "Friend")
	taken := friend.next(ctx, t, "address_taken")
	assert.Equal(t, pc.Addr().String()+":2301", taken.Addr)
	friends := await(ctx, t, c, func(e *wine.Event) bool { return e.Name == "player_created" && *e.Short == "Friend" })
	for _, guaranteed := range []bool{true, false} {
		send := wine.Cmd("send", friends.ID.String(), "c0ffee")
		if guaranteed {
			send = send.Flag("guaranteed")
		}
		do(ctx, t, c, send)
		payload, _ := hex.DecodeString("c0ffee")
		friend.message(ctx, t, me, friend.player, guaranteed, payload)
		assert.Equal(t, friends.ID, await(ctx, t, c, wine.Named("message")).From)
	}
}

// runHold holds UDP port 47624 until its input ends.
func runHold([]string) error {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{Port: wire.EnumPort})
	if err != nil {
		return err
	}
	fmt.Println("{}")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, c.Close())
}
