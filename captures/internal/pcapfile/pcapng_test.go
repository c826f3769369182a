package pcapfile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ngFile has two sections in different byte orders and every block that is interpreted. Its packets are ngPackets.
func ngFile(first, second order) []byte {
	b := section(nil, first, 0)
	b = iface(b, first, uint16(LinkEthernet), 4, option(first, 2, []byte("eth0")...)) // a list without opt_endofopt
	b = iface(b, first, uint16(LinkLinuxSLL2), 0, option(first, optTSResol, 9),
		option(first, optTSOffset, first.AppendUint64(nil, 1<<64-100)...), option(first, optEnd))
	b = block(b, first, 4, []byte("a name resolution block"))
	b = enhanced(b, first, 1, 1500000000_123456789, record{data: []byte("nanoseconds, 100 s before")},
		option(first, 1, []byte("a comment")...), option(first, optEnd))
	b = enhanced(b, first, 0, 1500000000_123456, record{data: []byte("microseconds"), length: 1514})
	b = simple(b, first, 9, []byte("simp")) // the snap length of interface 0 is 4
	obsolete := first.AppendUint64(first.AppendUint16(first.AppendUint16(nil, 0), 0xffff), 0)
	obsolete = first.AppendUint32(first.AppendUint32(obsolete, 3), 3)
	b = block(b, first, ngPacketObsolete, obsolete, []byte("old"))
	b = section(b, second, 2)
	b = block(b, second, 0xbad, make([]byte, 700<<10)) // unknown, and larger than the buffer
	b = iface(b, second, 0xffff, 0, option(second, optTSResol, 0x80|10))
	return enhanced(b, second, 0, 3<<10|512, record{})
}

func ngPackets() []Packet {
	return []Packet{
		{1, at(1500000000-100, 123456789), LinkLinuxSLL2, []byte("nanoseconds, 100 s before"), 25, 1},
		{2, at(1500000000, 123456000), LinkEthernet, []byte("microseconds"), 1514, 0},
		{3, time.Time{}, LinkEthernet, []byte("simp"), 9, 0},
		{4, at(0, 0), LinkEthernet, []byte("old"), 3, 0},
		{5, at(3, 500000000), 0xffff, nil, 0, 2},
	}
}

func TestPcapngVariants(t *testing.T) {
	for firstName, first := range orders {
		for secondName, second := range orders {
			got, err := readAll(bytes.NewReader(ngFile(first, second)))
			require.NoError(t, err, "%s %s", firstName, secondName)
			got[len(got)-1] = withNil(got[len(got)-1])
			require.Equal(t, ngPackets(), got, "%s %s", firstName, secondName)
		}
	}
}

func TestPcapngWithoutPackets(t *testing.T) {
	for name, o := range orders {
		got, err := readAll(bytes.NewReader(section(nil, o, 0)))
		require.NoError(t, err, name)
		require.Empty(t, got, name)
	}
}

// A ngLayout is a file whose blocks stand where it says.
type ngLayout struct {
	file                                     []byte
	describe, first, packet, simple, unknown int
}

func newNgLayout(o order) (l ngLayout) {
	b := section(nil, o, 0)
	l.describe = len(b)
	b = iface(b, o, 1, 0, option(o, optTSResol, 6), option(o, optTSOffset, make([]byte, 8)...))
	l.first = len(b)
	b = enhanced(b, o, 0, 0, record{data: []byte("data")})
	l.packet = len(b)
	b = enhanced(b, o, 0, 0, record{data: []byte("data")})
	l.simple = len(b)
	b = simple(b, o, 4, []byte("data"))
	l.unknown = len(b)
	b = block(b, o, 0xbad, []byte("unknown!"))
	l.file = simple(b, o, 4, []byte("data"))
	return l
}

// A ngLie is four octets of the file that are changed, and what is said of it.
type ngLie struct {
	name  string
	at    int
	is    uint32
	frame int
	off   int // from at
	field string
	err   error
}

func ngLies(l ngLayout) []ngLie {
	const length, again = "Block Total Length", "Block Total Length at the block's end"
	return []ngLie{
		{"magic", 8, 0x01020304, 0, 0, "Byte-Order Magic", ErrFormat},
		{"version 2.0", 12, 2 << 16, 0, 0, "Section Header Block: version", ErrVersion},
		{"version 1.1", 12, 1<<16 | 1, 0, 0, "Section Header Block: version", ErrVersion},
		{"section below its size", 4, 24, 0, 0, "Section Header Block: " + length, ErrValue},
		{"section ends otherwise", 24, 32, 0, 0, again, ErrValue},
		{"section of 1 GiB", 4, 1 << 30, 0, 0, length, ErrLimit},
		{"length 0", l.describe + 4, 0, 0, 0, length, ErrValue},
		{"length 8", l.describe + 4, 8, 0, 0, length, ErrValue},
		{"length odd", l.describe + 4, 21, 0, 0, length, ErrValue},
		{"length 4 GiB", l.describe + 4, 1<<32 - 4, 0, 0, length, ErrLimit},
		{"interface below its size", l.describe + 4, 16, 0, 0, "Interface Description Block: " + length, ErrValue},
		{"interface too large to hold", l.describe + 4, MaxHeldBlock + 4, 0, 0, "Interface Description Block: " + length, ErrLimit},
		{"interface past the end", l.describe + 4, MaxHeldBlock, 0, -4, "Interface Description Block", ErrTruncated},
		{"option past the block", l.describe + 16, optTSResol<<16 | 24, 0, 2, "Interface Description Block: Option Length", ErrValue},
		{"resolution of no octet", l.describe + 16, optTSResol << 16, 0, 2, "if_tsresol: Option Length", ErrValue},
		{"resolution of two octets", l.describe + 16, optTSResol<<16 | 2, 0, 2, "if_tsresol: Option Length", ErrValue},
		{"resolution 10^-20", l.describe + 20, 20 << 24, 0, 0, "if_tsresol", ErrLimit},
		{"resolution 10^-64", l.describe + 20, 64 << 24, 0, 0, "if_tsresol", ErrLimit}, // 10^64 is 0 in 64 bits
		{"resolution 2^-64", l.describe + 20, (0x80 | 64) << 24, 0, 0, "if_tsresol", ErrLimit},
		{"offset of 4 octets", l.describe + 24, optTSOffset<<16 | 4, 0, 2, "if_tsoffset: Option Length", ErrValue},
		{"packet below its size", l.packet + 4, 28, 2, 0, "Packet Block: " + length, ErrValue},
		{"packet too large to hold", l.packet + 4, MaxHeldBlock + 4, 2, 0, "Packet Block: " + length, ErrLimit},
		{"packet ends otherwise", l.packet + 32, 40, 2, 0, again, ErrValue},
		{"no such interface", l.packet + 8, 1, 2, 0, "Interface ID", ErrValue},
		{"no such interface at all", l.packet + 8, 1<<32 - 1, 2, 0, "Interface ID", ErrValue},
		{"captured 1 GiB", l.packet + 20, 1 << 30, 2, 0, "Captured Packet Length", ErrLimit},
		{"captured 4 GiB", l.packet + 20, 1<<32 - 1, 2, 0, "Captured Packet Length", ErrLimit},
		{"captured more than the block", l.packet + 20, 5, 2, 0, "Captured Packet Length", ErrValue},
		{"simple below its size", l.simple + 4, 12, 3, 0, "Simple Packet Block: " + length, ErrValue},
		{"simple of more than the block", l.simple + 8, 5, 3, 0, "Original Packet Length", ErrValue},
		{"simple of 1 GiB", l.simple + 8, 1 << 30, 3, 0, "Original Packet Length", ErrLimit},
		{"unknown ends otherwise", l.unknown + 16, 24, 3, 0, again, ErrValue},
		{"unknown past the end", l.unknown + 4, MaxBlock, 3, len(l.file) - l.unknown - 4, "block", ErrTruncated},
		{"unknown just too large", l.unknown + 4, MaxBlock + 4, 3, 0, length, ErrLimit},
		{"packet before its interface", l.describe, 0xbad, 1, l.first + 8 - l.describe, "Interface ID", ErrValue},
	}
}

func TestPcapngLies(t *testing.T) {
	o := binary.BigEndian
	l := newNgLayout(o)
	for _, c := range ngLies(l) {
		t.Run(c.name, func(t *testing.T) {
			bad := bytes.Clone(l.file)
			o.PutUint32(bad[c.at:], c.is)
			got, err := readAll(bytes.NewReader(bad))
			fe := fileError(t, err)
			require.Equal(t, c.field, fe.Field)
			require.Equal(t, int64(c.at+c.off), fe.Offset)
			require.Equal(t, c.frame, fe.Frame)
			require.Equal(t, c.err, fe.Err)
			if len(got) != c.frame { // then frame is the one that was being read
				require.Len(t, got, c.frame-1)
			}
		})
	}
}

func TestPcapngInterfaceLimit(t *testing.T) {
	o := binary.LittleEndian
	b := section(nil, o, 0)
	for range MaxInterfaces {
		b = iface(b, o, 1, 0)
	}
	at := len(b)
	whole := enhanced(slices.Clone(b), o, MaxInterfaces-1, 0, record{})
	got, err := readAll(bytes.NewReader(section(whole, o, 0))) // and a new section begins to count anew
	require.NoError(t, err)
	require.Equal(t, MaxInterfaces-1, got[0].Interface)
	_, err = readAll(bytes.NewReader(iface(b, o, 1, 0)))
	require.Equal(t, &FileError{"test", int64(at), 0, "Interface Description Blocks of the section", MaxInterfaces + 1, ErrLimit},
		fileError(t, err))
}

func TestClock(t *testing.T) {
	for _, c := range []struct {
		resolution uint8
		offset     int64
		ts         uint64
		want       time.Time
	}{
		{0, 0, 1500000000, at(1500000000, 0)}, // seconds; not the same as no if_tsresol
		{3, 0, 1500000000_123, at(1500000000, 123000000)},
		{6, 0, 1500000000_999999, at(1500000000, 999999000)},
		{9, 0, 1500000000_999999999, at(1500000000, 999999999)},
		{12, 0, 1500000_999999999999, at(1500000, 999999999)}, // cut, not rounded up into the next second
		{19, 0, 1<<64 - 1, at(1, 844674407)},
		{0x80, 0, 7, at(7, 0)},
		{0x80 | 1, 0, 3, at(1, 500000000)},
		{0x80 | 29, 0, 5<<29 + 3<<27, at(5, 750000000)}, // pcapgo says 402653184 ns
		{0x80 | 32, 0, 5<<32 + 1<<31, at(5, 500000000)}, // NTP's fractions
		{0x80 | 63, 0, 1<<64 - 1, at(1, 999999999)},
		{6, 3600, 1_000000, at(3601, 0)},
		{6, -3600, 1_000000, at(-3599, 0)},
		{0, 0, maxSeconds, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{0, 0, maxSeconds + 1, time.Time{}},
		{0, 0, 1<<64 - 1, time.Time{}},
		{0, minSeconds, 0, time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{0, minSeconds - 1, 0, time.Time{}},
		{0, 1<<63 - 1, 1, time.Time{}},
		{0, -1 << 63, 1, time.Time{}},
		{0, -maxSeconds, maxSeconds, at(0, 0)},
	} {
		clk := clock{offset: c.offset}
		require.True(t, clk.resolution(c.resolution), "%#x", c.resolution)
		require.Equal(t, c.want, clk.time(c.ts), "%#x %d %d", c.resolution, c.offset, c.ts)
	}
}
