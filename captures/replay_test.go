package captures_test

import (
	"context"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/dpsp"
	"dplay4/wire"
)

// The machines of the laboratory that captures/interop was recorded in.
var (
	labHost  = netip.MustParseAddrPort("192.0.2.1:2300")
	labThird = netip.MustParseAddrPort("192.0.2.4:2300")
)

// TestReplay feeds what our machines were sent in the recordings (captures/interop) to a fresh engine, most of it by
// clients of Wine 10. Its answers are those of the recording, octet for octet: nothing is mapped. The host's seed and
// session are those of compat/wine; a joiner's messages hold nothing random. Of "dplay host" it cannot be done: it drew
// its seed, which nobody knows.
func TestReplay(t *testing.T) {
	app, err := wire.ParseGUID("{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}")
	require.NoError(t, err)
	ours := dpsp.Host{Application: app, Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive}
	small := dpsp.Host{Application: app, Name: "small", MaxPlayers: 2}
	inProcess := dpsp.Config{Seed: [32]byte{1}}
	for _, c := range []struct {
		name     string
		machine  netip.AddrPort
		session  *dpsp.Host
		config   dpsp.Config
		compared int // at least: what the recording had when it was read
	}{
		{"ourhost-two-w10-joiners", labHost, &ours, inProcess, 25},
		{"ourhost-full-w10-joiners", labHost, &small, inProcess, 10},
		{"ourhost-third-machine", labHost, &ours, inProcess, 27},
		{"ourhost-third-machine", labThird, nil, inProcess, 21},
	} {
		t.Run(c.name+"/"+c.machine.String(), func(t *testing.T) {
			f, err := os.Open("interop/" + c.name + ".pcap")
			require.NoError(t, err)
			defer f.Close()
			all, err := replay.Read(context.Background(), f, captures.Options{Name: c.name})
			require.NoError(t, err)
			r, err := all.Run(context.Background(), replay.Options{Config: c.config, Session: c.session, Exact: true})
			require.NoError(t, err)
			found := false
			for _, p := range r.Parties {
				if p.Address != c.machine {
					continue
				}
				found = true
				assert.Empty(t, p.NotPlayed)
				assert.Empty(t, p.Differences)
				assert.Equal(t, p.Compared, p.Equal)
				assert.GreaterOrEqual(t, p.Compared, c.compared)
				assert.Zero(t, p.Missing+p.Extra+p.Unseen)
				ports := p.Mapped.Ports
				assert.Equal(t, replay.Mapped{Ports: ports}, p.Mapped, "nothing is mapped")
			}
			assert.True(t, found)
		})
	}
}
