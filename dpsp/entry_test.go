package dpsp

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A list in which we ourselves are the host, or our id is an ordinary player's, or nobody is host, is no way in.
func TestListsThatCannotBe(t *testing.T) {
	const self, host, player = 0x288, 0x2BD, 0x2F2 // where their entries begin in superEnum
	for name, change := range map[string]func(b []byte){
		"we are the host":   func(b []byte) { b[self+4], b[host+4] = 0xF, 0x5 },
		"nobody is":         func(b []byte) { b[host+4] = 0x5 },
		"we are no machine": func(b []byte) { b[self+4] = 0x8; b[self+16], b[self+17], b[self+18] = 0x73, 0x15, 0x05 },
		"we are a group's":  func(b []byte) { b[self+8]++; binary.LittleEndian.PutUint32(b[player+8:], 0x12345678) },
	} {
		b := newBench(t, Config{})
		b.request(mockJoin(""))
		b.tcp(octets(t, hexRequestPlayerReply))
		list := superEnum(t)
		change(list)
		b.tcp(list)
		done := eventsOf[Done](b.out.Events)
		require.Len(t, done, 1, name)
		assert.Error(t, done[0].Err, name)
		assert.Empty(t, eventsOf[SessionOpened](b.out.Events), name)
		assert.Equal(t, idle, b.state, name)
		b.request(mockJoin("")) // and one can try again
	}
}

// What members say before the list came is kept, up to a limit, and counts after it.
func TestMessagesBeforeTheList(t *testing.T) {
	b := newBench(t, Config{Legacy: true})
	b.request(mockJoin(""))
	b.tcp(octets(t, hexAddForward))
	assert.Len(t, eventsOf[Dropped](b.out.Events), 1, "nobody can know us yet")
	b.tcp(octets(t, hexRequestPlayerReply))
	assert.Empty(t, b.tcp(octets(t, hexAddForward)))
	assert.Empty(t, b.tcp(octets(t, hexCreatedPlayer)), "no acknowledgement yet")
	// The machine of 0x7734 and the player of that id cannot both be: the second one is dropped after the list.
	b.one(b.tcp(superEnum(t)), TCP, mockHost.String(), hexAddForwardAck)
	assert.Len(t, eventsOf[PeerJoined](b.out.Events), 2)
	assert.Len(t, eventsOf[Dropped](b.out.Events), 1)

	big := newBench(t, Config{})
	big.request(mockJoin(""))
	big.tcp(octets(t, hexRequestPlayerReply))
	env := wire.Envelope{HasSP: true, SP: big.cfg.header(), Version: wire.DX9,
		Message: &wire.PlayerDataChanged{Player: 5, Data: make([]byte, 400_000)}}
	m, err := env.Append(nil)
	require.NoError(t, err)
	from := func(address string) []Event {
		big.out = big.Step(big.now, Input{Kind: Stream, From: netip.MustParseAddrPort(address), Data: m})
		return eventsOf[Event](big.out.Events)
	}
	assert.Empty(t, from("10.0.0.66:999"))
	assert.Len(t, from("10.0.0.66:999"), 1, "beyond 512 KiB of one address")
	assert.Empty(t, from("10.0.0.67:999"))
	assert.Len(t, from("10.0.0.68:999"), 1, "beyond 1 MiB")
	assert.LessOrEqual(t, big.join.octets, maxHeldOctets)

	few := newBench(t, Config{})
	few.request(mockJoin(""))
	few.tcp(octets(t, hexRequestPlayerReply))
	for i := range maxHeldEach + 10 {
		out := few.Step(few.now, Input{Kind: Stream, From: netip.MustParseAddrPort("10.0.0.66:999"), Data: octets(t, hexCreatedPlayer)})
		assert.Equal(t, i >= maxHeldEach, len(eventsOf[Dropped](out.Events)) == 1, i)
	}
	assert.Len(t, few.join.held, maxHeldEach)
	out := few.Step(few.now, Input{Kind: Stream, From: mockHost, Data: octets(t, hexCreatedPlayer)})
	assert.Empty(t, out.Events, "others have room still")
}

// A host with several addresses: we join at one, and its headers name another one. It is the host by both.
func TestHostWithTwoAddresses(t *testing.T) {
	other := func(b []byte) []byte { copy(b[8:], []byte{192, 168, 7, 7}); return b }
	b := newBench(t, Config{Legacy: true})
	b.request(mockJoin(""))
	b.one(b.tcp(other(octets(t, hexRequestPlayerReply))), TCP, mockHost.String(), hexForwardPlain)
	b.tcp(other(superEnum(t)))
	b.one(b.tcp(other(octets(t, hexAddForward))), TCP, mockHost.String(), hexAddForwardAck)
	b.one(b.tcp(octets(t, hexAddForward)), TCP, mockHost.String(), hexAddForwardAck)
	out := b.Step(b.now, Input{Kind: Stream, From: netip.MustParseAddrPort("10.0.0.66:999"), Data: octets(t, hexAddForward)})
	assert.Empty(t, out.Sends, "somebody else with a header like the host's port")
	out = b.Step(b.now, Input{Kind: Stream, From: netip.MustParseAddrPort("10.0.0.66:999"), Data: other(octets(t, hexAddForward))})
	assert.Empty(t, out.Sends, "somebody else with the host's header")
}

// Machines without addresses, or with port 0, are in the session, but nothing is sent to them.
func TestUnreachableMachines(t *testing.T) {
	b := created(t, Config{})
	forward := octets(t, hexAddForward)
	copy(forward[96:], make([]byte, 32))
	b.one(b.tcp(forward), TCP, mockHost.String(), hexAddForwardAck)
	for _, g := range []bool{true, false} {
		assert.Len(t, b.request(Send{From: 3, To: wire.IDAll, Guaranteed: g, Payload: []byte("x")}), 1, "to the host alone")
	}
	b.request(Leave{})
	assert.Equal(t, []netip.AddrPort{mockHost}, b.out.Close[:1])
}

// Limits in a Config that no message could keep are raised, not obeyed.
func TestTinyLimits(t *testing.T) {
	b := created(t, Config{MaxDatagram: 1, MaxStream: 1})
	sends := b.request(Send{From: 3, To: 0x1337, Payload: make([]byte, 1000)})
	require.Len(t, sends, 6)
	for _, s := range sends {
		assert.LessOrEqual(t, len(s.Data), leastPiece)
	}
}

// Errors of commands, besides those of the host.
func TestCommandErrors(t *testing.T) {
	b := newBench(t, Config{})
	for _, c := range []Command{CreatePlayer{}, CreateGroup{}, Send{}, Chat{}, SetDesc{}, DeletePlayer{ID: 3}, Leave{}} {
		b.out = b.Step(0, Input{Kind: Request, Command: c, Token: 9})
		assert.Equal(t, []Event{Done{Token: 9, Err: ErrNoSession}}, b.out.Events, "%T", c)
	}
	b = created(t, Config{})
	for _, c := range []struct {
		do   Command
		want error
	}{
		{Join{Host: mockHost}, ErrInSession}, {Host{}, ErrInSession}, {SetDesc{}, ErrNotHost},
		{Send{From: 0x1337, To: 3}, ErrNotOurs}, {Send{From: 0x999, To: 3}, ErrNoID}, {Chat{}, ErrNoID},
		{Send{From: 3, To: 0x999}, ErrNoID}, {Send{From: 3, To: 0x51573}, ErrNoID},
		{Send{From: 3, Payload: make([]byte, MaxPayload+1)}, ErrTooBig}, {Chat{From: 3, Text: Text(strings.Repeat("x", MaxPayload))}, ErrTooBig},
		{DeletePlayer{ID: 0x1337}, ErrNotOurs}, {DeletePlayer{ID: b.self}, ErrNotOurs}, {DeleteGroup{ID: 0x999}, ErrNoID},
		{SetName{ID: 0x5E7}, ErrNotOurs}, {SetData{ID: 0x1337}, ErrNotOurs}, {nil, ErrNoID},
	} {
		b.out = b.Step(0, Input{Kind: Request, Command: c.do, Token: 9})
		assert.Empty(t, b.out.Sends)
		done := eventsOf[Done](b.out.Events)
		require.Len(t, done, 1)
		assert.Equal(t, c.want, done[0].Err, "%T", c.do)
	}
	for _, c := range []Join{{}, {Host: mockHost, Desc: wire.SessionDesc{Flags: wire.SessionSecureServer}}} {
		b := newBench(t, Config{})
		b.out = b.Step(0, Input{Kind: Request, Command: c, Token: 9})
		assert.Error(t, eventsOf[Done](b.out.Events)[0].Err)
		assert.Empty(t, b.out.Sends)
	}
}
