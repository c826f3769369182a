package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// matching gives the numbers of the messages of a capture that a filter lets through.
func matching(t *testing.T, path, filter string) []int {
	t.Helper()
	numbers := []int{}
	got := dplay(t, "decode", "--format", "ndjson", "--filter", filter, path)
	require.Equal(t, exitOK, got.status, "%s", got.err)
	assert.NotContains(t, got.err, "could not be evaluated")
	if got.out == "" {
		return numbers
	}
	for _, o := range objectsOf(t, got.out) {
		numbers = append(numbers, int(o["n"].(float64)))
	}
	return numbers
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
		`time > 2 and time < 3`:                    {10},
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
		`message.voice_data contains "x" or n == 4`:    {4},
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
			assert.Equal(t, exitUsage, dplay(t, "decode", "--filter", filter, lab(t, "02")).status)
			continue
		}
		t.Run(filter, func(t *testing.T) { assert.Equal(t, want, matching(t, lab(t, "02"), filter)) })
	}
}

// TestFilterRest holds what capture 02 has none of: findings, pings, nested messages, reliable frames.
func TestFilterRest(t *testing.T) {
	assert.Equal(t, []int{6}, matching(t, lab(t, "01"), `findings[0] == "message-malformed"`))
	assert.Equal(t, []int{6}, matching(t, lab(t, "01"), `any(findings, # contains "malformed")`))
	assert.Equal(t, []int{6}, matching(t, lab(t, "01"), `message.session_desc and "message-malformed" in findings`), "up to where it does not decode")
	assert.Equal(t, []int{1, 2}, matching(t, sample(t).file(t, "s.pcap"), `message.tick_count == 77`))
	assert.Equal(t, []int{2}, matching(t, sample(t).file(t, "s.pcap"), `from == 0x20 and player(0x20)`))
	wrapped := newCapture().tcp(peerTCP, hostTCP, message(t, &wire.MulticastDelivery{From: 5, Group: 6,
		Inner: wire.Inner{Message: &wire.Ping{From: 9, Tick: 3}, Version: wire.DX8}})).file(t, "w.pcap")
	for _, filter := range []string{`player(9)`, `player(6)`, `from == 5`, `any([message], .broadcast_message.tick_count == 3)`,
		`message.broadcast_message.command == "PING" and message.broadcast_message.dialect == 13`} {
		assert.Equal(t, []int{1}, matching(t, wrapped, filter), filter)
	}
	ack := newCapture().udp("10.0.0.1:6073", "10.0.0.2:6100", []byte("\x01\x02\x02\x07\x03\x00\x09\x00\x00\x00\x05\x00\x00\x00")).file(t, "a.pcap")
	got := dplay(t, "decode", "--port", "6100", "--reliable", "yes", "--filter", `message.reliable_frame.sequence == 3 and command == "RELIABLE_ACK"`, ack)
	assert.Equal(t, 1, strings.Count(got.out, "\n"))
}

// TestFilterErrors checks that a wrong expression is refused before any file is read, pointing at its place.
func TestFilterErrors(t *testing.T) {
	for filter, want := range map[string]string{
		`size >`:                     "unexpected token EOF (1:6)\n | size >\n | .....^",
		`size == "x"`:                "mismatched types int and string) (1:6)\n | size == \"x\"\n | .....^",
		`n == 1 and sise > 3`:        "unknown name sise (1:12)\n | n == 1 and sise > 3\n | ...........^",
		`foo("x")`:                   "unknown name foo (1:1)",
		`message.size == sise`:       "unknown name sise (1:17)",
		`any(message.players, sise)`: "unknown name sise (1:22)",
		`command`:                    "gives string, where true or false is wanted (1:1)\n | command\n | ^",
		`size + 1`:                   "gives int, where true or false is wanted",
		`message.flagz.value == 9`:   "no message has a field \"flagz\": did you mean \"flags\"? (1:9)",
		`src == "10.77.0.1"`:         "src is \"ip:port\", never \"10.77.0.1\": use src_ip or address() (1:8)",
		`command == "ping"`:          "no message has the command \"ping\": did you mean \"PING\"? (1:12)\n | command == \"ping\"\n | ...........^",
		`command == "DPSP_MSG_CHAT"`: `did you mean "CHAT"?`,
		`command == "PINGREPLYY"`:    `did you mean "PINGREPLY"?`,
		`"ENUMSESION" == command`:    `did you mean "ENUMSESSIONS"?`,
		`command in ["PING", "PNG"]`: `no message has the command "PNG"`,
		`command == "HELLO"`:         `no message has the command "HELLO" (1:12)`,
		`transport == "TCP"`:         `transport is "tcp" or "udp", never "TCP" (1:14)`,
		`from == "Nobleman"`:         `from is the id of a player, never "Nobleman": use from_name or player() (1:9)`,
		`address("foo")`:             `"foo" is not an address: want 10.0.0.1, 10.0.0.1:2300 or 10.0.0.0/8 (1:9)`,
		`address(5)`:                 "cannot use int as argument (type string)",
		`address()`:                  "not enough arguments to call address",
		`player(1.5)`:                "cannot use",
		`src matches "("`:            "missing closing )",
		`a b`:                        "unexpected token",
		"n == 1\nand sise == 2":      "unknown name sise (2:5)\n | and sise == 2\n | ....^",
	} {
		got := dplay(t, "decode", "--filter", filter, "missing.pcap")
		assert.Equal(t, exitUsage, got.status, filter)
		assert.Contains(t, got.err, "dplay: --filter: ")
		assert.Contains(t, got.err, want, filter)
		assert.NotContains(t, got.err, "missing.pcap")
		assert.True(t, strings.HasSuffix(got.err, "\nTry 'dplay decode --help'.\n"))
	}
}

// TestFilterFails checks that an expression that cannot be evaluated for a message leaves that one out, and
// that the user hears of it.
func TestFilterFails(t *testing.T) {
	got := dplay(t, "decode", "--filter", `n == 2 or replace(message.player_message, "a", 5) == ""`, lab(t, "02"))
	assert.Equal(t, exitUsage, got.status, "wrong types of constants are found before")
	got = dplay(t, "decode", "--filter", `n == 2 or int(message.player_message) == 1`, lab(t, "02"))
	assert.Equal(t, exitOK, got.status)
	assert.Equal(t, 1, strings.Count(got.out, "\n"))
	assert.Regexp(t, `the filter could not be evaluated for 12 messages, which were left out; the first time: .*\n`, got.err)
	both := dplay(t, "decode", "--filter", `n == 2 or int(message.player_message) == 1`, lab(t, "02"), lab(t, "04"))
	assert.Contains(t, both.err, "for 14 messages", "each file is counted by itself")
}

// TestFilterKeysAgree checks that every key of the NDJSON's header and message is one of the filter's.
func TestFilterKeysAgree(t *testing.T) {
	for _, prefix := range []string{"02", "05-rzhost-two-w10-joiners.", "06", "09-", "01"} {
		objects := objectsOf(t, dplay(t, "decode", "--format", "ndjson", lab(t, prefix)).out)
		i := 0
		var c filterContext
		c.fields.wantHeader = true
		read(t, lab(t, prefix), func(r *captures.Record) {
			c.begin(r)
			assert.ElementsMatch(t, keysOf(objects[i]["message"]), keysOf(c.object(1)), "message %d of %s", i+1, prefix)
			if objects[i]["header"] != nil {
				assert.ElementsMatch(t, keysOf(objects[i]["header"]), keysOf(c.object(0)), "header %d of %s", i+1, prefix)
			}
			i++
		})
		assert.Equal(t, len(objects), i)
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

// read hands every record of a capture to a function.
func read(t testing.TB, path string, handle func(*captures.Record)) {
	t.Helper()
	in, err := openInput(path, nil)
	require.NoError(t, err)
	defer in.close()
	_, err = captures.Read(context.Background(), in.r, captures.Options{}, func(r *captures.Record) error {
		handle(r)
		return nil
	}, nil)
	require.NoError(t, err)
}

// TestDistance holds the distance between words against ones counted by hand.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"PING", "PING", 0}, {"PING", "PNG", 1}, {"PING", "", 4}, {"", "AB", 2}, {"CHAT", "CART", 2}, {"KITTEN", "SITTING", 3}} {
		assert.Equal(t, c.want, distance(c.a, c.b), "%s to %s", c.a, c.b)
	}
}

// gamePings is a capture of game messages and pings.
func gamePings(t testing.TB, n int) []byte {
	c := newCapture()
	for i := range n {
		c.tcp(peerTCP, hostTCP, message(t, &wire.PlayerMessage{From: 0x21, To: 0, Payload: make([]byte, 32)}))
		c.udp(hostUDP, peerUDP, message(t, &wire.Ping{From: 0x10, Tick: uint32(i)})).wait(time.Millisecond)
	}
	return c.b
}

// TestSteadyMemory checks that decoding allocates nothing for a message: twice as many must not take more.
func TestSteadyMemory(t *testing.T) {
	allocations := func(n int, args ...string) float64 {
		file := gamePings(t, n)
		return testing.AllocsPerRun(3, func() {
			var out discardCount
			if run(context.Background(), append([]string{"decode", "-q"}, args...), bytes.NewReader(file), &out, &out) != exitOK {
				t.Fatal("does not decode")
			}
		})
	}
	const n = 5000
	for _, args := range [][]string{{"-"}, {"--stats", "-"}, {"--follow", "2", "-"}} {
		few, many := allocations(n, args...), allocations(2*n, args...)
		assert.Less(t, (many-few)/(2*n), 0.05, "allocations a message with %v: %v for %d, %v for %d", args, few, 2*n, many, 4*n)
	}
}

// A discardCount takes everything.
type discardCount struct{ n int }

func (d *discardCount) Write(p []byte) (int, error) {
	d.n += len(p)
	return len(p), nil
}

// BenchmarkDecode measures the whole program, from a file in memory to its output.
func BenchmarkDecode(b *testing.B) {
	const n = 20000
	file := gamePings(b, n)
	for _, args := range [][]string{{"-"}, {"--follow", "99", "-"}, {"--format", "ndjson", "-"}, {"--stats", "-"}, {"-V", "-"},
		{"--filter", `command == "PING" and size > 100`, "-"}, {"--filter", `message.tick_count == 5`, "-"}} {
		b.Run(strings.Join(args, " "), func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				var out discardCount
				if run(context.Background(), append([]string{"decode", "-q"}, args...), bytes.NewReader(file), &out, &discardCount{}) != exitOK {
					b.Fatal("does not decode")
				}
			}
			b.ReportMetric(float64(2*n*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
