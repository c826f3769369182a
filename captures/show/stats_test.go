package show

import (
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// The machines of the records made here, and when they begin to talk.
var (
	alice = netip.MustParseAddrPort("10.0.0.1:2300")
	bob   = netip.MustParseAddrPort("10.0.0.2:2301")
	noon  = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// rec makes a record of size octets that says by its SP header which machine sent it.
func rec(at time.Duration, from, to netip.AddrPort, size int, m wire.Message) *captures.Record {
	dst := netip.AddrPortFrom(to.Addr(), to.Port()+50)
	return &captures.Record{
		Time: noon.Add(at), Transport: captures.UDP, Src: netip.AddrPortFrom(from.Addr(), from.Port()+50), Dst: dst,
		From: captures.Machine{At: from, Sure: true}, To: captures.Machine{At: dst}, Conversation: 1, Raw: make([]byte, size),
		Envelope: wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: 2, Port: from.Port()}}, Message: m},
	}
}

// count adds records.
func count(s *Stats, list ...*captures.Record) *Stats {
	for _, r := range list {
		s.Add(r)
	}
	return s
}

// decoded returns the statistics as a program reads them.
func decoded(t *testing.T, s *Stats) (v map[string]any) {
	t.Helper()
	b := s.AppendJSON([]byte("x"))
	require.Equal(t, byte('x'), b[0], "it appends")
	require.NoError(t, json.Unmarshal(b[1:], &v))
	return v
}

// session is ten seconds between two machines: two pings answered after 20 and 40 ms, one never, one reply to nothing,
// and game messages.
func session() []*captures.Record {
	return []*captures.Record{
		rec(0, alice, bob, 36, &wire.Ping{From: 1, Tick: 100}),
		rec(20*time.Millisecond, bob, alice, 36, &wire.PingReply{From: 2, Tick: 100}),
		rec(time.Second, alice, bob, 36, &wire.Ping{From: 1, Tick: 200}),
		rec(time.Second+time.Millisecond, alice, bob, 36, &wire.Ping{From: 1, Tick: 200}), // the same once more
		rec(time.Second+40*time.Millisecond, bob, alice, 36, &wire.PingReply{From: 2, Tick: 200}),
		rec(2*time.Second, bob, alice, 36, &wire.Ping{From: 2, Tick: 100}), // the other way: not that of 0 s
		rec(3*time.Second, bob, alice, 36, &wire.PingReply{From: 2, Tick: 999}),
		rec(4*time.Second, bob, alice, 128, &wire.PlayerMessage{From: 7, To: 0}),
		rec(5*time.Second, bob, alice, 72, &wire.PlayerMessage{From: 7, To: 0}),
		rec(10*time.Second, alice, bob, 48, &wire.DeletePlayer{Player: 7}),
	}
}

// TestStatsText holds the tables for a session against ones worked out by hand.
func TestStatsText(t *testing.T) {
	want := `10 messages, 500 octets in 10.000000 s, from 2026-01-02T12:00:00Z on

COMMAND        messages  octets  messages/s  octets/s
PING                  4     144        0.40      14.4
PINGREPLY             3     108        0.30      10.8
PLAYERMESSAGE         2     200        0.20      20.0
DELETEPLAYER          1      48        0.10       4.8

PLAYER      name  messages  octets  messages/s  octets/s
0x00000002               4     144        0.40      14.4
0x00000001               3     108        0.30      10.8
0x00000007               2     200        0.20      20.0

CONVERSATION  one end        other end      messages >  octets >  messages <  octets <    seconds  octets/s
1             10.0.0.1:2300  10.0.0.2:2301           4       156           6       344  10.000000      50.0

PINGS from     to             sent  answered  unanswered  min ms  avg ms  median ms  max ms
10.0.0.1:2300  10.0.0.2:2301     3         2           0  20.000  30.000     30.000  40.000
10.0.0.2:2301  10.0.0.1:2300     1         0           1       -       -          -       -
all                              4         2           1  20.000  30.000     30.000  40.000
`
	assert.Equal(t, "before\n"+want, string(count(new(Stats), session()...).AppendText([]byte("before\n"))))
}

// TestStatsJSON holds the object for the same session.
func TestStatsJSON(t *testing.T) {
	v := decoded(t, count(new(Stats), session()...))
	assert.EqualValues(t, 10, v["messages"])
	assert.EqualValues(t, 500, v["octets"])
	assert.Equal(t, "2026-01-02T12:00:00.000000000Z", v["first"])
	assert.Equal(t, "2026-01-02T12:00:10.000000000Z", v["last"])
	assert.EqualValues(t, 10, v["seconds"])
	assert.Equal(t, map[string]any{"command": "PING", "messages": 4.0, "octets": 144.0, "messages_per_second": 0.4,
		"octets_per_second": 14.4, "joined_messages": 0.0, "joined_octets": 0.0}, v["commands"].([]any)[0])
	assert.Equal(t, map[string]any{"id": "0x00000002", "name": nil, "session_name": nil, "instance_guid": nil,
		"messages": 4.0, "octets": 144.0, "messages_per_second": 0.4, "octets_per_second": 14.4}, v["players"].([]any)[0])
	assert.Equal(t, map[string]any{"conversation": 1.0, "ends": []any{"10.0.0.1:2300", "10.0.0.2:2301"},
		"sent":  []any{map[string]any{"messages": 4.0, "octets": 156.0}, map[string]any{"messages": 6.0, "octets": 344.0}},
		"first": "2026-01-02T12:00:00.000000000Z", "last": "2026-01-02T12:00:10.000000000Z", "seconds": 10.0,
		"messages_per_second": 1.0, "octets_per_second": 50.0}, v["conversations"].([]any)[0])
	trip := map[string]any{"min": 20.0, "average": 30.0, "median": 30.0, "max": 40.0}
	pings := v["pings"].(map[string]any)
	pairs := pings["pairs"].([]any)
	delete(pings, "pairs")
	assert.Equal(t, map[string]any{"sent": 4.0, "repeated": 1.0, "answered": 2.0, "unanswered": 1.0, "replies_to_none": 1.0,
		"round_trip_ms": trip}, pings)
	require.Len(t, pairs, 2)
	assert.Equal(t, map[string]any{"conversation": 1.0, "from": "10.0.0.1:2300", "to": "10.0.0.2:2301",
		"sent": 3.0, "repeated": 1.0, "answered": 2.0, "unanswered": 0.0, "replies_to_none": 1.0, "round_trip_ms": trip}, pairs[0])
	assert.Nil(t, pairs[1].(map[string]any)["round_trip_ms"])
}

// TestStatsEmpty checks statistics of nothing, and of a single message: there is no rate without time.
func TestStatsEmpty(t *testing.T) {
	assert.Equal(t, "0 messages, 0 octets\n", string(new(Stats).AppendText(nil)))
	v := decoded(t, new(Stats))
	assert.Nil(t, v["first"])
	assert.Equal(t, []any{}, v["commands"])
	one := count(new(Stats), session()[0])
	assert.Contains(t, string(one.AppendText(nil)), "PING            1      36           -         -\n")
	assert.Nil(t, decoded(t, one)["commands"].([]any)[0].(map[string]any)["octets_per_second"])
}

// TestStatsJoined checks that octets of messages put together from parts are not counted twice.
func TestStatsJoined(t *testing.T) {
	whole := rec(time.Second, alice, bob, 3000, &wire.Chat{From: 1})
	whole.Joined, whole.Via = true, wire.CmdPacket
	s := count(new(Stats), rec(0, alice, bob, 1500, &wire.Packet{}), rec(0, alice, bob, 1600, &wire.Packet{}), whole)
	v := decoded(t, s)
	assert.EqualValues(t, 3, v["messages"])
	assert.EqualValues(t, 3100, v["octets"])
	chat := v["commands"].([]any)[1].(map[string]any)
	assert.Equal(t, "CHAT", chat["command"])
	assert.EqualValues(t, 0, chat["octets"])
	assert.EqualValues(t, 1, chat["joined_messages"])
	assert.EqualValues(t, 3000, chat["joined_octets"])
	assert.Contains(t, string(s.AppendText(nil)), "put together  octets of these\n")
	assert.NotContains(t, string(count(new(Stats), session()...).AppendText(nil)), "put together")
}

// TestStatsOneComputer checks pings between two machines with the same address, as on loopback: the direction
// is told by their ports.
func TestStatsOneComputer(t *testing.T) {
	a, b := netip.MustParseAddrPort("127.0.0.1:2300"), netip.MustParseAddrPort("127.0.0.1:2301")
	s := count(new(Stats),
		rec(0, a, b, 36, &wire.Ping{Tick: 5}),
		rec(time.Millisecond, b, a, 36, &wire.Ping{Tick: 5}),
		rec(3*time.Millisecond, b, a, 36, &wire.PingReply{Tick: 5}),
		rec(6*time.Millisecond, a, b, 36, &wire.PingReply{Tick: 5}))
	pairs := decoded(t, s)["pings"].(map[string]any)["pairs"].([]any)
	require.Len(t, pairs, 2)
	for i, want := range []float64{3, 5} {
		assert.Equal(t, want, pairs[i].(map[string]any)["round_trip_ms"].(map[string]any)["median"])
	}
}

// TestStatsPingTickWraps checks that a tick may come again once it was answered, as after 49.7 days.
func TestStatsPingTickWraps(t *testing.T) {
	s := new(Stats)
	for i := range 3 {
		at := time.Duration(i) * time.Hour
		count(s, rec(at, alice, bob, 36, &wire.Ping{Tick: 0xFFFFFFFF}),
			rec(at+time.Millisecond, bob, alice, 36, &wire.PingReply{Tick: 0xFFFFFFFF}))
	}
	pings := decoded(t, s)["pings"].(map[string]any)
	assert.EqualValues(t, 3, pings["answered"])
	assert.EqualValues(t, 0, pings["repeated"])
}

// TestStatsLimits fills each limit: what is beyond is counted together, and memory stays bounded.
func TestStatsLimits(t *testing.T) {
	s := new(Stats)
	for i := range maxPings + 10 {
		s.Add(rec(time.Duration(i)*time.Millisecond, alice, bob, 36, &wire.Ping{Tick: uint32(i)}))
	}
	assert.Len(t, s.open.sent, maxPings)
	s.Add(rec(time.Hour, bob, alice, 36, &wire.PingReply{Tick: 9}))
	s.Add(rec(time.Hour, bob, alice, 36, &wire.PingReply{Tick: 10}))
	s.Add(rec(time.Hour, bob, alice, 36, &wire.PingReply{Tick: maxPings + 9}))
	assert.Equal(t, 1, s.pings.stray, "the oldest are forgotten")
	assert.Equal(t, 2, s.pings.answered)
	assert.Equal(t, maxPings+8, s.pings.unanswered())

	for i := range maxStatPlayers + 2 {
		s.Add(rec(0, alice, bob, 10, &wire.PlayerMessage{From: wire.PlayerID(i + 100)}))
	}
	for i := range maxStatConversations + 3 {
		r := rec(0, alice, bob, 10, &wire.Ping{Tick: uint32(i)})
		r.Conversation = i + 2
		s.Add(r)
	}
	for i := range maxStatCommands + 4 {
		s.Add(rec(0, alice, bob, 10, &wire.Unknown{Cmd: wire.Command(i + 0x100)}))
	}
	assert.Len(t, s.players, maxStatPlayers)
	assert.Len(t, s.conversations, maxStatConversations)
	assert.Len(t, s.commands, maxStatCommands)
	v := decoded(t, s)
	others := func(name string) any { return v[name].(map[string]any)["messages"] }
	assert.EqualValues(t, 4+3, others("other_commands"), "PING, PINGREPLY and PLAYERMESSAGE came first")
	assert.EqualValues(t, 2+1, others("other_players"), "player 0 of the pings came first")
	assert.EqualValues(t, 3+1, others("other_conversations"))
	text := string(s.AppendText(nil))
	assert.Equal(t, 3, strings.Count(text, "\nothers "))
}

// TestStatsMedianLimit checks that the median is of the first round trips when there are too many to keep.
func TestStatsMedianLimit(t *testing.T) {
	s := &Stats{trips: maxRoundTrips - 1}
	for i := range 3 {
		at := time.Duration(i) * time.Second
		count(s, rec(at, alice, bob, 36, &wire.Ping{Tick: 1}),
			rec(at+time.Duration(i+1)*time.Millisecond, bob, alice, 36, &wire.PingReply{Tick: 1}))
	}
	assert.Equal(t, 3*time.Millisecond, s.pings.max)
	assert.Equal(t, 2*time.Millisecond, s.pings.average())
	assert.Equal(t, "1.000", s.pings.median(""))
	none := &Stats{trips: maxRoundTrips}
	count(none, rec(0, alice, bob, 36, &wire.Ping{Tick: 1}), rec(time.Millisecond, bob, alice, 36, &wire.PingReply{Tick: 1}))
	assert.Contains(t, string(none.AppendText(nil)), "1.000   1.000          -   1.000\n")
	assert.Nil(t, decoded(t, none)["pings"].(map[string]any)["round_trip_ms"].(map[string]any)["median"])
}

// TestStatsOutOfOrder checks that a record with an earlier time moves the beginning, not the rates below zero.
func TestStatsOutOfOrder(t *testing.T) {
	s := count(new(Stats), rec(time.Second, alice, bob, 100, &wire.Chat{}), rec(0, alice, bob, 100, &wire.Chat{}))
	assert.Equal(t, noon, s.first)
	assert.Equal(t, time.Second, s.duration())
}

// TestStatsCapture counts capture 05: three machines, with the names of its players.
func TestStatsCapture(t *testing.T) {
	in, err := os.Open("../lab/05-rzhost-two-w10-joiners.pcap")
	require.NoError(t, err)
	defer in.Close()
	s := new(Stats)
	sum, err := captures.Read(context.Background(), in, captures.Options{}, func(r *captures.Record) error {
		s.Add(r)
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, sum.Messages, s.total.messages)
	assert.Equal(t, sum.TCP.Octets+sum.UDP.Octets, s.total.octets, "every octet is in one message")
	text := string(s.AppendText(nil))
	assert.Regexp(t, `(?m)^0x[0-9a-f]{8}  "HostGuy" `, text)
	var sent int64
	for _, c := range s.conversations {
		sent += c.octets()
	}
	assert.Equal(t, s.total.octets, sent, "and in one conversation")
}

// TestSender holds who each kind of message says it is from.
func TestSender(t *testing.T) {
	for _, m := range []wire.Message{
		&wire.Ping{From: 5}, &wire.PingReply{From: 5}, &wire.Chat{From: 5}, &wire.Voice{From: 5}, &wire.Signed{From: 5},
		&wire.PlayerMessage{From: 5}, &wire.PlayerWrapper{Player: wire.PlayerMessage{From: 5}}, &wire.Ask4Multicast{From: 5},
		&wire.Ask4MulticastGuaranteed{From: 5}, &wire.MulticastDelivery{From: 5}, &wire.Negotiate{From: 5},
		&wire.Challenge{From: 5}, &wire.ChallengeResponse{From: 5},
	} {
		id, ok := rec(0, alice, bob, 10, m).Sender()
		assert.True(t, ok && id == 5, "%T", m)
	}
	cut := rec(0, alice, bob, 10, &wire.Ping{From: 5})
	cut.Err = wire.ErrShort
	_, ok := cut.Sender()
	assert.False(t, ok, "what did not decode says nothing for sure")
	for _, m := range []wire.Message{nil, &wire.EnumSessions{}, &wire.PlayerMessage{NoIDs: true}, &wire.DeletePlayer{Player: 5}} {
		_, ok := rec(0, alice, bob, 10, m).Sender()
		assert.False(t, ok, "%T", m)
	}
}

// TestStatsAllocates checks that counting a message of a player who is known takes no memory.
func TestStatsAllocates(t *testing.T) {
	s := new(Stats)
	r := rec(0, alice, bob, 10, &wire.PlayerMessage{From: 5})
	s.Add(r)
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.Add(r) }))
}
