package show_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// object decodes the object of a record.
func object(t *testing.T, js *show.JSON, r *captures.Record) map[string]any {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(string(js.Append(nil, r))))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}

// TestJSONFormats: how each kind of value is written (issue 2, section 4; NDJSON.md).
func TestJSONFormats(t *testing.T) {
	desc := wire.SessionDesc{Flags: 0x44, Instance: wire.GUID{0x0b, 0xa5, 0x52, 0xa0, 0xe0, 0xff, 0xcf, 0x11, 0x9c, 0x4e, 0, 0xa0,
		0xc9, 5, 0x42, 0x5e}, Reserved1: 0x284cb}
	cases := []struct {
		name string
		m    wire.Message
		path string
		want string
	}{
		{"id", &wire.Ping{From: 0x384c9}, "message.id_from", `"0x000384c9"`},
		{"number", &wire.Ping{Tick: 0xffffffff}, "message.tick_count", `4294967295`},
		{"GUID", &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText("x")}, "message.session_desc.instance_guid",
			`"{a052a50b-ffe0-11cf-9c4e-00a0c905425e}"`},
		{"flags", &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText("x")}, "message.session_desc.flags",
			`{"names":["MIGRATEHOST","KEEPALIVE"],"value":68}`},
		{"no flags", &wire.EnumSessions{}, "message.flags", `{"names":[],"value":0}`},
		{"value without magnitude", &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText("x")},
			"message.session_desc.reserved1", `"0x000284cb"`},
		{"Reserved1 where the specification has a tick count", &wire.AddForwardRequest{Reserved1: 0x284cb},
			"message.session_reserved1", `"0x000284cb"`},
		{"result", &wire.AddForwardReply{Error: wire.ErrInvalidPassword}, "message.error",
			`{"name":"DPERR_INVALIDPASSWORD","value":"0x88770154"}`},
		{"unknown result", &wire.AddForwardReply{Error: 1}, "message.error", `{"name":null,"value":"0x00000001"}`},
		{"UTF-16", &wire.PlayerNameChanged{ShortName: wire.NewText("Zoë")}, "message.short_name", `"Zoë"`},
		{"UTF-16 alone", &wire.PlayerNameChanged{ShortName: wire.NewText("Zoë")}, "message.encoding", `null`},
		{"8 bits", &wire.PlayerNameChanged{ShortName: wire.NewText8("Nobleman")}, "message.short_name", `"Nobleman"`},
		{"8 bits alone", &wire.PlayerNameChanged{ShortName: wire.NewText8("Nobleman")}, "message.encoding", `"8-bit"`},
		{"both", &wire.PlayerNameChanged{ShortName: wire.NewText8("Nobleman"), LongName: wire.NewText("Zoë")},
			"message.encoding", `"mixed"`},
		{"no name", &wire.PlayerNameChanged{ShortName: wire.NewText("x")}, "message.long_name", `null`},
		{"octets", &wire.PlayerDataChanged{Data: []byte{0xca, 0xfe}}, "message.player_data", `"cafe"`},
		{"sockets", &wire.CreatePlayer{Info: wire.PackedPlayer{SPData: spData("10.1.2.3")}},
			"message.player_info.service_provider_data", `{"datagram":"10.1.2.3:2350","stream":"10.1.2.3:2300"}`},
		{"SP data that is something else", &wire.CreatePlayer{Info: wire.PackedPlayer{SPData: []byte{1}}},
			"message.player_info.service_provider_data", `"01"`},
		{"header", &wire.Ping{}, "header", `{"size":36,"sock_addr":"0.0.0.0:2300","token":{"name":"REMOTE","value":"0xfab"}}`},
		{"dialect", &wire.Ping{}, "dialect", `14`},
		{"ids in a list", &wire.CreateGroup{Info: wire.PackedPlayer{PlayerIDs: []wire.PlayerID{1, 2}}}, "message.group_info.player_ids",
			`["0x00000001","0x00000002"]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			one(t, c.m, func(r *captures.Record) {
				var js show.JSON
				var v any = object(t, &js, r)
				for _, key := range strings.Split(c.path, ".") {
					v = v.(map[string]any)[key]
				}
				b, err := json.Marshal(v)
				require.NoError(t, err)
				assert.JSONEq(t, c.want, string(b))
			})
		})
	}
}

// TestJSONPayload: payloads as hexadecimal, base64 or null, wherever they stand.
func TestJSONPayload(t *testing.T) {
	payload := []byte{0, 0xff, 'x'}
	m := &wire.Ask4Multicast{Inner: wire.Inner{Message: &wire.PlayerMessage{From: 1, To: 2, Payload: payload}}}
	for format, want := range map[show.PayloadFormat]any{
		show.PayloadHex: hex.EncodeToString(payload), show.PayloadBase64: base64.StdEncoding.EncodeToString(payload),
		show.PayloadNone: nil,
	} {
		one(t, m, func(r *captures.Record) {
			js := show.JSON{Payload: format}
			inner := object(t, &js, r)["message"].(map[string]any)["multicast_message"].(map[string]any)
			got, there := inner["player_message"]
			assert.True(t, there, "the key is there in any case")
			assert.Equal(t, want, got)
		})
	}
}

// hostile are names that try to be more than names.
var hostile = []string{
	"\x1b[2J\x1b]0;owned\a", "\u009b31m", "tab\tnewline\nreturn\r", `quote" backslash\ slash/`, "\u202egnp.exe",
	"\u2066isolate\u2069", "zero\u200bwidth\ufeff",
	"line\u2028paragraph\u2029", "\U000e0041tag", "private \ue000", "\x7fdel", "日本語", "emoji 😀",
}

// TestHostileNames: a name reaches line, tree and JSON as text that can be read back and cannot do anything.
func TestHostileNames(t *testing.T) {
	for _, name := range hostile {
		one(t, &wire.Chat{From: 1, To: 2, Text: wire.NewText(name)}, func(r *captures.Record) {
			var js show.JSON
			assert.Equal(t, name, object(t, &js, r)["message"].(map[string]any)["chat_message"])
			var line show.Line
			var tree show.Tree
			for _, out := range []string{string(js.Append(nil, r)), string(line.Append(nil, r)), string(tree.Append(nil, r))} {
				for _, c := range strings.ReplaceAll(out, "\n", "") {
					assert.False(t, c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x202e || c == 0x2066 || c == 0x200b ||
						c == 0xfeff || c == 0xe0041, "%q in %q", c, out)
				}
			}
			assert.Equal(t, 1, strings.Count(string(line.Append(nil, r)), "\n"))
		})
	}
}

// TestInvalidUTF16: half of a surrogate pair becomes the replacement character.
func TestInvalidUTF16(t *testing.T) {
	bad := wire.Text{0x3d, 0xd8, 'a', 0, 0x00, 0xde, 'b', 0, 0, 0}
	require.True(t, utf16.IsSurrogate(0xd83d))
	one(t, &wire.Chat{Text: bad}, func(r *captures.Record) {
		var js show.JSON
		assert.Equal(t, "\ufffda\ufffdb", object(t, &js, r)["message"].(map[string]any)["chat_message"])
		assert.Contains(t, string(show.Details(nil, r, show.PayloadHex)), "text=\"\ufffda\ufffdb\"")
	})
}

// TestJSONFinding writes findings by themselves.
func TestJSONFinding(t *testing.T) {
	for want, f := range map[string]captures.Finding{
		`{"code":"octets-lost","field":null,"offset":null,"text":"gone"}`: {Code: captures.OctetsLost, Offset: -1, Text: "gone",
			File: "not written"},
		`x{"code":"file-damaged","field":"magic number","offset":0,"text":"a \"quote\"","frame":7}`: {Code: captures.FileDamaged,
			Field: "magic number", Text: `a "quote"`, Frame: 7},
	} {
		prefix := strings.TrimSuffix(want, want[strings.Index(want, "{"):])
		assert.Equal(t, want, string(show.AppendFinding([]byte(prefix), &f)))
	}
}

// TestJSONTime: RFC 3339 in UTC, with nine decimals whatever they are.
func TestJSONTime(t *testing.T) {
	one(t, &wire.Ping{}, func(r *captures.Record) {
		for want, at := range map[string]time.Time{
			"2001-02-03T04:05:06.000000000Z": time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC),
			"2001-02-03T03:05:06.000000007Z": time.Date(2001, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600)),
		} {
			r.Time = at
			var js show.JSON
			assert.Equal(t, want, object(t, &js, r)["time"])
		}
	})
}

// TestJSONTypes: a key has the same type in every message, so that programs can rely on it. What is octets
// where it could not be decoded is a string there and an object elsewhere.
func TestJSONTypes(t *testing.T) {
	either := map[string]bool{ // NDJSON.md says so of these
		"service_provider_data": true, "message": true, "packet_data": true, "multicast_message": true, "broadcast_message": true,
	}
	types := map[string]map[string]string{} // by path, type, with an example
	var note func(path, command string, v any)
	note = func(path, command string, v any) {
		kind := fmt.Sprintf("%T", v)
		if v == nil || either[path[strings.LastIndex(path, ".")+1:]] && kind == "string" {
			return
		}
		if types[path] == nil {
			types[path] = map[string]string{}
		}
		types[path][kind] = command
		switch v := v.(type) {
		case map[string]any:
			if _, nested := v["command"]; nested && path != "" {
				path = ".message" // a message inside the message is like any other
			}
			for key, e := range v {
				note(path+"."+key, command, e)
			}
		case []any:
			for _, e := range v {
				note(path+"[]", command, e)
			}
		}
	}
	everyCommand(t, func(t *testing.T, r *captures.Record) {
		var js show.JSON
		note("", r.Command(), object(t, &js, r))
	})
	each(t, shapes(t), captures.Options{}, func(r *captures.Record) {
		var js show.JSON
		note("", r.Command(), object(t, &js, r))
	})
	var wrong []string
	for path, kinds := range types {
		if len(kinds) > 1 {
			wrong = append(wrong, fmt.Sprintf("%s: %v", path, kinds))
		}
	}
	sort.Strings(wrong)
	assert.Empty(t, wrong)
	assert.Greater(t, len(types), 150)
}
