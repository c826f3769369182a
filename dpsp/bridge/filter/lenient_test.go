package filter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestNobody: an address with port 0 aims at nobody, and so does the data of a provider that are zeros.
func TestNobody(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351}, Ports{2302, 0}, Ports{0, 2353}) // of those two the other port is held
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}
	here, there := [4]byte{127, 0, 0, 1}, [4]byte{10, 0, 0, 1}
	for _, x := range []struct {
		data   []byte
		passes bool
	}{
		{make([]byte, wire.SPDataSize), true},
		{wire.SPData{Stream: wire.SockAddr{Family: 2, Addr: there}, Datagram: wire.SockAddr{Family: 2}}.Append(nil), false},
		{wire.SPData{Stream: wire.SockAddr{Family: 2}, Datagram: wire.SockAddr{Family: 2}}.Append(nil), true},
		{wire.SPData{Stream: wire.SockAddr{Family: 2, Addr: here}, Datagram: wire.SockAddr{Family: 2, Addr: here}}.Append(nil), true},
		{wire.SPData{Stream: wire.SockAddr{Family: 2}, Datagram: wire.SockAddr{Family: 2, Addr: there}}.Append(nil), false},
		{make([]byte, wire.SPDataSize-1), false},
		{make([]byte, wire.SPDataSize+1), false},
		{append(make([]byte, wire.SPDataSize-1), 1), false},
	} {
		for _, m := range []wire.Message{&wire.IAmNameServer{SPData: x.data}, &wire.AddForward{Info: wire.PackedPlayer{SPData: x.data}}} {
			b := octets(t, m)
			_, err := NewStream(rule, nil).Pass(nil, append(headOf(len(b)), b...))
			assert.Equal(t, x.passes, err == nil, "%x: %v", x.data, err)
		}
	}
}

// TestAlone: a message that cannot be read is the only one that does not pass, if messages of its kind have no addresses.
func TestAlone(t *testing.T) {
	plan := NewPlan(Ports{2301, 2351})
	var dropped []error
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }, Dropped: func(err error) { dropped = append(dropped, err) }}
	framed := func(b []byte) []byte { return append(headOf(len(b)), b...) }
	ping := framed(octets(t, &wire.Ping{From: 7, Tick: 8}))
	for name, bad := range map[string][]byte{
		"CHAT": put(octets(t, &wire.Chat{Text: wire.NewText("hello")}), 20, 9999), "PING": octets(t, &wire.Ping{})[:15],
	} {
		dropped = nil
		st := NewStream(rule, nil)
		got, err := st.Pass(nil, join(ping, framed(bad), ping, framed([]byte("game"))))
		require.NoError(t, err, name)
		require.NoError(t, st.End())
		assert.Equal(t, join(ping, ping, framed([]byte("game"))), got, name)
		require.Len(t, dropped, 1, name)
		var v *Violation
		require.ErrorAs(t, dropped[0], &v)
		assert.Equal(t, name, v.Message)
		assert.Equal(t, int64(len(ping)), v.At)
		assert.Error(t, NewDatagrams(rule).Check(framed(bad)), name)
	}
	dropped = nil
	for name, bad := range map[string][]byte{
		"an address": put(octets(t, &wire.AddForward{}), 20, 9999), "a message in it": put(octets(t, &wire.Signed{}), 12, 9999),
		"our own": octets(t, wire.NewExtension(7, &wire.ExtensionHello{}))[:20], "no command": []byte("play\x16"),
	} {
		got, err := NewStream(rule, nil).Pass(nil, join(ping, framed(bad), ping))
		assert.Error(t, err, name)
		assert.Equal(t, ping, got, name)
	}
	assert.Empty(t, dropped)
}

// TestNoIDs: what games say to each other may be shorter than ids, which some sessions have none of.
func TestNoIDs(t *testing.T) {
	plan := NewPlan(Ports{2301, 2351})
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}
	b := append(octets(t, &wire.PlayerWrapper{Player: wire.PlayerMessage{NoIDs: true}}), "hi"...)
	raw := append(headOf(len(b)), b...)
	got, err := NewStream(rule, nil).Pass(nil, raw)
	require.NoError(t, err)
	assert.Equal(t, raw, got)
}
