package replay

import (
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

func octetsOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../" + name)
	require.NoError(t, err)
	return b
}

// A live host gives other ids: what the joiner says from then on has those, our ports, and no address.
func TestLive(t *testing.T) {
	m := newMadeUp(t)
	joins(m)
	m.say(joinerIP, hostIP, &wire.PlayerMessage{From: ann, To: 0, Payload: []byte("hello")})
	m.say(joinerIP, "10.1.0.9", &wire.PlayerMessage{From: ann, To: 0, Payload: []byte("to another")})
	m.say(hostIP, joinerIP, &wire.PlayerMessage{From: system, To: 0, Payload: []byte("the game's")})
	l, err := m.capture().Live(netip.AddrPort{}, 2345, 2399)
	require.NoError(t, err)
	assert.Equal(t, joinerIP+":2300", l.Joiner().String())

	const newSystem, newPlayer = wire.PlayerID(0xAAAA0001), wire.PlayerID(0xAAAA0002)
	ids := []wire.PlayerID{newSystem, newPlayer}
	var sent []wire.Envelope
	for {
		a, more := l.Next()
		if !more {
			break
		}
		if a.Send {
			env, err := decode(a.Transport, a.Data, wire.Options{}, nil)
			require.NoError(t, err)
			sent = append(sent, env)
			assert.Equal(t, uint16(2345), env.SP.SockAddr.Port)
			assert.Equal(t, a.Message == "ENUMSESSIONS", a.Enum)
			continue
		}
		assert.Equal(t, a.Message == "PLAYERMESSAGE", a.Optional)
		assert.Equal(t, a.Message == "REQUESTPLAYERREPLY", a.Vital)
		data := a.message.raw
		switch a.Message {
		case "SUPERENUMPLAYERSREPLY":
			data = l.mapping.translate(a.Transport, data, wire.Options{}) // with the ids that it gave
		case "REQUESTPLAYERREPLY":
			env := wire.Envelope{HasSP: true, Version: wire.DX9, Message: &wire.RequestPlayerReply{ID: ids[0]}}
			ids = ids[1:]
			data, err = env.Append(nil)
			require.NoError(t, err)
		}
		require.True(t, a.Fits(captures.TCP, data))
		assert.False(t, a.Fits(captures.UDP, data))
		assert.Empty(t, l.Take(&a, data), a.Message)
	}
	require.Len(t, sent, 6)
	request := sent[2].Message.(*wire.AddForwardRequest)
	assert.Equal(t, newSystem, request.Info.ID)
	sp, ok := wire.ParseSPData(request.Info.SPData)
	require.True(t, ok)
	assert.Equal(t, "0.0.0.0:2345", sp.Stream.String())
	assert.Equal(t, "0.0.0.0:2399", sp.Datagram.String())
	assert.Equal(t, newSystem, sent[4].Message.(*wire.CreatePlayer).Info.System)
	assert.Equal(t, newPlayer, sent[5].Message.(*wire.PlayerMessage).From)
	assert.Equal(t, 2, l.Mapped().IDs)
	assert.Equal(t, 1, l.Skipped())
}

// A live host that answers otherwise is told.
func TestLiveDiffers(t *testing.T) {
	m := newMadeUp(t)
	joins(m)
	l, err := m.capture().Live(netip.MustParseAddrPort(joinerIP+":2300"), 2300, 2350)
	require.NoError(t, err)
	for {
		a, more := l.Next()
		require.True(t, more)
		if !a.Vital {
			continue
		}
		env := wire.Envelope{HasSP: true, Version: wire.DX9, Message: &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers}}
		data, err := env.Append(nil)
		require.NoError(t, err)
		diffs := l.Take(&a, data)
		require.Len(t, diffs, 2)
		assert.Equal(t, "ID", diffs[0].Field)
		assert.Equal(t, "Result", diffs[1].Field)
		assert.Contains(t, diffs[1].Ours, "DPERR_NONEWPLAYERS")
		assert.Contains(t, a.Lacking(answer).Note, "5s")
		return
	}
}

const answer = 5e9

func TestLiveWithoutJoiner(t *testing.T) {
	_, err := open(t, "lab/05-rzhost-two-w10-joiners-peer2peer.pcap").Live(netip.AddrPort{}, 2300, 2350)
	assert.ErrorIs(t, err, ErrNoJoiner)
	_, err = open(t, "lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap").Live(netip.MustParseAddrPort("10.0.0.9:1"), 2300, 2350)
	assert.ErrorIs(t, err, ErrNoJoiner)
	m := newMadeUp(t)
	m.say(joinerIP, hostIP, &wire.EnumSessions{})
	_, err = m.capture().Live(netip.AddrPort{}, 2300, 2350)
	assert.ErrorIs(t, err, ErrNoHost)
}
