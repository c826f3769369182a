package madeup

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	a = "10.0.0.1:1045"
	b = "10.0.0.2:2300"
)

// TestConnection reads a connection back: sequence numbers count octets, SYN and FIN, each end acknowledges
// what it has, payloads stand where the constants say, time passes only when told.
func TestConnection(t *testing.T) {
	n := New(t)
	n.Step = 0
	conn := n.Dial(a, b)
	conn.Send([]byte("question"))
	n.Wait(time.Second)
	conn.Reply([]byte("answer"))
	conn.Ack()
	conn.Close()

	type line struct {
		from     uint16
		seq, ack uint32 // counted from the first of each end
		syn, fin bool
		text     string
		since    time.Duration
	}
	var got []line
	first := map[uint16]uint32{}
	dialed := Began.Add(2 * roundTrip)
	for frame := range frames(t, bytes.NewReader(n.Bytes())) {
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
		if size := len(tcp.Payload); size > 0 {
			l.text = string(frame.data[TCPPayload : TCPPayload+size])
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
	n := New(t)
	n.UDP(a, b, bytes.Repeat([]byte{7}, 1472))
	n.ARP("10.0.0.1", "10.0.0.2")
	assert.Equal(t, 2, n.Frames)
	var all [][]byte
	for frame := range frames(t, bytes.NewReader(n.Bytes())) {
		all = append(all, frame.data)
	}
	require.Len(t, all, 2)
	assert.Equal(t, bytes.Repeat([]byte{7}, 1472), all[0][UDPPayload:])
	p := gopacket.NewPacket(all[1], layers.LayerTypeEthernet, gopacket.Default)
	assert.Equal(t, []byte{10, 0, 0, 2}, p.Layer(layers.LayerTypeARP).(*layers.ARP).DstProtAddress)
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
