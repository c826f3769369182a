package filter

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/wire"
)

// A game is a capture, and how it is read.
type game struct {
	octets []byte
	opt    captures.Options
}

// each hands every record of a capture to a function.
func (f game) each(t *testing.T, handle func(*captures.Record)) {
	t.Helper()
	_, err := captures.Read(context.Background(), bytes.NewReader(f.octets), f.opt, func(r *captures.Record) error {
		handle(r)
		return nil
	}, nil)
	require.NoError(t, err)
}

// matching returns the numbers of the messages of a capture that a filter lets through.
func (f game) matching(t *testing.T, text string) []int {
	t.Helper()
	filter, err := New(text, time.UTC)
	require.NoError(t, err)
	numbers := []int{}
	f.each(t, func(r *captures.Record) {
		if filter.Matches(r) {
			numbers = append(numbers, r.N)
		}
	})
	assert.Empty(t, filter.Failures())
	return numbers
}

// lab returns one of the project's captures by the beginning of its name.
func lab(t *testing.T, prefix string) game {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "captures", "lab", prefix+"*"))
	require.NoError(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return filepath.Ext(n) != ".pcap" })
	require.Len(t, names, 1, "captures that begin with %q", prefix)
	b, err := os.ReadFile(names[0])
	require.NoError(t, err)
	return game{octets: b}
}

// The UDP sockets of the machines of the captures made here.
const ann, bob = "10.0.0.1:2350", "10.0.0.2:2350"

// A packet of a capture made here.
type packet struct {
	transport dpsp.Transport
	src, dst  string
	payload   []byte
}

func udp(src, dst string, payload []byte) packet { return packet{dpsp.UDP, src, dst, payload} }

func tcp(payload []byte) packet { return packet{dpsp.TCP, "10.0.0.1:40000", "10.0.0.2:2300", payload} }

// recorded makes a capture of packets, a millisecond apart.
func recorded(t *testing.T, opt captures.Options, packets ...packet) game {
	t.Helper()
	var b bytes.Buffer
	w, err := recording.New(&b)
	require.NoError(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, p := range packets {
		w.Packet(at.Add(time.Duration(i)*time.Millisecond), p.transport, netip.MustParseAddrPort(p.src),
			netip.MustParseAddrPort(p.dst), p.payload)
	}
	require.NoError(t, w.Close())
	return game{b.Bytes(), opt}
}

// message encodes a message with an SP header that names the sender's TCP port 2300.
func message(t *testing.T, m wire.Message) []byte {
	t.Helper()
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// TestFilter holds expressions against the messages of capture 02 that they mean. Its messages are:
// 1 ENUMSESSIONS (UDP), 2 ENUMSESSIONSREPLY, 3 REQUESTPLAYERID, 4 REQUESTPLAYERREPLY, 5 ADDFORWARDREQUEST,
// 6 SUPERENUMPLAYERSREPLY, 7 REQUESTPLAYERID, 8 REQUESTPLAYERREPLY, 9 CREATEPLAYER of 0x3eb "W10", then game messages:
// 10 and 11 from W10, 12 and 13 from 0x3e9 "HostGuy".
func TestFilter(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
	for filter, want := range map[string][]int{
		// The record.
		`true`:                                     all,
		`n in 2..3`:                                {2, 3},
		`frames[0] > 50`:                           {12, 13},
		`len(frames) == 1 and n < 3`:               {1, 2},
		`relative > 2 and relative < 3`:            {10},
		`transport == "udp"`:                       {1},
		`src == "10.77.0.1:43872"`:                 {12},
		`dst endsWith ":47624"`:                    {1},
		`src_ip == "10.77.0.1"`:                    {2, 4, 6, 8, 12, 13},
		`dst_ip == "255.255.255.255"`:              {1},
		`src_port == 43872 or dst_port == 47624`:   {1, 12},
		`size == 175`:                              {9},
		`command == "REQUESTPLAYERID"`:             {3, 7},
		`command in ["CREATEPLAYER", "PING"]`:      {9},
		`command matches "^REQUEST.*REPLY$"`:       {4, 8},
		`command contains "SESSIONS"`:              {1, 2},
		`dialect == 11 and n > 6`:                  {7, 8, 9},
		`dialect == nil`:                           {10, 11, 12, 13},
		`conversation == 1`:                        {1},
		`via == "" and n == 5`:                     {5},
		`findings == [] and n == 5`:                {5},
		`from == 0x3eb`:                            {10, 11},
		`from == "0x000003eb"`:                     {10, 11},
		`from in [0x3e9, 7]`:                       {12, 13},
		`to == 0`:                                  {10, 11, 12, 13},
		`from > 0x3e9`:                             {10, 11},
		`from_name == "HostGuy" and to_name == ""`: {12, 13},
		// Fields, under the keys of the NDJSON.
		`message.id_from == 0x3eb`:                                             {10, 11},
		`message["id_from"] == 0x3eb`:                                          {10, 11},
		`message.player_message startsWith "7731"`:                             {10, 11},
		`message.session_desc.max_players == 8`:                                {2, 6},
		`message.session_name == "RZsession"`:                                  {2, 6},
		`message.session_desc.application_guid contains "a052a5"`:              {2, 6},
		`message.session_desc.flags == 0x44`:                                   {2, 6},
		`message.session_desc.flags.value == 68`:                               {2, 6},
		`message.session_desc.flags.names[1] == "KEEPALIVE"`:                   {2, 6},
		`has(message.session_desc.flags, "KEEPALIVE")`:                         {2, 6},
		`has(message.session_desc.flags, "keepalive")`:                         {2, 6},
		`"KEEPALIVE" in message.session_desc.flags`:                            {2, 6},
		`has(message.session_desc.flags, "PASSWORDREQUIRED")`:                  {},
		`has(message.flags, "SYSTEM")`:                                         {3},
		`message.flags == 8`:                                                   {7},
		`message.player_info.short_name == "W10"`:                              {9},
		`message.player_info.service_provider_data.datagram == "0.0.0.0:2350"`: {5, 9},
		`message.players[1].short_name == "HostGuy"`:                           {6},
		`message.players[-1].id == 0x3ea`:                                      {6},
		`message.players[99].id == 0x3ea`:                                      {},
		`message.players[1].id in [0x3e9, 5]`:                                  {6},
		`any(message.players, .short_name == "HostGuy")`:                       {6},
		`any(message.players, has(.flags, "NAMESERVER") and .id > 5)`:          {6},
		`count(message.players, true) == 3`:                                    {6},
		`len(message.players) > 1`:                                             {6},
		`lower(message.players[1].short_name) == "hostguy"`:                    {6},
		`"players" in message`:                                                 {6},
		`header.token == "REMOTE" and header.token.value == 0xfab and n < 3`:   {1, 2},
		`header.sock_addr == "0.0.0.0:2300" and header.size < 40`:              {3, 7, 10, 11},
		`message.result.name == "DP_OK" or message.result == "DP_OK"`:          {4, 8},
		// Absent fields: no error, and no match but by saying so.
		`message.voice_data`:                           {},
		`message.password`:                             {5},
		`message.password != nil`:                      {5},
		`not message.password and n in [4, 5]`:         {4},
		`message.voice_data == nil and n == 1`:         {1},
		`message.voice_data != 5 and n == 1`:           {1},
		`message.voice_data.size.value > 3 or n == 4`:  {4},
		`not (message.voice_data.size < 3) and n == 4`: {4},
		`message.voice_data + 1 > 0 or n == 4`:         {4},
		`message.voice_data contains "5" or n == 4`:    {4},
		`"x" in message.voice_data or n == 4`:          {4},
		`all(message.voice_data, false) and n == 4`:    {4},
		`(message.voice_data ?? 7) == 7 and n == 4`:    {4},
		`message.voice_data ? true : n == 4`:           {4},
		`message.voice_data[0:3] == "x" or n == 4`:     {4},
		`len(message.voice_data) == 0 and n == 4`:      {4},
		`message.id_from and message.id_to == 0`:       {10, 11, 12, 13},
		`message?.voice_data?.size == 1 or n == 4`:     {4},
		`let x = message.id_from; x == 0x3eb`:          {10, 11},
		`message.player_message != nil && size<34`:     {},
		`has(nil, "X") or n == 4`:                      {4},
		`-from_name == "x" or true`:                    nil, // wrong type: below
		`message.session_desc.flags.name == nil`:       all,
		`message.result.names == nil`:                  all,
		`message.session_desc["flags"]["value"] > 0`:   {2, 6},
		`message.session_desc and n > 2`:               {6},
		`message.players ? n == 6 : n == 4`:            {4, 6},
		`let s = message.session_desc; s and s.flags`:  {2, 6},
		`header and n < 4`:                             {1, 2, 3},
		`any([message], .players and not .password)`:   {6},
		// The game's own octets, as text and as octets.
		`text(payload) == "w10says #0"`:                             {10},
		`text(payload) contains "w10 says"`:                         {},
		`text(payload) contains "w10"`:                              {10, 11},
		`text(payload) matches "^host.* #[01]$"`:                    {12, 13},
		`lower(text(payload)) startsWith "HOST" or n == 4`:          {4},
		`text(message.player_message) == text(payload) and n > 11`:  {12, 13},
		`text(message.session_name) == "RZsession"`:                 {2, 6},
		`text(message.result) == "DP_OK"`:                           {4, 8},
		`text(payload) == "" and n > 8`:                             {9},
		`bytes("77 31") in payload`:                                 {10, 11},
		`payload contains bytes("73:61") and n < 11`:                {10},
		`bytes("31 30") in bytes(payload)`:                          {10, 11},
		`payload contains bytes("13 07")`:                           {}, // half octets
		`payload contains "1307"`:                                   {10, 11},
		`payload startsWith bytes("77")`:                            {10, 11},
		`payload and payload endsWith bytes(payload) and n < 12`:    {10, 11},
		`len(bytes(payload)) == 12`:                                 {12, 13},
		`len(payload) == 24`:                                        {12, 13},
		`bytes(payload)[0] == 0x77`:                                 {10, 11},
		`bytes(payload)[-1] >= 0 or payload[99] == 1 or n == 4`:     {4, 10, 11, 12, 13},
		`bytes(payload)[0:2] == bytes("77-31")`:                     {10, 11},
		`payload[0:4] == "7731"`:                                    {10, 11},
		`payload == message.player_message and from_name == "W10"`:  {10, 11},
		`payload != nil`:                                            {10, 11, 12, 13},
		`bytes(nil) == nil and n == 4`:                              {4},
		`bytes(payload) and n < 11`:                                 {10},
		`payload + "" contains "7731"`:                              {10, 11},
		`upper(payload) startsWith "7731"`:                          {10, 11},
		`payload and int(payload[0:2]) == 77`:                       {10, 11},
		`n == 4 or payload and toBase64(payload) startsWith "Nzcz"`: {4, 10, 11},
		`payload > "77" and payload < "78"`:                         {10, 11},
		// Times.
		`relative == 1.502842`:             {3},
		`gap > 1`:                          {3, 10, 12},
		`gap == 0 and relative == 0`:       {1},
		`time startsWith "202" and n == 1`: {1},
		`!(n != 1) || n eq2 2`:             nil,
		`!(n != 1) || n == 2 && true`:      {1, 2},
		// Players and addresses.
		`player(0x3eb)`:                       {8, 9, 10, 11},
		`player("0x000003eb")`:                {8, 9, 10, 11},
		`player("W10")`:                       {9, 10, 11},
		`player(0x3ea) and player("W10")`:     {9},
		`player("HostGuy")`:                   {6, 12, 13},
		`player(from) and n < 12`:             {10, 11},
		`player("nobody")`:                    {},
		`address("10.77.0.1:43872")`:          {12},
		`address("10.77.0.0/16") and n > 11`:  {12, 13},
		`address("0.0.0.0:2350")`:             {5, 9},
		`address("255.255.255.255")`:          {1},
		`address(src) and n == 7`:             {7},
		`address("0.0.0.0:2300") and n == 10`: {10},
		`$env["n"] == 3`:                      {3},
	} {
		if want == nil {
			_, err := New(filter, time.UTC)
			assert.Error(t, err)
			continue
		}
		t.Run(filter, func(t *testing.T) { assert.Equal(t, want, lab(t, "02").matching(t, filter)) })
	}
}

// TestFilterRest holds what capture 02 has none of: findings, pings, nested messages, reliable frames.
func TestFilterRest(t *testing.T) {
	malformed := lab(t, "01")
	assert.Equal(t, []int{6}, malformed.matching(t, `findings[0] == "message-malformed"`))
	assert.Equal(t, []int{6}, malformed.matching(t, `any(findings, # contains "malformed")`))
	assert.Equal(t, []int{6}, malformed.matching(t, `message.session_desc and "message-malformed" in findings`),
		"up to where it does not decode")
	pings := recorded(t, captures.Options{}, udp(ann, bob, message(t, &wire.Ping{From: 0x10, Tick: 77})),
		udp(bob, ann, message(t, &wire.PingReply{From: 0x20, Tick: 77})))
	assert.Equal(t, []int{1, 2}, pings.matching(t, `message.tick_count == 77`))
	assert.Equal(t, []int{2}, pings.matching(t, `from == 0x20 and player(0x20)`))
	wrapped := recorded(t, captures.Options{}, tcp(message(t, &wire.MulticastDelivery{From: 5, Group: 6,
		Inner: wire.Inner{Message: &wire.Ping{From: 9, Tick: 3}, Version: wire.DX8}})))
	for _, filter := range []string{`player(9)`, `player(6)`, `from == 5`, `any([message], .broadcast_message.tick_count == 3)`,
		`message.broadcast_message.command == "PING" and message.broadcast_message.dialect == 13`} {
		assert.Equal(t, []int{1}, wrapped.matching(t, filter), filter)
	}
	ack := recorded(t, captures.Options{Ports: []uint16{6100}, Reliable: captures.Yes},
		udp("10.0.0.1:6073", "10.0.0.2:6100", []byte("\x01\x02\x02\x07\x03\x00\x09\x00\x00\x00\x05\x00\x00\x00")))
	assert.Len(t, ack.matching(t, `message.reliable_frame.sequence == 3 and command == "RELIABLE_ACK"`), 1)
}

// TestFilterErrors checks that a wrong expression is refused, pointing at its place.
func TestFilterErrors(t *testing.T) {
	for filter, want := range map[string]string{
		`size >`:                     "unexpected token EOF (1:6)\n | size >\n | .....^",
		`size == "x"`:                "invalid operation: == (mismatched types int and string) (1:6)\n | size == \"x\"\n | .....^",
		`n == 1 and sise > 3`:        "unknown name sise: did you mean \"size\"? (1:12)\n | n == 1 and sise > 3\n | ...........^",
		`foo("x")`:                   "unknown name foo (1:1)",
		`message.size == sise`:       "unknown name sise: did you mean \"size\"? (1:17)",
		`any(message.players, sise)`: "unknown name sise: did you mean \"size\"? (1:22)",
		`command`:                    "gives string, where true or false is wanted (1:1)\n | command\n | ^",
		`size + 1`:                   "gives int, where true or false is wanted",
		`message.flagz.value == 9`:   "no message has a field \"flagz\": did you mean \"flags\"? (1:9)",
		`src == "10.77.0.1"`:         "src is \"ip:port\", never \"10.77.0.1\": use src_ip or address() (1:8)",
		`command == "ping"`: "no message has the command \"ping\": did you mean \"PING\"? (1:12)\n | command == \"ping\"\n " +
			"| ...........^",
		`command == "DPSP_MSG_CHAT"`:         `did you mean "CHAT"?`,
		`command == "PINGREPLYY"`:            `did you mean "PINGREPLY"?`,
		`"ENUMSESION" == command`:            `did you mean "ENUMSESSIONS"?`,
		`command in ["PING", "PNG"]`:         `no message has the command "PNG"`,
		`command == "EXTENSION VIEW INSTAL"`: "no message has the command \"EXTENSION VIEW INSTAL\": did you mean \"EXTENSION VIEW INSTALL\"?",
		`command == "HELLO"`:                 `no message has the command "HELLO" (1:12)`,
		`transport == "TCP"`:                 `transport is "tcp" or "udp", never "TCP" (1:14)`,
		`from == "Nobleman"`:                 `from is the id of a player, never "Nobleman": use from_name or player() (1:9)`,
		`address("foo")`:                     `"foo" is not an address: want 10.0.0.1, 10.0.0.1:2300 or 10.0.0.0/8 (1:9)`,
		`address(5)`:                         "cannot use int as argument (type string)",
		`address()`:                          "not enough arguments to call address",
		`player(1.5)`:                        "cannot use",
		`src matches "("`:                    "missing closing )",
		`a b`:                                `unexpected token Identifier("b")`,
		`command = "CHAT"`:                   `unexpected token Operator("="): did you mean ==? (1:9)`,
		`frames == 3`:                        "invalid operation: == (mismatched types []int and int): what is in a list asks in, such as 5 in frames (1:8)",
		`frames != 3`:                        "!= (mismatched types []int and int): what is in a list asks in",
		`findings`:                           "gives []string, where true or false is wanted",
		`text(payload) and n == 1`:           "gives string, where true or false is wanted (1:1)",
		`filter(findings, # == "x")`:         "gives []interface {}, where true or false is wanted",
		`text(sise) == "x"`:                  "unknown name sise",
		`message.players == 3`:               "mismatched types []object and int): what is in a list asks in, such as 5 in frames",
		`frame > 3`:                          "unknown name frame: did you mean 5 in frames?",
		`src_ip == "10.77.0.300"`:            `src_ip is an address such as "10.0.0.1", never "10.77.0.300": address() takes networks and ports, too (1:11)`,
		`"10.0.0.0/8" == dst_ip`:             `dst_ip is an address such as "10.0.0.1"`,
		// Names of lines and keys, and where keys stand.
		`message.payload contains "x"`:             `no message has a field "payload": did you mean payload? (1:9)`,
		`tick_count == 5`:                          `unknown name tick_count: did you mean message.tick_count? (1:1)`,
		`sock_addr == "x"`:                         `did you mean message.sock_addr?`,
		`max_players == 5`:                         `did you mean message.session_desc.max_players?`,
		`version_or_system_player_id == 5`:         `did you mean any(message.players, .version_or_system_player_id == ...)?`,
		`app == "x"`:                               `did you mean message.application_guid or message.session_desc.application_guid?`,
		`conversations == 1`:                       `did you mean "conversation"?`,
		`message.max_players == 8`:                 `no message has a field "max_players": did you mean message.session_desc.max_players?`,
		`message.session_desc.max_player == 8`:     `no message has a field "max_player": did you mean "max_players"?`,
		`message.players[0].shortname == "x"`:      `did you mean "short_name"? (1:20)`,
		`any(message.players, .shortname == "x")`:  `did you mean "short_name"? (1:23)`,
		`any(message.players, #.shortname == "x")`: `did you mean "short_name"?`,
		`header.tokin == 1`:                        `no message has a field "tokin": did you mean "token"?`,
		`message.message.sise == 1`:                `no message has a field "sise": did you mean`,
		`payload.size == 1`:                        `payload has no fields (1:9)`,
		`payload contains "hello"`:                 `for characters say text(payload), for octets bytes("de ad") (1:18)`,
		`message.player_message == "DEAD"`:         `player_message is octets, whose digits are 0-9 and a-f`,
		`bytes("abc") in payload`:                  `bytes() takes hexadecimal digits, two for each octet, such as "de ad", not "abc" (1:7)`,
		// Times.
		`time > 2`:                       `seconds since the first message are relative (1:1)`,
		`n == 1 and 2 + 3 < time`:        `seconds since the first message are relative`,
		`time - 1 > 2`:                   `seconds since the first message are relative`,
		`time in 1..2`:                   `seconds since the first message are relative`,
		`time in ["2026-01-02", "noon"]`: `"noon" is not a time`,
		`time > "yesterday"`:             `"yesterday" is not a time such as "2006-01-02T15:04:05Z" (1:8)`,
		`"12:00" < time`:                 `"12:00" is not a time`,
		// Wireshark's words.
		`ip.addr == 10.0.0.1`:                 "ip.addr is Wireshark's: here it is address(\"10.0.0.1\") (1:1)\n | ip.addr",
		`n == 1 && ip.src == 10.0.0.1`:        `ip.src is Wireshark's: here it is src_ip (1:11)`,
		`tcp.port == 2300`:                    `here it is src_port == 2300 or dst_port == 2300`,
		`frame.number == 5`:                   `here it is 5 in frames`,
		`frame.time_relative > 5`:             `here it is relative`,
		`frame.time_delta > 5`:                `here it is gap`,
		`dplay.command == 2`:                  `here it is command == "PING"`,
		`dplay.pp.id == 2`:                    `dplay.pp.id is Wireshark's: here it is command, size, dialect, header.FIELD or message.FIELD`,
		`tcp.analysis.flags`:                  `tcp.analysis.flags is Wireshark's: here it is not known: "dplay help filters"`,
		`tcp and n == 1`:                      `tcp is Wireshark's: here it is transport == "tcp" (1:1)`,
		`n == 1 and udp`:                      `udp is Wireshark's: here it is transport == "udp" (1:12)`,
		`n eq 1`:                              `eq is Wireshark's: here it is == (1:3)`,
		`from_name == "ü ip.addr" and n gt 1`: `gt is Wireshark's: here it is > (1:32)`,
		"n == 1\nand sise == 2":               "unknown name sise: did you mean \"size\"? (2:5)\n | and sise == 2\n | ....^",
	} {
		_, err := New(filter, time.UTC)
		if assert.Error(t, err, filter) {
			assert.True(t, strings.HasPrefix(err.Error(), "--filter: "), "%v", err)
			assert.Contains(t, err.Error(), want, filter)
		}
	}
}

// TestFilterFails checks that an expression that cannot be evaluated for a message leaves that one out, and that this is
// told.
func TestFilterFails(t *testing.T) {
	_, err := New(`n == 2 or replace(message.player_message, "a", 5) == ""`, time.UTC)
	assert.Error(t, err, "wrong types of constants are found before")
	f, err := New(`n == 2 or int(message.player_message) == 1`, time.UTC)
	require.NoError(t, err)
	matched := 0
	lab(t, "02").each(t, func(r *captures.Record) {
		if f.Matches(r) {
			matched++
		}
	})
	assert.Equal(t, 1, matched)
	assert.Regexp(t, `^the filter could not be evaluated for 12 messages, which were left out; the first time: .*[^\n]$`,
		f.Failures())
	assert.Empty(t, f.Failures(), "each file is counted by itself")
	f, err = New(`bytes(text(payload)) == nil`, time.UTC)
	require.NoError(t, err)
	recorded(t, captures.Options{}, udp(ann, bob, message(t, &wire.Ping{From: 1})), udp(ann, bob, []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x1b[2J"))).each(t,
		func(r *captures.Record) { f.Matches(r) })
	why := f.Failures()
	assert.Contains(t, why, "bytes() takes octets")
	assert.NotContains(t, why, "\x1b")
}

// TestFilterKeysAgree checks that every key of the NDJSON's header and message is one of the filter's.
func TestFilterKeysAgree(t *testing.T) {
	for _, prefix := range []string{"02", "05-rzhost-two-w10-joiners.", "06", "09-", "01"} {
		reader := newReader()
		var js show.JSON
		lab(t, prefix).each(t, func(r *captures.Record) {
			var object map[string]any
			require.NoError(t, json.Unmarshal(js.Append(nil, r), &object))
			fields := reader.read(r)
			for _, name := range []string{"message", "header"} {
				assert.ElementsMatch(t, keysOf(object[name]), keysOf(fields[name]), "%s %d of %s", name, r.N, prefix)
			}
		})
	}
}

// keysOf lists the paths of all keys in a value; a *word counts like the object that it is in JSON.
func keysOf(v any) (keys []string) {
	switch v := v.(type) {
	case map[string]any:
		_, value := v["value"]
		if value && len(v) == 2 { // a flag word or a value with a name
			return nil
		}
		for k, e := range v {
			keys = append(keys, k)
			for _, below := range keysOf(e) {
				keys = append(keys, k+"."+below)
			}
		}
	case []any:
		for _, e := range v {
			keys = append(keys, keysOf(e)...)
		}
	}
	return keys
}
