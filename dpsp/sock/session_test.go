package sock

import (
	"context"
	"crypto/rand"
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// loopback is an address of made-up networks.
var loopback = netip.MustParseAddr("127.0.0.2")

// testGame is of this run alone, so that one beside it is not found.
var testGame = func() (g wire.GUID) { rand.Read(g[:]); return g }()

// on gives options of a machine at loopback.
func on(n Network) Options { return Options{Bind: loopback, Network: n} }

// find asks loopback for the first session.
func find(t *testing.T, ctx context.Context, n Network) Found {
	t.Helper()
	f, err := seek(ctx, on(n), loopback, "", func(*Found) bool { return true })
	require.NoError(t, err)
	return f
}

// next gives the next event of a type.
func next[T dpsp.Event](t *testing.T, s *Session) T {
	t.Helper()
	var late <-chan struct{}
	for {
		select {
		case e, ok := <-s.Events():
			if x, is := seen[T](t, e, ok); is {
				return x
			}
			continue
		default:
		}
		if late == nil {
			ctx, cancel := lasts(s)
			defer cancel()
			late = ctx.Done()
		}
		select {
		case e, ok := <-s.Events():
			if x, is := seen[T](t, e, ok); is {
				return x
			}
		case <-late:
			t.Fatalf("no %T", *new(T))
		}
	}
}

// seen returns an event if it is of a type; ok is false after the last one.
func seen[T dpsp.Event](t *testing.T, e dpsp.Event, ok bool) (T, bool) {
	t.Helper()
	if !ok {
		t.Fatalf("events end before %T", *new(T))
	}
	if d, dropped := e.(dpsp.Dropped); dropped {
		t.Logf("dropped: %+v", d)
	}
	x, is := e.(T)
	return x, is
}

// TestHostAndJoin plays a session on the system's network: found, joined, talked over and left. No goroutine is left.
func TestHostAndJoin(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx := testkit.Context(t)
	opt := Options{Bind: testkit.Addr(t)}

	h, err := hosted(ctx, opt, dpsp.Host{Application: testGame, Name: "Loop", MaxPlayers: 8})
	require.NoError(t, err)
	defer h.Close()
	hp, err := h.CreatePlayer(ctx, "Host", nil)
	require.NoError(t, err)

	f, err := seek(ctx, opt, opt.Bind, "", func(*Found) bool { return true })
	require.NoError(t, err)
	j, err := joined(ctx, opt, f, "")
	require.NoError(t, err)
	defer j.Close()
	jp, err := j.CreatePlayer(ctx, "Joiner", []byte("data"))
	require.NoError(t, err)
	for p := next[dpsp.PlayerCreated](t, h); p.ID != jp; {
		p = next[dpsp.PlayerCreated](t, h)
	}
	for _, guaranteed := range []bool{true, false} {
		require.NoError(t, j.Send(ctx, jp, hp, []byte("over"), guaranteed))
		m := next[dpsp.Message](t, h)
		assert.Equal(t, dpsp.Message{From: jp, To: hp, Sent: hp, Guaranteed: guaranteed, Payload: []byte("over")}, m)
		require.NoError(t, h.Send(ctx, hp, wire.IDAll, []byte("back"), guaranteed))
		m = next[dpsp.Message](t, j)
		assert.Equal(t, "back", string(m.Payload))
	}
	assert.Len(t, h.Players(), 2)
	require.NoError(t, j.Close())
	assert.Equal(t, jp, next[dpsp.PlayerDeleted](t, h).ID)
	require.NoError(t, h.Close())
	noneLeft(t, before)
}
