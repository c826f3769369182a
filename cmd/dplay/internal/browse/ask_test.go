package browse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// encode encodes a message as it comes over TCP.
func encode(t *testing.T, dialect wire.Dialect, m wire.Message) []byte {
	t.Helper()
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: dialect, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// reply is a host's answer.
func reply(t *testing.T, instance byte, dialect wire.Dialect) []byte {
	t.Helper()
	return encode(t, dialect, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: wire.GUID{instance}},
		Name: wire.NewText("x")})
}

// TestStopwatch checks from which request an answer is counted.
func TestStopwatch(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	one, two, us := netip.MustParseAddrPort("192.0.2.1:47624"), netip.MustParseAddrPort("192.0.2.2:47624"),
		netip.MustParseAddrPort("192.0.2.9:2300")
	behind := netip.MustParseAddrPort("203.0.113.1:9")
	trip := func(s *stopwatch, host netip.AddrPort, instance byte) time.Duration {
		return s.of(sock.Found{From: host.Addr(), Desc: wire.SessionDesc{Instance: wire.GUID{instance}}}, began).trip
	}
	from := func(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr(), 50000) }

	s := newStopwatch(true)
	assert.Zero(t, trip(s, one, 1))
	s.Packet(at(0), dpsp.TCP, from(one), us, reply(t, 9, wire.DX9))
	assert.Zero(t, trip(s, one, 9), "nobody was asked")
	s.Packet(at(0), dpsp.Ask, us, one, nil)
	s.Packet(at(100), dpsp.Ask, us, two, nil)
	s.Packet(at(150), dpsp.TCP, from(one), us, reply(t, 1, wire.DX61A))
	s.Packet(at(155), dpsp.TCP, from(two), us, reply(t, 2, wire.DX9))
	s.Packet(at(190), dpsp.TCP, from(one), us, reply(t, 1, wire.DX61A)) // to the request by TCP
	s.Packet(at(195), dpsp.TCP, behind, us, reply(t, 3, wire.DX9))
	s.Packet(at(195), dpsp.TCP, from(one), us, []byte("no message"))
	s.Packet(at(195), dpsp.TCP, from(one), us, encode(t, wire.DX9, &wire.Ping{}))
	assert.Equal(t, 150*time.Millisecond, trip(s, one, 1))
	assert.Equal(t, 55*time.Millisecond, trip(s, two, 2))
	s.Packet(at(196), dpsp.TCP, from(two), us, reply(t, 1, wire.DX9))
	assert.Equal(t, 96*time.Millisecond, trip(s, two, 1), "two hosts of one session are timed each for itself")
	assert.Equal(t, 95*time.Millisecond, trip(s, behind, 3), "who was not asked there is counted from the last request")
	a := s.of(sock.Found{Name: "x", From: one.Addr(), Desc: wire.SessionDesc{Instance: wire.GUID{1}}}, at(200))
	assert.Equal(t, answer{Found: a.Found, at: at(200), trip: 150 * time.Millisecond, dialect: wire.DX61A}, a)
	s.Packet(at(1000), dpsp.Ask, us, one, nil)
	s.Packet(at(1007), dpsp.TCP, from(one), us, reply(t, 1, wire.DX61A))
	assert.Equal(t, 7*time.Millisecond, trip(s, one, 1), "the next round")
	for i := range cli.MaxFound + 10 {
		s.answered(at(1008), one.Addr(), wire.DX9, wire.GUID{5, byte(i), byte(i >> 8)})
	}
	assert.Len(t, s.answers, cli.MaxFound)

	s = newStopwatch(false)
	s.Packet(at(0), dpsp.Ask, us, one, nil)
	s.Packet(at(3), dpsp.TCP, from(one), us, reply(t, 1, wire.DX9))
	s.Packet(at(500), dpsp.Ask, us, one, nil)
	s.Packet(at(600), dpsp.TCP, from(one), us, reply(t, 2, wire.DX9))
	assert.Equal(t, 3*time.Millisecond, trip(s, one, 1))
	assert.Zero(t, trip(s, one, 2), "it may answer the first request or the second one")
}

// TestCardAddresses checks that each is one of this machine, once.
func TestCardAddresses(t *testing.T) {
	all, err := (&Options{adapters: sock.Adapters}).cardAddresses()
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint(all), "127.0.0.1")
	seen := map[netip.Addr]bool{}
	for _, a := range all {
		assert.True(t, a.Is4() && !a.IsUnspecified() && !seen[a], "%s", a)
		seen[a] = true
	}
}

// TestUnlistedCards has a system that does not list its network cards: it is told, and the question goes out all the same.
func TestUnlistedCards(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 2)
	host, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at[0], wire.EnumPort)))
	require.NoError(t, err)
	defer host.Close()
	o := &Options{Flags: Flags{AllCards: true, Bind: flags.Address{Addr: at[1]}}, open: openSession,
		adapters: func() ([]sock.Adapter, error) { return nil, errors.New("invalid data") }}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		host.ReadFrom(make([]byte, 100)) //nolint:errcheck // it may be closed
		cancel()
	}()
	var told []error
	o.hosts = []asked{{"host", at[0]}}
	err = o.enumerate(ctx, 0, nil, func(err error) { told = append(told, err) })
	require.NoError(t, err)
	require.Len(t, told, 1)
	assert.EqualError(t, told[0], "the network cards of this machine cannot be listed (invalid data): asking by the card that the "+
		"system chooses, as without --all-interfaces")
	_, err = o.cardAddresses()
	assert.ErrorIs(t, err, errUnlisted, "and --serve names the machine's own address")
}
