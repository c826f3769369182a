package probe

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// unlimited is the time that questions have which an event ends.
const unlimited = time.Duration(math.MaxInt64)

// encode returns a system message of a machine that listens on TCP port 2300.
func encode(t *testing.T, m wire.Message) []byte {
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

func enumReply(t *testing.T) []byte {
	return encode(t, &wire.EnumSessionsReply{
		Desc: wire.SessionDesc{Application: wire.GUID{15: 9}, Instance: wire.GUID{1}}, Name: wire.NewText("other")})
}

// answerTo sends an answer over TCP, from an address.
func answerTo(t *testing.T, from netip.Addr, b []byte, to netip.AddrPort) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from.AsSlice()}}
	c, err := d.Dial("tcp4", to.String())
	if assert.NoError(t, err) {
		_, err = c.Write(b)
		assert.NoError(t, err)
		c.Close()
	}
}

// TestFault checks what errors of systems mean; the numbers of Windows are in its winerror.h.
func TestFault(t *testing.T) {
	for want, list := range map[doctor.Fault][]error{
		doctor.Refused:     {syscall.ECONNREFUSED, syscall.Errno(10061), syscall.Errno(10054), &net.OpError{Err: syscall.ECONNREFUSED}},
		doctor.Unreachable: {syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.Errno(10051), syscall.Errno(10065)},
		doctor.NoFault:     {syscall.EADDRINUSE, context.DeadlineExceeded},
	} {
		for _, err := range list {
			assert.Equal(t, want, fault(err), "%v", err)
		}
	}
}

// TestQuestionHostile checks that a question takes no answer that is none, and ends whoever connects.
func TestQuestionHostile(t *testing.T) {
	here := testkit.Addr(t)
	sink, err := net.ListenUDP("udp4", &net.UDPAddr{IP: here.AsSlice()}) // what is asked, and says nothing
	require.NoError(t, err)
	defer sink.Close()
	o := New(Options{Bind: here, TCP: wire.StreamPorts})
	w := doctor.Way{Transport: captures.UDP, To: sink.LocalAddr().(*net.UDPAddr).AddrPort()}
	q, err := o.newQuestion(&w, wire.StreamPorts.First, nil, wire.EnumSessions{})
	require.NoError(t, err)
	to := netip.AddrPortFrom(here, q.port())
	idle, err := net.Dial("tcp4", to.String()) // it never says anything
	require.NoError(t, err)
	defer idle.Close()
	answerTo(t, here, []byte{1, 2, 3}, to)
	for _, b := range [][]byte{bytes.Repeat([]byte{0xff}, 4000), encode(t, &wire.YouAreDead{}), enumReply(t), enumReply(t)} {
		answerTo(t, here, b, to)
	}
	testkit.Until(t, func() bool { return q.heardNonsense() != "" }, "the answer that makes no sense")
	q.ask(context.Background(), unlimited)
	q.close()
	assert.Equal(t, []doctor.LiveOffer{{Host: netip.AddrPortFrom(here, 2300), From: here, App: wire.GUID{15: 9},
		Instance: wire.GUID{1}, Name: "other", Version: wire.DX9, At: w.At}}, w.Offers)
	assert.Equal(t, q.port(), w.At)
	assert.NotEmpty(t, w.Nonsense)
}

// TestReason checks that errors are told in the system's words.
func TestReason(t *testing.T) {
	_, err := net.Dial("tcp4", netip.AddrPortFrom(testkit.Addr(t), 1).String())
	require.Error(t, err)
	assert.NotContains(t, reason(err), "dial")
	assert.Equal(t, "no answer within the time", reason(context.DeadlineExceeded))
}

// TestThroughBridge: where a bridge leaves one port, all questions have that, and it is no firewall that keeps answers away.
func TestThroughBridge(t *testing.T) {
	t.Parallel()
	const bridge = "dplay (process 7)"
	here := testkit.Addr(t)
	taken, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(here, 2301)))
	require.NoError(t, err)
	defer taken.Close()
	rested := 0
	o := probeAt(here)
	o.TCP, o.hasty = wire.Ports{First: 2300, Last: 2301}, true
	o.bridge = func(context.Context) string { return bridge }
	o.pause = func(context.Context, time.Duration) error { rested++; return nil }
	l, err := o.Look(context.Background(), here.String())
	require.NoError(t, err)
	require.Len(t, l.Ways, 2)
	assert.Equal(t, 1, rested)
	for _, w := range l.Ways {
		assert.Equal(t, uint16(2300), w.At)
		assert.Equal(t, doctor.Refused, w.Fault, w.Err)
	}
	assert.Empty(t, l.Doors, "they are always open")
	r := doctor.ExamineLive(l)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "nobody in the session hosts a game yet", r.Findings[0].Brief())

	assert.EqualError(t, o.Why(context.Background(), here.String()), here.String()+" is the bridge on this machine, "+bridge+
		": nobody in the session hosts a game yet")
	o.Session = true
	assert.EqualError(t, o.Why(context.Background(), here.String()), "nobody in the session hosts a game yet")
	o.bridge = func(context.Context) string { return "" }
	assert.ErrorContains(t, o.Why(context.Background(), here.String()), "does not answer: no game is hosted there")
}

// TestUnlisted has a system that does not list its network adapters: everything else is found out.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 2)
	o := probeAt(at[0])
	o.hasty, o.adapters = true, func() ([]sock.Adapter, error) { return nil, errors.New("invalid data") }
	l, err := o.Look(context.Background(), at[1].String())
	require.NoError(t, err)
	assert.Equal(t, "invalid data", l.Unlisted)
	assert.Len(t, l.Ways, 2)
	assert.GreaterOrEqual(t, len(l.Ports), 4)
	assert.Contains(t, doctor.ExamineLive(l).Notes,
		"not checked, because this machine's network adapters cannot be listed (invalid data): VPNs, and whether the right adapter is used")
}
