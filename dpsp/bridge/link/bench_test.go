//go:build linux || windows

package link

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
)

// benchmark links two machines of this one, over a relay and directly. Directly needs an address that is none of loopback.
func benchmark(b *testing.B, run func(b *testing.B, ab, ba Link)) {
	for _, force := range []bool{true, false} {
		name := "direct"
		if force {
			name = "relayed"
		}
		b.Run(name, func(b *testing.B) {
			if !force && addressesOf(newSystem()) == "" {
				b.Skip("no address")
			}
			relayAt := testkit.Addr(b)
			realRelay(b, relayAt)
			at := code.Relay{Host: relayAt.String(), Port: relay.DefaultPort}
			c := Config{ForceRelay: force, Code: code.Code{Secret: secret, Relays: []code.Relay{at}}}
			m, err := New(b.Context(), c)
			require.NoError(b, err)
			defer m.Close()
			n, err := New(b.Context(), c)
			require.NoError(b, err)
			defer n.Close()
			require.NoError(b, n.Ready(b.Context()))
			ab, err := m.Dial(b.Context(), n.ID(), n.Addresses())
			require.NoError(b, err)
			ba, err := n.Accept(b.Context())
			require.NoError(b, err)
			testkit.Until(b, func() bool { return ab.Way().Direct != force && ba.Way().Direct != force }, "the ways")
			run(b, ab, ba)
		})
	}
}

// BenchmarkDatagram is a round trip of 100 octets by datagrams.
func BenchmarkDatagram(b *testing.B) {
	benchmark(b, func(b *testing.B, ab, ba Link) {
		go func() {
			for {
				d, err := ba.ReceiveDatagram(b.Context())
				if err != nil || ba.SendDatagram(d) != nil {
					return
				}
			}
		}()
		d := make([]byte, 100)
		for b.Loop() {
			require.NoError(b, ab.SendDatagram(d))
			_, err := ab.ReceiveDatagram(b.Context())
			require.NoError(b, err) // of one at a time, on one machine, none is lost
		}
	})
}

// BenchmarkStream is a round trip of 100 octets on a stream.
func BenchmarkStream(b *testing.B) {
	benchmark(b, func(b *testing.B, ab, ba Link) {
		out, err := ab.OpenStream(b.Context())
		require.NoError(b, err)
		go func() {
			if in, err := ba.AcceptStream(b.Context()); err == nil {
				io.Copy(in, in) //nolint:errcheck
			}
		}()
		d := make([]byte, 100)
		for b.Loop() {
			_, err := out.Write(d)
			require.NoError(b, err)
			_, err = io.ReadFull(out, d)
			require.NoError(b, err)
		}
	})
}

// BenchmarkBulk is as much as goes on a stream.
func BenchmarkBulk(b *testing.B) {
	benchmark(b, func(b *testing.B, ab, ba Link) {
		out, err := ab.OpenStream(b.Context())
		require.NoError(b, err)
		go func() {
			if in, err := ba.AcceptStream(b.Context()); err == nil {
				io.Copy(io.Discard, in) //nolint:errcheck
			}
		}()
		d := make([]byte, 64<<10)
		b.SetBytes(int64(len(d)))
		for b.Loop() {
			_, err := out.Write(d)
			require.NoError(b, err)
		}
	})
}
