package show_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// tableMessages are the golden messages of package dpl8, by name.
func tableMessages(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "wire", "dpl8", "testdata", "golden", "*.hex"))
	require.NoError(t, err)
	require.Greater(t, len(files), len(dpl8.Types())-1)
	all := map[string][]byte{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var digits strings.Builder
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			digits.WriteString(strings.Join(strings.Fields(line), ""))
		}
		all[strings.TrimSuffix(filepath.Base(name), ".hex")], err = hex.DecodeString(digits.String())
		require.NoError(t, err)
	}
	return all
}

// TestTableMessages shows every message of [MC-DPL8CS] in an EXTENSION TABLE: its fields cover it, and its object has no
// key twice.
func TestTableMessages(t *testing.T) {
	for name, b := range tableMessages(t) {
		t.Run(name, func(t *testing.T) {
			m, err := dpl8.Decode(b)
			require.NoError(t, err)
			one(t, wire.NewExtension(0x501, &wire.ExtensionTable{Message: b}), func(r *captures.Record) {
				var js show.JSON
				var tree show.Tree
				var line show.Line
				object := js.Append(nil, r)
				requireObject(t, object)
				var o struct {
					Command string
					Message struct{ Message map[string]any }
				}
				require.NoError(t, json.Unmarshal(object, &o))
				assert.Equal(t, "EXTENSION TABLE "+m.Type().String(), o.Command)
				assert.Contains(t, o.Message.Message, "dw_packet_type")
				assert.NotEmpty(t, tree.Append(nil, r))
				assert.Contains(t, string(line.Append(nil, r)), "  "+o.Command+" from=0x00000501")
				covered(t, r, b)
			})
		})
	}
}

// covered checks that the fields of the message inside cover its octets, no octet twice.
func covered(t *testing.T, r *captures.Record, b []byte) {
	t.Helper()
	first := len(r.Raw) - len(b)
	seen := make([]int, len(b))
	depth := 0
	new(show.Walker).Walk(r, func(f *wire.Field) {
		switch f.Kind {
		case wire.KindStruct, wire.KindList, wire.KindMessage:
			depth++
		case wire.KindEnd:
			depth--
		}
		require.GreaterOrEqual(t, depth, 0)
		for i := range f.Size {
			if at := f.Offset + i - first; at >= 0 {
				seen[at]++
			}
		}
	})
	assert.Zero(t, depth)
	for i, n := range seen {
		require.Equal(t, 1, n, "octet %d", i)
	}
}

// TestTablePlaces: what an element of a list points to stands in that element.
func TestTablePlaces(t *testing.T) {
	b := append(tableMessages(t)["ACK_NAMETABLE_OP"], 0x99)
	b[4+4+8] = 15 // dwOpSize of operation 0: it is cut short, and octets belong to nobody
	one(t, wire.NewExtension(0x501, &wire.ExtensionTable{Message: b}), func(r *captures.Record) {
		tree := string((&show.Tree{Payload: show.PayloadHex}).Append(nil, r))
		_, tree, _ = strings.Cut(tree, "IDFrom")
		assert.Equal(t, `: 0x00000501
            36  Message
            36    dwPacketType: 204 (ACK_NAMETABLE_OP)
            40    dwNumEntries: 3
            44    Operations: 3
            44      Operations[0]
            44        dwMsgId: 209 (DESTROY_PLAYER)
            48        dwOpOffset: 89
            52        dwOpSize: 15
           129        opOctets: 15 octets 0300300007000000a4a3a2a1020000
            56      Operations[1]
            56        dwMsgId: 219 (UPDATE_INFO)
            60        dwOpOffset: 43
            64        dwOpSize: 46
            83        op
            83          dwPacketContext: 0xc0ffee01
            87          dpnid: 0x00300003
            91          dwVersion: 7
            95          dwVersionNotUsed: 0xa1a2a3a4
            99          dwInfoFlags: 0x00000003 NAME|DATA
           103          dwNameOffset: 42
           107          dwNameSize: 4
           111          dwDataOffset: 40
           115          dwDataSize: 2
           119          dpnidRequesting: 0x00200002
           123          data: 2 octets d1d2
           125          name: "B"
            68      Operations[2]
            68        dwMsgId: 220 (UNKNOWN(0x000000dc))
            72        dwOpOffset: 40
            76        dwOpSize: 3
            80        opOctets: 3 octets 010203
           144    Stray: 2 octets 0099
`, tree)
		requireObject(t, new(show.JSON).Append(nil, r))
	})
	one(t, wire.NewExtension(0x501, &wire.ExtensionTable{Message: tableMessages(t)["SEND_CONNECT_INFO"]}), func(r *captures.Record) {
		var o struct {
			Message struct {
				Message struct {
					Entries []map[string]any `json:"dn_name_table_entry_info"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(new(show.JSON).Append(nil, r), &o))
		require.Len(t, o.Message.Message.Entries, 2)
		assert.Equal(t, "Ann", o.Message.Message.Entries[0]["name"])
		assert.Equal(t, "G", o.Message.Message.Entries[1]["name"])
		assert.Equal(t, "d1d2", o.Message.Message.Entries[1]["data"])
		assert.NotContains(t, o.Message.Message.Entries[0], "data")
	})
}

// TestRound: what releases before views added to DN_HOST_MIGRATE has names.
func TestRound(t *testing.T) {
	b, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: 0x501, NewHost: 0x601})
	require.NoError(t, err)
	b = append(b, 7, 0, 0, 0, 1, 4, 0, 0, 1, 3, 0, 0)
	one(t, wire.NewExtension(0x601, &wire.ExtensionTable{Message: b}), func(r *captures.Record) {
		assert.Empty(t, r.Findings)
		object := string(new(show.JSON).Append(nil, r))
		requireObject(t, []byte(object))
		assert.Contains(t, object, `"dpnid_new_host":"0x00000601","round":7,"gone":["0x00000401","0x00000301"]}}`)
		assert.Contains(t, string(new(show.Line).Append(nil, r)),
			"EXTENSION TABLE HOST_MIGRATE from=0x00000601 dpnid_old_host=0x00000501 dpnid_new_host=0x00000601 round=7\n")
		covered(t, r, b)
	})
	one(t, wire.NewExtension(0x601, &wire.ExtensionTable{Message: b[:len(b)-1]}), func(r *captures.Record) {
		assert.Equal(t, captures.StrayOctets, r.Findings[0].Code)
		assert.Contains(t, string(new(show.JSON).Append(nil, r)), `"stray":[{"offset":48,"octets":"0700000001040000010300"}]`)
	})
}

// TestTableMalformed: what does not decode inside is shown as octets.
func TestTableMalformed(t *testing.T) {
	one(t, wire.NewExtension(0x501, &wire.ExtensionTable{Message: []byte{0xd0, 0, 0, 0, 7}}), func(r *captures.Record) {
		object := string(new(show.JSON).Append(nil, r))
		requireObject(t, []byte(object))
		assert.Contains(t, object, `"message":"d000000007"}`)
		assert.Contains(t, object, `"code":"message-malformed"`)
		line := string(new(show.Line).Append(nil, r))
		assert.Contains(t, line, "EXTENSION TABLE ADD_PLAYER from=0x00000501 message=5 octets d000000007  ! ADD_PLAYER.")
	})
}

// TestExtensionLines: what stands in a line of each kind.
func TestExtensionLines(t *testing.T) {
	at := wire.SockAddr{Family: wire.FamilyINet, Port: 2300, Addr: [4]byte{10, 0, 0, 9}}
	destroy, err := dpl8.Append(nil, &dpl8.DestroyPlayer{Leaving: 5, Version: 9, Reason: dpl8.DestroyNormal})
	require.NoError(t, err)
	for _, c := range []struct {
		m    wire.Message
		want string
	}{
		{wire.NewExtension(5, &wire.ExtensionHello{Abilities: 3, Answer: 1, Version: 7}),
			"HELLO from=0x00000005 abilities=TABLE|OBJECTS answer=1 version=7"},
		{wire.NewExtension(5, &wire.ExtensionHello{Abilities: 0x11}),
			"HELLO from=0x00000005 abilities=TABLE|VIEWS answer=0 version=0"},
		{wire.NewExtension(5, &wire.ExtensionHello{Abilities: 0xC8000121}),
			"HELLO from=0x00000005 abilities=TABLE|0x00000020|TURN=1|FIRST=200 answer=0 version=0"},
		{wire.NewExtension(5, &wire.ExtensionView{Step: wire.ViewInstall, View: wire.View{Epoch: 3, Leader: 6}, Index: 9, Base: 4, Ops: [][]byte{destroy}}),
			"VIEW INSTALL from=0x00000005 epoch=3 leader=0x00000006 base=4 index=9 deletes=0x00000005"},
		{wire.NewExtension(5, &wire.ExtensionView{Step: wire.ViewPosition, View: wire.View{Epoch: 3, Leader: 6}, Place: wire.View{Epoch: 4}, Index: 9}),
			"VIEW POSITION from=0x00000005 epoch=3 leader=0x00000006 promised=4 index=9"},
		{wire.NewExtension(5, &wire.ExtensionView{Step: wire.ViewRefuse, View: wire.View{Epoch: 3, Leader: 6}, Index: 1}),
			"VIEW REFUSE from=0x00000005 epoch=3 leader=0x00000006 reason=leader-answers"},
		{wire.NewExtension(5, &wire.ExtensionView{Step: wire.ViewAck, View: wire.View{Epoch: 3, Leader: 6}, Place: wire.View{Epoch: 2}, Index: 9, Base: 77,
			Part: 1, Parts: 2, Lost: []wire.ViewMember{{System: 4}}, Ops: [][]byte{{1, 2}}}),
			"VIEW ACK from=0x00000005 epoch=3 leader=0x00000006 place=2 index=9 part=1/2 lost=1 operation=2 octets 0102" +
				"  ! operation 0 at octet 208 is none of a list: MESSAGE.dwPacketType at octet 0: message too short"},
		{wire.NewExtension(5, &wire.ExtensionView{Step: wire.ViewAccuse, View: wire.View{Epoch: 3, Leader: 6}, Members: []wire.ViewMember{{System: 4}}}),
			"VIEW ACCUSE from=0x00000005 epoch=3 leader=0x00000006 accused=0x00000004"},
		{wire.NewExtension(5, &wire.ExtensionHello{}), "HELLO from=0x00000005 abilities=0 answer=0 version=0"},
		{wire.NewExtension(5, &wire.ExtensionTable{Message: destroy}),
			"TABLE DESTROY_PLAYER from=0x00000005 dpnid_leaving=0x00000005 version=9 destroy_reason=NORMAL"},
		{wire.NewExtension(5, &wire.ExtensionClaim{Instance: wire.GUID{1}, Version: 3, Stream: at}),
			"CLAIM from=0x00000005 host=0x00000005 instance={00000001-0000-0000-0000-000000000000} version=3 tcp=10.0.0.9:2300"},
		{wire.NewExtension(5, &wire.ExtensionRejoinAt{Host: 6, Stream: at}),
			"REJOINAT from=0x00000005 host=0x00000006 tcp=10.0.0.9:2300"},
		{wire.NewExtension(5, &wire.ExtensionRejoin{Instance: wire.GUID{1}, SPData: spData("10.0.0.9")}),
			"REJOIN from=0x00000005 instance={00000001-0000-0000-0000-000000000000} tcp=10.0.0.9:2300 udp=10.0.0.9:2350"},
		{wire.NewExtension(5, &wire.ExtensionHello{Abilities: 15}), "HELLO from=0x00000005 abilities=TABLE|OBJECTS|ARRIVED|COUNTED answer=0 version=0"},
		{wire.NewExtension(5, &wire.ExtensionArrived{Mine: wire.ArrivedEnd{Incarnation: wire.GUID{0xAB}, Meeting: 3}, Connection: 4, Next: 1 << 32, Read: 5, Count: 6}),
			"ARRIVED from=0x00000005 incarnation=ab00000000000000/3 receiver=0000000000000000/0 connection=4 next=4294967296 read=5 count=6"},
		{wire.NewExtension(5, &wire.ExtensionObject{Op: wire.KindObjectUpdate, Object: wire.ObjectID{Creator: 5, Number: 3}, Owner: 6,
			Counter: 1, Sequence: 2, State: []byte{1}}),
			"OBJECTUPDATE from=0x00000005 object=0x00000005/3 owner=0x00000006 counter=1 sequence=2 state=1 octets 01"},
		{&wire.Extension{Release: 2, Kind: 7, From: 5, Octets: []byte{1}},
			"UNKNOWN(0x0007) from=0x00000005 release=2 body=1 octets 01"},
	} {
		one(t, c.m, func(r *captures.Record) {
			_, got, _ := strings.Cut(string(new(show.Line).Append(nil, r)), "EXTENSION ")
			assert.Equal(t, c.want, strings.TrimSpace(got))
			id, ok := r.Sender()
			assert.True(t, ok)
			assert.EqualValues(t, 5, id)
		})
	}
}

// TestExtensionStats: statistics count the kinds.
func TestExtensionStats(t *testing.T) {
	var packets []packet
	for _, b := range []wire.ExtensionBody{&wire.ExtensionHello{}, &wire.ExtensionClaim{}, &wire.ExtensionHello{},
		&wire.ExtensionTable{Message: []byte{0xd1, 0, 0, 0}},
		&wire.ExtensionTable{Message: []byte{0xc9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}}} {
		packets = append(packets, packet{src: "10.0.0.2:2350", dst: "10.0.0.1:2350", payload: sys(wire.NewExtension(0x501, b))})
	}
	var s show.Stats
	each(t, pcap(t, packets...), captures.Options{}, s.Add)
	text := string(s.AppendText(nil))
	assert.Regexp(t, `(?m)^EXTENSION HELLO +2 `, text)
	assert.Regexp(t, `(?m)^EXTENSION CLAIM +1 `, text)
	assert.Regexp(t, `(?m)^EXTENSION TABLE DESTROY_PLAYER +1 `, text)
	assert.Regexp(t, `(?m)^EXTENSION TABLE NAMETABLE_VERSION +1 `, text)
	assert.Regexp(t, `(?m)^0x00000501 +5 `, text)
}
