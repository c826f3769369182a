package linktest_test

import (
	"bytes"
	"context"
	"io"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
)

// linked returns two machines and both sides of a link between them.
func linked(t *testing.T, h *linktest.Hub) (a, b *linktest.Machine, ab, ba link.Link) {
	t.Helper()
	a, b = h.Machine(), h.Machine()
	ab, err := a.Dial(t.Context(), b.ID(), b.Addresses())
	require.NoError(t, err)
	ba, err = b.Accept(t.Context())
	require.NoError(t, err)
	assert.Equal(t, b.ID(), ab.ID())
	assert.Equal(t, a.ID(), ba.ID())
	return a, b, ab, ba
}

// TestStream: octets arrive in order, a writer waits for a reader, halves end one by one.
func TestStream(t *testing.T) {
	t.Parallel()
	_, _, ab, ba := linked(t, linktest.New())
	out, err := ab.OpenStream(t.Context())
	require.NoError(t, err)
	much := bytes.Repeat([]byte("0123456789"), 100_000)
	go func() {
		_, err := out.Write(much)
		assert.NoError(t, err)
		assert.NoError(t, out.CloseWrite())
	}()
	in, err := ba.AcceptStream(t.Context())
	require.NoError(t, err)
	got, err := io.ReadAll(in)
	require.NoError(t, err)
	assert.Equal(t, much, got)
	_, err = in.Write([]byte("back"))
	require.NoError(t, err)
	require.NoError(t, in.CloseWrite())
	got, err = io.ReadAll(out)
	require.NoError(t, err)
	assert.Equal(t, "back", string(got))
}

// TestReset: a reset ends both halves on both sides, also for who waits.
func TestReset(t *testing.T) {
	t.Parallel()
	_, _, ab, ba := linked(t, linktest.New())
	out, err := ab.OpenStream(t.Context())
	require.NoError(t, err)
	_, err = out.Write([]byte("x"))
	require.NoError(t, err)
	in, err := ba.AcceptStream(t.Context())
	require.NoError(t, err)
	waits := make(chan error)
	go func() {
		_, err := out.Write(make([]byte, 1<<20))
		waits <- err
	}()
	in.Reset()
	require.ErrorIs(t, <-waits, link.ErrReset)
	_, err = out.Read(make([]byte, 1))
	require.ErrorIs(t, err, link.ErrReset)
	_, err = in.Read(make([]byte, 1))
	assert.ErrorIs(t, err, link.ErrClosed)
}

// TestDatagrams: what is not lost arrives whole, and the same ones are lost for the same seed.
func TestDatagrams(t *testing.T) {
	t.Parallel()
	var runs [2][]byte
	for i := range runs {
		h := linktest.New()
		_, _, ab, ba := linked(t, h)
		assert.ErrorIs(t, ab.SendDatagram(make([]byte, link.MaxDatagram+1)), link.ErrTooLarge)
		require.NoError(t, ab.SendDatagram(make([]byte, link.MaxDatagram)))
		d, err := ba.ReceiveDatagram(t.Context())
		require.NoError(t, err)
		assert.Len(t, d, link.MaxDatagram)
		h.Lose(0.5, 7)
		for k := range byte(100) {
			require.NoError(t, ab.SendDatagram([]byte{k}))
		}
		h.Lose(0, 0)
		require.NoError(t, ab.SendDatagram([]byte{255}))
		for len(runs[i]) == 0 || runs[i][len(runs[i])-1] != 255 {
			d, err := ba.ReceiveDatagram(t.Context())
			require.NoError(t, err)
			runs[i] = append(runs[i], d[0])
		}
	}
	assert.Equal(t, runs[0], runs[1])
	assert.InDelta(t, 50, len(runs[0]), 25)
}

// TestEnds: each side learns why its link is down, and so do the streams.
func TestEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end    func(h *linktest.Hub, a, b *linktest.Machine, ab link.Link)
		ab, ba error
	}{
		"close":         {func(_ *linktest.Hub, _, _ *linktest.Machine, ab link.Link) { _ = ab.Close("why") }, link.ErrClosed, &link.EndedError{Reason: "why"}},
		"close machine": {func(_ *linktest.Hub, a, _ *linktest.Machine, _ link.Link) { _ = a.Close() }, link.ErrClosed, &link.EndedError{Reason: "closed"}},
		"kill":          {func(_ *linktest.Hub, a, _ *linktest.Machine, _ link.Link) { a.Kill() }, link.ErrClosed, link.ErrSilent},
		"cut":           {func(h *linktest.Hub, a, b *linktest.Machine, _ link.Link) { h.Cut(a, b) }, link.ErrSilent, link.ErrSilent},
	} {
		h := linktest.New()
		a, b, ab, ba := linked(t, h)
		s, err := ba.OpenStream(t.Context())
		require.NoError(t, err)
		c.end(h, a, b, ab)
		<-ab.Context().Done()
		<-ba.Context().Done()
		assert.Equal(t, c.ab, context.Cause(ab.Context()), name)
		assert.Equal(t, c.ba, context.Cause(ba.Context()), name)
		_, err = s.Read(make([]byte, 1))
		assert.Equal(t, c.ba, err, name)
		_, err = s.Write([]byte("x"))
		assert.Equal(t, c.ba, err, name)
	}
}

// TestDial: only the machine that was called, only where it is, only while there is a way.
func TestDial(t *testing.T) {
	t.Parallel()
	h := linktest.New()
	a, b, c := h.Machine(), h.Machine(), h.Machine()
	dial := func() error {
		_, err := a.Dial(t.Context(), b.ID(), b.Addresses())
		return err
	}
	_, err := a.Dial(t.Context(), b.ID(), c.Addresses())
	assert.ErrorIs(t, err, link.ErrStranger)
	_, err = a.Dial(t.Context(), b.ID(), []netip.AddrPort{})
	assert.ErrorIs(t, err, link.ErrNobody)
	assert.NoError(t, dial())
	h.Cut(b, a)
	assert.ErrorIs(t, dial(), link.ErrNobody)
	h.Heal(a, b)
	assert.NoError(t, dial())
	h.Relay(false)
	assert.Empty(t, a.Addresses())
	assert.ErrorIs(t, a.Ready(t.Context()), link.ErrNoRelay)
	assert.ErrorIs(t, dial(), link.ErrNobody)
	h.Relay(true)
	assert.NoError(t, a.Ready(t.Context()))
	b.Kill()
	assert.ErrorIs(t, dial(), link.ErrNobody)
	a.Kill()
	assert.ErrorIs(t, dial(), link.ErrClosed)
	_, err = a.Accept(t.Context())
	assert.ErrorIs(t, err, link.ErrClosed)
}

// TestMeet: the last one who meets answers, until it is gone.
func TestMeet(t *testing.T) {
	t.Parallel()
	h := linktest.New()
	a, b, c := h.Machine(), h.Machine(), h.Machine()
	_, err := c.Knock(t.Context())
	require.ErrorIs(t, err, link.ErrNobody)
	a.Meet(true)
	_, err = a.Knock(t.Context())
	require.ErrorIs(t, err, link.ErrOurselves)
	l, err := c.Knock(t.Context())
	require.NoError(t, err)
	assert.Equal(t, a.ID(), l.ID())
	b.Meet(true)
	assert.False(t, a.Meets())
	l, err = a.Knock(t.Context())
	require.NoError(t, err)
	assert.Equal(t, b.ID(), l.ID())
	a.Meet(false) // which it does no more
	assert.True(t, b.Meets())
	b.Kill()
	_, err = c.Knock(t.Context())
	assert.ErrorIs(t, err, link.ErrNobody)
}
