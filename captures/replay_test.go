package captures

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestReplay feeds what Wine 10's clients sent to our host (captures/interop) to a fresh engine. Its answers are
// those of the recording, octet for octet.
func TestReplay(t *testing.T) {
	app, err := wire.ParseGUID("{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}")
	require.NoError(t, err)
	one, two := netip.MustParseAddrPort("192.0.2.2:2300"), netip.MustParseAddrPort("192.0.2.3:2300")
	for _, c := range []struct {
		name    string
		session dpsp.Host
		ends    map[int]netip.AddrPort // whose connections end before a message: Wine says nothing when it leaves
	}{
		{"ourhost-two-w10-joiners", dpsp.Host{Application: app, Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive},
			map[int]netip.AddrPort{50: two}},
		{"ourhost-full-w10-joiners", dpsp.Host{Application: app, Name: "small", MaxPlayers: 2}, map[int]netip.AddrPort{16: one}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := os.Open("interop/" + c.name + ".pcap")
			require.NoError(t, err)
			defer f.Close()
			p := newReplay(t, c.session)
			_, err = Read(context.Background(), f, Options{Name: c.name}, func(r *Record) error {
				if gone, ok := c.ends[r.N]; ok {
					p.step(dpsp.Input{Kind: dpsp.StreamClosed, From: gone})
				}
				p.record(r)
				return nil
			}, nil)
			require.NoError(t, err)
			assert.Empty(t, p.sent, "answers that the recording lacks")
			assert.GreaterOrEqual(t, p.compared, 10)
		})
	}
}

// A replay is an engine in the place of the recorded host.
type replay struct {
	t        *testing.T
	engine   *dpsp.Engine
	me       wire.PlayerID
	sent     []sent
	compared int
}

type sent struct {
	to   netip.AddrPort
	data []byte
}

var (
	replayHost  = netip.MustParseAddr("192.0.2.1")
	replayPorts = [2]uint16{2300, 2350}
)

func newReplay(t *testing.T, session dpsp.Host) *replay {
	any4 := netip.IPv4Unspecified()
	p := &replay{t: t, engine: dpsp.New(dpsp.Config{
		Seed: [32]byte{1}, Strict: true,
		Stream: netip.AddrPortFrom(any4, replayPorts[0]), Datagram: netip.AddrPortFrom(any4, replayPorts[1]),
	})}
	p.step(dpsp.Input{Kind: dpsp.Request, Command: session})
	p.step(dpsp.Input{Kind: dpsp.Request, Token: 1, Command: dpsp.CreatePlayer{
		ShortName: wire.NewText("Host"), LongName: wire.NewText("of ours"), Data: []byte("ours"),
	}})
	return p
}

// step feeds the engine, and echoes game messages as the recorded host's program did.
func (p *replay) step(in dpsp.Input) {
	out := p.engine.Step(0, in)
	for _, s := range out.Sends {
		p.sent = append(p.sent, sent{s.To, bytes.Clone(s.Data)})
	}
	for _, e := range slices.Clone(out.Events) {
		switch e := e.(type) {
		case dpsp.Done:
			require.NoError(p.t, e.Err)
			if e.Token == 1 {
				p.me = e.ID
			}
		case dpsp.Message:
			p.step(dpsp.Input{Kind: dpsp.Request, Command: dpsp.Send{From: p.me, To: e.From, Payload: e.Payload, Guaranteed: e.Guaranteed}})
		case dpsp.Dropped:
			p.t.Errorf("dropped: %+v", e)
		}
	}
}

// record takes the next message of the recording: what a client sent goes in, what the host sent is compared.
func (p *replay) record(r *Record) {
	switch {
	case r.Src.Addr() == replayHost:
		if !assert.NotEmpty(p.t, p.sent, "message %d: the engine says nothing", r.N) {
			return
		}
		// Connections are one for each peer: between two of them no order is kept.
		i := slices.IndexFunc(p.sent, func(s sent) bool { return s.to == r.Dst })
		if assert.GreaterOrEqual(p.t, i, 0, "message %d: nothing was sent to %s", r.N, r.Dst) {
			assert.Equal(p.t, r.Raw, p.sent[i].data, "message %d, %s", r.N, r.Command())
			p.sent = slices.Delete(p.sent, i, i+1)
			p.compared++
		}
	case r.Dst.Addr() == replayHost || r.Dst.Port() == enumPort:
		kind := dpsp.Stream
		if r.Transport == UDP {
			kind = dpsp.Datagram
		}
		p.step(dpsp.Input{Kind: kind, From: r.Src, Data: r.Raw})
	}
}
