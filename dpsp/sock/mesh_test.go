package sock

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

const (
	// meshSize is how many machines Windows says that a TCP session can have (facts, 1.12).
	meshSize = 64
	// meshRun is how many guaranteed messages each sends, so that there is an order to be kept.
	meshRun = 3
	// patience is for a machine with other work to do: with the race detector, and four times as much to do as it has
	// processors, 63 joins at once take up to ten seconds, twice what a joiner gives the host.
	patience = time.Minute
)

// TestMesh has 64 machines in one session over real sockets, four addresses with 50 ports each: all join at the same
// time, all create a player at the same time, each sends to everybody, then all leave at the same time. Every
// machine has a connection to every other one then: 4,032 of them.
func TestMesh(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all := assemble(t, ctx, block(t, 5))
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
	for len(host.machines()) > 0 && ctx.Err() == nil {
		runtime.Gosched()
	}
	assert.Empty(t, host.machines())
	require.NoError(t, host.Close())
	noneLeft(t, before)
}

// calm is bound without quick pings: those of 63 machines would fill the host's socket where it has to wait for the
// processor, and datagrams of ours would be lost. A request is sent once and has all the time of the test: nothing gets
// lost over TCP.
func calm(at netip.Addr) Options {
	o := bound(at)
	o.Config.Period, o.Config.Reply, o.Config.Populate = 0, patience, patience
	return o
}

// assemble opens a session of meshSize machines, spread over addresses but the last one, from which it is looked for.
// The first machine is the host.
func assemble(t *testing.T, ctx context.Context, on []netip.Addr) []*part {
	t.Helper()
	on, seeker := on[:len(on)-1], on[len(on)-1]
	s, err := hosted(ctx, calm(on[0]), dpsp.Host{Application: testGame, Name: "Mesh", MaxPlayers: meshSize,
		Flags: wire.SessionKeepAlive})
	host, err := enter("host", s, err)
	require.NoError(t, err)
	t.Cleanup(func() { host.Close() })
	f, err := seek(ctx, calm(seeker), on[0], "", func(*Found) bool { return true })
	require.NoError(t, err)
	all := make([]*part, meshSize)
	all[0] = host
	t.Cleanup(func() {
		for _, p := range all[1:] {
			if p != nil {
				p.Close()
			}
		}
	})
	each(t, all[1:], func(i int, _ *part) (err error) {
		s, err := joined(ctx, calm(on[(i+1)%len(on)]), f, "")
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

// noneLeft checks that goroutines are gone. One that has said that it is done still counts for an instant.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(limit); {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines are left\n%s", n-before, buf[:runtime.Stack(buf, true)])
	}
}
