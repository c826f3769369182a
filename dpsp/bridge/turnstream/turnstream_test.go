package turnstream

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
)

// The octets of packets.
const (
	request  = "\x00\x03\x00\x08\x21\x12\xa4\x42" + "transaction!" + "\x00\x19\x00\x04\x11\x00\x00\x00"
	bare     = "\x00\x01\x00\x00\x21\x12\xa4\x42" + "transaction?"
	data     = "\x40\x01\x00\x05hello"
	filled   = data + "\x00\x00\x00"
	nothing  = "\x4f\xff\x00\x00"
	room     = 2000
	overlong = "\x00\x01\xff\xec\x21\x12\xa4\x42" // with a header 65536 octets: 0 of them in 16 bits
)

// packets reads all that a stream holds, in pieces of one octet, and how it ended.
func packets(s string, room int) ([]string, error) {
	in := bufio.NewReader(iotest.OneByteReader(strings.NewReader(s)))
	b := make([]byte, room)
	var all []string
	for {
		n, err := Read(in, b)
		if err != nil {
			return all, err
		}
		all = append(all, string(b[:n]))
	}
}

// TestRead: packets come as they were sent, without what fills them up.
func TestRead(t *testing.T) {
	t.Parallel()
	got, err := packets(request+filled+nothing+bare+request, room)
	assert.Equal(t, []string{request, data, nothing, bare, request}, got)
	assert.Equal(t, io.EOF, err)
	got, err = packets(filled, len(filled))
	assert.Equal(t, []string{data}, got)
	assert.Equal(t, io.EOF, err)
}

// TestNotTURN: the first packet is read, and then it is said that there is none.
func TestNotTURN(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"HTTP":                   "GET / HTTP/1.1\r\nHost: relay\r\n\r\n",
		"a length of 65536":      overlong + strings.Repeat("x", room),
		"larger than the room":   "\x00\x01\x07\xc0\x21\x12\xa4\x42" + strings.Repeat("x", room),
		"ChannelData, too large": "\x40\x00\x07\xcd" + strings.Repeat("x", room),
		"another cookie":         "\x00\x01\x00\x00\x21\x12\xa4\x43" + strings.Repeat("x", 12),
		"TLS":                    "\x80\x00\x00\x00",
		"reserved":               "\xc0\x00\x00\x00",
		"a part of an attribute": "\x00\x01\x00\x02\x21\x12\xa4\x42" + strings.Repeat("x", 14),
	} {
		got, err := packets(bare+s, room)
		assert.Equal(t, []string{bare}, got, name)
		assert.Equal(t, ErrNotTURN, err, name)
	}
}

// TestCut: a stream that ends within a packet says so, wherever that is.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, whole := range []string{request, filled} {
		for n := 1; n < len(whole); n++ {
			got, err := packets(bare+whole[:n], room)
			assert.Equal(t, []string{bare}, got)
			assert.Equal(t, io.ErrUnexpectedEOF, err)
		}
	}
}

// TestIsPacket: a datagram is one packet, whole. ChannelData may be filled up.
func TestIsPacket(t *testing.T) {
	t.Parallel()
	for _, s := range []string{request, bare, data, filled, nothing} {
		assert.True(t, IsPacket([]byte(s)))
		assert.Equal(t, s[0] >= 0x40, IsChannelData([]byte(s)))
	}
	for _, s := range []string{"", "\x40\x01\x00", data[:8], request[:24], request + "more", bare[:19], overlong,
		"\x00\x01\x00\x00\x21\x12\xa4\x43transaction?", "\x00\x01\x00\x02\x21\x12\xa4\x42transaction?xx", "\x80\x00\x00\x00"} {
		assert.False(t, IsPacket([]byte(s)), "%q", s)
	}
}

// FuzzRead: whatever a stream holds, what is read is packets, and them with what fills them up is the stream.
func FuzzRead(f *testing.F) {
	for _, s := range []string{request + filled, nothing + bare, overlong, data} {
		f.Add([]byte(s), uint16(room))
	}
	f.Fuzz(func(t *testing.T, s []byte, room uint16) {
		in, b, at := bufio.NewReader(bytes.NewReader(s)), make([]byte, room), 0
		for {
			n, err := Read(in, b)
			if err != nil {
				return
			}
			if !IsPacket(b[:n]) || !bytes.Equal(b[:n], s[at:at+n]) || n%4 != 0 && !IsChannelData(b) {
				t.Fatalf("% x is no packet of the stream", b[:n])
			}
			if IsChannelData(b) != (n == 4+int(binary.BigEndian.Uint16(b[2:]))) {
				t.Fatalf("% x has another size", b[:n])
			}
			at += (n + 3) &^ 3
		}
	})
}
