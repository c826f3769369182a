package probe

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
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

// A fakeHost answers questions in ways of its own. What it does not answer it tells of.
type fakeHost struct {
	t       *testing.T
	at      netip.Addr
	udp     func(h *fakeHost, ask *wire.EnumSessions, answers, from netip.AddrPort, c *net.UDPConn) bool // nil: it drops them
	tcp     func(h *fakeHost, ask *wire.EnumSessions, answers netip.AddrPort) bool                       // likewise
	unasked map[captures.Transport]chan struct{}
}

// start serves until the test ends.
func (h *fakeHost) start() {
	h.unasked = map[captures.Transport]chan struct{}{captures.UDP: make(chan struct{}, 1000), captures.TCP: make(chan struct{}, 1000)}
	at := netip.AddrPortFrom(h.at, wire.EnumPort)
	u, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	require.NoError(h.t, err)
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	require.NoError(h.t, err)
	session, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.at, 2300))) // where joiners would come
	require.NoError(h.t, err)
	h.t.Cleanup(func() { u.Close(); l.Close(); session.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, from, err := u.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			if m, back, ok := question4(b[:n], from.Addr()); ok && (h.udp == nil || !h.udp(h, m, back, from, u)) {
				h.unasked[captures.UDP] <- struct{}{}
			}
		}
	}()
	go func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			b := make([]byte, 52)
			_, err = io.ReadFull(c, b)
			from := c.RemoteAddr().(*net.TCPAddr).AddrPort()
			if m, back, ok := question4(b, from.Addr()); err == nil && ok && (h.tcp == nil || !h.tcp(h, m, back)) {
				h.unasked[captures.TCP] <- struct{}{}
			}
			c.Close()
		}
	}()
}

// within ends the questions that a host does not answer, once it has read them.
func (h *fakeHost) within(silent func(*doctor.Way) bool) func(context.Context, *doctor.Way, time.Duration) (context.Context, context.CancelFunc) {
	return func(ctx context.Context, w *doctor.Way, _ time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		if silent(w) {
			go func() {
				select {
				case <-h.unasked[w.Transport]:
					cancel()
				case <-ctx.Done():
				}
			}()
		}
		return ctx, cancel
	}
}

// question4 reads a question, and where its answers are wanted.
func question4(b []byte, from netip.Addr) (*wire.EnumSessions, netip.AddrPort, bool) {
	var d wire.Decoder
	e, err := d.DecodeStream(bytes.Clone(b))
	m, ok := e.Message.(*wire.EnumSessions)
	return m, netip.AddrPortFrom(from.Unmap(), e.SP.SockAddr.Port), err == nil && ok
}

// probeAt returns a probe that asks at an address and does not ping.
func probeAt(at netip.Addr) *Probe {
	o := New(Options{Bind: at, Timeout: unlimited, TCP: wire.StreamPorts, UDP: wire.DatagramPorts})
	o.bridge, o.pings = func(context.Context) string { return "" }, false
	return o
}

// TestWays asks hosts that answer one way only, or another question.
func TestWays(t *testing.T) {
	t.Parallel()
	answer := enumReply(t)
	byUDP := func(_ *fakeHost, _ *wire.EnumSessions, _, from netip.AddrPort, c *net.UDPConn) bool {
		_, err := c.WriteToUDPAddrPort(answer, from)
		return assert.NoError(t, err)
	}
	overTCP := func(h *fakeHost, to netip.AddrPort) bool { answerTo(h.t, h.at, answer, to); return true }
	udp, tcp := func(w *doctor.Way) bool { return w.Transport == captures.UDP }, func(w *doctor.Way) bool { return w.Transport == captures.TCP }
	for _, c := range []struct {
		name   string
		host   fakeHost
		silent func(*doctor.Way) bool
		app    wire.GUID
		want   []string
	}{
		{"TCP only", fakeHost{tcp: func(h *fakeHost, _ *wire.EnumSessions, to netip.AddrPort) bool { return overTCP(h, to) }}, udp, wire.GUID{},
			[]string{"answers questions over TCP, but not those by UDP [udp-blocked]", "ENUMSESSIONS tcp HERE:47624: 1 session"}},
		{"another game", fakeHost{udp: func(h *fakeHost, m *wire.EnumSessions, to, _ netip.AddrPort, _ *net.UDPConn) bool {
			return m.Application.IsZero() && overTCP(h, to)
		}}, func(w *doctor.Way) bool { return !w.Any }, wire.GUID{15: 7},
			[]string{"hosts {00000000-0000-0000-0000-000000000009}, which is not {00000000-0000-0000-0000-000000000007} [app-mismatch]"}},
		{"a game that is not listed, and no other", fakeHost{}, func(*doctor.Way) bool { return true }, wire.GUID{},
			[]string{"takes questions, and no connection that brings an answer got to this machine", "its game's name or GUID with --app", "answers only a"}},
		{"by UDP", fakeHost{udp: byUDP}, tcp, wire.GUID{}, []string{"HERE:2300 answers by UDP only; games wait for TCP [reply-by-udp]",
			"ENUMSESSIONS udp HERE:47624: answered by UDP"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := testkit.Addrs(t, 2)
			c.host.t, c.host.at = t, at[0]
			c.host.start()
			o := probeAt(at[1])
			o.App, o.within = c.app, c.host.within(c.silent)
			l, err := o.Look(t.Context(), at[0].String())
			require.NoError(t, err)
			text := string(doctor.ExamineLive(l).AppendText(nil))
			for _, want := range c.want {
				assert.Contains(t, text, strings.ReplaceAll(want, "HERE", at[0].String()))
			}
			assert.Equal(t, 1, strings.Count(text, "   Why: "), "%s", text)
		})
	}
}

// TestUnlistedGame asks a host that answers only questions for its own game, which no list has: no firewall is blamed first.
func TestUnlistedGame(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 2)
	answer := enumReply(t)
	h := fakeHost{t: t, at: at[0], udp: func(h *fakeHost, m *wire.EnumSessions, to, _ netip.AddrPort, _ *net.UDPConn) bool {
		if m.Application != (wire.GUID{15: 9}) {
			return false
		}
		answerTo(h.t, h.at, answer, to)
		return true
	}}
	h.start()
	o := probeAt(at[1])
	o.within = h.within(func(*doctor.Way) bool { return true })
	assert.EqualError(t, o.Why(t.Context(), at[0].String()), at[0].String()+" does not answer: it takes questions, and no answer comes as far as "+
		"this machine: is its session open, or does it want --app (its game's name or GUID) or --password? \"dplay doctor --live "+at[0].String()+"\" says more")
	o = probeAt(at[1])
	o.App, o.within = wire.GUID{15: 9}, h.within(func(w *doctor.Way) bool { return w.Transport == captures.TCP })
	l, err := o.Look(t.Context(), at[0].String())
	require.NoError(t, err)
	assert.Len(t, l.Ways[0].Offers, 1)
}

// TestWhyNotIn connects to where a session says that it is: to another address than the one that answered, and to that one.
func TestWhyNotIn(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 3)
	o := probeAt(at[2])
	found := sock.Found{Name: "Castle", Host: netip.AddrPortFrom(at[1], 2300), From: at[0]}
	for _, host := range []string{at[0].String(), ""} {
		assert.EqualError(t, o.WhyNotIn(t.Context(), &found, host), at[0].String()+`: the session "Castle" tells joiners to connect to `+at[1].String()+
			`:2300, an address of the machine itself, loopback, and it is refused: host with --advertise `+at[0].String()+
			`, or play over the bridge ("dplay help internet"); "dplay doctor --live `+at[0].String()+`" says more`)
	}
	found.Host = netip.AddrPortFrom(at[0], 2300)
	assert.ErrorContains(t, o.WhyNotIn(t.Context(), &found, at[0].String()), at[0].String()+
		`: the session "Castle" is found, but the host's TCP port 2300 is closed`)
}

// TestNobody asks where nobody is, and finds what the system says.
func TestNobody(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 2)
	o := probeAt(at[1])
	o.hasty = true
	l, err := o.Look(t.Context(), at[0].String())
	require.NoError(t, err)
	assert.Contains(t, string(doctor.ExamineLive(l).AppendText(nil)), "Why: the machine is there, and refuses: ")
	assert.EqualError(t, o.Why(t.Context(), at[0].String()), at[0].String()+
		` does not answer: no game is hosted there: is the address right, and the session open? "dplay doctor --live `+at[0].String()+`" says more`)
}

// TestPorts examines a machine on which a host has 47624: it is named, with its session. One that another program has is told of.
func TestPorts(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 2)
	s, err := sock.Open(sock.Options{Bind: at[0]})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Host(t.Context(), dpsp.Host{Application: wire.GUID{15: 9}, Name: "Test"}))
	go func() {
		for range s.Events() { //nolint:revive // they are not looked at
		}
	}()
	o := probeAt(at[0])
	o.within = func(ctx context.Context, _ *doctor.Way, _ time.Duration) (context.Context, context.CancelFunc) { // its answer ends each question
		return context.WithCancel(ctx)
	}
	l, err := o.Look(t.Context(), at[0].String())
	require.NoError(t, err)
	assert.Equal(t, "healthy: nothing was found that stands in the way of a game; this machine hosts \"Test\"", doctor.ExamineLive(l).Verdict())

	other, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at[1], wire.EnumPort))) // it says nothing
	require.NoError(t, err)
	defer other.Close()
	o = probeAt(at[1])
	o.within = func(ctx context.Context, w *doctor.Way, _ time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		if w.To.Addr() == at[1] {
			go func() {
				_, err := other.Read(make([]byte, 1000))
				assert.NoError(t, err)
				cancel()
			}()
		}
		return ctx, cancel
	}
	l, err = o.Look(t.Context(), at[0].String())
	require.NoError(t, err)
	text := string(doctor.ExamineLive(l).AppendText(nil))
	assert.Contains(t, text, "failure: a session hosted on this machine could not be found: port 47624 is not to be had [enum-port-taken]")
	assert.Contains(t, text, "bind udp 47624: ")
}
