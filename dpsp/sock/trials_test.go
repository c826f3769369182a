package sock

import (
	"context"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/dpsp/sock/windowshost"
	"dplay4/wire"
)

// Connections to an address from which none came wait for one, or until others were tried long enough ago.
func TestTrials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.0.3")
		trials := newTrials(share{places: 5, each: 3}, time.Minute)
		var tried, waited atomic.Int32
		ctx, cancel := context.WithCancel(context.Background())
		try := func(at netip.Addr) {
			go func() {
				if trials.enter(ctx, at, time.Second, func() { waited.Add(1) }) == nil {
					tried.Add(1)
				}
			}()
			synctest.Wait()
		}
		for range 10 {
			try(a)
		}
		assert.EqualValues(t, 3, tried.Load(), "the share of an address")
		for range 10 {
			try(b)
		}
		assert.EqualValues(t, 5, tried.Load(), "that of all")
		assert.Zero(t, waited.Load())
		<-time.After(2 * time.Second)
		assert.EqualValues(t, 15, waited.Load())
		trials.answered(netip.MustParseAddr("::ffff:10.0.0.2"))
		synctest.Wait()
		assert.EqualValues(t, 13, tried.Load(), "who is at b answered")
		try(b)
		assert.EqualValues(t, 14, tried.Load())
		<-time.After(time.Minute)
		assert.EqualValues(t, 17, tried.Load(), "those of a were tried a minute ago")
		try(c)
		assert.EqualValues(t, 18, tried.Load())
		cancel()
		synctest.Wait()
		assert.EqualValues(t, 18, tried.Load())
		for i := range maxKnown {
			trials.answered(netip.AddrFrom4([4]byte{11, 0, byte(i >> 8), byte(i)}))
		}
		assert.False(t, trials.isKnown(b), "the oldest makes room")
		assert.Len(t, trials.known, maxKnown)
	})
}

// A hostile host says that 400 machines of its session listen at a third machine. A joiner tries a few of these ports, and goes on
// to play with the others.
func TestListOfPorts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ports = 400
		n, at, ctx := socktest.New(), lane(3), soon(t)
		var called atomic.Int32
		for i := range ports {
			ln, err := n.ListenStream(netip.AddrPortFrom(at[2], uint16(3000+i)))
			require.NoError(t, err)
			defer ln.Close()
			go func() {
				for {
					if _, err := ln.Accept(); err != nil {
						return
					}
					called.Add(1)
				}
			}()
		}
		instead := map[wire.Command][]byte{}
		h, err := windowshost.Open(at[0], testGame, windowshost.Manner{Network: n, Instead: instead})
		require.NoError(t, err)
		defer h.Close()
		s, err := Open(Options{Bind: at[1], Network: n})
		require.NoError(t, err)
		defer s.Close()
		found, err := s.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{at[0]}})
		require.NoError(t, err)
		instead[wire.CmdSuperEnumPlayersReply] = listOfPorts(t, found, at[2], ports)
		require.NoError(t, s.Join(ctx, found, ""))
		require.Len(t, s.machines(), ports+1)
		_, err = s.CreatePlayer(ctx, "Joiner", nil)
		require.NoError(t, err)
		synctest.Wait()
		assert.EqualValues(t, defaults.trials.each, called.Load())
		<-time.After(defaults.trialHold / 2)
		assert.EqualValues(t, defaults.trials.each, called.Load())
		assert.Contains(t, next[dpsp.Dropped](t, s).Text, "none ever came from their address")
		<-time.After(defaults.trialHold)
		assert.LessOrEqual(t, int(called.Load()), 2*defaults.trials.each)
	})
}

// listOfPorts returns the list of a session, as its host sends it, in which machines listen at the ports of an address.
func listOfPorts(t *testing.T, found Found, at netip.Addr, ports int) []byte {
	t.Helper()
	host := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: found.Host.Port()}, Datagram: wire.SockAddr{Family: wire.FamilyINet}}
	list := &wire.SuperEnumPlayersReply{Desc: found.Desc, Name: wire.NewText("Ports"), Players: []wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerNameServer, ID: 0x10000, Owner: uint32(wire.DX9), SPData: host.Append(nil)},
	}}
	for i := range ports {
		sp := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Addr: at.As4(), Port: uint16(3000 + i)}}
		sp.Datagram = sp.Stream
		sp.Mark()
		list.Players = append(list.Players, wire.SuperPackedPlayer{
			Flags: wire.PlayerSystem, ID: wire.PlayerID(0x20000 + i), Owner: uint32(wire.DX9), SPData: sp.Append(nil),
		})
	}
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: host.Stream}, Version: wire.DX9, Message: list}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}
