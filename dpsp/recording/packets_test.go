package recording

import (
	"bytes"
	"io"
	"net/netip"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// tcpPackets returns the TCP headers of a recording with their payloads.
func tcpPackets(t *testing.T, file *bytes.Buffer) (all []*layers.TCP) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(file.Bytes()), pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	for {
		data, _, err := r.ReadPacketData()
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		p := gopacket.NewPacket(data, layers.LinkTypeEthernet, gopacket.Default)
		require.Nil(t, p.ErrorLayer())
		if tcp, ok := p.Layer(layers.LayerTypeTCP).(*layers.TCP); ok {
			all = append(all, tcp)
		}
	}
}

// TestConnection looks at the segments of one connection as a TCP implementation would: numbers follow each other,
// no sender exceeds the window, it begins and ends properly.
func TestConnection(t *testing.T) {
	var all []packet
	for range 3 {
		all = append(all, packet{dpsp.TCP, from, ours, bigMessage(t)}, packet{dpsp.TCP, from, ours, message(t, &wire.Ping{From: 1})})
	}
	segments := tcpPackets(t, write(t, all))
	next := map[layers.TCPPort]uint32{} // sequence number by sender
	acked := uint32(0)                  // of what the opener sent
	for i, s := range segments {
		opener := s.SrcPort == 40000
		switch {
		case i < 2:
			assert.True(t, s.SYN, "segment %d", i)
			assert.Equal(t, i == 1, s.ACK)
		default:
			assert.False(t, s.SYN)
			assert.Equal(t, next[s.SrcPort], s.Seq, "segment %d follows the one before", i)
		}
		assert.Equal(t, i == len(segments)-3 || i == len(segments)-2, s.FIN, "segment %d", i)
		next[s.SrcPort] = s.Seq + uint32(len(s.Payload))
		if s.SYN || s.FIN {
			next[s.SrcPort]++
		}
		if s.ACK {
			assert.Equal(t, next[s.DstPort], s.Ack, "segment %d acknowledges all", i)
		}
		if !opener {
			acked = s.Ack
			assert.Empty(t, s.Payload)
		} else if acked != 0 && !s.FIN {
			assert.LessOrEqual(t, next[40000]-acked, uint32(s.Window), "segment %d fits the window", i)
		}
	}
}

// TestBounded has a great many connections: those that are remembered are not more than may be.
func TestBounded(t *testing.T) {
	w, err := New(io.Discard)
	require.NoError(t, err)
	ping := message(t, &wire.Ping{From: 1})
	for i := range maxConnections + 10 {
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 40000)
		w.Packet(start, dpsp.TCP, at, ours, ping)
		require.LessOrEqual(t, len(w.conns), maxConnections)
		require.Len(t, w.order, len(w.conns))
	}
}

// TestSums checks the sums of the headers as a machine that receives the packets does: all 16-bit words together, with those of the
// header that is made up for it, leave nothing when 65,535 divides them. One of so many datagrams has the sum 0, and may not say so:
// to UDP that is none.
func TestSums(t *testing.T) {
	all := []packet{{dpsp.TCP, from, ours, bigMessage(t)}, {dpsp.UDP, udp, every, []byte("odd")}, {dpsp.UDP, udp2, udp, make([]byte, maxDatagram)}}
	for n := range 1 << 16 {
		all = append(all, packet{dpsp.UDP, udp, udp2, []byte{byte(n >> 8), byte(n)}})
	}
	r, err := pcapgo.NewNgReader(write(t, all), pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	whole := func(words []byte) bool {
		sum := 0
		for i, b := range words {
			sum += int(b) << (8 * (1 - i%2))
		}
		return sum > 0 && sum%0xffff == 0
	}
	packets := 0
	for ; ; packets++ {
		data, _, err := r.ZeroCopyReadPacketData()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		ip := data[14:][:int(data[16])<<8|int(data[17])] // without what fills the frame
		require.True(t, whole(ip[:20]), "packet %d: IPv4", packets)
		made := append(append([]byte{}, ip[12:20]...), 0, ip[9], byte((len(ip)-20)>>8), byte(len(ip)-20))
		require.True(t, whole(append(made, ip[20:]...)), "packet %d", packets)
		require.False(t, ip[9] == 17 && ip[26] == 0 && ip[27] == 0, "packet %d: a datagram without a sum", packets)
	}
	assert.Greater(t, packets, len(all))
}
