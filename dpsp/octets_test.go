package dpsp

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// octets turns hex with spaces and line ends into octets.
func octets(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	require.NoError(t, err)
	return b
}

// mockApp is the application GUID of Wine's tests of Windows (facts, 8).
var mockApp = wire.GUID(mustHex("3ee0cfbdecf05b4182116f86d8197fe1"))

func mustHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// mockHost is where the host of facts 8.4 is: TCP 2349, UDP 2399.
var mockHost = netip.MustParseAddrPort("10.0.0.9:2349")

// A bench is one engine without a network: what it sends is looked at.
type bench struct {
	t *testing.T
	*Engine
	out *Output
}

func newBench(t *testing.T, cfg Config) *bench {
	cfg.Stream = netip.MustParseAddrPort("0.0.0.0:2300")
	cfg.Datagram = netip.MustParseAddrPort("0.0.0.0:2350")
	return &bench{t: t, Engine: New(cfg)}
}

// request has the program ask for something and gives what is sent.
func (b *bench) request(c Command) []Outgoing {
	b.t.Helper()
	b.out = b.Step(b.now, Input{Kind: Request, Command: c, Token: 1})
	for _, ev := range b.out.Events {
		if d, ok := ev.(Done); ok {
			require.NoError(b.t, d.Err)
		}
	}
	return b.out.Sends
}

// tcp feeds a message that came over TCP from mockHost's address.
func (b *bench) tcp(data []byte) []Outgoing {
	b.out = b.Step(b.now, Input{Kind: Stream, From: netip.AddrPortFrom(mockHost.Addr(), 50001), Data: data})
	return b.out.Sends
}

// udp feeds a datagram from mockHost's address.
func (b *bench) udp(port uint16, data []byte) []Outgoing {
	b.out = b.Step(b.now, Input{Kind: Datagram, From: netip.AddrPortFrom(mockHost.Addr(), port), Data: data})
	return b.out.Sends
}

func eventsOf[T, E Event](events []E) []T {
	var all []T
	for _, e := range events {
		if t, ok := any(e).(T); ok {
			all = append(all, t)
		}
	}
	return all
}

// one says that exactly one message is sent, where, and its octets.
func (b *bench) one(got []Outgoing, by Transport, to string, want string) {
	b.t.Helper()
	require.Len(b.t, got, 1)
	assert.Equal(b.t, by, got[0].Transport)
	assert.Equal(b.t, to, got[0].To.String())
	assert.Equal(b.t, hex.Dump(octets(b.t, want)), hex.Dump(got[0].Data))
}

const (
	hexRequestPlayerID = `20 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 05 00 0e 00 09 00 00 00`
	hexRequestPlayerReply = `44 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 07 00 0e 00 78 56 34 12 00 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00`
	hexForwardHead = `02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 13 00 0e 00 00 00 00 00 78 56 34 12 00 00 00 00
		1c 00 00 00 6c 00 00 00 50 00 00 00 09 00 00 00 78 56 34 12
		00 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00 00 00 00
		78 56 34 12 30 00 00 00 0e 00 00 00 00 00 00 00 02 00 08 fc
		00 00 00 00 00 00 00 00 00 00 00 00 02 00 09 2e 00 00 00 00
		00 00 00 00 00 00 00 00 `
	hexForwardPlain    = `86 00 b0 fa ` + hexForwardHead + `00 00 dd cc bb aa`
	hexForwardHadouken = `96 00 b0 fa ` + hexForwardHead + `68 00 61 00 64 00 6f 00 75 00 6b 00 65 00 6e 00 00 00 dd cc bb aa`
	hexRefused         = `20 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 24 00 0e 00 54 01 77 88`
	hexPing = `24 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 16 00 0e 00 73 15 05 00 11 22 33 44`
	hexPingReply = `24 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 17 00 0e 00 78 56 34 12 11 22 33 44`
	hexAddForward = `80 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 2e 00 0e 00 00 00 00 00 34 77 00 00 00 00 00 00
		1c 00 00 00 00 00 00 00 50 00 00 00 05 00 00 00 34 77 00 00
		00 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00 00 00 00
		34 77 00 00 30 00 00 00 0e 00 00 00 00 00 00 00 02 00 09 2d
		00 00 00 00 00 00 00 00 00 00 00 00 02 00 09 5f 00 00 00 00
		00 00 00 00 00 00 00 00`
	hexAddForwardAck = `20 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 2f 00 0e 00 34 77 00 00`
	hexCreatePlayer3 = `d4 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 08 00 0e 00 00 00 00 00 03 00 00 00 00 00 00 00
		1c 00 00 00 00 00 00 00 9e 00 00 00 08 00 00 00 03 00 00 00
		24 00 00 00 22 00 00 00 20 00 00 00 08 00 00 00 00 00 00 00
		78 56 34 12 30 00 00 00 0e 00 00 00 00 00 00 00 73 00 68 00
		6f 00 72 00 74 00 20 00 70 00 6c 00 61 00 79 00 65 00 72 00
		20 00 6e 00 61 00 6d 00 65 00 00 00 6c 00 6f 00 6e 00 67 00
		20 00 70 00 6c 00 61 00 79 00 65 00 72 00 20 00 6e 00 61 00
		6d 00 65 00 00 00 02 00 08 fc 00 00 00 00 00 00 00 00 00 00
		00 00 02 00 09 2e 00 00 00 00 00 00 00 00 00 00 00 00 01 02
		03 04 05 06 07 08 00 00 00 00 00 00`
	hexCreatedPlayer = `e0 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 08 00 0e 00 00 00 00 00 34 77 00 00 00 00 00 00
		1c 00 00 00 00 00 00 00 aa 00 00 00 08 00 00 00 34 77 00 00
		2c 00 00 00 2a 00 00 00 20 00 00 00 04 00 00 00 00 00 00 00
		73 15 05 00 30 00 00 00 0e 00 00 00 00 00 00 00 6e 00 65 00
		77 00 20 00 70 00 6c 00 61 00 79 00 65 00 72 00 20 00 73 00
		68 00 6f 00 72 00 74 00 20 00 6e 00 61 00 6d 00 65 00 00 00
		6e 00 65 00 77 00 20 00 70 00 6c 00 61 00 79 00 65 00 72 00
		20 00 6c 00 6f 00 6e 00 67 00 20 00 6e 00 61 00 6d 00 65 00
		00 00 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00 02 00
		09 5f 00 00 00 00 00 00 00 00 00 00 00 00 04 03 02 01 00 00
		00 00 00 00`
	hexGroupData = `34 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 11 00 0e 00 00 00 00 00 e7 05 00 00 08 00 00 00
		18 00 00 00 08 07 06 05 04 03 02 01`
)

// superEnum is SUPERENUMPLAYERSREPLY of facts 3.7 and 8.4: its name stands in a field of 512 octets.
func superEnum(t *testing.T) []byte {
	head := octets(t, `f4 03 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 29 00 0e 00 04 00 00 00 01 00 00 00 74 02 00 00
		00 00 00 00 24 00 00 00 74 00 00 00 00 00 00 00 50 00 00 00
		00 00 00 00 3e e0 cf bd ec f0 5b 41 82 11 6f 86 d8 19 7f e1
		3e e0 cf bd ec f0 5b 41 82 11 6f 86 d8 19 7f e1 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 dd cc bb aa 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 6e 00 6f 00
		72 00 6d 00 61 00 6c 00`)
	head = append(head, make([]byte, 0x288-len(head))...)
	return append(head, octets(t, `10 00 00 00 05 00 00 00 78 56 34 12
		04 00 00 00 0e 00 00 00 20 02 00 09 2d 00 00 00 00 00 00 00
		00 00 00 00 00 02 00 09 5f 00 00 00 00 00 00 00 00 00 00 00
		00 10 00 00 00 0f 00 00 00 73 15 05 00 04 00 00 00 0e 00 00
		00 20 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00 02 00
		09 5f 00 00 00 00 00 00 00 00 00 00 00 00 10 00 00 00 08 00
		00 00 37 13 00 00 17 00 00 00 73 15 05 00 73 00 68 00 6f 00
		72 00 74 00 20 00 6e 00 61 00 6d 00 65 00 00 00 6c 00 6f 00
		6e 00 67 00 20 00 6e 00 61 00 6d 00 65 00 00 00 04 01 02 03
		04 20 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00 02 00
		09 5f 00 00 00 00 00 00 00 00 00 00 00 00 10 00 00 00 08 00
		00 00 de 00 0d 00 04 00 00 00 73 15 05 00 20 02 00 09 2d 00
		00 00 00 00 00 00 00 00 00 00 00 02 00 09 5f 00 00 00 00 00
		00 00 00 00 00 00 00 10 00 00 00 48 00 00 00 e7 05 00 00 57
		00 00 00 73 15 05 00 73 00 68 00 6f 00 72 00 74 00 20 00 6e
		00 61 00 6d 00 65 00 00 00 6c 00 6f 00 6e 00 67 00 20 00 6e
		00 61 00 6d 00 65 00 00 00 04 01 02 03 04 20 02 00 09 2d 00
		00 00 00 00 00 00 00 00 00 00 00 02 00 09 5f 00 00 00 00 00
		00 00 00 00 00 00 00 01 de 00 0d 00`)...)
}

func mockJoin(password Text) Join {
	return Join{Host: mockHost, Name: "normal", Password: password,
		Desc: wire.SessionDesc{Instance: mockApp, Application: mockApp, Reserved1: 0xAABBCCDD}}
}

// joined returns an engine that joined the session of facts 3.7.
func joined(t *testing.T, cfg Config) *bench {
	t.Helper()
	cfg.Legacy = true // Windows says no hello
	b := newBench(t, cfg)
	b.request(mockJoin(""))
	b.tcp(octets(t, hexRequestPlayerReply))
	assert.Empty(t, b.tcp(superEnum(t)), "nothing is sent until the program acts (facts, 5.8)")
	require.Len(t, eventsOf[SessionOpened](b.out.Events), 1)
	return b
}

// created is joined with a player, id 3.
func created(t *testing.T, cfg Config) *bench {
	b := joined(t, cfg)
	b.request(CreatePlayer{ShortName: "short player name", LongName: "long player name",
		Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}})
	b.give(3)
	return b
}

// give has the host give an id.
func (b *bench) give(id uint32) []Outgoing {
	reply := octets(b.t, hexRequestPlayerReply)
	binary.LittleEndian.PutUint32(reply[28:], id)
	return b.tcp(reply)
}

// Facts 8.2 number 1, 8.4.
func TestEnumSessionsOctets(t *testing.T) {
	b := newBench(t, Config{})
	const head = ` b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 02 00 0e 00 3e e0 cf bd ec f0 5b 41 82 11 6f 86 d8 19 7f e1 `
	b.one(b.request(Enumerate{Application: mockApp}), Ask, "255.255.255.255:47624", `34 00`+head+`00 00 00 00 00 00 00 00`)
	b.one(b.request(Enumerate{Application: mockApp, Flags: wire.EnumAvailable | wire.EnumAsync}), Ask, "255.255.255.255:47624",
		`34 00`+head+`00 00 00 00 11 00 00 00`)
	to := []netip.AddrPort{netip.MustParseAddrPort("10.0.0.9:47624")}
	b.one(b.request(Enumerate{Application: mockApp, Password: "password", Streams: to}), TCP, "10.0.0.9:47624",
		`46 00`+head+`20 00 00 00 00 00 00 00 70 00 61 00 73 00 73 00 77 00 6f 00 72 00 64 00 00 00`)
}

// Facts 3.2, 8.4: the host is known by the header, not by the connection; the reply is listed as it is.
func TestSessionFound(t *testing.T) {
	reply := octets(t, `7e 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 01 00 0e 00 50 00 00 00 00 00 00 00 3e e0 cf bd
		ec f0 5b 41 82 11 6f 86 d8 19 7f e1 3e e0 cf bd ec f0 5b 41
		82 11 6f 86 d8 19 7f e1 0a 00 00 00 00 00 00 00 00 00 00 00
		00 00 00 00 44 33 22 11 00 00 00 00 01 00 00 00 02 00 00 00
		03 00 00 00 04 00 00 00 5c 00 00 00 6e 00 6f 00 72 00 6d 00
		61 00 6c 00 00 00`)
	b := newBench(t, Config{})
	b.tcp(reply)
	assert.Empty(t, eventsOf[SessionFound](b.out.Events), "nobody asked")
	b.request(Enumerate{})
	b.tcp(reply)
	got := eventsOf[SessionFound](b.out.Events)
	require.Len(t, got, 1)
	assert.Equal(t, mockHost, got[0].Host)
	assert.Equal(t, "normal", got[0].Name)
	assert.EqualValues(t, 0x11223344, got[0].Desc.Reserved1)
	assert.Equal(t, [4]uint32{1, 2, 3, 4}, got[0].Desc.User)
	reply[6], reply[7] = 0x09, 0x2C // a second session of the same connection, TCP 2348 (facts, 2.8)
	b.tcp(reply)
	assert.EqualValues(t, 2348, eventsOf[SessionFound](b.out.Events)[0].Host.Port())
}

// Facts 8.2 numbers 2 to 5 and 7, 8.4.
func TestJoinOctets(t *testing.T) {
	for password, want := range map[Text]string{"": hexForwardPlain, "hadouken": hexForwardHadouken} {
		b := newBench(t, Config{Legacy: true})
		b.one(b.request(mockJoin(password)), TCP, mockHost.String(), hexRequestPlayerID)
		b.one(b.tcp(octets(t, hexRequestPlayerReply)), TCP, mockHost.String(), want)
		assert.Empty(t, b.tcp(superEnum(t)))
		players := eventsOf[PlayerCreated](b.out.Events)
		require.Len(t, players, 2, "system players and we ourselves are no players")
		assert.Equal(t, PlayerCreated{ID: 0x1337, System: 0x51573, Flags: players[0].Flags, ShortName: "short name",
			LongName: "long name", Data: []byte{1, 2, 3, 4}}, players[0])
		assert.EqualValues(t, 0xD00DE, players[1].ID)
		groups := eventsOf[GroupCreated](b.out.Events)
		require.Len(t, groups, 1)
		assert.EqualValues(t, 0x5E7, groups[0].ID)
		assert.Equal(t, "short name", groups[0].ShortName)
		assert.Equal(t, []MemberAdded{{Player: 0xD00DE, Group: 0x5E7}}, eventsOf[MemberAdded](b.out.Events))
		opened := eventsOf[SessionOpened](b.out.Events)
		require.Len(t, opened, 1)
		assert.EqualValues(t, 0x12345678, opened[0].System)
		assert.EqualValues(t, 0x51573, opened[0].Host)
	}
}

// Facts 5.1, 5.2, 8.2 number 6: a refusal ends the join with its code, and nothing more is sent.
func TestJoinRefused(t *testing.T) {
	b := newBench(t, Config{})
	b.request(mockJoin("sonic boom"))
	reply := octets(t, hexRequestPlayerReply)
	binary.LittleEndian.PutUint32(reply[64:], uint32(wire.ErrCantCreatePlayer))
	assert.Empty(t, b.tcp(reply))
	assert.Equal(t, []Done{{Token: 1, Err: wire.ErrCantCreatePlayer}}, eventsOf[Done](b.out.Events))
	b.request(mockJoin("sonic boom")) // facts, 5.4: the same object joins again
	b.tcp(octets(t, hexRequestPlayerReply))
	assert.Empty(t, b.tcp(octets(t, hexRefused)))
	assert.Equal(t, []Done{{Token: 1, Err: wire.ErrInvalidPassword}}, eventsOf[Done](b.out.Events))
	assert.Equal(t, []netip.AddrPort{mockHost}, b.out.Close)
	assert.Empty(t, b.tcp(octets(t, hexRefused)))
	assert.Equal(t, OutOfTurn, eventsOf[Dropped](b.out.Events)[0].Reason)
}

// Facts 3.4: 64 octets after the HRESULT are tolerated.
func TestLongRequestPlayerReply(t *testing.T) {
	b := newBench(t, Config{Legacy: true})
	b.request(mockJoin(""))
	reply := append(octets(t, hexRequestPlayerReply), make([]byte, 64)...)
	reply[0] = 0x84
	b.one(b.tcp(reply), TCP, mockHost.String(), hexForwardPlain)
}

// Facts 8.2 numbers 8, 9 and 10, 8.4.
func TestMemberOctets(t *testing.T) {
	b := joined(t, Config{})
	b.one(b.tcp(octets(t, hexAddForward)), TCP, mockHost.String(), hexAddForwardAck)
	b.one(b.request(CreatePlayer{ShortName: "short player name", LongName: "long player name",
		Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}}), TCP, mockHost.String(), strings.Replace(hexRequestPlayerID, "09 00 00 00", "08 00 00 00", 1))
	sends := b.give(3)
	require.NotEmpty(t, sends)
	b.one(sends[:1], TCP, mockHost.String(), hexCreatePlayer3)
	b.one(b.udp(1234, octets(t, hexPing)), UDP, "10.0.0.9:2399", hexPingReply)
}

// Facts 3.11: the last six octets of CREATEPLAYER are not in the packed player's size.
func TestBarePlayerOctets(t *testing.T) {
	b := joined(t, Config{})
	b.request(CreatePlayer{ShortName: Octets(nil), LongName: Octets(nil), Flags: wire.PlayerSpectator})
	sends := b.give(0x11223344)
	require.Len(t, sends, 1)
	require.Len(t, sends[0].Data, 134)
	le := binary.LittleEndian
	assert.EqualValues(t, 134-20-28-6, le.Uint32(sends[0].Data[48:]))
	assert.EqualValues(t, 0x208, le.Uint32(sends[0].Data[52:]), "a spectator (facts, 3.11)")
	assert.EqualValues(t, 0x12345678, le.Uint32(sends[0].Data[80:]))
	assert.Equal(t, make([]byte, 6), sends[0].Data[128:])
}

// Facts 8.2 numbers 11 and 12, 3.12 to 3.14, 8.4.
func TestGameOctets(t *testing.T) {
	b := created(t, Config{})
	payload := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	const head = `24 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00 `
	b.one(b.request(Send{From: 3, To: 0x1337, Guaranteed: true, Payload: payload}), TCP, mockHost.String(),
		head+`03 00 00 00 37 13 00 00 01 02 03 04 05 06 07 08`)
	b.one(b.request(Send{From: 3, To: wire.IDAll, Guaranteed: true, Payload: payload}), TCP, mockHost.String(),
		head+`03 00 00 00 00 00 00 00 01 02 03 04 05 06 07 08`)
	b.one(b.request(Send{From: 3, To: 0x1337, Payload: payload}), UDP, "10.0.0.9:2399",
		`03 00 00 00 37 13 00 00 01 02 03 04 05 06 07 08`)
	b.one(b.request(Send{From: 3, To: 0x5E7, Payload: payload}), UDP, "10.0.0.9:2399",
		`03 00 00 00 e7 05 00 00 01 02 03 04 05 06 07 08`)
	assert.Empty(t, b.request(Send{From: 3, To: 3, Payload: payload}), "to oneself: no traffic")
	assert.Empty(t, eventsOf[Message](b.out.Events))
	b.one(b.request(AddToGroup{Player: 3, Group: 0x5E7}), TCP, mockHost.String(),
		`30 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 0d 00 0e 00 00 00 00 00 03 00 00 00 e7 05 00 00 00 00 00 00 00 00 00 00`)
}

// Facts 2.14, 3.13, 3.14, 8.2 number 12.
func TestInboundOctets(t *testing.T) {
	b := created(t, Config{})
	b.request(CreatePlayer{})
	b.give(4)
	b.udp(1234, octets(t, `37 13 00 00 00 00 00 00 01 02`))
	all := wire.IDAll
	assert.Equal(t, []Message{{From: 0x1337, To: 3, Sent: all, Payload: []byte{1, 2}}, {From: 0x1337, To: 4, Sent: all, Payload: []byte{1, 2}}},
		eventsOf[Message](b.out.Events))
	b.tcp(octets(t, `1e 00 b0 fa 02 00 09 2d 00 00 00 00 00 00 00 00 00 00 00 00 37 13 00 00 04 00 00 00 01 02`))
	assert.Equal(t, []Message{{From: 0x1337, To: 4, Sent: 4, Guaranteed: true, Payload: []byte{1, 2}}}, eventsOf[Message](b.out.Events))
	b.tcp(octets(t, hexCreatedPlayer))
	got := eventsOf[PlayerCreated](b.out.Events)
	require.Len(t, got, 1)
	assert.Equal(t, "new player long name", got[0].LongName)
	assert.Equal(t, []byte{4, 3, 2, 1}, got[0].Data)
	assert.False(t, got[0].Local)
	b.tcp(octets(t, hexGroupData))
	changed := eventsOf[GroupChanged](b.out.Events)
	require.Len(t, changed, 1)
	assert.Equal(t, []byte{8, 7, 6, 5, 4, 3, 2, 1}, changed[0].Data)
	mock := append(octets(t, hexGroupData), make([]byte, 248)...) // facts, 3.13: 300 octets for 8
	mock[0], mock[1] = 0x2C, 0x01
	b.tcp(mock)
	require.Len(t, eventsOf[GroupChanged](b.out.Events), 1)
}
