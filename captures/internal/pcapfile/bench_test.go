package pcapfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// benchFiles are a pcap and a pcapng file of n packets of 100 octets.
func benchFiles(n int) map[string][]byte {
	o := binary.LittleEndian
	p, ng := pcapHeader(o, pcapMicro, 1), iface(section(nil, o, 0), o, 1, 0)
	for i := range n {
		r := record{seconds: uint32(i), data: bytes.Repeat([]byte{byte(i)}, 100)}
		p, ng = pcapRecord(p, o, r), enhanced(ng, o, 0, uint64(i), r)
	}
	return map[string][]byte{"pcap": p, "pcapng": ng}
}

func BenchmarkReader(b *testing.B) {
	const packets = 10000
	files := benchFiles(packets)
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z} {
		if _, err := w.Write(files["pcap"]); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	files["pcap.gz"], files["pcap.zst"] = gz.Bytes(), zs.Bytes()
	for _, name := range []string{"pcap", "pcapng", "pcap.gz", "pcap.zst"} {
		b.Run(name, func(b *testing.B) {
			total := 0
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(files[name]), name)
				for err == nil {
					_, err = r.Next()
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				total += packets
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}
