package sock

import (
	"io"
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// TestNoGhost has a machine leave without a word, as Wine's do (facts, 6), and look for sessions again, or ask to join, on the
// same port before the end of its connections counts: that does not make it a member again.
func TestNoGhost(t *testing.T) {
	for _, then := range []string{"searches", "asks to join"} {
		t.Run(then, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := socktest.New()
				h := host(t, n, func(*limits) {})
				x := byHand(t, h)
				require.Len(t, h.machines(), 1)
				own := wire.SockAddr{Family: wire.FamilyINet, Port: x.at.Port()}
				x.to.Close()
				x.in.Close()
				eventually(t, "the end is noticed", func() bool { return h.outboundTo(x.at) == nil })
				switch then {
				case "searches":
					e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: own}, Version: wire.DX61A,
						Message: &wire.EnumSessions{Application: testGame}}
					b, err := e.Append(nil)
					require.NoError(t, err)
					h.loop.put(dpsp.Input{Kind: dpsp.Datagram, From: netip.AddrPortFrom(loopback, 5000), Data: b})
				case "asks to join":
					x.say(dial(t, h), &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
				}
				c := accepts(t, x.ln) // the answer comes, over a new connection
				_, err := io.ReadFull(c, make([]byte, wire.SPHeaderSize))
				require.NoError(t, err)
				eventually(t, "it is gone", func() bool { return len(h.machines()) == 0 })
			})
		})
	}
}
