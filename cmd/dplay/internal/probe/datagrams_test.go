package probe

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestPings pings a host of ours from outside its session: datagrams get there and back, large ones too, with the reliable protocol
// and without. Its session has nobody more afterwards.
func TestPings(t *testing.T) {
	t.Parallel()
	for _, flags := range []wire.SessionFlags{0, wire.SessionKeepAlive | wire.SessionDirectPlayProtocol} {
		at := testkit.Addrs(t, 2)
		s, err := sock.Open(sock.Options{Bind: at[0]})
		require.NoError(t, err)
		defer s.Close()
		require.NoError(t, s.Host(t.Context(), dpsp.Host{Application: wire.GUID{15: 9}, Name: "Test", Flags: flags}))
		go func() {
			for e := range s.Events() {
				switch e.(type) {
				case dpsp.Dropped, dpsp.PeerJoined, dpsp.PeerLost:
					t.Errorf("%T %+v", e, e)
				}
			}
		}()
		o := probeAt(at[1])
		o.pings = true
		o.within = func(ctx context.Context, _ *doctor.Way, _ time.Duration) (context.Context, context.CancelFunc) { // its answer ends each question
			return context.WithCancel(ctx)
		}
		o.First = true
		l, err := o.Look(t.Context(), at[0].String())
		require.NoError(t, err)
		const tcp, udp = captures.TCP, captures.UDP
		stream, datagram := s.StreamAddr(), s.DatagramAddr()
		assert.Equal(t, []doctor.Ping{
			{Transport: tcp, To: stream, Size: 36, By: tcp, Answered: true}, {Transport: tcp, To: stream, Size: 36, By: udp, Answered: true},
			{Transport: udp, To: datagram, Size: 36, By: tcp, Answered: true}, {Transport: udp, To: datagram, Size: 1400, By: tcp, Answered: true},
			{Transport: tcp, To: stream, Size: 1400, By: udp, Answered: true},
		}, l.Pings)
		r := doctor.ExamineLive(l)
		assert.True(t, r.Healthy(), "%s", r.AppendText(nil))
		assert.NotContains(t, string(r.AppendText(nil)), "whether what games send by UDP")
	}
}
