package filter

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

var (
	flagWord = &word{0x44, "MIGRATEHOST|KEEPALIVE", true}
	noFlags  = &word{0, "0", true}
	outcome  = &word{0x8877014a, "DPERR_NONEWPLAYERS", false}
	nameless = &word{99, "", false}
)

// TestEqual holds comparisons of values whose types are not known before against what users mean by them.
func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b any
		want bool
	}{
		{nil, nil, true}, {nil, 0, false}, {"", nil, false}, {nil, noFlags, false},
		{5, 5, true}, {5, 5.0, true}, {5, int64(5), true}, {int64(1) << 40, 5, false},
		{0x384c9, "0x000384c9", true}, {"0x000384c9", 0x384c9, true}, {5, "five", false},
		{"a", "a", true}, {"a", "A", false}, {"0x10", "16", false}, // texts are texts
		{flagWord, 0x44, true}, {0x44, flagWord, true}, {flagWord, "MIGRATEHOST|KEEPALIVE", true}, {flagWord, "KEEPALIVE", false},
		{outcome, "DPERR_NONEWPLAYERS", true}, {"DPERR_NONEWPLAYERS", outcome, true}, {outcome, "0x8877014a", true},
		{"DP_OK", outcome, false},
		{noFlags, 0, true}, {nameless, 99, true}, {nameless, "", false}, {flagWord, flagWord, true},
		{octets{0xde, 0xad}, "dead", true}, {"DE:AD", octets{0xde, 0xad}, true}, {octets{0xde, 0xad}, "de a", false},
		{[]any{1}, []any{1}, true}, {[]any{1}, 1, false}, {true, true, true},
	} {
		assert.Equal(t, c.want, equal(c.a, c.b), "%v == %v", c.a, c.b)
		assert.Equal(t, !c.want, operators["!="](c.a, c.b), "%v != %v", c.a, c.b)
	}
}

// TestOrder checks that what has no order is not before, behind or equal to anything.
func TestOrder(t *testing.T) {
	holds := func(op string, a, b any) bool { return operators[op](a, b).(bool) }
	for _, c := range []struct {
		a, b any
		less bool
	}{{1, 2, true}, {2, 1, false}, {1.5, 2, true}, {"a", "b", true}, {"10", "9", true}, {flagWord, 0x45, true}, {"0x10", 17, true},
		{outcome, int64(math.MaxUint32), true}} {
		assert.Equal(t, c.less, holds("<", c.a, c.b), "%v < %v", c.a, c.b)
		assert.Equal(t, c.less, holds("<=", c.a, c.b))
		assert.Equal(t, c.less, holds(">", c.b, c.a))
		assert.Equal(t, c.less, holds(">=", c.b, c.a))
	}
	assert.True(t, holds("<=", 2, 2) && holds(">=", 2, 2) && !holds("<", 2, 2) && !holds(">", 2, 2))
	for _, pair := range [][2]any{{nil, 1}, {1, nil}, {nil, nil}, {"x", 1}, {[]any{}, 1}, {map[string]any{}, map[string]any{}}} {
		for _, op := range []string{"<", "<=", ">", ">="} {
			assert.False(t, holds(op, pair[0], pair[1]), "%v %s %v", pair[0], op, pair[1])
		}
	}
}

// TestNoAddress holds that text that is no address matches nothing, not even what has no address.
func TestNoAddress(t *testing.T) {
	is, err := parseAddress("somewhere")
	assert.Error(t, err)
	assert.False(t, is(netip.AddrPort{}))
}

// TestWithin checks "in" and has() for everything that can hold something.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		v, in any
		want  bool
	}{
		{5, []any{1, "0x5"}, true}, {5, []int{1, 5}, true}, {5, []int{1}, false}, {"a", []string{"a"}, true},
		{"b", []string{"a"}, false},
		{"k", map[string]any{"k": nil}, true}, {"x", map[string]any{"k": nil}, false}, {5, map[string]any{"5": nil}, false},
		{"KEEPALIVE", flagWord, true}, {"keepalive", flagWord, true}, {"KEEP", flagWord, false}, {5, flagWord, false},
		{"0", noFlags, false},
		{"a", nil, false}, {"a", "abc", false}, {nil, []any{nil}, true},
	} {
		assert.Equal(t, c.want, within(c.v, c.in), "%v in %v", c.v, c.in)
	}
}

// TestMember checks what is found in objects and lists, and that what is not there is nil.
func TestMember(t *testing.T) {
	object, f := map[string]any{"k": 7}, Filter{sought: map[string]bool{}}
	for _, c := range []struct{ from, key, want any }{
		{object, "k", 7}, {object, "x", nil}, {object, 0, nil}, {nil, "k", nil}, {5, "k", nil}, {"text", 0, nil},
		{[]any{1, 2}, 0, 1}, {[]any{1, 2}, -1, 2}, {[]any{1, 2}, 2, nil}, {[]any{1, 2}, -3, nil}, {[]any{1}, "k", nil},
		{[]string{"a"}, 0, "a"}, {[]int{4}, 0, 4}, {[]int{4}, 1, nil},
		{flagWord, "value", 0x44}, {flagWord, "names", []string{"MIGRATEHOST", "KEEPALIVE"}}, {flagWord, "name", nil},
		{noFlags, "names", []string{}},
		{outcome, "name", "DPERR_NONEWPLAYERS"}, {outcome, "names", nil}, {nameless, "name", nil}, {nameless, "value", 99},
		{outcome, "x", nil},
		{time.Time{}, "Year", nil}, {octets("a"), "String", nil}, {octets("a"), 0, 97}, {map[any]any{5: 6}, 5, 6},
	} {
		assert.Equal(t, c.want, f.member(c.from, c.key), "%v.%v", c.from, c.key)
	}
}

// TestArithmetic checks that a value that is not there makes the sum not be there.
func TestArithmetic(t *testing.T) {
	for op, want := range map[string]any{"+": 9, "-": 5, "*": 14, "/": 3.5, "%": 1, "**": 49.0, "^": 49.0} {
		assert.Equal(t, want, operators[op](7, 2), op)
		assert.Nil(t, operators[op](nil, 2), op)
		assert.Nil(t, operators[op](7, nil), op)
	}
	assert.Equal(t, 0x45, operators["+"](flagWord, 1))
	assert.Equal(t, []any{true, true, true, true, false, false}, []any{truth(7), truth(""), truth(noFlags), truth(true), truth(nil), truth(false)})
	assert.Equal(t, []any{}, asList(nil))
	assert.Equal(t, []string{"MIGRATEHOST", "KEEPALIVE"}, asList(flagWord))
	assert.Equal(t, "", asText(nil))
	assert.Equal(t, "DPERR_NONEWPLAYERS", asText(outcome))
}

// reliableSession is a session with the reliable protocol, as captures show it: message 1 lists Ann (0x10) and Bob (0x20),
// 2 is a whole game message in a frame, 3 the first half of one, 4 the second, 5 the message that they make.
func reliableSession(t *testing.T, more ...packet) game {
	player := func(id wire.PlayerID, name, ip string, port uint16) wire.SuperPackedPlayer {
		at := func(port uint16) wire.SockAddr {
			return wire.SockAddr{Family: wire.FamilyINet, Port: port, Addr: [4]byte{10, 0, 0, ip[0] - '0'}}
		}
		return wire.SuperPackedPlayer{ID: id, ShortName: wire.NewText(name),
			SPData: wire.SPData{Stream: at(2300), Datagram: at(port)}.Append(nil)}
	}
	frame := func(flags reliable.Flags, id, sequence, serial uint8, data string) packet {
		f := reliable.Frame{From: 0x10, To: 0x20, Flags: flags, MessageID: id, Sequence: sequence, Serial: serial, Data: []byte(data)}
		b, err := f.Append(nil)
		require.NoError(t, err)
		return udp(ann, bob, b)
	}
	return recorded(t, captures.Options{}, append([]packet{
		tcp(message(t, &wire.SuperEnumPlayersReply{
			Desc:    wire.SessionDesc{Instance: wire.GUID{1}, Flags: wire.SessionDirectPlayProtocol | wire.SessionNoMessageID},
			Name:    wire.NewText("S"),
			Players: []wire.SuperPackedPlayer{player(0x10, "Ann", "1", 2350), player(0x20, "Bob", "2", 2350)},
		})),
		frame(reliable.CMD|reliable.STA|reliable.EOM|reliable.RLY, 1, 1, 0, "whole"),
		frame(reliable.CMD|reliable.STA|reliable.RLY, 2, 1, 0, "first "),
		frame(reliable.CMD|reliable.EOM|reliable.RLY, 2, 2, 1, "second"),
	}, more...)...)
}

// TestFilterReliable checks what a filter sees of the reliable protocol.
func TestFilterReliable(t *testing.T) {
	session := reliableSession(t)
	for filter, want := range map[string][]int{
		`command == "PLAYERMESSAGE"`:                                    {2, 5},
		`command == "RELIABLE_DATA"`:                                    {3, 4},
		`message.reliable_frame.sequence == 2`:                          {4},
		`has(message.reliable_frame.flags, "STA") and player("Bob")`:    {2, 3},
		`player("Ann")`:                                                 {1, 2, 3, 4, 5},
		`player(0x20) and n > 1`:                                        {2, 3, 4, 5},
		`message.player_message == "66697273742073" + "65636f6e64"`:     {5},
		`from_name == "Ann" and command == "RELIABLE_DATA"`:             {3, 4},
		`address("10.0.0.2") and transport == "udp" and len(frames)==2`: {5},
		`address("10.9.9.9")`:                                           {},
	} {
		assert.Equal(t, want, session.matching(t, filter), filter)
	}
}

// TestFilterLinks checks what a filter sees of what became of frames.
func TestFilterLinks(t *testing.T) {
	const whole = reliable.CMD | reliable.STA | reliable.EOM | reliable.RLY
	said := func(src, dst string, f reliable.Frame) packet {
		b, err := f.Append(nil)
		require.NoError(t, err)
		return udp(src, dst, b)
	}
	session := reliableSession(t,
		said(ann, bob, reliable.Frame{From: 0x10, To: 0x20, Flags: whole, MessageID: 1, Sequence: 1, Serial: 1, Data: []byte("whole")}),
		said(bob, ann, reliable.Frame{From: 0x20, To: 0x10, Flags: reliable.ACK | reliable.RLY, MessageID: 1, Sequence: 1, Serial: 1}),
		said(ann, bob, reliable.Frame{From: 0x10, To: 0x20, Flags: whole, MessageID: 5, Sequence: 1, Data: []byte("far")}),
		said("10.0.0.9:2350", bob, reliable.Frame{From: 0x10, To: 0x20, Flags: whole, MessageID: 1, Sequence: 1,
			Data: []byte("I am Ann")}))
	for filter, want := range map[string][]int{
		`again > 0`:                  {6},
		`again == 1 and link == 1`:   {6},
		`missing == 2`:               {8},
		`answers == 6`:               {7},
		`trip >= 0.001 and trip < 1`: {7},
		`foreign`:                    {9},
		`again == nil and n > 5`:     {7, 8, 9},
		`link == 2`:                  {9},
		`link == nil`:                {1, 5},
	} {
		assert.Equal(t, want, session.matching(t, filter), filter)
	}
	session.each(t, func(r *captures.Record) {
		var js show.JSON
		b := string(js.Append(nil, r))
		for n, want := range map[int]string{6: `"link":1,"again":1,`, 7: `"link":1,"answers":6,"trip":0.001000,`,
			8: `"link":1,"missing":2,`,
			9: `"link":2,"foreign":true,`} {
			if r.N == n {
				assert.Contains(t, b, want)
			} else {
				assert.NotContains(t, b, want)
			}
		}
	})
}
