package traffic

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	a = netip.MustParseAddrPort("10.0.0.1:1045")
	b = netip.MustParseAddrPort("10.0.0.2:2300")
)

// TestConnection reads a connection back: sequence numbers count octets, SYN and FIN, each end acknowledges
// what it has, payloads stand where the constants say, time passes only when told.
func TestConnection(t *testing.T) {
	var file bytes.Buffer
	c := New(&file)
	conn := c.Dial(a, b)
	conn.Send([]byte("question"))
	c.Advance(time.Second)
	conn.Reply([]byte("answer"))
	conn.Ack()
	conn.Close()
	require.NoError(t, c.Err())

	type line struct {
		from     uint16
		seq, ack uint32 // counted from the first of each end
		syn, fin bool
		text     string
		since    time.Duration
	}
	var got []line
	first := map[uint16]uint32{}
	dialed := start.Add(2 * roundTrip)
	for frame := range frames(t, &file) {
		p := gopacket.NewPacket(frame.data, layers.LayerTypeEthernet, gopacket.Default)
		tcp := p.Layer(layers.LayerTypeTCP).(*layers.TCP)
		src, dst := uint16(tcp.SrcPort), uint16(tcp.DstPort)
		if tcp.SYN {
			first[src] = tcp.Seq
		}
		l := line{from: src, seq: tcp.Seq - first[src], syn: tcp.SYN, fin: tcp.FIN, since: frame.at.Sub(dialed)}
		if tcp.ACK {
			l.ack = tcp.Ack - first[dst]
		}
		if n := len(tcp.Payload); n > 0 {
			l.text = string(frame.data[TCPPayloadOffset : TCPPayloadOffset+n])
		}
		got = append(got, l)
	}
	const s, r = time.Second, roundTrip
	assert.Equal(t, []line{
		{1045, 0, 0, true, false, "", -2 * r},
		{2300, 0, 1, true, false, "", -r},
		{1045, 1, 1, false, false, "", 0},
		{1045, 1, 1, false, false, "question", 0},
		{2300, 1, 9, false, false, "answer", s},
		{2300, 7, 9, false, false, "", s},
		{1045, 9, 7, false, true, "", s},
		{2300, 7, 10, false, true, "", s + r},
		{1045, 10, 8, false, false, "", s + 2*r},
	}, got)
}

// TestDatagram reads a datagram and a question of ARP back.
func TestDatagram(t *testing.T) {
	var file bytes.Buffer
	c := New(&file)
	c.UDP(a, b, bytes.Repeat([]byte{7}, MaxDatagram))
	c.ARP(a.Addr(), b.Addr())
	require.NoError(t, c.Err())
	assert.Equal(t, 2, c.Packets())
	var all [][]byte
	for frame := range frames(t, &file) {
		all = append(all, frame.data)
	}
	require.Len(t, all, 2)
	assert.Equal(t, bytes.Repeat([]byte{7}, MaxDatagram), all[0][UDPPayloadOffset:])
	p := gopacket.NewPacket(all[1], layers.LayerTypeEthernet, gopacket.Default)
	assert.Equal(t, []byte{10, 0, 0, 2}, p.Layer(layers.LayerTypeARP).(*layers.ARP).DstProtAddress)
}

// TestFirstErrorStays checks that a payload that does not fit is an error that names its packet, and that
// nothing is written after it.
func TestFirstErrorStays(t *testing.T) {
	for name, tooLong := range map[string]func(*Capture, *Conn){
		"datagram": func(c *Capture, _ *Conn) { c.UDP(a, b, make([]byte, MaxDatagram+1)) },
		"segment":  func(_ *Capture, conn *Conn) { conn.Send(make([]byte, MaxSegment+1)) },
		"reply":    func(_ *Capture, conn *Conn) { conn.Reply(make([]byte, MaxSegment+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			c := New(&file)
			conn := c.Dial(a, b)
			size := file.Len()
			tooLong(c, conn)
			require.ErrorIs(t, c.Err(), ErrTooLong)
			assert.ErrorContains(t, c.Err(), "packet 4")
			conn.Close()
			c.UDP(a, b, nil)
			assert.Equal(t, size, file.Len())
			assert.Equal(t, 3, c.Packets())
		})
	}
}

type frame struct {
	data []byte
	at   time.Time
}

// frames reads a capture file.
func frames(t *testing.T, file io.Reader) func(func(frame) bool) {
	t.Helper()
	r, err := pcapgo.NewReader(file)
	require.NoError(t, err)
	return func(yield func(frame) bool) {
		for {
			data, info, err := r.ReadPacketData()
			if err == io.EOF {
				return
			}
			require.NoError(t, err)
			if !yield(frame{data, info.Timestamp.UTC()}) {
				return
			}
		}
	}
}
