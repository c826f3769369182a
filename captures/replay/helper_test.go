package replay

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/wire"
)

// open reads a capture of the project.
func open(t testing.TB, name string) *Capture {
	t.Helper()
	f, err := os.Open("../" + name)
	require.NoError(t, err)
	defer f.Close()
	c, err := Read(context.Background(), f, captures.Options{Name: name})
	require.NoError(t, err)
	return c
}

// parties replays a capture and gives its machines by their listeners.
func parties(t testing.TB, c *Capture, opt Options) map[string]Party {
	t.Helper()
	r, err := c.Run(context.Background(), opt)
	require.NoError(t, err)
	all := map[string]Party{}
	for _, p := range r.Parties {
		all[p.Address.String()] = p
	}
	return all
}

// A madeUp capture is written message by message. All machines listen at TCP port 2300 and UDP port 2350.
type madeUp struct {
	t   *testing.T
	w   *recording.Writer
	b   bytes.Buffer
	now time.Time
}

func newMadeUp(t *testing.T) *madeUp {
	m := &madeUp{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	var err error
	m.w, err = recording.New(&m.b)
	require.NoError(t, err)
	return m
}

// say adds a message, a millisecond after the one before.
func (m *madeUp) say(from, to string, message wire.Message) {
	m.t.Helper()
	env := wire.Envelope{HasSP: true, Version: wire.DX9, Message: message,
		SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}}}
	data, err := env.Append(nil)
	require.NoError(m.t, err)
	m.now = m.now.Add(time.Millisecond)
	src := netip.AddrPortFrom(netip.MustParseAddr(from), 1024)
	transport, dst := dpsp.TCP, netip.AddrPortFrom(netip.MustParseAddr(to), 2300)
	switch message.(type) {
	case *wire.EnumSessions:
		transport, dst = dpsp.UDP, netip.AddrPortFrom(dst.Addr(), dpsp.EnumPort)
	case *wire.Ping, *wire.PingReply:
		transport, src, dst = dpsp.UDP, netip.AddrPortFrom(src.Addr(), 2350), netip.AddrPortFrom(dst.Addr(), 2350)
	}
	m.w.Packet(m.now, transport, src, dst, data)
}

func (m *madeUp) capture() *Capture {
	m.t.Helper()
	require.NoError(m.t, m.w.Close())
	c, err := Read(context.Background(), &m.b, captures.Options{})
	require.NoError(m.t, err)
	return c
}
