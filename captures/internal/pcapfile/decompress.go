package pcapfile

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// decompress returns what undoes the compression that the first octets, at most four, tell; in itself if they tell
// none. It undoes one layer only, so that a file cannot nest.
func decompress(in *bufio.Reader, magic []byte) (io.Reader, error) {
	var b [4]byte
	copy(b[:], magic)
	switch m := binary.LittleEndian.Uint32(b[:]); {
	case m&0xffffff == 0x088b1f: // RFC 1952 2.3.1, deflate
		return gzip.NewReader(in)
	case isZstd(m):
		// One decoder works in our goroutine; more would need a Close.
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(MaxZstdWindow), zstd.WithDecoderMaxMemory(MaxZstdWindow))
	}
	return in, nil
}

// isZstd tells the magic numbers of RFC 8878: of a frame (3.1.1) and of a skippable frame (3.1.2), with which
// parallel compressors begin.
func isZstd(magic uint32) bool { return magic == 0xfd2fb528 || magic&^0xf == 0x184d2a50 }
