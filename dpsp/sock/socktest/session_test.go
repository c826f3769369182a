package socktest_test

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// TestSession plays a session in a bubble: one hosts, another one finds it by asking everybody and joins. A day passes in which both
// ping each other. Then the network is cut, and each is lost to the other after the time that its options say.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		open := func(at string) *sock.Session {
			s, err := sock.Open(sock.Options{Bind: netip.MustParseAddr(at), Network: n})
			require.NoError(t, err)
			t.Cleanup(func() { s.Close() })
			return s
		}
		game := wire.GUID{1}
		host, guest := open("10.0.0.1"), open("10.0.0.2")
		require.NoError(t, host.Host(t.Context(), dpsp.Host{Application: game, Name: "Bubble", Flags: wire.SessionKeepAlive}))
		other := open("10.0.0.1")
		_, err := sock.Open(sock.Options{Bind: netip.MustParseAddr("10.0.0.1"), Network: n, StreamPorts: wire.Ports{First: 2300, Last: 2301}})
		require.ErrorContains(t, err, "all TCP ports of 2300-2301 are taken by other programs")
		require.NoError(t, other.Host(t.Context(), dpsp.Host{Application: wire.GUID{2}, Name: "Other"}))
		found, err := guest.Find(t.Context(), sock.Ask{Application: game})
		require.NoError(t, err)
		assert.Equal(t, "Bubble", found.Name)
		require.NoError(t, guest.Join(t.Context(), found, ""))
		ann, err := host.CreatePlayer(t.Context(), "Ann", nil)
		require.NoError(t, err)
		<-time.After(24 * time.Hour)
		bob, err := guest.CreatePlayer(t.Context(), "Bob", nil)
		require.NoError(t, err)
		require.NoError(t, guest.Send(t.Context(), bob, ann, []byte("after a day"), true))
		synctest.Wait()
		assert.Len(t, host.Players(), 2)
		n.Cut(netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"))
		began := time.Now()
		for e := range host.Events() {
			if _, lost := e.(dpsp.PeerLost); lost {
				break
			}
		}
		assert.Greater(t, time.Since(began), time.Second)
	})
}
