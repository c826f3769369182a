package pcapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frameComments gives each frame two comments, whose lengths need padding.
func frameComments(frame int) []string {
	return []string{fmt.Sprintf("frame %d", frame), strings.Repeat("ü", frame)}
}

// none are no comments.
var none = Comments{Frame: func(int) []string { return nil }}

// copyAll copies a file with comments.
func copyAll(t *testing.T, file []byte) ([]byte, Copied) {
	t.Helper()
	var out bytes.Buffer
	done, err := Copy(&out, bytes.NewReader(file), "test",
		Comments{Section: []string{"of the file", "its second"}, Frame: frameComments})
	require.NoError(t, err)
	return out.Bytes(), done
}

// A rawBlock is a block as it stands in a file, without its lengths.
type rawBlock struct {
	order order
	typ   uint32
	body  []byte
}

// rawBlocks splits a file into its blocks.
func rawBlocks(t *testing.T, file []byte) (all []rawBlock) {
	t.Helper()
	var o order = binary.LittleEndian
	for len(file) > 0 {
		if binary.LittleEndian.Uint32(file) == ngSectionHeader {
			if o = binary.LittleEndian; binary.BigEndian.Uint32(file[8:]) == ngOrderMagic {
				o = binary.BigEndian
			}
		}
		size := o.Uint32(file[4:])
		require.Equal(t, size, o.Uint32(file[size-4:]))
		require.Zero(t, size%4)
		all = append(all, rawBlock{o, o.Uint32(file), file[8 : size-4]})
		file = file[size:]
	}
	return all
}

// split splits the comments off the options of a block, as many as were written.
func (b rawBlock) split(t *testing.T, at, n int) (comments []string, rest []byte) {
	t.Helper()
	rest = b.body[at:]
	for range n {
		require.EqualValues(t, optComment, b.order.Uint16(rest))
		size := int(b.order.Uint16(rest[2:]))
		comments = append(comments, string(rest[4:4+size]))
		require.Equal(t, make([]byte, -size&3), rest[4+size:4+(size+3)&^3], "padding")
		rest = rest[4+(size+3)&^3:]
	}
	if bytes.Equal(rest, endOption) {
		rest = nil
	}
	return comments, rest
}

// TestCopyPcapng copies a file with every kind of block, in both byte orders: all of it is there, in its order, octet for
// octet, and the comments stand before the options that were there.
func TestCopyPcapng(t *testing.T) {
	for _, first := range orders {
		for _, second := range orders {
			file := ngFile(first, second)
			got, done := copyAll(t, file)
			assert.Equal(t, Copied{Frames: 5, Commented: 4, Bare: 1}, done)
			before, err := readAll(bytes.NewReader(file))
			require.NoError(t, err)
			after, err := readAll(bytes.NewReader(got))
			require.NoError(t, err)
			require.Equal(t, before, after)
			requireBlocks(t, rawBlocks(t, file), rawBlocks(t, got))
		}
	}
}

// requireBlocks checks that blocks are the same but for comments and the lengths of sections.
func requireBlocks(t *testing.T, before, after []rawBlock) {
	t.Helper()
	require.Len(t, after, len(before))
	sections, frame := 0, 0
	for i, b := range before {
		a := after[i]
		require.Equal(t, b.typ, a.typ)
		switch b.typ {
		case ngSectionHeader:
			require.Equal(t, b.body[:8], a.body[:8])
			require.Equal(t, ^uint64(0), a.order.Uint64(a.body[8:]), "its length is left open")
			comments, rest := a.split(t, 16, 2*max(0, 1-sections))
			if sections++; sections == 1 {
				require.Equal(t, []string{"of the file", "its second"}, comments)
			}
			require.Equal(t, string(b.body[16:]), string(rest))
		case ngEnhancedPacket, ngPacketObsolete:
			frame++
			end := 20 + (int(b.order.Uint32(b.body[12:]))+3)&^3
			require.Equal(t, b.body[:end], a.body[:end])
			comments, rest := a.split(t, end, 2)
			require.Equal(t, frameComments(frame), comments)
			require.Equal(t, string(b.body[end:]), string(rest))
		default:
			if b.typ == ngSimplePacket {
				frame++
			}
			require.Equal(t, b.body, a.body)
		}
	}
}

// TestCopyPcap copies pcap files of every kind, and compressed ones: the packets are the same, at the same resolution.
func TestCopyPcap(t *testing.T) {
	records := []record{
		{1700000000, 123456, []byte("one"), 0}, {1700000000, 999999, []byte("more than was captured"), 1514},
		{4000000000, 0, nil, 60}, {4000000000, 1<<32 - 1, nil, 60}, // a fraction of more than a second
	}
	for name, o := range orders {
		for _, magic := range []uint32{pcapMicro, pcapNano, pcapModified} {
			b := pcapHeader(o, magic, uint32(LinkLinuxSLL2))
			for _, r := range records {
				at := len(b)
				b = pcapRecord(b, o, r)
				if magic == pcapModified {
					b = append(b[:at+pcapRecordHeader], append([]byte("8 octets"), r.data...)...)
				}
			}
			want, err := readAll(bytes.NewReader(b))
			require.NoError(t, err)
			for kind, file := range map[string][]byte{"plain": b, "gzip": gzipped(t, b), "zstd": zstandard(t, b)} {
				got, done := copyAll(t, file)
				assert.Equal(t, Copied{Frames: 4, Commented: 4}, done)
				after, err := readAll(bytes.NewReader(got))
				require.NoError(t, err, "%s %x %s", name, magic, kind)
				require.Equal(t, want, after, "%s %x %s", name, magic, kind)
				blocks := rawBlocks(t, got)
				require.Equal(t, byte(map[uint32]int{pcapNano: 9}[magic]+map[bool]int{true: 6}[magic != pcapNano]), blocks[1].body[12])
				comments, rest := blocks[5].split(t, 20, 2)
				assert.Equal(t, frameComments(4), comments)
				assert.Empty(t, rest)
			}
		}
	}
}

func gzipped(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func zstandard(t *testing.T, b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll(b, nil)
}

// TestCopyLinkType has link types whose field also tells of a frame check sequence, and one that pcapng has no room for.
func TestCopyLinkType(t *testing.T) {
	file := pcapRecord(pcapHeader(orders["big"], pcapMicro, 2<<fcsShift|fcsPresent|1), orders["big"], record{data: []byte("data")})
	got, _ := copyAll(t, file)
	body := rawBlocks(t, got)[1].body
	assert.Equal(t, []byte{optFCSLen, 0, 1, 0, 4, 0, 0, 0}, body[16:24], "four octets")
	_, err := Copy(io.Discard, bytes.NewReader(pcapHeader(orders["big"], pcapMicro, 1<<16)), "test", none)
	assert.ErrorIs(t, err, ErrLimit)
	assert.Equal(t, "link type", fileError(t, err).Field)
}

// TestCopyDamaged copies every beginning of files. The copy ends with the error that reading ends with, and has the packets
// before it; it is a whole file itself.
func TestCopyDamaged(t *testing.T) {
	small := bytes.Replace(ngFile(orders["little"], orders["big"]), make([]byte, 700<<10), nil, 1)
	small = small[:bytes.Index(small, []byte("old"))+8] // before the block that is broken now
	pcap := pcapHeader(orders["big"], pcapNano, 1)
	for range 3 {
		pcap = pcapRecord(pcap, orders["big"], record{1, 2, []byte("three"), 9})
	}
	for _, file := range [][]byte{small, pcap} {
		for n := range file {
			want, wrong := readAll(bytes.NewReader(file[:n]))
			var out bytes.Buffer
			done, err := Copy(&out, bytes.NewReader(file[:n]), "test", Comments{Frame: frameComments})
			require.Equal(t, errors.Unwrap(wrong), errors.Unwrap(err), "%d octets", n)
			require.Equal(t, len(want), done.Frames)
			if out.Len() > 0 {
				got, err := readAll(&out)
				require.NoError(t, err, "%d octets", n)
				require.Equal(t, want, got, "%d octets", n)
			} else {
				require.Empty(t, want)
			}
		}
	}
}

// TestCopyLargeBlock copies a block that is larger than what is held, cut at its end as well.
func TestCopyLargeBlock(t *testing.T) {
	file := ngFile(orders["big"], orders["little"])
	got, _ := copyAll(t, file)
	requireBlocks(t, rawBlocks(t, file), rawBlocks(t, got))
	at := bytes.LastIndex(file, make([]byte, 700<<10)) + 700<<10
	_, err := Copy(io.Discard, bytes.NewReader(file[:at]), "test", none)
	require.ErrorIs(t, err, ErrTruncated)
	wrong := bytes.Clone(file)
	wrong[at] ^= 1
	_, err = Copy(io.Discard, bytes.NewReader(wrong), "test", none)
	require.ErrorIs(t, err, ErrValue, "the length at its end")
}

// TestCopyBadInterface ends before an interface whose clock cannot be, as reading does.
func TestCopyBadInterface(t *testing.T) {
	o := orders["little"]
	var out bytes.Buffer
	_, err := Copy(&out, bytes.NewReader(iface(section(nil, o, 0), o, 1, 0, option(o, optTSResol, 0x7f))), "test", none)
	require.ErrorIs(t, err, ErrLimit)
	_, err = readAll(&out)
	require.NoError(t, err)
}

// TestCopyRoom gives more comments than a block may have: those that fit are written, and what comes out can be read.
func TestCopyRoom(t *testing.T) {
	long := strings.Repeat("x", 100_000) // longer than an option
	for _, room := range []int{MaxPacket, 100} {
		file := pcapRecord(pcapHeader(orders["little"], pcapMicro, 1), orders["little"], record{data: make([]byte, room)})
		var out bytes.Buffer
		comments := Comments{Section: []string{long}, Frame: func(int) []string { return []string{long, long, long, long, long, long, long, long} }}
		_, err := Copy(&out, bytes.NewReader(file), "test", comments)
		require.NoError(t, err)
		got, err := readAll(&out)
		require.NoError(t, err)
		require.Len(t, got[0].Data, room)
	}
}

// A fullDisk takes some octets.
type fullDisk struct{ room int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestCopyFullDisk ends when the output takes no more, and says why.
func TestCopyFullDisk(t *testing.T) {
	file := ngFile(orders["big"], orders["little"])
	for _, room := range []int{0, 100_000} {
		_, err := Copy(&fullDisk{room}, bytes.NewReader(file), "test", none)
		require.ErrorIs(t, err, errFull)
	}
}
