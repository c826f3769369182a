package show_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/internal/madeup"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shapes is a capture with a record of every shape.
func shapes(t testing.TB) []byte {
	const a, b, c = "10.0.0.1", "10.0.0.2", "10.0.0.3"
	tcp := func(payload []byte) packet { return packet{true, b + ":1025", a + ":2300", payload} }
	udp := func(payload []byte) packet { return packet{false, b + ":2350", a + ":2350", payload} }
	rel := func(f reliable.Frame) packet {
		payload, err := f.Append(nil)
		require.NoError(t, err)
		return packet{false, c + ":2350", c + ":2351", payload}
	}
	long := bare(&wire.Chat{From: 0x11, To: 0x12, Text: wire.NewText("in several frames")})
	whole := bare(&wire.Chat{From: 0x502, To: 0, Text: wire.NewText("in fragments")})
	fragment := func(i, total int) []byte {
		at := i * 20
		return sys(&wire.Packet{ID: wire.GUID{9}, Index: uint32(i), Total: uint32(total), Offset: uint32(at),
			MessageSize: uint32(len(whole)), Data: wire.Inner{Octets: whole[at:min(at+20, len(whole))]}})
	}
	const data = reliable.CMD | reliable.RLY
	return pcap(t, append([]packet{
		udp(sys(&wire.EnumSessions{Application: wire.GUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Flags: 0x41,
			Password: wire.NewText("héllo")})),
		tcp(append(sys(superEnum()), sys(&wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers})...)),
		tcp(sys(&wire.RequestPlayerReply{Result: 0x12345678, Security: wire.SecurityDesc{}})),
		tcp(madeup.Game(2300, 0x502, 0x503, "by TCP")),
		udp(bare(&wire.PlayerMessage{From: 0x502, Payload: []byte("by UDP")})),
		udp(sys(&wire.PlayerWrapper{Player: wire.PlayerMessage{From: 0x503, To: 0x502, Payload: []byte("wrapped")}})),
		udp(append(sys(&wire.Ping{From: 0x501, Tick: 0xfedcba98}), "trailing"...)),
		udp(stray(sys(&wire.GroupDataChanged{Group: 0x504, Data: []byte{1, 2, 3}}), 5)),
		udp(sys(nested())),
		udp(sys(&wire.Signed{From: 0x501, Flags: wire.SignedEncrypted, Inner: wire.Inner{Octets: []byte("encrypted")},
			Signature: []byte("signature")})),
		udp(sys(&wire.Packet2Data{ID: wire.GUID{8}, Total: 1, MessageSize: uint32(len(whole)), Data: wire.Inner{Octets: whole}})),
		udp(fragment(0, 3)), udp(fragment(1, 3)), udp(fragment(2, 3)),
		udp(sys(&wire.Unknown{Cmd: 0x14, Body: []byte("unassigned")})),
		udp(cut(sys(&wire.EnumPlayersReply{Players: []wire.PackedPlayer{{ID: 1, ShortName: wire.NewText("Ann")},
			{ID: 2, ShortName: wire.NewText("Bob")}}}), 30)),
		udp(cut(sys(nested()), 70)),
		udp(sys(&wire.Ping{From: 0x501, Tick: 1})[:30]),
		udp(sys(&wire.Ping{From: 0x501, Tick: 1})[:25]),
		{true, c + ":1025", b + ":2300", sys(&wire.SuperEnumPlayersReply{
			Desc: wire.SessionDesc{Instance: wire.GUID{2}, Flags: wire.SessionDirectPlayProtocol}, Name: wire.NewText("reliable"),
			Players: []wire.SuperPackedPlayer{{ID: 0x11, ShortName: wire.NewText("Eve"), SPData: spData("0.0.0.0")}},
		})},
	},
		rel(reliable.Frame{From: 0x11, To: 0x12, Flags: data | reliable.STA | reliable.EOM, MessageID: 1, Sequence: 1,
			Data: bare(&wire.PlayerMessage{From: 0x11, To: 0x12, Payload: []byte("hi")})}),
		rel(reliable.Frame{From: 0x11, To: 0x12, Flags: data | reliable.STA | reliable.EOM, MessageID: 2, Sequence: 2,
			Data: stray(bare(&wire.Ping{From: 0x11, Tick: 5}), 2)}),
		rel(reliable.Frame{From: 0x11, To: 0x12, Flags: data | reliable.STA, MessageID: 3, Sequence: 3, Data: long[:20]}),
		rel(reliable.Frame{From: 0x11, To: 0x12, Flags: data | reliable.EOM, MessageID: 3, Sequence: 4, Data: long[20:]}),
		rel(reliable.Frame{From: 0x12, To: 0x11, Flags: reliable.ACK, MessageID: 3, Sequence: 4, BytesReceived: 100, Tick: 7}),
		rel(reliable.Frame{From: 0x12, To: 0x11, Flags: reliable.ACK | reliable.EXT, Extended: reliable.Extended(0).WithMaskSize(2),
			Mask: 0x101, MessageID: 4, Sequence: 9, Trailing: []byte("?")}),
		rel(reliable.Frame{From: 0x11, To: 0x12, Flags: data | reliable.STA | reliable.EOM, MessageID: 4, Sequence: 5,
			Data: bare(&wire.Ping{From: 0x11, Tick: 5})[:14]}),
		packet{false, c + ":2350", c + ":2351", []byte{0x11, 0x12, 0x60, 1}},
	)...)
}

// superEnum lists players with names in both encodings, a group, a shortcut and a spectator.
func superEnum() wire.Message {
	return &wire.SuperEnumPlayersReply{
		Desc: wire.SessionDesc{Flags: wire.SessionKeepAlive | wire.SessionMigrateHost | 1<<20, Instance: wire.GUID{1},
			Application: wire.GUID{2},
			MaxPlayers:  8, CurrentPlayers: 2, NamePointer: 0xdeadbeef, Reserved1: 0x284cb, User: [4]uint32{1, 2, 3, 4}},
		Name: wire.NewText8("Lords"), Password: wire.NewText("geheim"),
		Players: []wire.SuperPackedPlayer{
			{ID: 0x501, Flags: wire.PlayerSystem | wire.PlayerNameServer, Owner: 14, SPData: spData("0.0.0.0")},
			{ID: 0x502, Flags: wire.PlayerLocal, Owner: 0x501, ShortName: wire.NewText8("Nobleman"), LongName: wire.NewText("Édouard"),
				Data: []byte{0xca, 0xfe}},
			{ID: 0x503, Flags: wire.PlayerSpectator, Owner: 0x501, ShortName: wire.NewText("\x1b[31m\u202e\"x\\")},
		},
		Groups: []wire.SuperPackedPlayer{{ID: 0x504, Flags: wire.PlayerGroup, ShortName: wire.NewText("Reds"),
			PlayerIDs: []wire.PlayerID{0x502, 0x503}}},
		Shortcuts: []wire.SuperPackedPlayer{{ID: 0x504, Parent: 0x505, Shortcuts: []wire.PlayerID{0x506}}},
	}
}

// nested is a message in a message in a message.
func nested() wire.Message {
	return &wire.MulticastDelivery{Group: 0x504, From: 0x502, Inner: wire.Inner{Version: 13, Message: &wire.Signed{
		From: 0x501, Signature: []byte{1, 2, 3}, Inner: wire.Inner{Version: 14,
			Message: &wire.CreatePlayer{Player: 0x507, Info: wire.PackedPlayer{
				ID: 0x507, Flags: wire.PlayerLocal, System: 0x501, Version: 14, ShortName: wire.NewText8("Knight"),
				SPData: spData("10.0.0.2"), Data: []byte{9},
			}}},
	}}}
}

// stray puts octets behind a message that belong to no field of it.
func stray(b []byte, n int) []byte {
	b = append(b, bytes.Repeat([]byte{0xee}, n)...)
	if b[0] != 'p' {
		b[0] += byte(n)
	}
	return b
}

// cut takes octets off the end of a message, and corrects its size.
func cut(b []byte, n int) []byte {
	b = b[:len(b)-n]
	b[0] -= byte(n)
	return b
}

// golden compares with a file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("..", "testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

// TestShapes shows a record of every shape as a line with its tree, and as NDJSON. The octets are made up here;
// what they mean follows the sections of the specification that package wire names.
func TestShapes(t *testing.T) {
	var text, objects []byte
	var line show.Line
	var tree show.Tree
	var js show.JSON
	each(t, shapes(t), captures.Options{Name: "shapes"}, func(r *captures.Record) {
		text = line.Append(text, r)
		text = tree.Append(text, r)
		at := len(objects)
		objects = append(js.Append(objects, r), '\n')
		requireObject(t, objects[at:])
	})
	golden(t, "shapes.txt", text)
	golden(t, "shapes.ndjson", objects)
}

// TestEveryCommand shows a message of each command in every way.
func TestEveryCommand(t *testing.T) {
	everyCommand(t, func(t *testing.T, r *captures.Record) {
		var js show.JSON
		var tree show.Tree
		var line show.Line
		requireObject(t, js.Append(nil, r))
		assert.NotEmpty(t, tree.Append(nil, r))
		assert.Contains(t, string(line.Append(nil, r)), r.Command())
	})
}

// requireObject checks that b is a JSON object and that no object in it has a key twice.
func requireObject(t testing.TB, b []byte) {
	t.Helper()
	require.True(t, json.Valid(b), "%s", b)
	d := json.NewDecoder(bytes.NewReader(b))
	var walk func(where string)
	walk = func(where string) {
		token, err := d.Token()
		require.NoError(t, err)
		switch token {
		case json.Delim('{'):
			keys := map[string]bool{}
			for d.More() {
				key, err := d.Token()
				require.NoError(t, err)
				name := key.(string)
				require.False(t, keys[name], "%s.%s is there twice: %s", where, name, b)
				require.Regexp(t, "^[a-z][a-z0-9_]*$", name)
				keys[name] = true
				walk(where + "." + name)
			}
			_, err = d.Token()
		case json.Delim('['):
			for i := 0; d.More(); i++ {
				walk(fmt.Sprintf("%s[%d]", where, i))
			}
			_, err = d.Token()
		}
		require.NoError(t, err)
	}
	walk("")
	_, err := d.Token()
	require.Equal(t, io.EOF, err)
}
