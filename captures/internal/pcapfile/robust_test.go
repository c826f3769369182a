package pcapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// smallFiles are a pcap and a pcapng file with the offsets at which their records begin, the file's end last.
func smallFiles() (files [2][]byte, records [2][]int) {
	o := binary.LittleEndian
	b := pcapHeader(o, pcapMicro, 1)
	for _, s := range []string{"first", "", "third"} {
		records[0] = append(records[0], len(b))
		b = pcapRecord(b, o, record{seconds: 1, data: []byte(s)})
	}
	files[0], records[0] = b, append(records[0], len(b))

	b = iface(section(nil, o, 0), o, 1, 0, option(o, optTSResol, 9))
	for _, s := range []string{"first", "", "third"} {
		records[1] = append(records[1], len(b))
		b = enhanced(b, o, 0, 1, record{data: []byte(s)})
	}
	files[1], records[1] = b, append(records[1], len(b))
	return files, records
}

func TestTruncatedAtEveryOctet(t *testing.T) {
	files, records := smallFiles()
	for i, file := range files {
		for n := range len(file) + 1 {
			got, err := readAll(bytes.NewReader(file[:n]))
			whole := 0 // records that are whole
			for whole < 3 && records[i][whole+1] <= n {
				whole++
			}
			require.Len(t, got, whole, "file %d, %d octets", i, n)
			// A pcapng file may also end behind a block that is no packet.
			if slices.Contains(records[i], n) || i == 1 && n == 28 {
				require.NoError(t, err, "file %d, %d octets", i, n)
				continue
			}
			fe := fileError(t, err)
			switch {
			case n == 0:
				require.Equal(t, &FileError{"test", 0, 0, "file header", 0, ErrEmpty}, fe)
			case n < 4:
				require.Equal(t, &FileError{"test", 0, 0, "magic number", 0, ErrFormat}, fe)
			default:
				require.Equal(t, ErrTruncated, fe.Err, "file %d, %d octets", i, n)
				require.LessOrEqual(t, fe.Offset, int64(n))
				if n > records[i][0] {
					require.GreaterOrEqual(t, fe.Offset, int64(records[i][whole]), "file %d, %d octets", i, n)
				}
			}
		}
	}
}

func TestCompressed(t *testing.T) {
	plain := ngFile(binary.LittleEndian, binary.BigEndian)
	cut := 171 // inside a record
	pack := func(parts ...[]byte) (gz, zs []byte) {
		var a, b bytes.Buffer
		for _, p := range parts {
			w := gzip.NewWriter(&a)
			z, err := zstd.NewWriter(&b)
			require.NoError(t, err)
			for _, w := range []io.WriteCloser{w, z} {
				_, err = w.Write(p)
				require.NoError(t, err)
				require.NoError(t, w.Close())
			}
		}
		return a.Bytes(), b.Bytes()
	}
	gz, zs := pack(plain)
	gz2, zs2 := pack(plain[:cut], plain[cut:]) // members and frames one after the other
	skippable := append([]byte{0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'p', 'z', 's'}, zs...)
	for name, file := range map[string][]byte{
		"plain": plain, "gzip": gz, "gzip members": gz2, "zstd": zs, "zstd frames": zs2, "zstd skippable": skippable,
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{
				bytes.NewReader(file), iotest.OneByteReader(bytes.NewReader(file)), iotest.DataErrReader(bytes.NewReader(file)),
			} {
				got, err := readAll(r)
				require.NoError(t, err)
				got[len(got)-1] = withNil(got[len(got)-1])
				require.Equal(t, ngPackets(), got)
			}
		})
	}
	twice, _ := pack(gz) // one layer only
	_, err := readAll(bytes.NewReader(twice))
	require.Equal(t, ErrFormat, fileError(t, err).Err)
}

func TestCompressedAndDamaged(t *testing.T) {
	files, _ := smallFiles()
	var gz, zs bytes.Buffer
	w := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zs)
	require.NoError(t, err)
	for _, w := range []io.WriteCloser{w, z} {
		_, err = w.Write(files[0])
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	for name, file := range map[string][]byte{"gzip": gz.Bytes(), "zstd": zs.Bytes()} {
		t.Run(name, func(t *testing.T) {
			for n := 4; n < len(file); n++ {
				_, err := readAll(bytes.NewReader(file[:n]))
				require.ErrorIs(t, err, ErrTruncated, "%d of %d octets", n, len(file))
			}
			sum := bytes.Clone(file)
			sum[len(sum)-5]++ // of gzip's checksum and size, and of zstd's data
			if name == "zstd" {
				sum[len(sum)-1]++
			}
			_, err := readAll(bytes.NewReader(sum))
			require.ErrorIs(t, err, ErrCompressed)
			fileError(t, err)
			_, err = readAll(bytes.NewReader(append(bytes.Clone(file), "trailing garbage"...)))
			require.ErrorIs(t, err, ErrCompressed)
		})
	}
	_, err = readAll(bytes.NewReader([]byte{0x1f, 0x8b, 8, 0xff, 1, 2, 3})) // damaged in its header already
	require.ErrorIs(t, err, ErrTruncated)
}

// allocated is how many octets f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLiesAllocateNothing reads files of less than 100 octets that claim 1 GiB. pcapgo allocates it.
func TestLiesAllocateNothing(t *testing.T) {
	o := binary.LittleEndian
	const lie = 1 << 30
	snap := pcapRecord(pcapHeader(o, pcapMicro, 1), o, record{data: []byte{1}}) // of the file, 1 GiB
	captured := bytes.Clone(snap)
	o.PutUint32(captured[24+8:], lie)
	ng := section(nil, o, 0)
	ngBlock := block(bytes.Clone(ng), o, 1, nil)
	o.PutUint32(ngBlock[len(ng)+4:], lie)
	ngSnap := enhanced(iface(bytes.Clone(ng), o, 1, lie), o, 0, 0, record{data: []byte{1}})
	ngCaptured := bytes.Clone(ngSnap)
	o.PutUint32(ngCaptured[len(ng)+20+20:], lie)
	ngSkip := block(bytes.Clone(ng), o, 0xbad, nil)
	o.PutUint32(ngSkip[len(ng)+4:], MaxBlock)
	for name, c := range map[string]struct {
		file  []byte
		fails bool
	}{
		"snap length": {snap, false}, "captured": {captured, true}, "block": {ngBlock, true},
		"interface's snap length": {ngSnap, false}, "block's captured": {ngCaptured, true}, "skipped": {ngSkip, true},
	} {
		var err error
		n := allocated(func() { _, err = readAll(bytes.NewReader(c.file)) })
		require.Equal(t, c.fails, err != nil, name)
		require.Less(t, n, uint64(1<<20), name)
	}
}

// TestZstdWindow reads frames that claim a window (RFC 8878 3.1.1.1.2) or, in one segment, a content of 1 GiB.
func TestZstdWindow(t *testing.T) {
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 1, 0, 0}
	segment := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40, 1, 0, 0}
	for _, file := range [][]byte{window, segment} {
		var err error
		n := allocated(func() { _, err = readAll(bytes.NewReader(file)) })
		require.ErrorIs(t, err, ErrLimit)
		require.ErrorContains(t, err, "zstd window")
		require.Less(t, n, uint64(2<<20))
	}
	most := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3, 0x03, 0, 0, 'x'} // 8 MiB, and a block of no octets
	n := allocated(func() { _, _ = readAll(bytes.NewReader(most)) })
	require.Less(t, n, uint64(10<<20))
}

func TestInputErrors(t *testing.T) {
	files, _ := smallFiles()
	broken := errors.New("disk on fire")
	for n := range files[0] {
		got, err := readAll(io.MultiReader(bytes.NewReader(files[0][:n]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, "after %d octets", n)
		require.NotErrorIs(t, err, ErrTruncated)
		require.LessOrEqual(t, len(got), 3)
	}
	for name, file := range map[string]string{"text": "this is not a capture", "short": "abc", "JSON": "{}"} {
		_, err := readAll(bytes.NewReader([]byte(file)))
		require.ErrorIs(t, err, ErrFormat, name)
	}
}

// TestNextDoesNotWaitForMore reads from a pipe into which a packet is written only when the one before was read.
func TestNextDoesNotWaitForMore(t *testing.T) {
	files, records := smallFiles()
	for i, file := range files {
		pr, pw := io.Pipe()
		next := make(chan int)
		go func() {
			at := 0
			for end := range next {
				_, _ = pw.Write(file[at:end]) // a pipe in memory
				at = end
			}
			pw.Close()
		}()
		next <- records[i][0]
		r, err := NewReader(pr, "test")
		require.NoError(t, err)
		for n, end := range records[i][1:] {
			next <- end
			p, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, n+1, p.Frame)
		}
		close(next)
		_, err = r.Next()
		require.Equal(t, io.EOF, err)
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	for name, file := range benchFiles(1500) {
		r, err := NewReader(bytes.NewReader(file), "test")
		require.NoError(t, err)
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}), name)
	}
}

func TestFileErrorText(t *testing.T) {
	err := error(&FileError{"a.pcap", 52, 2, "Captured Packet Length", 1 << 30, ErrLimit})
	require.EqualError(t, err,
		"a.pcap: frame 2: Captured Packet Length at octet 52: larger than the limit (1073741824 = 0x40000000)")
	err = &FileError{"-", 0, 0, "file header", 0, ErrEmpty}
	require.EqualError(t, err, "-: file header at octet 0: file is empty")
}
