package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// Answers to a request to join that make no sense, or are from somebody else, do not end the way in (3.1.5.1,
// 3.1.5.7, 3.1.5.8); a host that wants a secure logon does.
func TestAnswersWhileJoining(t *testing.T) {
	host := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: mockHost.Port()}}
	feed := func(b *bench, from netip.Addr, m wire.Message) []Event {
		env := wire.Envelope{HasSP: true, SP: host, Version: wire.DX9, Message: m}
		octets, err := env.Append(nil)
		require.NoError(t, err)
		b.out = b.Step(b.now, Input{Kind: Stream, From: netip.AddrPortFrom(from, 999), Data: octets})
		return b.out.Events
	}
	stranger := netip.MustParseAddr("10.0.0.66")
	b := newBench(t, Config{})
	b.request(mockJoin(""))
	for _, c := range []struct {
		from netip.Addr
		m    wire.Message
		want Reason
	}{
		{stranger, &wire.RequestPlayerReply{ID: 5}, NotAllowed},
		{mockHost.Addr(), &wire.AddForwardReply{Error: wire.ErrInvalidPassword}, OutOfTurn},
		{mockHost.Addr(), &wire.SuperEnumPlayersReply{}, OutOfTurn},
	} {
		d := eventsOf[Dropped](feed(b, c.from, c.m))
		require.Len(t, d, 1, "%v", c)
		assert.Equal(t, c.want, d[0].Reason)
		assert.Equal(t, joinState, b.state)
	}
	b.tcp(octets(t, hexRequestPlayerReply))
	for _, c := range []struct {
		from netip.Addr
		m    wire.Message
		want Reason
	}{
		{mockHost.Addr(), &wire.RequestPlayerReply{ID: 6}, OutOfTurn},
		{stranger, &wire.AddForwardReply{Error: wire.ErrInvalidPassword}, NotAllowed},
		{stranger, &wire.SuperEnumPlayersReply{}, NotAllowed},
		{stranger, &wire.EnumPlayersReply{}, NotAllowed},
	} {
		d := eventsOf[Dropped](feed(b, c.from, c.m))
		require.Len(t, d, 1, "%v", c)
		assert.Equal(t, c.want, d[0].Reason)
		assert.Equal(t, joinState, b.state)
	}
	b.tcp(superEnum(t))
	assert.Equal(t, member, b.state)

	secure := newBench(t, Config{})
	secure.request(mockJoin(""))
	done := eventsOf[Done](feed(secure, mockHost.Addr(), &wire.RequestPlayerReply{ID: 5, SSPIProvider: wire.NewText("NTLM")}))
	assert.Equal(t, []Done{{Token: 1, Err: ErrSecure}}, done)
	assert.Equal(t, idle, secure.state)
}

// A message in fragments is judged like any other: fragments in fragments, octets that are no message, a sender that
// is not who it says.
func TestWhatFragmentsHold(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	packet, err := wire.AppendMessage(nil, wire.DX9, &wire.Packet{Total: 2, MessageSize: 9, Data: wire.Inner{Octets: []byte("x")}})
	require.NoError(t, err)
	deletion, err := wire.AppendMessage(nil, wire.DX9, &wire.DeletePlayer{Player: ids[2]})
	require.NoError(t, err)
	own, err := wire.AppendMessage(nil, wire.DX9, &wire.DeletePlayer{Player: ids[1]})
	require.NoError(t, err)
	for i, c := range []struct {
		message []byte
		want    []Reason
	}{{packet, []Reason{NotAllowed}}, {own[:13], []Reason{Malformed}}, {deletion, []Reason{NotAllowed}}, {own, nil}} {
		n[0].events = nil
		for k, half := range [][]byte{c.message[:9], c.message[9:]} {
			w.say(n[1], n[0], &wire.Packet{ID: wire.GUID{byte(i)}, Index: uint32(k), Offset: uint32(9 * k), Total: 2,
				MessageSize: uint32(len(c.message)), Data: wire.Inner{Octets: half}})
		}
		assert.Equal(t, c.want, dropped(n[0]), i)
	}
	assert.Equal(t, []wire.PlayerID{ids[0], ids[2]}, playerIDs(n[0]))
}

// A client/server session has one server player, and it is the host's (facts, 5.4): the host refuses one to a member
// that asks for it on the wire.
func TestServerPlayerAsked(t *testing.T) {
	w, n, _ := session(t, wire.SessionClientServer, 1, Config{})
	var answer *wire.RequestPlayerReply
	w.cut = func(_, _ *node, out Outgoing) bool {
		var d wire.Decoder
		env, err := d.DecodeStream(out.Data)
		require.NoError(t, err)
		answer, _ = env.Message.(*wire.RequestPlayerReply)
		return true
	}
	w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal | wire.PlayerServerPlayer})
	require.NotNil(t, answer)
	assert.Equal(t, wire.ErrInvalidFlags, answer.Result)
	assert.Empty(t, n[0].admission.Promises)
}
