package filter

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestNeighbour: the address of a machine of somebody's own network whose port is a slot's is taken for that slot's machine: 127.0.0.1
// stands there instead, and no other octet changes.
func TestNeighbour(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351}, Ports{2302, 2352})
	var taken []string
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan },
		Taken: func(a wire.SockAddr) { taken = append(taken, a.String()) }}
	at := func(addr [4]byte, port uint16) []byte {
		return wire.SPData{Stream: wire.SockAddr{Family: 2, Port: port, Addr: addr},
			Datagram: wire.SockAddr{Family: 2, Port: port + 50, Addr: addr, Zero: [8]byte{1}}}.Append(nil)
	}
	lan, here := [4]byte{198, 51, 100, 2}, [4]byte{127, 0, 0, 1}
	say := func(addr [4]byte, port uint16, in func(wire.Message) wire.Message) []byte {
		b := octets(t, in(&wire.SuperEnumPlayersReply{Players: []wire.SuperPackedPlayer{{ID: 7, SPData: clean},
			{ID: 8, ShortName: wire.NewText("x"), SPData: at(addr, port)}, {ID: 9, SPData: clean}}}))
		return append(headOf(len(b)), b...)
	}
	plainly := func(m wire.Message) wire.Message { return m }
	inside := func(m wire.Message) wire.Message {
		return &wire.MulticastDelivery{Inner: wire.Inner{Version: wire.DX9, Message: m}}
	}
	signed := func(m wire.Message) wire.Message {
		return &wire.Signed{Inner: wire.Inner{Version: wire.DX9, Message: m}, Signature: []byte("signature")}
	}
	for _, in := range []func(wire.Message) wire.Message{plainly, inside} {
		taken = nil
		b := say(lan, 2302, in)
		got, err := NewStream(rule, nil).Pass(nil, b)
		require.NoError(t, err)
		assert.Equal(t, say(here, 2302, in), got)
		assert.Equal(t, []string{"198.51.100.2:2302", "198.51.100.2:2352"}, taken)
		require.NoError(t, NewDatagrams(rule).Check(b))
		assert.Equal(t, say(here, 2302, in), b)

		by := Translation{Game: Ports{2302, 2352}, Slot: Ports{2300, 2350}}
		got, err = NewStream(rule, NewTranslator(func() Translation { return by })).Pass(nil, say(lan, 2302, in))
		require.NoError(t, err)
		assert.Equal(t, say(here, 2300, in), got)
	}
	taken = nil
	for reason, b := range map[string][]byte{
		"198.51.100.2:2301 is a machine without a bridge: start one there": say(lan, 2301, plainly), // that port is its sender's
		"198.51.100.2:2300 is a machine without a bridge: start one there": say(lan, 2300, plainly), // ours
		"198.51.100.2:80 is not an address of the session":                 say(lan, 80, plainly),
		"198.51.100.2:2302 is not an address of the session":               say(lan, 2302, signed),
		"198.51.100.2:2351 is a machine without a bridge: start one there": append(headOf(56), octets(t, &wire.IAmNameServer{
			SPData: join(clean[:16], at(lan, 2301)[16:])})...), // its sender's as well, of UDP alone
		"198.51.100.2:2352 is not an address of the session": append(headOf(56), octets(t, &wire.IAmNameServer{
			SPData: bytes.Replace(at(lan, 2302), []byte{8, 254}, []byte{9, 48}, 1)})...), // of a UDP port
	} {
		got, err := NewStream(rule, nil).Pass(nil, b)
		assert.ErrorContains(t, err, reason)
		assert.Empty(t, got)
	}
	head := say(here, 2302, plainly)
	copy(head[8:], lan[:])
	binary.BigEndian.PutUint16(head[6:], 2302)
	_, err := NewStream(rule, nil).Pass(nil, head)
	assert.ErrorContains(t, err, "SPHEADER")
	assert.Empty(t, taken)
}

// TestEachAlone: what was in one message does not matter to the next one. Where there can be no addresses, octets between the parts of
// a message are no matter either, and where there can, zeros behind all of it.
func TestEachAlone(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351}, Ports{2302, 2352})
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}
	framed := func(m wire.Message) []byte { return join(headOf(len(octets(t, m))), octets(t, m)) }
	named := func(addr [4]byte) []byte {
		a := wire.SockAddr{Family: wire.FamilyINet, Port: 2302, Addr: addr}
		b := a
		b.Port = 2352
		return framed(&wire.AddForward{Info: wire.PackedPlayer{SPData: wire.SPData{Stream: a, Datagram: b}.Append(nil)}})
	}
	gap := octets(t, &wire.Chat{Text: wire.NewText("hello")})
	at := int(binary.LittleEndian.Uint32(gap[20:]))
	gap = join(put(gap, 20, at+4)[:at], []byte("gap!"), gap[at:])
	signed := framed(&wire.Signed{Inner: wire.Inner{Version: wire.DX9, Message: &wire.Ping{}}})
	zeros := join(octets(t, &wire.AddForward{}), make([]byte, 4))
	rest := join(framed(&wire.PlayerDataChanged{Data: bytes.Repeat([]byte("data"), 50)}), headOf(len(gap)), gap, headOf(len(zeros)), zeros)
	got, err := NewStream(rule, nil).Pass(nil, join(signed, named([4]byte{198, 51, 100, 2}), rest))
	require.NoError(t, err)
	assert.Equal(t, join(signed, named([4]byte{127, 0, 0, 1}), rest), got)
}
