package directplay

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// calls are all methods that need a connection, with arguments that nothing is wrong with but that there is no session.
var calls = []struct {
	name string
	call func(o *Object) wire.HResult
	want wire.HResult // with a connection and no session, as Wine's tests have it where they say
}{
	{"EnumPlayers", func(o *Object) wire.HResult {
		return o.EnumPlayers(nil, func(Listed) bool { return true }, 0)
	}, wire.ErrNoSessions},
	{"EnumGroups", func(o *Object) wire.HResult {
		return o.EnumGroups(nil, func(Listed) bool { return true }, 0)
	}, wire.ErrNoSessions},
	{"EnumPlayers of a session", func(o *Object) wire.HResult {
		return o.EnumPlayers(&testGame, func(Listed) bool { return true }, EnumSession)
	}, wire.ErrNoSessions},
	{"EnumGroupPlayers", func(o *Object) wire.HResult { return o.EnumGroupPlayers(2, nil, nil, 0) }, wire.ErrInvalidGroup},
	{"EnumGroupsInGroup", func(o *Object) wire.HResult { return o.EnumGroupsInGroup(2, nil, nil, 0) }, wire.ErrInvalidGroup},
	{"CreatePlayer", func(o *Object) wire.HResult {
		return o.CreatePlayer(new(wire.PlayerID), Making{})
	}, wire.ErrInvalidParams},
	{"DestroyPlayer", func(o *Object) wire.HResult { return o.DestroyPlayer(2) }, wire.ErrInvalidPlayer},
	{"CreateGroup", func(o *Object) wire.HResult {
		return o.CreateGroup(new(wire.PlayerID), Making{})
	}, wire.ErrInvalidParams},
	{"CreateGroupInGroup", func(o *Object) wire.HResult {
		return o.CreateGroupInGroup(2, new(wire.PlayerID), Making{})
	}, wire.ErrInvalidGroup},
	{"DestroyGroup", func(o *Object) wire.HResult { return o.DestroyGroup(2) }, wire.ErrInvalidGroup},
	{"AddPlayerToGroup", func(o *Object) wire.HResult { return o.AddPlayerToGroup(2, 3) }, wire.ErrInvalidGroup},
	{"DeletePlayerFromGroup", func(o *Object) wire.HResult { return o.DeletePlayerFromGroup(2, 3) }, wire.ErrInvalidGroup},
	{"AddGroupToGroup", func(o *Object) wire.HResult { return o.AddGroupToGroup(2, 3) }, wire.ErrInvalidGroup},
	{"DeleteGroupFromGroup", func(o *Object) wire.HResult { return o.DeleteGroupFromGroup(2, 3) }, wire.ErrInvalidGroup},
	{"GetGroupParent", func(o *Object) wire.HResult { return o.GetGroupParent(2, nil) }, wire.ErrInvalidGroup},
	{"GetGroupOwner", func(o *Object) wire.HResult { return o.OfLobby(2) }, wire.ErrInvalidGroup},
	{"GetPlayerFlags", func(o *Object) wire.HResult { return o.GetPlayerFlags(2, nil) }, wire.ErrInvalidPlayer},
	{"GetGroupFlags", func(o *Object) wire.HResult { return o.GetGroupFlags(2, nil) }, wire.ErrInvalidGroup},
	{"GetPlayerAccount", func(o *Object) wire.HResult { return o.GetPlayerAccount() }, wire.ErrNoSessions},
	{"SetPlayerData", func(o *Object) wire.HResult { return o.SetPlayerData(2, nil, 0, 0) }, wire.ErrInvalidPlayer},
	{"SetGroupData", func(o *Object) wire.HResult { return o.SetGroupData(2, nil, 0, 0) }, wire.ErrInvalidGroup},
	{"GetPlayerData", func(o *Object) wire.HResult { return o.GetPlayerData(2, nil, 0) }, wire.ErrInvalidPlayer},
	{"GetGroupData", func(o *Object) wire.HResult { return o.GetGroupData(2, nil, 0) }, wire.ErrInvalidGroup},
	{"SetPlayerName", func(o *Object) wire.HResult { return o.SetPlayerName(2, nil, 0) }, wire.ErrInvalidPlayer},
	{"SetGroupName", func(o *Object) wire.HResult { return o.SetGroupName(2, nil, 0) }, wire.ErrInvalidGroup},
	{"GetPlayerName", func(o *Object) wire.HResult { return o.GetPlayerName(2, nil, Face{}) }, wire.ErrInvalidPlayer},
	{"GetGroupName", func(o *Object) wire.HResult { return o.GetGroupName(2, nil, Face{}) }, wire.ErrInvalidGroup},
	{"Send", func(o *Object) wire.HResult { return o.Send(2, 3, 0, []byte("x"), 1) }, wire.ErrInvalidPlayer},
	{"SendChatMessage", func(o *Object) wire.HResult {
		return o.SendChatMessage(2, 3, 0, new(string))
	}, wire.ErrInvalidPlayer},
	{"CancelMessage", func(o *Object) wire.HResult { return o.CancelMessage(2, 0) }, wire.ErrNoSessions},
	{"CancelPriority", func(o *Object) wire.HResult { return o.CancelPriority(0, 9, 0) }, wire.ErrNoSessions},
	{"Receive", func(o *Object) wire.HResult {
		return o.Receive(new(wire.PlayerID), new(wire.PlayerID), 0, &Buffer{}, Face{})
	}, wire.ErrNoMessages},
	{"GetMessageCount", func(o *Object) wire.HResult { return o.GetMessageCount(0, new(uint32)) }, wire.OK},
	{"GetMessageQueue", func(o *Object) wire.HResult { return o.GetMessageQueue(0, 0, 0, nil, nil) }, wire.OK},
	{"GetCaps", func(o *Object) wire.HResult { return o.GetCaps(&Caps{}, 0) }, wire.OK},
	{"GetCaps without size", func(o *Object) wire.HResult {
		return o.GetCaps(&Caps{WrongSize: true}, 0)
	}, wire.ErrInvalidParams},
	{"GetPlayerCaps", func(o *Object) wire.HResult { return o.GetPlayerCaps(2, &Caps{}, 0) }, wire.ErrInvalidPlayer},
	{"GetPlayerCaps without size", func(o *Object) wire.HResult {
		return o.GetPlayerCaps(2, &Caps{WrongSize: true}, 0)
	}, wire.ErrInvalidParams},
	{"GetSessionDesc", func(o *Object) wire.HResult { return o.GetSessionDesc(nil, Face{}) }, wire.ErrNoSessions},
	{"GetPlayerAddress", func(o *Object) wire.HResult { return o.GetPlayerAddress(2, nil) }, wire.ErrInvalidPlayer},
	{"GetPlayerAddress of everybody", func(o *Object) wire.HResult {
		return o.GetPlayerAddress(0, nil)
	}, wire.ErrUnsupported},
	{"SetSessionDesc", func(o *Object) wire.HResult { return o.SetSessionDesc(nil, 0) }, wire.ErrNoSessions},
	{"EnumSessions of nothing", func(o *Object) wire.HResult {
		return o.EnumSessions(nil, 0, nil, 0)
	}, wire.ErrInvalidParams},
	{"EnumSessions of no size", func(o *Object) wire.HResult {
		return o.EnumSessions(&SessionDesc{WrongSize: true}, 0, func(*SessionDesc, *uint32) bool { return false }, 0)
	}, wire.ErrInvalidParams},
	{"EnumSessions with all flags", func(o *Object) wire.HResult {
		return o.EnumSessions(&SessionDesc{}, 0, func(*SessionDesc, *uint32) bool { return false }, 0xFFFFFFFF)
	}, wire.ErrInvalidParams},
	{"Open", func(o *Object) wire.HResult { return o.Open(&SessionDesc{}, OpenJoin) }, wire.ErrNoSessions},
	{"Open with both flags", func(o *Object) wire.HResult {
		return o.Open(&SessionDesc{}, OpenJoin|OpenCreate)
	}, wire.ErrNoSessions},
	{"Open without flags", func(o *Object) wire.HResult { return o.Open(&SessionDesc{}, 0) }, wire.ErrInvalidFlags},
	{"SecureOpen", func(o *Object) wire.HResult {
		return o.SecureOpen(&SessionDesc{}, OpenCreate, true)
	}, wire.ErrCantLoadSecurityPackage},
	{"SecureOpen of a session that is not known", func(o *Object) wire.HResult {
		return o.SecureOpen(&SessionDesc{}, OpenJoin, true)
	}, wire.ErrNoSessions},
	{"SecureOpen without flags", func(o *Object) wire.HResult {
		return o.SecureOpen(&SessionDesc{}, 0, true)
	}, wire.ErrInvalidFlags},
	{"Close", func(o *Object) wire.HResult { return o.Close() }, wire.ErrNoSessions},
}

// TestUninitialized: without a connection all methods say so first; with one, and no session, each says what Windows says.
// After a session was closed it is the same again.
func TestUninitialized(t *testing.T) {
	bubble(t, func(t *world) {
		for _, c := range calls {
			o := New(Options{})
			assert.Equal(t, wire.ErrUninitialized, c.call(o), c.name)
			o.Release()
		}
		at := t.lane(1)[0]
		g := initialized(t, at, at.String())
		for _, c := range calls {
			assert.Equal(t, c.want, c.call(g.Object), c.name)
		}
		require.Equal(t, wire.OK, g.Open(&SessionDesc{Application: testGame}, OpenCreate))
		g.player("Ann", 0)
		require.Equal(t, wire.OK, g.Close())
		for _, c := range calls {
			assert.Equal(t, c.want, c.call(g.Object), c.name+" after Close")
		}
	})
}

// TestInitializeConnection: checks in order, and IPX is answered.
func TestInitializeConnection(t *testing.T) {
	t.Parallel()
	o := New(Options{})
	defer o.Release()
	assert.Equal(t, wire.ErrInvalidParams, o.InitializeConnection(nil, 1))
	assert.Equal(t, wire.ErrInvalidFlags, o.InitializeConnection([]byte{1}, 1))
	assert.Equal(t, wire.ErrInvalidParams, o.InitializeConnection([]byte{1}, 0))
	assert.Equal(t, wire.ErrUnavailable, o.InitializeConnection(connectionTo(ProviderModem, nil), 0))
	assert.Equal(t, wire.ErrUnavailable, o.Initialize(testGame))
	assert.Equal(t, wire.OK, o.InitializeConnection(connectionTo(ProviderIPX, nil), 0))
	assert.Equal(t, wire.ErrAlreadyInitialized, o.InitializeConnection(connectionTo(ProviderTCP, nil), 0))
	assert.Equal(t, wire.ErrAlreadyInitialized, o.Initialize(ProviderTCP))
}

// TestOpenOrder: what Open says first.
func TestOpenOrder(t *testing.T) {
	bubble(t, func(t *world) {
		o := New(Options{})
		defer o.Release()
		assert.Equal(t, wire.ErrInvalidParams, o.Open(&SessionDesc{WrongSize: true}, OpenCreate), "before the missing connection")
		assert.Equal(t, wire.ErrInvalidParams, o.Open(nil, OpenCreate))
		at := t.lane(1)[0]
		g := initialized(t, at, at.String())
		for _, f := range []wire.SessionFlags{wire.SessionClientServer, wire.SessionMulticastServer, wire.SessionSecureServer} {
			assert.Equal(t, wire.ErrInvalidFlags, g.Open(&SessionDesc{Flags: f | wire.SessionMigrateHost}, OpenCreate))
		}
		assert.Equal(t, wire.ErrCantLoadSecurityPackage, g.Open(&SessionDesc{Flags: wire.SessionSecureServer}, OpenCreate))
		assert.Equal(t, wire.ErrInvalidParams, g.SecureOpen(&SessionDesc{WrongSize: true}, OpenCreate, true))
		d := SessionDesc{Application: testGame}
		require.Equal(t, wire.OK, g.SecureOpen(&d, OpenCreate, false))
		assert.NotZero(t, d.Instance)
		assert.NotZero(t, d.Reserved1)
		assert.Equal(t, wire.ErrAlreadyInitialized, g.Open(&d, OpenCreate))
		assert.Equal(t, wire.ErrAlreadyInitialized, g.Open(&d, OpenJoin))
		assert.Equal(t, wire.ErrAlreadyInitialized, g.SecureOpen(&d, OpenJoin, true))
		assert.Equal(t, wire.ErrInvalidParams, g.Open(&SessionDesc{WrongSize: true}, OpenCreate), "before the open session")
		assert.Equal(t, wire.ErrGeneric, g.EnumSessions(&d, 0, func(*SessionDesc, *uint32) bool { return false }, 0))
	})
}

// TestCreatePlayer: who may be made where, and that there is one server player.
func TestCreatePlayer(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		g := hosts(t, at[0], 0)
		id := wire.PlayerID(0xDEADBEEF)
		assert.Equal(t, wire.ErrInvalidParams, g.CreatePlayer(nil, Making{}))
		assert.Equal(t, wire.ErrInvalidParams, g.CreatePlayer(&id, Making{Size: 4}), "data that cannot be read")
		assert.Equal(t, wire.PlayerID(0xDEADBEEF), id)
		for range 2 {
			require.Equal(t, wire.OK, g.CreatePlayer(&id, Making{Flags: FlagServerPlayer | FlagSpectator}))
			assert.Equal(t, wire.PlayerID(1), id)
			assert.Equal(t, wire.ErrCantCreatePlayer, g.CreatePlayer(&id, Making{Flags: FlagServerPlayer}))
			require.Equal(t, wire.OK, g.DestroyPlayer(id))
		}
		require.Equal(t, wire.OK, g.Close())
		require.Equal(t, wire.OK, g.Open(&SessionDesc{Application: testGame, Flags: wire.SessionNewPlayersDisabled}, OpenCreate))
		for _, f := range []uint32{0, FlagServerPlayer, FlagSpectator} {
			assert.Equal(t, wire.ErrCantCreatePlayer, g.CreatePlayer(&id, Making{Flags: f}))
		}
		require.Equal(t, wire.OK, g.Close())
		require.Equal(t, wire.OK, g.Open(&SessionDesc{Application: testGame, Flags: wire.SessionClientServer}, OpenCreate))
		assert.Equal(t, wire.ErrAccessDenied, g.CreatePlayer(&id, Making{}))
		assert.Equal(t, wire.OK, g.CreatePlayer(&id, Making{Flags: FlagServerPlayer}))
		j := joins(t, at[1], at[0])
		assert.Equal(t, wire.ErrInvalidFlags, j.CreatePlayer(&id, Making{Flags: FlagServerPlayer}))
		assert.Equal(t, wire.OK, j.CreatePlayer(&id, Making{}))
	})
}

// TestReceiveOrder makes and destroys players, and reads of it in the order in which Windows tells.
func TestReceiveOrder(t *testing.T) {
	bubble(t, func(t *world) {
		g := hosts(t, t.lane(1)[0], 0)
		var from, to wire.PlayerID
		assert.Equal(t, wire.ErrInvalidParams, g.Receive(nil, &to, 0, &Buffer{}, Face{}))
		assert.Equal(t, wire.ErrInvalidParams, g.Receive(&from, nil, 0, &Buffer{}, Face{}))
		assert.Equal(t, wire.ErrInvalidParams, g.Receive(&from, &to, 0, nil, Face{}))
		assert.Equal(t, wire.ErrNoMessages, g.Receive(&from, &to, 0, &Buffer{Null: true}, Face{}))
		p := []wire.PlayerID{g.player("", 0), g.player("", FlagSpectator), g.player("", 0), g.player("", 0)}
		for i := range p {
			var n uint32
			require.Equal(t, wire.OK, g.GetMessageCount(p[i], &n))
			assert.Equal(t, uint32(3-i), n)
		}
		require.Equal(t, wire.OK, g.DestroyPlayer(p[3]))
		require.Equal(t, wire.OK, g.DestroyPlayer(p[1]))
		assert.Equal(t, wire.ErrInvalidPlayer, g.GetMessageCount(p[1], new(uint32)))
		b := Buffer{Null: true, Size: 100}
		assert.Equal(t, wire.ErrBufferTooSmall, g.Receive(&from, &to, 0, &b, Face{}))
		assert.Equal(t, uint32(48), b.Size)
		want := []struct{ kind, to, about, current, flags uint32 }{
			{3, 0, 1, 1, 0x208}, {3, 1, 2, 2, 8}, {3, 0, 2, 2, 8}, {3, 2, 3, 3, 8}, {3, 1, 3, 3, 8}, {3, 0, 3, 3, 8},
			{5, 2, 3, 0, 8}, {5, 1, 3, 0, 8}, {5, 0, 3, 0, 8}, {5, 2, 1, 0, 0x208}, {5, 0, 1, 0, 0x208},
		}
		for i, w := range want {
			from, to, data, ok := g.received()
			require.True(t, ok)
			words := make([]uint32, len(data)/4)
			require.NoError(t, second(binary.Decode(data, binary.LittleEndian, words)))
			assert.Equal(t, []uint32{0, uint32(p[w.to]), w.kind, 1, uint32(p[w.about]), w.flags},
				[]uint32{uint32(from), uint32(to), words[0], words[1], words[2], words[len(words)-1]}, "%d", i)
			if w.kind == SysCreatePlayerOrGroup {
				assert.Equal(t, w.current, words[3])
				assert.Len(t, data, 48)
			} else {
				assert.Len(t, data, 52)
			}
		}
		assert.Empty(t, g.trace())
		require.Equal(t, wire.OK, g.Send(p[0], p[2], 0, []byte("message"), 7))
		for range 3 {
			b := Buffer{Size: 10}
			require.Equal(t, wire.OK, g.Receive(&from, &to, ReceivePeek, &b, Face{}))
			assert.Equal(t, "message", string(b.Data))
		}
		from = p[2]
		assert.Equal(t, wire.ErrNoMessages, g.Receive(&from, &to, ReceiveFrom, &Buffer{Size: 10}, Face{}))
		to = p[0]
		assert.Equal(t, wire.ErrNoMessages, g.Receive(&from, &to, ReceiveTo, &Buffer{Size: 10}, Face{}))
		from, to = 7, 7
		b = Buffer{Size: 6}
		assert.Equal(t, wire.ErrBufferTooSmall, g.Receive(&from, &to, 0, &b, Face{}))
		assert.Equal(t, []any{wire.PlayerID(7), wire.PlayerID(7), uint32(7)}, []any{from, to, b.Size}, "who it is from is not told yet")
		from, to = p[0], p[2]
		assert.Equal(t, wire.OK, g.Receive(&from, &to, ReceiveFrom|ReceiveTo, &b, Face{}))
		assert.Empty(t, g.trace())
	})
}

func second[A any](_ A, err error) error { return err }

// TestAddressPort: a port in the game's address is that of our sockets, TCP and UDP; who comes second takes the next one, and the
// configuration counts before it.
func TestAddressPort(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(1)[0]
		ports := func(c Config) [2]uint16 {
			c.Bind = at
			g := New(Options{Config: c, Network: t.network})
			t.Cleanup(g.Release)
			require.Equal(t, wire.OK, g.InitializeConnection(AppendAddress(nil, Chunk{AddressServiceProvider, ProviderTCP[:]},
				Chunk{AddressINet, []byte("127.0.0.1\x00")}, Chunk{AddressINetPort, []byte{0x0A, 0x09}}), 0))
			require.Equal(t, wire.OK, g.EnumSessions(&SessionDesc{Application: testGame}, 1, func(*SessionDesc, *uint32) bool {
				return false
			}, 0))
			return [2]uint16{g.sess.StreamAddr().Port(), g.sess.DatagramAddr().Port()}
		}
		assert.Equal(t, [2]uint16{2314, 2314}, ports(Config{}))
		assert.Equal(t, [2]uint16{2315, 2315}, ports(Config{}))
		assert.Equal(t, [2]uint16{4000, 2350}, ports(Config{StreamPorts: wire.Ports{First: 4000, Last: 4000}}))
		for port, want := range map[uint16]wire.Ports{0: {}, 1: {First: 1, Last: 50}, 65535: {First: 65535, Last: 65535},
			wire.EnumPort: {}, wire.EnumPort - 1: {First: wire.EnumPort - 1, Last: wire.EnumPort - 1},
			wire.EnumPort + 1: {First: wire.EnumPort + 1, Last: wire.EnumPort + 50}} {
			assert.Equal(t, want, portRange(port), "%d", port)
		}
	})
}
