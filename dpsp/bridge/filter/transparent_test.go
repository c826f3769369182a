package filter_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/filter/filtertest"
	"dplay4/wire"
)

// slots are those of a session.
var slots = []filter.Ports{{TCP: 2300, UDP: 2350}, {TCP: 2301, UDP: 2351}, {TCP: 2302, UDP: 2352}}

// transparent has a game say something that may pass, by a seed, with octets of one's own in it, in random pieces: what comes is that.
func transparent(t *testing.T, seed uint64, own []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	plan := filter.NewPlan(slots...)
	rule := filter.Rule{From: slots[1], Plan: func() *filter.Plan { return plan }}
	s := &filtertest.Speaker{R: r, Self: slots[1], Slots: slots}
	var said, got []byte
	stream := filter.NewStream(rule, nil)
	for range 1 + r.IntN(5) {
		said = append(said, s.Message()...)
	}
	if len(own) > 0 && !wire.HasSignature(own) && len(own) < wire.MaxMessage-wire.SPHeaderSize {
		said = append(said, s.Framed(own)...)
	}
	for in := said; len(in) > 0; {
		n := min(len(in), 1+r.IntN(1<<r.IntN(17)))
		var err error
		got, err = stream.Pass(got, in[:n])
		require.NoError(t, err)
		in = in[n:]
	}
	require.NoError(t, stream.End())
	require.True(t, bytes.Equal(said, got))
	datagrams := filter.NewDatagrams(rule)
	for range r.IntN(5) {
		b := s.Datagram()
		want := bytes.Clone(b)
		require.NoError(t, datagrams.Check(b), "%x", b)
		require.True(t, bytes.Equal(want, b))
	}
}

// TestTransparent: whatever a game says for itself, and all messages that others can say, pass octet for octet.
func TestTransparent(t *testing.T) {
	for seed := range uint64(2000) {
		transparent(t, seed, nil)
	}
}

// FuzzTransparent does so with octets of any kind, and by any seed.
func FuzzTransparent(f *testing.F) {
	f.Add(uint64(1), []byte("play a game of mine?"))
	f.Add(uint64(2), []byte{})
	f.Fuzz(transparent)
}
