package sock

import (
	"context"
	"crypto/rand"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// loopback is not 127.0.0.1: other packages' tests may host there at the same time.
var loopback = netip.MustParseAddr("127.0.0.2")

// testGame is of this run alone, so that one beside it is not found.
var testGame = func() (g wire.GUID) { rand.Read(g[:]); return g }()

// on gives options that keep everything on loopback.
func on() Options { return Options{Bind: loopback, Config: dpsp.Config{}} }

// find asks loopback for the first session.
func find(t *testing.T, ctx context.Context) Found {
	t.Helper()
	f, err := seek(ctx, on(), loopback, "", func(*Found) bool { return true })
	require.NoError(t, err)
	return f
}

// next gives the next event of a type.
func next[T dpsp.Event](t *testing.T, s *Session) T {
	t.Helper()
	limit := time.After(3 * time.Second)
	for {
		select {
		case e, ok := <-s.Events():
			if !ok {
				t.Fatalf("events end before %T", *new(T))
			}
			if d, ok := e.(dpsp.Dropped); ok {
				t.Logf("dropped: %+v", d)
			}
			if x, ok := e.(T); ok {
				return x
			}
		case <-limit:
			t.Fatalf("no %T", *new(T))
		}
	}
}

func TestHostAndJoin(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx := context.Background()

	h, err := hosted(ctx, on(), dpsp.Host{Application: testGame, Name: "Loop", MaxPlayers: 8})
	require.NoError(t, err)
	defer h.Close()
	hp, err := h.CreatePlayer(ctx, "Host", nil)
	require.NoError(t, err)

	j, err := joined(ctx, on(), find(t, ctx), "")
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
	// A goroutine that has said that it is done still counts for an instant.
	for limit := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(limit); {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines are left\n%s", n-before, buf[:runtime.Stack(buf, true)])
	}
}
