package pcapfile

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPcapVariants(t *testing.T) {
	records := []record{
		{seconds: 1500000000, fraction: 999999, data: []byte("one")},
		{seconds: 0xffffffff, fraction: 1, data: nil},                            // until 2106
		{seconds: 1, fraction: 0, data: bytes.Repeat([]byte("x"), 1500)},         // longer than bufio's default
		{seconds: 2, fraction: 5, data: []byte("cut"), length: 9000},             // by the snap length
		{seconds: 3, fraction: 7, data: bytes.Repeat([]byte("y"), MaxPacket)},    // the largest
		{seconds: 4, fraction: 8, data: []byte("longer in the file than on it")}, // see below
	}
	for name, o := range orders {
		for _, magic := range []uint32{pcapMicro, pcapNano, pcapModified} {
			file := pcapHeader(o, magic, 276|4<<28) // the highest bits tell a frame check sequence of 4 octets
			for i, r := range records {
				file = pcapRecord(file, o, r)
				if i == 5 { // libpcap reads such a record, pcapgo does not
					o.PutUint32(file[len(file)-len(r.data)-4:], 3)
				}
				if magic == pcapModified {
					file = append(file[:len(file)-len(r.data)], append([]byte("ifindex!"), r.data...)...)
				}
			}
			unit := int64(1000)
			if magic == pcapNano {
				unit = 1
			}
			got, err := readAll(bytes.NewReader(file))
			require.NoError(t, err, "%s %x", name, magic)
			require.Len(t, got, len(records), "%s %x", name, magic)
			for i, r := range records {
				require.Equal(t, Packet{
					Frame: i + 1, Time: at(int64(r.seconds), int64(r.fraction)*unit), Link: LinkLinuxSLL2,
					Data: append([]byte(nil), r.data...), Length: int(r.wire()),
				}, withNil(got[i]), "%s %x record %d", name, magic, i)
			}
		}
	}
}

// withNil makes no difference between no data and empty data.
func withNil(p Packet) Packet {
	if len(p.Data) == 0 {
		p.Data = nil
	}
	return p
}

func TestPcapLinkTypeIsNotCutTo8Bits(t *testing.T) {
	file := pcapRecord(pcapHeader(binary.LittleEndian, pcapMicro, 257), binary.LittleEndian, record{data: []byte{1}})
	got, err := readAll(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, LinkType(257), got[0].Link)
}

func TestPcapLies(t *testing.T) {
	o := binary.LittleEndian
	good := pcapHeader(o, pcapMicro, 1)
	for range 3 {
		good = pcapRecord(good, o, record{seconds: 1, data: []byte("data")})
	}
	second := 24 + 20 // offset of the second record
	for _, c := range []struct {
		name string
		at   int
		is   uint32
		want FileError
	}{
		{"magic", 0, 0x01020304, FileError{Offset: 0, Field: "magic number", Value: 0x04030201, Err: ErrFormat}},
		{"version 2.3", 4, 2 | 3<<16, FileError{Offset: 4, Field: "version", Value: 2<<16 | 3, Err: ErrVersion}},
		{"version 3.4", 4, 3 | 4<<16, FileError{Offset: 4, Field: "version", Value: 3<<16 | 4, Err: ErrVersion}},
		{"1 GiB", second + 8, 1 << 30, FileError{Offset: 52, Frame: 2, Field: "Captured Packet Length", Value: 1 << 30, Err: ErrLimit}},
		{"4 GiB", second + 8, 1<<32 - 1, FileError{Offset: 52, Frame: 2, Field: "Captured Packet Length",
			Value: 1<<32 - 1, Err: ErrLimit}},
		{"just too large", second + 8, MaxPacket + 1, FileError{Offset: 52, Frame: 2, Field: "Captured Packet Length",
			Value: MaxPacket + 1, Err: ErrLimit}},
		{"more than there is", second + 8, MaxPacket, FileError{Offset: 60, Frame: 2, Field: "Packet Data", Err: ErrTruncated}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := bytes.Clone(good)
			o.PutUint32(bad[c.at:], c.is)
			got, err := readAll(bytes.NewReader(bad))
			c.want.Name = "test"
			require.Equal(t, &c.want, fileError(t, err))
			require.Len(t, got, max(c.want.Frame-1, 0))
		})
	}
}
