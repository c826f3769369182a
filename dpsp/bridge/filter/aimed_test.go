package filter

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestAimed has a malicious member send mutated messages to games of ours, through the filter: to one that hosts, one that
// looks for sessions and joins what it finds, and one that tries to join. None of them ever sends anything to an address
// outside the plan, as they do without the filter.
func TestAimed(t *testing.T) {
	t.Parallel()
	assert.Empty(t, aimed(t, true))
	assert.NotEmpty(t, aimed(t, false), "without the filter nothing would have been proved")
}

// aimed returns where games sent something that is outside the plan.
func aimed(t *testing.T, filtered bool) map[netip.AddrPort]bool {
	r := rand.New(rand.NewPCG(7, 8))
	all := samples(t)
	for i := range all { // as said by the machine in slot 1
		binary.BigEndian.PutUint16(all[i].raw[6:], 2301)
	}
	var slots []Ports
	for k := range uint16(50) {
		slots = append(slots, Ports{2300 + k, 2350 + k})
	}
	plan := NewPlan(slots...)
	rule := Rule{From: slots[1], Plan: func() *Plan { return plan }}
	local := netip.MustParseAddr("127.0.0.1")
	outside := map[netip.AddrPort]bool{}
	games := make([]*dpsp.Engine, 3)
	var now time.Duration
	step := func(i int, in dpsp.Input) {
		for _, o := range games[i].Step(now, in).Sends {
			if o.To.Addr() != local || !plan.has(o.To.Port(), o.Transport == dpsp.UDP) {
				outside[o.To] = true
			}
		}
	}
	from := netip.AddrPortFrom(local, 40000)
	udp := netip.AddrPortFrom(local, 2351)
	for i := range times(200_000) {
		if i%1000 == 0 {
			for k := range games {
				games[k] = dpsp.New(dpsp.Config{Seed: [32]byte{byte(k)}, Stream: netip.AddrPortFrom(netip.IPv4Unspecified(), 2300),
					Datagram: netip.AddrPortFrom(netip.IPv4Unspecified(), 2350)})
			}
			step(0, dpsp.Input{Kind: dpsp.Request, Command: dpsp.Host{Application: wire.GUID{1}, Name: "game",
				Flags: wire.SessionMigrateHost | wire.SessionKeepAlive}, Token: 1})
			step(0, dpsp.Input{Kind: dpsp.Request, Command: dpsp.CreatePlayer{ShortName: "p"}, Token: 2})
			join := dpsp.Join{Host: netip.AddrPortFrom(local, 2301), Desc: wire.SessionDesc{Flags: wire.SessionMigrateHost}}
			step(1, dpsp.Input{Kind: dpsp.Request, Command: join, Token: 1})
			step(2, dpsp.Input{Kind: dpsp.Request, Command: join, Token: 1})
		}
		now += time.Duration(r.IntN(50)) * time.Millisecond
		b := mutate(r, all, all[r.IntN(len(all))])
		k := r.IntN(len(games))
		if r.IntN(4) == 0 {
			if !filtered || NewDatagrams(rule).Check(b) == nil {
				step(k, dpsp.Input{Kind: dpsp.Datagram, From: udp, Data: bytes.Clone(b)})
			}
			continue
		}
		passed := b
		if filtered {
			passed, _ = NewStream(rule, nil).Pass(nil, b)
		}
		if size, err := wire.FrameSize(passed); err == nil && size > 0 && size <= len(passed) {
			step(k, dpsp.Input{Kind: dpsp.Stream, From: from, Data: passed[:size]})
		}
	}
	require.NotNil(t, games[0])
	return outside
}
