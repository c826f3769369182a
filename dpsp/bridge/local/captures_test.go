package local

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/wire"
)

// unreadable are the captures of an implementation whose lists begin where the message does, or end before it does, and that says
// offsets outside its messages, with the number of its connections that end there. Wine 10 cannot join the former either.
var unreadable = map[string]int{
	"09-rzhost-group-w10join.pcap":                    1,
	"01-rzhost-asis-w10join-fails-packedoffset0.pcap": 1, "03-rzhost-rzjoin-asis.pcap": 3,
	"10-rzhost-rzjoin-asis-gamemsg-clobbered.pcap": 3, "11b-loopback-rzhost-asis-rawjoiner.pcap": 1,
}

// TestCapturesPass has all that was said in the captures of the repository come to a game of a bridged session, connections in
// random pieces: it passes octet for octet. Translated there and back it is what it was.
func TestCapturesPass(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var streams, datagrams int
	broken := map[string]int{}
	for _, file := range recordings(t) {
		all, plan := recorded(t, file, false)
		for _, s := range all {
			rule := filter.Rule{From: filter.Ports{TCP: s.from}, Plan: func() *filter.Plan { return plan }}
			by := filter.Translation{Game: filter.Ports{TCP: s.from, UDP: 2350}, Slot: filter.Ports{TCP: 4000, UDP: 4050}}
			tr := filter.NewTranslator(func() filter.Translation { return by })
			if s.stream != nil {
				streams++
				if s.broken {
					_, err := filter.NewStream(rule, nil).Pass(nil, s.stream)
					var v *filter.Violation
					require.ErrorAs(t, err, &v)
					broken[s.file]++
					continue
				}
				got := piecewise(t, r, filter.NewStream(rule, nil), s.stream)
				require.Equal(t, s.stream, got, "%s: %+v", s.file, rule.From)
				moved := piecewise(t, r, tr.Stream(), s.stream)
				require.NotEqual(t, s.stream, moved, s.file)
				require.Equal(t, s.stream, piecewise(t, r, tr.Stream(), moved), s.file)
				continue
			}
			check, asks := filter.NewDatagrams(rule), filter.NewRequests(rule)
			for i, b := range s.each {
				datagrams++
				require.NoError(t, check.Check(b), "%s: %x", s.file, b)
				if len(b) >= 28 && wire.HasSignature(b[20:]) && b[24] == byte(wire.CmdEnumSessions) {
					require.NoError(t, asks.Check(time.Duration(i)*searchGap, b), "%s: %x", s.file, b)
				}
				moved := append([]byte{}, b...)
				tr.Datagram(moved)
				tr.Datagram(moved)
				require.Equal(t, b, moved)
			}
		}
	}
	assert.Equal(t, unreadable, broken)
	assert.Greater(t, streams, 100)
	assert.Greater(t, datagrams, 250)
	t.Log(streams, "connections and", datagrams, "datagrams")
}

// piecewise has a stream get octets in random pieces.
func piecewise(t testing.TB, r *rand.Rand, s *filter.Stream, b []byte) (got []byte) {
	t.Helper()
	most := []int{1, 30, 3000, 1 << 20}[r.IntN(4)]
	for len(b) > 0 {
		n := min(len(b), 1+r.IntN(most))
		var err error
		got, err = s.Pass(got, b[:n])
		require.NoError(t, err)
		b = b[n:]
	}
	require.NoError(t, s.End())
	return got
}
