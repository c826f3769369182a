package doctor

import (
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// nth returns the listener of one of many machines.
func nth(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 2300)
}

// says hands the collector the next message of a capture, one each millisecond.
func (c *collector) says(t *testing.T, n int, from, to netip.AddrPort, tr captures.Transport, m wire.Message) {
	e := wire.Envelope{HasSP: true, Message: m}
	require.NoError(t, c.record(&captures.Record{N: n, Frames: []int{n}, Time: began.Add(time.Duration(n) * time.Millisecond), Transport: tr,
		Src: from, Dst: to, From: captures.Machine{At: from, Sure: true}, To: captures.Machine{At: to, Sure: true}, Envelope: e}))
}

// joins hands the collector a machine's way into a session.
func (c *collector) joins(t *testing.T, n int, joiner, host netip.AddrPort) {
	c.says(t, n+1, joiner, host, captures.TCP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
	c.says(t, n+2, host, joiner, captures.TCP, &wire.RequestPlayerReply{ID: 5})
	c.says(t, n+3, joiner, host, captures.TCP, &wire.AddForwardRequest{})
	c.says(t, n+4, host, joiner, captures.TCP, &wire.SuperEnumPlayersReply{})
}

// TestAddressees checks that machines which are only sent to take no place in the table: a flood of them hides no join.
func TestAddressees(t *testing.T) {
	c := newCollector(Options{})
	c.Summary = new(captures.Summary)
	host, joiner := nth(1), nth(2)
	for i := range maxListeners + 1 {
		c.says(t, i+1, host, nth(3+i), captures.UDP, &wire.EnumSessions{Application: thisGame})
	}
	c.joins(t, maxListeners+1, joiner, host)
	assert.Equal(t, 2, len(c.machines)) // without a list of them all
	c.event(&captures.Event{Kind: captures.CaptureEnded, Time: began.Add(time.Hour)})
	assert.Equal(t, 1, c.report("").Joins)
}

// TestAsked checks that a question about a machine stores none.
func TestAsked(t *testing.T) {
	c := newCollector(Options{})
	assert.Equal(t, nth(1).Addr().String(), c.who(nth(1)))
	assert.Zero(t, c.talk(nth(1)))
	assert.False(t, c.answered(&ask{askKey: askKey{Asker: nth(1)}, series: series{Marks: []mark{{Frame: 1, N: 1}}}}))
	assert.Empty(t, c.machines)
	c.says(t, 1, nth(1), nth(2), captures.TCP, &wire.YouAreDead{})
	c.event(&captures.Event{Kind: captures.ConnectionBroken, Frame: 2, Time: began.Add(2 * time.Millisecond), Src: nth(2), Dst: nth(1)})
	assert.Len(t, c.Resets, 1)
	assert.Len(t, c.machines, 1)
}

// TestManyPlayers checks a description with the greatest number of players, which an int of 32 bits does not hold.
func TestManyPlayers(t *testing.T) {
	r := newCollector(Options{}).describe(new(message), &wire.SessionDesc{CurrentPlayers: math.MaxUint32}, nil, nil)
	assert.Equal(t, uint32(math.MaxUint32), r.players())
}

// TestWithoutTime checks a capture whose file tells no times, as simple packet blocks of pcapng do: an RST of a connection without messages
// answers none, and a machine that is expelled has answered no ping if there was none.
func TestWithoutTime(t *testing.T) {
	c := newCollector(Options{})
	says := func(n int, from, to netip.AddrPort, tr captures.Transport, m wire.Message) {
		r := captures.Record{N: n, Frames: []int{n}, Transport: tr, Src: from, Dst: to, From: captures.Machine{At: from, Sure: true},
			To: captures.Machine{At: to, Sure: true}, Envelope: wire.Envelope{HasSP: true, Message: m}}
		require.NoError(t, c.record(&r))
	}
	says(1, nth(1), nth(2), captures.UDP, &wire.Ping{Tick: 7})
	says(2, nth(2), nth(1), captures.UDP, &wire.PingReply{Tick: 7})
	says(3, nth(2), nth(1), captures.TCP, &wire.YouAreDead{})
	assert.Equal(t, 2, c.Runs.get(way{nth(1), nth(2)}).Answer.Frame)
	c.event(&captures.Event{Kind: captures.ConnectionBroken, Frame: 4, Src: nth(1), Dst: nth(2)})
	require.Len(t, c.Resets, 1)
	c.event(&captures.Event{Kind: captures.ConnectionBroken, Frame: 5, Src: nth(3), Dst: nth(4)})
	assert.Len(t, c.Resets, 1)
}

// TestHomes checks that a machine is counted once at its address, and not at each message once the table is full.
func TestHomes(t *testing.T) {
	c := newCollector(Options{})
	c.Summary = new(captures.Summary)
	c.says(t, 1, nth(1), nth(2), captures.TCP, &wire.YouAreDead{})
	c.says(t, 2, nth(1), nth(2), captures.TCP, &wire.YouAreDead{})
	c.settle()
	assert.Equal(t, 1, c.homes[nth(1).Addr()])
	for i := range maxListeners {
		c.machine(nth(3 + i))
	}
	for n := range 3 {
		c.says(t, 3+n, nth(0), nth(1), captures.TCP, &wire.YouAreDead{})
	}
	c.settle()
	assert.LessOrEqual(t, c.homes[nth(0).Addr()], 1)
	assert.Zero(t, c.homes[nth(3).Addr()], "it sent nothing")
}

// TestBadMigrate checks that a HOST_MIGRATE that does not decode makes nobody the host: one that is cut short names id 0.
func TestBadMigrate(t *testing.T) {
	b, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: 3, NewHost: 9})
	require.NoError(t, err)
	for name, x := range map[string]struct {
		octets []byte
		from   wire.PlayerID
		reigns int
	}{"good": {b, 9, 1}, "another's": {b, 8, 0}, "cut": {b[:len(b)-1], 0, 0}} {
		c := newCollector(Options{})
		in := &captures.Session{Instance: instance}
		m := &message{Record: &captures.Record{Session: in}, way: way{nth(1), nth(2)}, sender: new(machine), in: in, room: new(room)}
		c.extension(m, &wire.Extension{From: x.from, Body: &wire.ExtensionTable{Message: x.octets}})
		assert.Len(t, c.Reigns, x.reigns, name)
	}
}

// TestLongNames checks that of a session's name only a beginning is remembered, and that names are told apart as before.
func TestLongNames(t *testing.T) {
	for name, want := range map[string]string{"Test": "Test", strings.Repeat("é", 64): strings.Repeat("é", 64),
		strings.Repeat("n", 10_000): strings.Repeat("n", 64) + "…"} {
		c := newCollector(Options{})
		host, joiner := nth(1), nth(2)
		desc := wire.SessionDesc{Instance: instance, Application: thisGame}
		c.says(t, 1, host, joiner, captures.TCP, &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText(name)})
		assert.Equal(t, want, c.Offers.list[0].Name)
		assert.Equal(t, want, c.machine(host).offers)
		// A refusal has the name of the offer, and the join that of the session: they are compared.
		c.says(t, 2, joiner, host, captures.TCP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
		c.says(t, 3, host, joiner, captures.TCP, &wire.AddForwardReply{Error: wire.ErrAccessDenied})
		r := &captures.Record{N: 4, Frames: []int{4}, Session: &captures.Session{Instance: instance, Name: name}, Transport: captures.TCP,
			Src: joiner, Dst: host, From: captures.Machine{At: joiner}, To: captures.Machine{At: host}}
		r.Envelope.Message = &wire.RequestPlayerID{Flags: wire.PlayerSystem}
		require.NoError(t, c.record(r))
		c.says(t, 5, host, joiner, captures.TCP, &wire.SuperEnumPlayersReply{})
		require.Len(t, c.Refusals, 1)
		assert.Equal(t, 5, c.letIn(c.Refusals[0]).N, name)
	}
}

// TestNoCopies checks that what is asked at each message, or about each question, copies nothing for each fact.
func TestNoCopies(t *testing.T) {
	const many = 200
	c := newCollector(Options{})
	a := &ask{askKey: askKey{Asker: nth(1), Wants: nth(1), To: nth(0), Transport: captures.UDP, App: thisGame}}
	for i := range many {
		m := mark{Frame: i + 1, N: i + 1}
		w := way{nth(i + 1), nth(i + 2)}
		c.Runs.at(w, run{way: w}).again(m)
		k := askKey{Asker: nth(1), To: nth(i), Transport: captures.TCP}
		c.Asks.at(k, ask{askKey: k}).again(m)
	}
	p := &run{way: way{nth(many + 3), nth(many + 2)}, unanswered: unanswered{series: series{Marks: []mark{{N: 1}}, Final: mark{N: many}, Count: 1}}}
	assert.False(t, c.silentBack(p))
	assert.Less(t, testing.AllocsPerRun(10, func() { c.silentBack(p) }), 10.)
	require.NotNil(t, c.reached(a))
	assert.Equal(t, nth(0).Addr(), c.reached(a).host)
	assert.Less(t, testing.AllocsPerRun(10, func() { c.reached(a) }), 20.)
}

// TestPairs checks that the number of findings is not that of all pairs of facts: each question has a few answers that went wrong, and each
// join a few later ones at the same socket.
func TestPairs(t *testing.T) {
	const many = 200
	c := newCollector(Options{})
	c.Summary = new(captures.Summary)
	asker, n := nth(1).Addr(), 0
	next := func() int { n++; return n }
	for i := range many {
		c.says(t, next(), netip.AddrPortFrom(asker, uint16(1000+i)), nth(2+i), captures.UDP, &wire.EnumSessions{Application: thisGame})
	}
	for i := range many {
		c.says(t, next(), nth(2+i), netip.AddrPortFrom(asker, 9), captures.UDP, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Application: thisGame}})
		c.says(t, next(), nth(2+i), netip.AddrPortFrom(asker, 9), captures.TCP, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Application: thisGame}})
	}
	for i := range many {
		joiner, host := nth(5000), nth(5001+i)
		r := captures.Record{Transport: captures.TCP, Src: netip.AddrPortFrom(joiner.Addr(), uint16(10000+i)), Dst: host,
			From: captures.Machine{At: joiner, Sure: true}, To: captures.Machine{At: host, Sure: true}}
		r.N, r.Frames, r.Envelope.Message = next(), []int{n}, &wire.RequestPlayerID{Flags: wire.PlayerSystem}
		require.NoError(t, c.record(&r))
		c.Joins[i].List = mark{Frame: n, N: n}
	}
	for _, j := range c.Joins {
		j.LastSeen = mark{Frame: next(), N: n}
	}
	c.event(&captures.Event{Kind: captures.CaptureEnded, Time: began.Add(time.Hour)})
	found := map[Code]int{}
	for _, f := range c.report("").Findings {
		found[f.Code]++
	}
	for _, code := range []Code{"reply-by-udp", "reply-wrong-port", "same-ports"} {
		assert.Greater(t, found[code], many, "%s", code)
		assert.LessOrEqual(t, found[code], many*maxPairs, "%s", code)
	}
}

// TestAnsweredOnce checks that the answers to a question are looked for once, and not again for each question that nobody answered: 4,096
// questions of both kinds took minutes.
func TestAnsweredOnce(t *testing.T) {
	c := newCollector(Options{})
	c.Summary = new(captures.Summary)
	c.says(t, 1, nth(1), nth(2), captures.TCP, &wire.EnumSessions{Application: thisGame})
	c.says(t, 2, nth(2), nth(1), captures.TCP, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Application: thisGame}})
	c.settle()
	c.offersTo = nil
	asker := netip.AddrPortFrom(nth(1).Addr(), 2301)
	stream := c.byStream(&ask{askKey: askKey{Asker: asker, To: nth(2), Transport: captures.UDP, App: thisGame}})
	assert.Equal(t, c.Asks.list[0], stream)
}

// TestManyReplies checks what becomes of a question that more hosts connected to answer than it is paired with.
func TestManyReplies(t *testing.T) {
	asker := nth(1)
	report := func(change func(*dial)) map[Code]int {
		c := newCollector(Options{})
		c.Summary = new(captures.Summary)
		c.says(t, 1, asker, nth(2), captures.UDP, &wire.EnumSessions{Application: thisGame})
		for i := range maxPairs + 1 {
			k := dialKey{nth(2 + i).Addr(), asker}
			d := c.Dials.at(k, dial{dialKey: k, Taken: 1})
			d.again(mark{Frame: 2 + i, Time: began})
			if i == maxPairs {
				change(d)
			}
		}
		c.event(&captures.Event{Kind: captures.CaptureEnded, Time: began.Add(time.Hour)})
		found := map[Code]int{}
		for _, f := range c.report("").Findings {
			found[f.Code]++
		}
		delete(found, "dialect-mismatch") // says gives messages no version
		return found
	}
	assert.Equal(t, map[Code]int{"enum-unanswered": 1}, report(func(*dial) {}))
	assert.Equal(t, map[Code]int{"reply-refused": 1}, report(func(d *dial) { d.Taken = 0; d.Refused.again(d.Final) }))
	assert.Empty(t, report(func(d *dial) { d.Used = true }), "one sent something")
}
