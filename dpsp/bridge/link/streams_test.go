package link

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linked returns two links of machines without routers, that go directly.
func linked(t *testing.T) (ab, ba Link) {
	t.Helper()
	r, _, nets := homes(t, noNAT, noNAT)
	ab, ba = pair(t, mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]}))
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
	return ab, ba
}

// streams returns both ends of a stream.
func streams(t *testing.T, ab, ba Link) (out, in Stream) {
	t.Helper()
	out, err := ab.OpenStream(t.Context())
	require.NoError(t, err)
	_, err = out.Write([]byte("x"))
	require.NoError(t, err)
	in, err = ba.AcceptStream(within(t))
	require.NoError(t, err)
	_, err = io.ReadFull(in, make([]byte, 1))
	require.NoError(t, err)
	return out, in
}

// TestStreams: halves end one by one, a reset ends both on both sides, a writer waits for the reader.
func TestStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testStreams)
}

func testStreams(t *testing.T) {
	ab, ba := linked(t)
	out, in := streams(t, ab, ba)
	require.NoError(t, out.CloseWrite())
	b, err := io.ReadAll(in)
	require.NoError(t, err)
	assert.Empty(t, b)
	_, err = in.Write([]byte("back"))
	require.NoError(t, err)
	require.NoError(t, in.CloseWrite())
	b, err = io.ReadAll(out)
	require.NoError(t, err)
	assert.Equal(t, "back", string(b))

	out, in = streams(t, ab, ba)
	waits := make(chan error, 1)
	var sent int
	go func() {
		n, err := out.Write(make([]byte, 64<<20))
		sent = n
		waits <- err
	}()
	_, err = in.Read(make([]byte, 100))
	require.NoError(t, err)
	in.Reset()
	require.ErrorIs(t, <-waits, ErrReset)
	assert.Less(t, sent, 8<<20)
	_, err = out.Read(make([]byte, 1))
	require.ErrorIs(t, err, ErrReset)
	_, err = in.Read(make([]byte, 1))
	require.ErrorIs(t, err, ErrClosed)
	_, err = in.Write(make([]byte, 1))
	require.ErrorIs(t, err, ErrClosed)

	_, in = streams(t, ab, ba)
	require.NoError(t, ab.Close("that is all"))
	_, err = in.Read(make([]byte, 1))
	require.Equal(t, &EndedError{Reason: "that is all"}, err)
	<-ba.Context().Done()
	require.Equal(t, err, context.Cause(ba.Context()))
	_, err = ba.OpenStream(t.Context())
	require.Equal(t, &EndedError{Reason: "that is all"}, err)
}

// TestDatagrams: datagrams of every size come whole, and sending never waits.
func TestDatagrams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testDatagrams)
}

func testDatagrams(t *testing.T) {
	ab, ba := linked(t)
	require.ErrorIs(t, ab.SendDatagram(make([]byte, MaxDatagram+1)), ErrTooLarge)
	for _, size := range []int{0, 1, 1000, 1100, 1150, 1200, 1500, 9000, 60000, MaxDatagram} {
		d := bytes.Repeat([]byte{byte(size)}, size)
		require.NoError(t, ab.SendDatagram(d))
		clear(d) // it was not kept
		got, err := ba.ReceiveDatagram(within(t))
		require.NoError(t, err)
		require.Equal(t, bytes.Repeat([]byte{byte(size)}, size), got)
	}
	began := time.Now()
	for range 5000 {
		require.NoError(t, ab.SendDatagram(make([]byte, 1000)))
		require.NoError(t, ab.SendDatagram(make([]byte, 60000)))
	}
	assert.Less(t, time.Since(began), 2*time.Second)
	_, err := ba.ReceiveDatagram(within(t))
	require.NoError(t, err)
}

// TestGone: whoever is gone is not found.
func TestGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testGone)
}

func testGone(t *testing.T) {
	r, _, nets := homes(t, noNAT, noNAT)
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]})
	require.NoError(t, b.Ready(within(t)))
	at := b.Addresses()
	require.NoError(t, b.Close())
	_, err := a.Dial(within(t), b.ID(), at)
	require.ErrorIs(t, err, ErrNobody)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Dial(ctx, b.ID(), at)
	require.ErrorIs(t, err, context.Canceled)
	_, err = a.Accept(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
