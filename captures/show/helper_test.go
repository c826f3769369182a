package show_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
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
	n := madeup.New(t)
	n.Now, n.Step = began, 3*time.Millisecond
	sent := map[string]int{}
	for _, p := range packets {
		if !p.tcp {
			n.UDP(p.src, p.dst, p.payload)
			continue
		}
		n.TCP(p.src, p.dst, layers.TCP{ACK: true, Seq: uint32(1 + sent[p.src+p.dst])}, p.payload)
		sent[p.src+p.dst] += len(p.payload)
	}
	return n.Bytes()
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
func sys(m wire.Message) []byte { return madeup.System(2300, m) }

// bare encodes a message without a header.
var bare = madeup.Message

// spData is the service provider data of a machine.
func spData(ip string) []byte { return madeup.SPData(ip+":2300", ip+":2350") }

// one gives the record of a system message that came by UDP.
func one(t testing.TB, m wire.Message, f func(*captures.Record)) {
	t.Helper()
	n := 0
	each(t, pcap(t, packet{src: "10.0.0.2:2350", dst: "10.0.0.1:2350", payload: sys(m)}), captures.Options{},
		func(r *captures.Record) {
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
