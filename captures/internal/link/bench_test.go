package link

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"dplay4/captures/internal/pcapfile"
)

// benchPackets are the packets of an ordinary capture: TCP with timestamps, and UDP, of some 100 octets.
func benchPackets() []pcapfile.Packet {
	stamp := []byte{1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}
	header := etherHeader(0x0800)
	return []pcapfile.Packet{
		*packet(1, pcapfile.LinkEthernet, join(header, ip4(TCP, tcp(16, stamp, counting(40))))),
		*packet(2, pcapfile.LinkEthernet, join(header, ip4(UDP, udp(counting(60))))),
		*packet(3, pcapfile.LinkEthernet, join(etherHeader(0x86dd), ip6(UDP, udp(counting(40))))),
		*packet(4, pcapfile.LinkEthernet, join(etherHeader(0x8100), vlan(0x0800), ip4(TCP, tcp(16, stamp, nil)))),
	}
}

func BenchmarkDecode(b *testing.B) {
	var d Decoder
	packets := benchPackets()
	n := 0
	for b.Loop() {
		for i := range packets {
			if _, st := d.Decode(&packets[i]); st.Kind != KindUnit {
				b.Fatal(st)
			}
		}
		n += len(packets)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "packets/s")
}

// BenchmarkFragments decodes datagrams of 9000 octets in seven fragments.
func BenchmarkFragments(b *testing.B) {
	var d Decoder
	whole := udp(counting(9000))
	var packets []*pcapfile.Packet
	for at := 0; at < len(whole); at += 1480 {
		end := min(at+1480, len(whole))
		packets = append(packets, packet(len(packets)+1, pcapfile.LinkRaw, cut4(1, at, end < len(whole), whole[at:end])))
	}
	n := 0
	for b.Loop() {
		var st Status
		for _, p := range packets {
			_, st = d.Decode(p)
		}
		if st.Kind != KindUnit {
			b.Fatal(st)
		}
		n += len(packets)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "packets/s")
}

// BenchmarkBoth reads a pcap file and decodes it: what a capture costs before anything looks at its payloads.
func BenchmarkBoth(b *testing.B) {
	le := binary.LittleEndian
	file := le.AppendUint16(le.AppendUint16(le.AppendUint32(nil, 0xa1b2c3d4), 2), 4)
	file = le.AppendUint32(append(file, make([]byte, 12)...), uint32(pcapfile.LinkEthernet))
	const packets = 40000
	for i := range packets {
		p := benchPackets()[i%4]
		file = le.AppendUint32(le.AppendUint32(file, uint32(i)), 0)
		file = append(le.AppendUint32(le.AppendUint32(file, uint32(len(p.Data))), uint32(len(p.Data))), p.Data...)
	}
	n := 0
	for b.Loop() {
		r, err := pcapfile.NewReader(bytes.NewReader(file), "bench")
		var d Decoder
		for err == nil {
			var p pcapfile.Packet
			if p, err = r.Next(); err == nil {
				if _, st := d.Decode(&p); st.Kind != KindUnit {
					b.Fatal(st)
				}
				n++
			}
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "packets/s")
}
