package show_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// began is when the captures of these tests begin.
var began = time.Date(1999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

// A packet is one TCP segment or UDP datagram. Segments between the same sockets are one stream.
type packet struct {
	tcp      bool
	src, dst string
	payload  []byte
}

// pcap makes a capture of packets, three milliseconds apart.
func pcap(t testing.TB, packets ...packet) []byte {
	t.Helper()
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	require.NoError(t, w.WriteFileHeader(262144, layers.LinkTypeRaw))
	sent := map[string]int{}
	for i, p := range packets {
		src, dst := netip.MustParseAddrPort(p.src), netip.MustParseAddrPort(p.dst)
		ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: src.Addr().AsSlice(), DstIP: dst.Addr().AsSlice()}
		var transport gopacket.SerializableLayer = &layers.UDP{SrcPort: layers.UDPPort(src.Port()), DstPort: layers.UDPPort(dst.Port())}
		if p.tcp {
			ip.Protocol = layers.IPProtocolTCP
			transport = &layers.TCP{SrcPort: layers.TCPPort(src.Port()), DstPort: layers.TCPPort(dst.Port()), ACK: true, Seq: uint32(1 + sent[p.src+p.dst])}
			sent[p.src+p.dst] += len(p.payload)
		}
		b := gopacket.NewSerializeBuffer()
		require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, ip, transport, gopacket.Payload(p.payload)))
		info := gopacket.CaptureInfo{Timestamp: began.Add(time.Duration(i) * 3 * time.Millisecond), CaptureLength: len(b.Bytes()), Length: len(b.Bytes())}
		require.NoError(t, w.WritePacket(info, b.Bytes()))
	}
	return file.Bytes()
}

// each calls f for the records of a capture.
func each(t testing.TB, file []byte, opt captures.Options, f func(*captures.Record)) {
	t.Helper()
	_, err := captures.Read(context.Background(), bytes.NewReader(file), opt, func(r *captures.Record) error {
		f(r)
		return nil
	}, nil)
	require.NoError(t, err)
}

// sys encodes a system message of a machine that listens on TCP 2300.
func sys(m wire.Message) []byte {
	return encode(wire.Envelope{HasSP: true, SP: sp(), System: true, Version: wire.DX9, Message: m})
}

// bare encodes a message without an SP header; a game message, too.
func bare(m wire.Message) []byte {
	_, game := m.(*wire.PlayerMessage)
	return encode(wire.Envelope{System: !game, Version: wire.DX9, Message: m})
}

func sp() wire.SPHeader {
	return wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}}
}

func encode(e wire.Envelope) []byte {
	b, err := e.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// spData is the service provider data of a machine.
func spData(ip string) []byte {
	addr := netip.MustParseAddr(ip).As4()
	return wire.SPData{
		Stream:   wire.SockAddr{Family: wire.FamilyINet, Port: 2300, Addr: addr},
		Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2350, Addr: addr},
	}.Append(nil)
}

// one gives the record of a system message that came by UDP.
func one(t testing.TB, m wire.Message, f func(*captures.Record)) {
	t.Helper()
	n := 0
	each(t, pcap(t, packet{src: "10.0.0.2:2350", dst: "10.0.0.1:2350", payload: sys(m)}), captures.Options{}, func(r *captures.Record) {
		n++
		f(r)
	})
	require.Equal(t, 1, n)
}

// everyCommand calls f with a record of each golden message of package wire, which has one for every command.
func everyCommand(t *testing.T, f func(t *testing.T, r *captures.Record)) {
	files, err := filepath.Glob(filepath.Join("..", "..", "wire", "testdata", "golden", "*.hex"))
	require.NoError(t, err)
	require.Greater(t, len(files), len(wire.Commands())-1)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".hex"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			var digits strings.Builder
			for line := range strings.Lines(string(text)) {
				line, _, _ = strings.Cut(line, "#")
				digits.WriteString(strings.Join(strings.Fields(line), ""))
			}
			raw, err := hex.DecodeString(digits.String())
			require.NoError(t, err)
			r := &captures.Record{N: 1, Frames: []int{1}, Time: began, Raw: raw}
			var d wire.Decoder
			if _, err := wire.ParseSPHeader(raw); err == nil && raw[4] == wire.FamilyINet {
				r.Base = wire.SPHeaderSize
				r.Envelope, r.Err = d.DecodeStream(raw)
			} else {
				r.Envelope, r.Err = d.DecodeBare(raw)
			}
			f(t, r)
		})
	}
}
