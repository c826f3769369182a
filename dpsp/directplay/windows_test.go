package directplay

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/windowshost"
	"dplay4/wire"
)

// TestWindows joins a host that talks as Windows does: the sockets of the search are those of the session.
func TestWindows(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(3)
		for _, m := range []windowshost.Manner{{}, {From: at[2], Together: true}} {
			m.Network = t.network
			w, err := windowshost.Open(at[0], testGame, m)
			require.NoError(t, err)
			j := initialized(t, at[1], at[0].String())
			d := j.find()
			assert.Equal(t, "Windows", *d.Name)
			require.Equal(t, wire.OK, j.Open(&d, OpenJoin))
			me := j.player("Ann", 0)
			var other Listed
			require.Equal(t, wire.OK, j.EnumPlayers(nil, func(l Listed) bool {
				other = l
				return *l.Name.Short != "Müller"
			}, EnumRemote))
			require.Equal(t, wire.OK, j.Send(me, other.ID, SendGuaranteed, []byte("hello"), 5))
			from, to, data := j.await()
			assert.Equal(t, []any{other.ID, me, "heard: hello"}, []any{from, to, string(data)})
			w.Close()
			j.awaitSystem(SysDestroyPlayerOrGroup)
			j.awaitSystem(SysSessionLost)
			assert.Equal(t, wire.ErrInvalidPlayer, j.Send(me, other.ID, SendGuaranteed, []byte("hello"), 5))
		}
	})
}

// atWindows returns a host that talks as Windows does, with two sessions, and a game that has found them.
func atWindows(t *world) (*windowshost.Host, *game, []SessionDesc) {
	t.Helper()
	at := t.lane(2)
	w, err := windowshost.Open(at[0], testGame, windowshost.Manner{Network: t.network, Sessions: []string{"One", "Two"}})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	g := initialized(t, at[1], at[0].String())
	var found []SessionDesc
	eventually(t, func() bool {
		found = g.search(100, 0)
		return len(found) == 2
	}, "two sessions")
	slices.SortFunc(found, func(a, b SessionDesc) int { return int(a.Instance[1]) - int(b.Instance[1]) })
	return w, g, found
}

// TestGiveUpTheWay: who closes or releases an object ends its way into a session whose host does not answer, and is free for
// another one.
func TestGiveUpTheWay(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		w, err := windowshost.Open(at[0], testGame, windowshost.Manner{Network: t.network, Deaf: math.MaxInt})
		require.NoError(t, err)
		t.Cleanup(w.Close)
		g := initialized(t, at[1], at[0].String())
		d := g.find()
		began := time.Now()
		back := make(chan wire.HResult, 1)
		go func() { back <- g.Open(&d, OpenJoin|OpenReturnStatus) }()
		eventually(t, func() bool { return w.Heard(wire.CmdRequestPlayerID) > 0 }, "it knocks")
		assert.Equal(t, wire.ErrNoSessions, g.Close())
		assert.Equal(t, wire.ErrAborted, <-back)
		require.Equal(t, wire.OK, g.Open(&SessionDesc{Application: testGame}, OpenCreate))
		require.Equal(t, wire.OK, g.Close())
		knocked := w.Heard(wire.CmdRequestPlayerID)
		go func() { back <- g.Open(&d, OpenJoin) }()
		eventually(t, func() bool { return w.Heard(wire.CmdRequestPlayerID) > knocked }, "it knocks again")
		g.Release()
		assert.Equal(t, wire.ErrAborted, <-back)
		assert.Less(t, time.Since(began), dpsp.DefaultReply, "nobody waited for the host")
	})
}

// entered are the messages by which a machine enters a session.
var entered = []wire.Command{wire.CmdRequestPlayerID, wire.CmdAddForwardRequest}

// TestOpenAtWindows: what a refused Open says, that another one follows without a new search, to the other session too, and that
// a host of Windows hears nothing that Windows does not say (facts, 5.1 to 5.8).
func TestOpenAtWindows(t *testing.T) {
	bubble(t, func(t *world) {
		w, g, found := atWindows(t)
		d := SessionDesc{Application: testGame, Instance: found[0].Instance} // nothing else is looked at
		w.Answer(wire.CmdRequestPlayerReply, &wire.RequestPlayerReply{Result: wire.ErrCantCreatePlayer})
		assert.Equal(t, wire.ErrCantCreatePlayer, g.Open(&d, OpenJoin))
		assert.Equal(t, entered[:1], w.Commands())
		w.Answer(wire.CmdRequestPlayerReply, nil)
		password := "sonic boom"
		d.Password = &password
		w.Answer(wire.CmdSuperEnumPlayersReply, &wire.AddForwardReply{Error: wire.ErrInvalidPassword})
		assert.Equal(t, wire.ErrInvalidPassword, g.Open(&d, OpenJoin))
		assert.Equal(t, password, w.Last(wire.CmdAddForwardRequest).(*wire.AddForwardRequest).Password.String())
		w.Answer(wire.CmdSuperEnumPlayersReply, nil)
		d.Password = nil
		for i, f := range found {
			before := len(w.Commands())
			d.Instance = f.Instance
			require.Equal(t, wire.OK, g.Open(&d, OpenJoin))
			assert.Equal(t, entered, w.Commands()[before:])
			m := w.Last(wire.CmdAddForwardRequest).(*wire.AddForwardRequest)
			assert.Equal(t, wire.NewText(""), m.Password)
			assert.Equal(t, f.Reserved1, m.Reserved1)
			assert.Equal(t, wire.PlayerSystem|wire.PlayerLocal, w.Last(wire.CmdRequestPlayerID).(*wire.RequestPlayerID).Flags)
			who, flags := listed(t, []wire.PlayerID{wire.PlayerID(0x00B0C003 + 2*i)}, func(f func(Listed) bool) wire.HResult {
				return g.EnumPlayers(nil, f, EnumRemote)
			})
			assert.Equal(t, "0 10 ", who+" "+flags)
			require.Equal(t, wire.OK, g.Close())
			eventually(t, func() bool { return w.Heard(wire.CmdDeletePlayer) == i+1 }, "our goodbye")
		}
		assert.Equal(t, wire.ErrNoSessions, g.Open(&SessionDesc{Instance: wire.GUID{9}}, OpenJoin))
	})
}

// TestPlayersAtWindows: what a host of Windows hears of players, groups and messages of ours, and what a game hears of its.
func TestPlayersAtWindows(t *testing.T) {
	bubble(t, func(t *world) {
		w, g, found := atWindows(t)
		host, theirs := wire.PlayerID(0x00B0C002), wire.PlayerID(0x00B0C003)
		require.Equal(t, wire.OK, g.Open(&found[0], OpenJoin))
		before := len(w.Commands())
		woken := make(chan bool, 100)
		var me wire.PlayerID
		name := "Ann"
		making := Making{Name: &Name{Short: &name}, Data: []byte{1, 2}, Size: 2, Flags: FlagSpectator, Wake: func() { woken <- true }}
		require.Equal(t, wire.OK, g.CreatePlayer(&me, making))
		eventually(t, func() bool { return len(w.Commands()) == before+2 }, "the host hears of it")
		assert.Equal(t, []wire.Command{wire.CmdRequestPlayerID, wire.CmdCreatePlayer}, w.Commands()[before:])
		assert.Equal(t, wire.PlayerLocal|wire.PlayerSpectator, w.Last(wire.CmdRequestPlayerID).(*wire.RequestPlayerID).Flags)
		info := w.Last(wire.CmdCreatePlayer).(*wire.CreatePlayer).Info
		assert.Equal(t, []any{wire.PlayerLocal | wire.PlayerSpectator, me, wire.NewText(name), wire.Text(nil), []byte{1, 2}},
			[]any{info.Flags, info.ID, info.ShortName, info.LongName, info.Data})

		w.Tell(&wire.CreatePlayer{Player: 7001, Info: wire.PackedPlayer{ID: 7001, System: host, Version: uint32(wire.DX9),
			ShortName: wire.NewText("Bob"), Data: []byte{3}}})
		<-woken
		created := g.awaitSystem(SysCreatePlayerOrGroup)
		assert.Equal(t, []uint32{7001, 3}, []uint32{binary.LittleEndian.Uint32(created[8:]), binary.LittleEndian.Uint32(created[12:])},
			"who, and the number of players with the new one")
		w.Tell(&wire.CreateGroup{Player: 7002, Info: wire.PackedPlayer{ID: 7002, System: host, Flags: wire.PlayerGroup}})
		g.awaitSystem(SysCreatePlayerOrGroup)
		w.Tell(&wire.GroupDataChanged{Group: 7002, Data: []byte("late")})
		changed := g.awaitSystem(SysSetPlayerOrGroupData)
		assert.EqualValues(t, typeGroup, binary.LittleEndian.Uint32(changed[4:]))
		assert.EqualValues(t, 7002, binary.LittleEndian.Uint32(changed[8:]))
		b := Buffer{Size: 10}
		require.Equal(t, wire.OK, g.GetGroupData(7002, &b, 0))
		assert.Equal(t, "late", string(b.Data))

		assert.Equal(t, wire.ErrInvalidPlayer, g.AddPlayerToGroup(7002, 7003))
		require.Equal(t, wire.OK, g.AddPlayerToGroup(7002, me))
		g.awaitSystem(SysAddPlayerToGroup)
		eventually(t, func() bool { return w.Last(wire.CmdAddPlayerToGroup) != nil }, "the host hears of it")
		in := w.Last(wire.CmdAddPlayerToGroup).(*wire.AddPlayerToGroup)
		assert.Equal(t, []wire.PlayerID{me, 7002}, []wire.PlayerID{in.Player, in.Group})

		assert.Equal(t, wire.ErrInvalidParams, g.Send(me, 7003, SendGuaranteed, []byte("x"), 1))
		require.Equal(t, wire.OK, g.Send(me, me, SendGuaranteed, []byte("x"), 1), "without a word to anybody")
		require.Equal(t, wire.OK, g.Send(me, 0, SendGuaranteed, []byte("all"), 3))
		from, to, data := g.await()
		assert.Equal(t, []any{theirs, me, "heard: all"}, []any{from, to, string(data)})
		said := w.Last(wire.CmdPlayerMessage).(*wire.PlayerMessage)
		assert.Equal(t, []any{me, wire.IDAll, "all"}, []any{said.From, said.To, string(said.Payload)})
		assert.Empty(t, g.trace())
		assert.Equal(t, []wire.Command{wire.CmdRequestPlayerID, wire.CmdCreatePlayer, wire.CmdCreatePlayerVerify,
			wire.CmdAddPlayerToGroup, wire.CmdPlayerMessage}, w.Commands()[before:], "nothing else")
	})
}

// TestNewcomerAtWindows: the host of Windows announces another machine, and hears that we know of it, and nothing else.
func TestNewcomerAtWindows(t *testing.T) {
	bubble(t, func(t *world) {
		w, g, found := atWindows(t)
		require.Equal(t, wire.OK, g.Open(&found[0], OpenJoin))
		before := len(w.Commands())
		at := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2348},
			Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2398}}
		w.Tell(&wire.AddForward{Player: 7004, Info: wire.PackedPlayer{ID: 7004, System: 7004, Flags: wire.PlayerSystem,
			Version: uint32(wire.DX9), SPData: at.Append(nil)}})
		eventually(t, func() bool { return w.Last(wire.CmdAddForwardAck) != nil }, "an acknowledgement")
		assert.Equal(t, wire.PlayerID(7004), w.Last(wire.CmdAddForwardAck).(*wire.AddForwardAck).ID)
		assert.Equal(t, []wire.Command{wire.CmdAddForwardAck}, w.Commands()[before:])
	})
}
