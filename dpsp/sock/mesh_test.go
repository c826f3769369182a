package sock

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

const (
	// meshSize is how many machines Windows says that a TCP session can have (facts, 1.12).
	meshSize = 64
	// meshRun is how many guaranteed messages each sends, so that there is an order to be kept.
	meshRun = 3
)

// TestMesh has many machines in one session, spread over four addresses: all join at the same time, all create a player at the same
// time, each sends to everybody, then all leave at the same time. Every machine has a connection to every other one then: of 64,
// 4,032. So many are in a bubble, and with DPLAY_LONG on the system's network, which else has 16.
func TestMesh(t *testing.T) {
	t.Run("bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { playsMesh(t, soon(t), socktest.New(), lane(5), meshSize) })
	})
	t.Run("system", func(t *testing.T) {
		before, size := runtime.NumGoroutine(), 16
		if os.Getenv("DPLAY_LONG") != "" {
			size = meshSize
		}
		playsMesh(t, testkit.Context(t), system{}, testkit.Addrs(t, 5), size)
		noneLeft(t, before)
	})
}

func playsMesh(t *testing.T, ctx context.Context, n Network, on []netip.Addr, size int) {
	t.Helper()
	all := assemble(t, ctx, n, on, size)
	host, joiners := all[0], all[1:]
	each(t, all, func(_ int, p *part) (err error) {
		p.id, err = p.CreatePlayer(ctx, dpsp.Text(p.name), []byte(p.name))
		return err
	})
	each(t, all, func(_ int, p *part) error { return meets(ctx, p, all) })
	each(t, all, func(_ int, p *part) error { return speaks(ctx, p) })
	each(t, all, func(_ int, p *part) error { return hears(ctx, p, all) })
	for _, p := range all {
		assert.Zero(t, count[dpsp.Message](p), "%s got messages twice", p.name)
	}

	each(t, joiners, func(_ int, p *part) error { return p.Close() })
	for _, p := range joiners {
		got(t, ctx, host, func(e dpsp.PlayerDeleted) bool { return e.ID == p.id })
	}
	require.NoError(t, host.DeletePlayer(ctx, host.id))
	assert.Empty(t, host.Players())
	// A machine says goodbye after its players have: no event tells of it.
	testkit.Until(t, func() bool { return len(host.machines()) == 0 }, "the goodbyes of all machines")
	require.NoError(t, host.Close())
}

// calm gives options without quick pings: those of 63 machines would fill the host's socket where it has to wait for the
// processor, and datagrams of ours would be lost. A request is sent once and has all the time of the test: nothing gets
// lost over TCP.
func calm(n Network, at netip.Addr) Options {
	return Options{Bind: at, Network: n, Config: dpsp.Config{Reply: time.Hour, Populate: time.Hour}}
}

// assemble opens a session of some machines, spread over addresses but the last one, from which it is looked for.
// The first machine is the host.
func assemble(t *testing.T, ctx context.Context, n Network, on []netip.Addr, size int) []*part {
	t.Helper()
	on, seeker := on[:len(on)-1], on[len(on)-1]
	s, err := hosted(ctx, calm(n, on[0]), dpsp.Host{Application: testGame, Name: "Mesh", MaxPlayers: meshSize,
		Flags: wire.SessionKeepAlive})
	host, err := enter("host", s, err)
	require.NoError(t, err)
	t.Cleanup(func() { host.Close() })
	f, err := seek(ctx, calm(n, seeker), on[0], "", func(*Found) bool { return true })
	require.NoError(t, err)
	all := make([]*part, size)
	all[0] = host
	t.Cleanup(func() {
		for _, p := range all[1:] {
			if p != nil {
				p.Close()
			}
		}
	})
	each(t, all[1:], func(i int, _ *part) (err error) {
		s, err := joined(ctx, calm(n, on[(i+1)%len(on)]), f, "")
		all[i+1], err = enter(fmt.Sprint("joiner ", i+1), s, err)
		return err
	})
	return all
}

// meets waits until a machine knows everybody's player, by its name and data.
func meets(ctx context.Context, p *part, all []*part) error {
	for _, o := range all {
		e, err := receive(ctx, p, func(e dpsp.PlayerCreated) bool { return e.ID == o.id })
		switch {
		case err != nil:
			return fmt.Errorf("player of %s: %w", o.name, err)
		case e.ShortName != o.name || string(e.Data) != o.name || e.Local != (o == p):
			return fmt.Errorf("%s: the player of %s is %+v", p.name, o.name, e)
		}
	}
	if n := len(p.Players()); n != len(all) {
		return fmt.Errorf("%s: %d players, not %d", p.name, n, len(all))
	}
	return nil
}

// speaks sends to everybody: numbered messages with guarantee, and one without.
func speaks(ctx context.Context, p *part) error {
	for i := range uint32(meshRun) {
		if err := p.Send(ctx, p.id, wire.IDAll, binary.LittleEndian.AppendUint32(nil, i), true); err != nil {
			return err
		}
	}
	return p.Send(ctx, p.id, wire.IDAll, []byte("unguaranteed"), false)
}

// hears takes what everybody else sent. Guaranteed messages have to come in order. One datagram from each of 63 is
// less than any system keeps for a socket, so that on loopback none gets lost.
func hears(ctx context.Context, p *part, all []*part) error {
	for _, o := range all {
		if o == p {
			continue
		}
		from := func(guaranteed bool) func(dpsp.Message) bool {
			return func(m dpsp.Message) bool { return m.From == o.id && m.Guaranteed == guaranteed }
		}
		for i := range uint32(meshRun) {
			m, err := receive(ctx, p, from(true))
			switch {
			case err != nil:
				return fmt.Errorf("message %d of %s: %w", i, o.name, err)
			case len(m.Payload) != 4 || binary.LittleEndian.Uint32(m.Payload) != i || m.To != p.id || m.Sent != wire.IDAll:
				return fmt.Errorf("%s: message %d of %s is %+v", p.name, i, o.name, m)
			}
		}
		m, err := receive(ctx, p, from(false))
		switch {
		case err != nil:
			return fmt.Errorf("datagram of %s: %w", o.name, err)
		case string(m.Payload) != "unguaranteed" || m.To != p.id:
			return fmt.Errorf("%s: datagram of %s is %+v", p.name, o.name, m)
		}
	}
	return nil
}

// noneLeft waits until goroutines are gone: one that has said that it is done still counts for an instant.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	testkit.Until(t, func() bool { return runtime.NumGoroutine() <= before }, "the end of all goroutines that the test began")
}
