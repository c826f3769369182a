package doctor

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/internal/madeup"
	"dplay4/internal/processor"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// FuzzExamine checks that no file makes the doctor panic, or say what is not sound.
func FuzzExamine(f *testing.F) {
	for _, name := range []string{"01-rzhost-asis-w10join-fails-packedoffset0", "08-rzhost-full-max1-w10join", "10-rzhost-rzjoin-asis-gamemsg-clobbered"} {
		b, err := os.ReadFile("../lab/" + name + ".pcap")
		require.NoError(f, err)
		f.Add(b)
	}
	for _, code := range []Code{"reliable-loss", "reliable-stalled", "reliable-given-up", "reliable-hole", "reliable-frames-wrong", "reliable-reading"} {
		n := newNetwork(f)
		examples[code][0].capture(n)
		f.Add(n.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) { examineAny(t, b) })
}

func examineAny(t testing.TB, b []byte) *Report {
	r, _ := Examine(context.Background(), bytes.NewReader(b), Options{})
	require.NotNil(t, r)
	for _, f := range r.Findings {
		require.LessOrEqual(t, len(f.Evidence), maxEvidence)
		require.NotEmpty(t, f.Text)
	}
	require.NotEmpty(t, r.AppendText(nil))
	_, err := r.AppendNDJSON(nil)
	require.NoError(t, err)
	return r
}

// TestDamaged changes octets of every capture of the project at random: the doctor must get along.
func TestDamaged(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, file := range recordings(t) {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		if len(b) > 100_000 {
			continue // they say nothing that the others do not
		}
		for range 20 {
			c := bytes.Clone(b)
			for range 1 + rnd.IntN(30) {
				c[24+rnd.IntN(len(c)-24)] = byte(rnd.Uint32())
			}
			examineAny(t, c[:len(c)-rnd.IntN(len(c)/2)])
		}
	}
}

// TestDamagedFile checks that what can be read of a file that is cut short is judged, and that it is said.
func TestDamagedFile(t *testing.T) {
	b, err := os.ReadFile("../lab/08-rzhost-full-max1-w10join.pcap")
	require.NoError(t, err)
	r, err := Examine(context.Background(), bytes.NewReader(b[:len(b)-3]), Options{})
	require.Error(t, err)
	var codes []Code
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	assert.Equal(t, []Code{"session-full", "capture-incomplete"}, codes)
}

// TestBounded checks the limits: a capture of very many askers, hosts, pings and attempts to connect takes no more
// than they say.
func TestBounded(t *testing.T) {
	n := newNetwork(t)
	s := newSession(n)
	c := newCollector(Options{})
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 2300)
	}
	start := processor.Time()
	for i := range 3 * maxFacts {
		for _, m := range []wire.Message{
			&wire.EnumSessions{Application: thisGame}, &wire.EnumSessionsReply{Desc: s.desc}, &wire.RequestPlayerID{Flags: wire.PlayerSystem},
			&wire.AddForwardReply{Error: wire.ErrAccessDenied}, &wire.AddForward{Player: wire.PlayerID(i)}, &wire.Ping{From: 1}, &wire.YouAreDead{},
			s.list(wire.SuperPackedPlayer{Flags: wire.PlayerSystem, ID: wire.PlayerID(i), SPData: spData("0.0.0.0", 2300, 2350)}),
		} {
			e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: madeup.SockAddr(fmt.Sprintf("10.%d.%d.1:2300", i>>8, i&255))}, Message: m}
			require.NoError(t, c.record(&captures.Record{N: i + 1, Frames: []int{i + 1}, Src: at(i), Dst: at(i + 1),
				From: captures.Machine{At: at(i)}, To: captures.Machine{At: at(i + 1)}, Envelope: e}))
		}
		c.frames(t, at(i), i)
		c.event(&captures.Event{Kind: captures.ConnectionBroken, Frame: i + 1, Src: at(i + 1), Dst: at(i)})
		c.event(&captures.Event{Kind: captures.ConnectionAsked, Frame: i + 1, Src: at(i), Dst: at(i + 1)})
		c.event(&captures.Event{Kind: captures.Unreachable, Frame: i + 1, Src: at(i), Dst: at(i + 1)})
		c.event(&captures.Event{Kind: captures.AddressMet, Frame: i + 1, Src: at(i)})
		c.finding(&captures.Finding{Code: captures.OctetsLost, Frame: i + 1})
		c.finding(&captures.Finding{Code: captures.OctetsSkipped, Frame: i + 1, Src: at(i), Dst: at(i + 1)})
	}
	collected := processor.Time() - start
	for name, got := range map[string]int{
		"asks": len(c.Asks.list), "offers": len(c.Offers.list), "joins": len(c.Joins), "refusals": len(c.Refusals), "forwards": len(c.Forwards),
		"dials": len(c.Dials.list), "blocks": len(c.Blocks.list), "addresses": len(c.Addresses.list), "pings": len(c.pings.list),
		"losses": len(c.Losses), "sources": len(c.Sources), "resets": len(c.Resets), "junk": len(c.Junk), "rooms": len(c.rooms.list),
	} {
		assert.LessOrEqual(t, got, maxFacts, name)
		assert.Positive(t, got, name)
	}
	c.Summary = new(captures.Summary)
	for name, got := range map[string]int{"dead": len(c.Dead.list), "twins": len(c.Twins.list), "foreign": len(c.Foreign.list), "bent": len(c.Bent.list)} {
		assert.LessOrEqual(t, got, maxFacts, name)
		assert.Positive(t, got, name)
	}
	assert.LessOrEqual(t, len(c.tuples), maxTuples)
	assert.LessOrEqual(t, len(c.flows), maxTuples)
	start = processor.Time()
	c.report("")
	judged := processor.Time() - start
	t.Log("processor time: collected in", collected, "and judged in", judged)
	assert.Less(t, judged, 200*collected, "every join may be the last one of its joiner") // 6 times; 1,000 times if each is compared with all pairs
	assert.LessOrEqual(t, len(c.machines), maxListeners)
	assert.LessOrEqual(t, len(c.conns), maxFacts)
}

// frames hands the collector frames of a machine that are wrong: from nobody's index, that of another one, and cut short.
func (c *collector) frames(t *testing.T, from netip.AddrPort, i int) {
	to := netip.MustParseAddrPort("192.0.2.200:2300")
	for _, r := range []captures.Record{
		{Frame: &reliable.Frame{From: uint16(i), Flags: single}, Step: &links.Step{}},
		{Frame: &reliable.Frame{FromSize: 3, Flags: single}},
		{Frame: &reliable.Frame{Flags: single}, Err: &wire.DecodeError{Message: "DATA", Field: "messageid", Err: wire.ErrShort}},
	} {
		r.N, r.Frames, r.Src, r.Dst = i+1, []int{i + 1}, from, to
		r.From, r.To = captures.Machine{At: from, Sure: true}, captures.Machine{At: to, Sure: true}
		require.NoError(t, c.record(&r))
	}
}

// BenchmarkExamine judges a session with 100,000 game messages; BenchmarkRead only reads it.
func BenchmarkExamine(b *testing.B) {
	file := busy(b)
	for b.Loop() {
		r, err := Examine(context.Background(), bytes.NewReader(file), Options{})
		require.NoError(b, err)
		require.True(b, r.Healthy())
	}
}

// BenchmarkRead is what BenchmarkExamine is compared with.
func BenchmarkRead(b *testing.B) {
	file := busy(b)
	for b.Loop() {
		_, err := captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, func(*captures.Record) error { return nil }, nil)
		require.NoError(b, err)
	}
}

// busy is such a session as a file.
func busy(b *testing.B) []byte {
	n := newNetwork(b)
	s := newSession(n)
	s.join(joinerIP, 0x100)
	c := n.conn(joinerIP+":4100", hostIP+":2300")
	for range 100_000 {
		c.send(game(2300, 0x101, 0, "a move"))
	}
	return n.Bytes()
}
