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
	switch {
	case len(magic) >= 3 && magic[0] == 0x1f && magic[1] == 0x8b && magic[2] == 8: // RFC 1952 2.3.1, deflate
		return gzip.NewReader(in)
	case len(magic) == 4 && isZstd(binary.LittleEndian.Uint32(magic)):
		// One decoder works in our goroutine; more would need a Close.
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(MaxZstdWindow), zstd.WithDecoderMaxMemory(MaxZstdWindow))
	}
	return in, nil
}

// isZstd tells the magic numbers of RFC 8878: of a frame (3.1.1) and of a skippable frame (3.1.2), with which
// parallel compressors begin.
func isZstd(magic uint32) bool { return magic == 0xfd2fb528 || magic&^0xf == 0x184d2a50 }
