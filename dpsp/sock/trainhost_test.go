package sock

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/dpsp/sock/trainhost"
	"dplay4/wire"
)

// train returns the options of who plays with package trainhost: its one port is everybody's.
func train(o Options) Options {
	o.StreamPorts, o.DatagramPorts = one(31415), one(31415)
	return o
}

// A host that answers to its own port number, whatever we say of ours, is found by who has that number too.
func TestFindTrainHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := soon(t)
		at := lane(3)
		h, err := trainhost.Open(at[0], trainhost.Options{Application: testGame, Network: n})
		require.NoError(t, err)
		defer h.Close()
		f, err := seek(ctx, train(Options{Bind: at[1], Network: n}), at[0], "", func(*Found) bool { return true })
		require.NoError(t, err)
		assert.Equal(t, "LEGO International Train Server", f.Name)
		assert.EqualValues(t, 31415, f.Host.Port())
		assert.Equal(t, at[0], f.Host.Addr())
		assert.Equal(t, wire.SessionDirectPlayProtocol|wire.SessionOptimizeLatency, f.Desc.Flags)
		assert.EqualValues(t, 10, f.Desc.MaxPlayers)
	})
}

// TestPlayTrainHost joins such a host, which answers as the captures show, and plays: its first message arrives, what we say arrives
// there and is told of, more messages than there are messageids, and one of several frames.
func TestPlayTrainHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := soon(t)
		at := lane(3)
		h, err := trainhost.Open(at[0], trainhost.Options{Application: testGame, Network: n})
		require.NoError(t, err)
		defer h.Close()
		s, err := Open(train(Options{Bind: at[1], Network: n}))
		require.NoError(t, err)
		defer s.Close()
		var found Found
		for f, err := range s.Enumerate(ctx, Ask{Application: testGame, Flags: wire.EnumAvailable, Hosts: at[:1]}) {
			require.NoError(t, err)
			found = f
			break
		}
		require.NoError(t, s.Join(ctx, found, ""))
		id, err := s.CreatePlayer(ctx, "Ann", nil)
		require.NoError(t, err)
		p := &part{Session: s, name: "Ann", id: id}
		greeting := got(t, ctx, p, func(dpsp.Message) bool { return true })
		assert.Equal(t, wire.PlayerID(0), greeting.Sent)
		var want []string
		for i := range 300 {
			payload := fmt.Append(nil, "message ", i)
			if i == 100 {
				payload = bytes.Repeat([]byte("large"), 900)
			}
			want = append(want, string(payload))
			require.NoError(t, s.SendWith(ctx, dpsp.Send{From: id, To: wire.IDAll, Guaranteed: true, Payload: payload, Notify: uint64(i + 1)}))
		}
		for i := range want {
			assert.NoError(t, got(t, ctx, p, func(e dpsp.Delivered) bool { return e.Notify == uint64(i+1) }).Err)
		}
		all, err := h.Delivered(ctx, len(want))
		require.NoError(t, err)
		var heard []string
		had := map[string]bool{}
		for _, m := range all {
			if string(m.Data[:4]) != "play" && !had[string(m.Data)] { // it takes repeats, too, of which a busy machine has many
				had[string(m.Data)] = true
				heard = append(heard, string(m.Data))
			}
		}
		assert.Equal(t, want, heard)
	})
}

// inTrain joins the session of such a host, with a player.
func inTrain(t *testing.T, ctx context.Context, n Network, o trainhost.Options) (*trainhost.Host, *Session, wire.PlayerID) {
	t.Helper()
	at := lane(3)
	o.Application, o.Network = testGame, n
	h, err := trainhost.Open(at[0], o)
	require.NoError(t, err)
	t.Cleanup(h.Close)
	s, err := Open(train(Options{Bind: at[1], Network: n}))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	f, err := s.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{at[0]}})
	require.NoError(t, err)
	require.NoError(t, s.Join(ctx, f, ""))
	me, err := s.CreatePlayer(ctx, "Ann", nil)
	require.NoError(t, err)
	return h, s, me
}

// delivered returns the messages of the game that the host took for whole, each once, when there are n: what a busy machine or
// a loss has us repeat it takes again.
func delivered(t *testing.T, ctx context.Context, h *trainhost.Host, n int) (all []string) {
	t.Helper()
	for more := n; ; more++ {
		list, err := h.Delivered(ctx, more)
		all, more = all[:0], len(list)
		known := map[string]bool{}
		for _, m := range list {
			if s := string(m.Data); !known[s] && !strings.HasPrefix(s, "play") {
				known[s] = true
				all = append(all, s)
			}
		}
		if len(all) >= n {
			return all
		}
		require.NoError(t, err, "%d of %d came", len(all), n)
	}
}

// Messages without guarantee arrive there as well, and one of 300 frames, which is more than there are sequences.
func TestTrainHostKinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := soon(t)
		h, s, me := inTrain(t, ctx, n, trainhost.Options{})
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprintf("message %d", i))
			require.NoError(t, s.Send(ctx, me, wire.IDAll, []byte(want[i]), i%2 == 0))
			if i%20 == 19 { // of those without guarantee few may wait
				delivered(t, ctx, h, len(want))
			}
		}
		want = append(want, strings.Repeat("frames", 300*1400/6))
		require.NoError(t, s.Send(ctx, me, wire.IDAll, []byte(want[100]), true))
		assert.ElementsMatch(t, want, delivered(t, ctx, h, len(want)))
		require.NoError(t, s.Leave(ctx))
	})
}

// With 20 % lost each way every guaranteed message of one frame still arrives, and we are in the session to the end.
func TestTrainHostLoss(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := soon(t)
		h, s, me := inTrain(t, ctx, n, trainhost.Options{
			LoseIn: func(n int) bool { return n%5 == 3 }, LoseOut: func(n int) bool { return n%5 == 4 },
		})
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprintf("message %d", i))
			require.NoError(t, s.Send(ctx, me, wire.IDAll, []byte(want[i]), true))
		}
		assert.ElementsMatch(t, want, delivered(t, ctx, h, len(want)))
		require.NoError(t, s.Send(ctx, me, wire.IDAll, []byte("still here"), true))
		delivered(t, ctx, h, len(want)+1)
		require.NoError(t, s.Leave(ctx))
	})
}
