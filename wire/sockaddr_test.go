package wire_test

import (
	"bytes"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSockAddr: the one structure in network order ([MC-DPL4CS] 2.2.1, facts 1.6).
func TestSockAddr(t *testing.T) {
	raw := []byte("\x02\x00\x08\xfc\x0a\x00\x00\x07\x01\x02\x03\x04\x05\x06\x07\x08")
	a := wire.ParseSockAddr(append(raw, "and more"...))
	assert.Equal(t, wire.SockAddr{Family: 2, Port: 2300, Addr: [4]byte{10, 0, 0, 7}, Zero: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}}, a)
	assert.Equal(t, "10.0.0.7:2300", a.String())
	assert.Equal(t, "0.0.0.0:0", wire.SockAddr{}.String())
	assert.Panics(t, func() { wire.ParseSockAddr(raw[:15]) }, "as documented, b must hold the structure")

	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: a}, Message: &wire.PlayerMessage{}}
	b, err := e.Append(nil)
	require.NoError(t, err)
	assert.Equal(t, raw, b[4:20])
}

func TestSPData(t *testing.T) {
	raw := []byte("\x02\x00\x09\x2d\x0a\x00\x00\x07........\x02\x00\x09\x5f\x0a\x00\x00\x08,,,,,,,,")
	d, ok := wire.ParseSPData(raw)
	require.True(t, ok)
	assert.Equal(t, "10.0.0.7:2349", d.Stream.String())
	assert.Equal(t, "10.0.0.8:2399", d.Datagram.String())
	assert.Equal(t, append([]byte("x"), raw...), d.Append([]byte("x")))

	for _, other := range [][]byte{nil, raw[:31], append(bytes.Clone(raw), 0), append([]byte{3}, raw[1:]...),
		append(bytes.Clone(raw[:16]), raw[4:20]...)} {
		_, ok := wire.ParseSPData(other)
		assert.False(t, ok, "%q", other)
	}
}

// TestSPDataShown: a visitor sees two addresses where there are two, and octets where another service provider
// keeps something else.
func TestSPDataShown(t *testing.T) {
	kinds := func(b []byte) (kinds []wire.Kind) {
		d := wire.Decoder{Visitor: func(f *wire.Field) {
			if f.Offset >= 24 {
				kinds = append(kinds, f.Kind)
			}
		}}
		_, _, err := d.DecodeMessage(b)
		require.NoError(t, err)
		return kinds
	}
	b := load(t, "IAMNAMESERVER")
	assert.Equal(t, []wire.Kind{wire.KindStruct, wire.KindSockAddr, wire.KindSockAddr, wire.KindEnd}, kinds(b))
	b[24] = 6 // IPX
	assert.Equal(t, []wire.Kind{wire.KindOctets}, kinds(b))
	put32(b, 20, 31)
	assert.Equal(t, []wire.Kind{wire.KindOctets, wire.KindStray}, kinds(b))
}

// TestLooksLikeSPHeader finds the beginning of a message in a stream with octets missing.
func TestLooksLikeSPHeader(t *testing.T) {
	for _, g := range goldens(t) {
		if g.Form != "stream" {
			continue
		}
		assert.True(t, wire.LooksLikeSPHeader(g.Raw), g.Name)
		for i := 1; i < len(g.Raw); i++ {
			assert.False(t, wire.LooksLikeSPHeader(g.Raw[i:]), "%s from octet %d", g.Name, i)
		}
		assert.False(t, wire.LooksLikeSPHeader(g.Raw[:19]), g.Name)
	}
	ping := readGolden(t, "PING").Raw
	for at, v := range map[int]byte{4: 3, 5: 1, 3: 0xFB, 2: 0xA0} {
		b := bytes.Clone(ping)
		b[at] = v
		assert.False(t, wire.LooksLikeSPHeader(b), "octet %d = %#x", at, v)
	}
	for _, token := range []byte{0xFA, 0xCA, 0xBA} {
		b := bytes.Clone(ping)
		b[3] = token
		assert.True(t, wire.LooksLikeSPHeader(b))
		b[12] = 1 // sin_zero is not zero, but a signature follows
		assert.True(t, wire.LooksLikeSPHeader(b))
		b[20] = 'P'
		assert.False(t, wire.LooksLikeSPHeader(b))
	}
	for size, want := range map[byte]bool{20: false, 21: true} {
		b := bytes.Clone(ping)
		b[0] = size
		assert.Equal(t, want, wire.LooksLikeSPHeader(b), "size %d", size)
	}
}
