package dpsp

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestTryOut pings from nobody: a host answers over TCP, and what came over TCP by UDP as well, at the address of the connection and in
// as many octets. Members, and machines that do not host, do not.
func TestTryOut(t *testing.T) {
	for _, flags := range []wire.SessionFlags{wire.SessionKeepAlive, wire.SessionKeepAlive | wire.SessionDirectPlayProtocol} {
		w, n, _ := session(t, flags, 1, Config{})
		s := w.add("stranger", Config{})
		const port, size = 2377, 1400
		ping := func(octets int) []byte {
			e := wire.Envelope{HasSP: true, SP: s.cfg.header(), Version: wire.DX9, Message: &wire.Ping{Tick: 0xabcd0000 | port}}
			b, err := e.Append(nil)
			require.NoError(t, err)
			b = append(b, make([]byte, max(0, octets-len(b)))...)
			binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^0xfffff|uint32(len(b)))
			return b
		}
		var sent []Outgoing
		w.cut = func(_, _ *node, out Outgoing) bool { sent = append(sent, out); return true }
		from := netip.AddrPortFrom(s.addr, 40000)
		reply := func(out Outgoing) *wire.PingReply {
			var d wire.Decoder
			e, err := d.DecodeStream(out.Data)
			require.NoError(t, err)
			require.IsType(t, &wire.PingReply{}, e.Message)
			return e.Message.(*wire.PingReply)
		}
		for _, octets := range []int{36, size} {
			sent = nil
			w.step(n[0], Input{Kind: Stream, From: from, Data: ping(octets)})
			require.Len(t, sent, 2)
			assert.Equal(t, UDP, sent[0].Transport)
			assert.Equal(t, netip.AddrPortFrom(s.addr, port), sent[0].To)
			assert.Len(t, sent[0].Data, octets)
			assert.Equal(t, uint32(0xabcd0000|port), reply(sent[0]).Tick)
			assert.Equal(t, TCP, sent[1].Transport)
			assert.Equal(t, s.stream(), sent[1].To)
			assert.Equal(t, uint32(2350<<16|port), reply(sent[1]).Tick)
			assert.Equal(t, n[0].self, reply(sent[1]).From)
		}
		sent = nil
		w.step(n[0], Input{Kind: Datagram, From: netip.AddrPortFrom(s.addr, 2350), Data: ping(size)})
		require.Len(t, sent, 1, "nothing by UDP: its source may be forged")
		assert.Equal(t, TCP, sent[0].Transport)
		assert.Len(t, sent[0].Data, 36)
		assert.Equal(t, uint32(0xabcd0000|port), reply(sent[0]).Tick)
		sent = nil
		w.step(n[1], Input{Kind: Stream, From: from, Data: ping(36)})
		assert.Empty(t, sent, "it does not host")
		w.cut = nil
		for _, at := range n {
			assert.Empty(t, eventsOf[PeerLost](at.events))
		}
	}
}
