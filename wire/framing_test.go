package wire_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streamed is all golden messages of streams, one behind the other.
func streamed(t testing.TB) (stream []byte, all [][]byte) {
	for _, g := range goldens(t) {
		if g.Form == "stream" {
			all = append(all, g.Raw)
			stream = append(stream, g.Raw...)
		}
	}
	require.NotEmpty(t, all)
	return stream, all
}

func scanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, wire.MaxMessage)
	s.Split(wire.SplitStream)
	return s
}

// TestSplitStream cuts a stream into its messages, however its octets come.
func TestSplitStream(t *testing.T) {
	stream, all := streamed(t)
	largest := make([]byte, wire.MaxMessage)
	binary.LittleEndian.PutUint32(largest, wire.MaxMessage|uint32(wire.TokenRemote)<<20)
	stream, all = append(stream, largest...), append(all, largest)
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(stream), "halves": iotest.HalfReader(bytes.NewReader(stream)),
		"octets": iotest.OneByteReader(bytes.NewReader(stream)), "end with the last": iotest.DataErrReader(bytes.NewReader(stream))} {
		s := scanner(r)
		for i := range all {
			require.True(t, s.Scan(), "%s: message %d: %v", name, i, s.Err())
			require.True(t, bytes.Equal(all[i], s.Bytes()), "%s: message %d", name, i)
		}
		assert.False(t, s.Scan(), name)
		assert.NoError(t, s.Err(), name)
	}
}

// TestFrameSize tells every beginning of a message from what cannot be one: the former is no error.
func TestFrameSize(t *testing.T) {
	_, all := streamed(t)
	for _, raw := range all {
		for n := range len(raw) + 1 {
			size, err := wire.FrameSize(raw[:n])
			require.NoError(t, err)
			if n < 4 {
				require.Zero(t, size)
			} else {
				require.Equal(t, len(raw), size)
			}
			s := scanner(bytes.NewReader(raw[:n]))
			switch whole := s.Scan(); {
			case n == len(raw):
				assert.True(t, whole)
			case n == 0:
				assert.NoError(t, s.Err(), "a stream that ends between messages")
			default:
				assert.Equal(t, io.ErrUnexpectedEOF, s.Err(), "a stream that ends after %d of %d octets", n, len(raw))
			}
		}
	}
	for _, c := range []struct {
		word   uint32
		family byte
		come   int
		size   int
		err    string
	}{
		{0xFAB00000, 2, 4, 0, "SPHEADER.size at octet 0: value is not allowed (0)"},
		{0xFAB00013, 2, 4, 0, "SPHEADER.size at octet 0: value is not allowed (19)"},
		{0xFAB00014, 9, 20, 20, ""}, // the token is enough
		{0xFABFFFFF, 2, 4, wire.MaxMessage, ""},
		{0x00000014, 2, 19, 0, ""}, // a token that nobody knows: the family has to tell
		{0x00000014, 2, 20, 20, ""},
		{0x12300014, 9, 20, 0, "SPHEADER.token at octet 0: value is not allowed (291)"},
	} {
		b := make([]byte, 20)
		binary.LittleEndian.PutUint32(b, c.word)
		b[4] = c.family
		size, err := wire.FrameSize(b[:c.come])
		assert.Equal(t, c.size, size, "%x", c.word)
		if c.err == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, c.err)
		assert.ErrorIs(t, err, wire.ErrValue)
		s := scanner(bytes.NewReader(b))
		assert.False(t, s.Scan())
		assert.Equal(t, err, s.Err())
	}
}

// FuzzSplitStream: whatever comes, messages and what is left make up the stream, and a message is as long as it says.
func FuzzSplitStream(f *testing.F) {
	stream, _ := streamed(f)
	f.Add(stream)
	f.Fuzz(func(t *testing.T, b []byte) {
		for rest := b; ; {
			n, message, err := wire.SplitStream(rest, true)
			if err != nil || n == 0 {
				require.True(t, err != nil || len(rest) == 0)
				return
			}
			sp, spErr := wire.ParseSPHeader(message)
			require.NoError(t, spErr)
			require.Equal(t, sp.Size, len(message))
			require.Equal(t, n, len(message))
			rest = rest[n:]
		}
	})
}
