package dpsp

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// What comes before the list is held once we are admitted, from each address to a limit, and from the host to that of all.
func TestJoiningHold(t *testing.T) {
	from := func(s string) origin {
		at := netip.MustParseAddrPort(s)
		return origin{from: netip.AddrPortFrom(at.Addr(), 999), listener: at}
	}
	j := way{want: Join{Host: netip.MustParseAddrPort("10.0.0.1:2300")}}
	host, other, m := from("10.0.0.1:2300"), from("10.0.0.2:2300"), &wire.DeletePlayer{Player: 5}
	assert.False(t, j.hold(host, wire.DX9, m), "nobody knows us yet")
	j.admitted = true
	for range maxHeldEach {
		assert.True(t, j.hold(other, wire.DX9, m))
	}
	assert.False(t, j.hold(other, wire.DX9, m))
	late := other
	late.udp = true
	assert.False(t, j.hold(late, wire.DX9, m))
	for range maxHeld - maxHeldEach {
		assert.True(t, j.hold(host, wire.DX9, m))
	}
	assert.False(t, j.hold(host, wire.DX9, m))
	assert.Len(t, j.held, maxHeld)
}

// The ids of sessions before are remembered on every way, up to a number.
func TestJoiningPast(t *testing.T) {
	e := New(Config{})
	for i := range maxPast + 3 {
		e.self = wire.PlayerID(i + 1)
		e.reset()
		e.reset()
	}
	assert.Len(t, e.join.past, maxPast)
	assert.Equal(t, []wire.PlayerID{4, 5}, e.join.past[:2])
	e.Step(0, Input{Kind: Request, Command: Join{Host: netip.MustParseAddrPort("10.0.0.1:2300")}})
	assert.Len(t, e.join.past, maxPast)
}

// The next timer is that of the answer, or of the request that is sent once more.
func TestJoiningNext(t *testing.T) {
	assert.EqualValues(t, 10, (&way{deadline: 30, again: 10}).next())
	assert.EqualValues(t, 30, (&way{deadline: 30, again: Never}).next())
}

// A list that the host sent to our program before it began anew is not taken for ours: the one who we were is in it.
func TestListOfProgramBefore(t *testing.T) {
	w := newWorld(t)
	h, p := w.add("host", Config{}), w.add("newcomer", Config{})
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: wire.SessionKeepAlive})
	toHost := func(c wire.Command) func(from, to *node, out Outgoing) bool {
		return func(from, _ *node, out Outgoing) bool {
			var d wire.Decoder
			env, err := d.DecodeStream(out.Data)
			return err == nil && from == p && env.Message.Command() == c
		}
	}
	var before packet // the last list
	w.cut = func(from, to *node, out Outgoing) bool {
		var d wire.Decoder
		if env, err := d.DecodeStream(out.Data); err == nil && env.Message.Command() == wire.CmdSuperEnumPlayersReply {
			before = packet{from: from, to: out.To, data: slices.Clone(out.Data)}
		}
		return false
	}
	w.join(p, h, "")
	was := p.self
	require.NotNil(t, before.data)

	p.Engine, p.events = New(p.cfg), nil
	w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	s := take[SessionFound](p)[0]
	letGo := w.hold(toHost(wire.CmdAddForwardRequest))
	w.step(p, Input{Kind: Request, Command: Join{Host: s.Host, Desc: s.Desc, Name: s.Name, Encoding: s.Encoding}, Token: 77})
	w.settle()
	require.NotEqual(t, was, p.self, "it has its id")
	w.queue = append(w.queue, before)
	w.settle()
	assert.Equal(t, joinState, p.state)
	assert.Equal(t, "it is for our program before it began anew", take[Dropped](p)[0].Text)
	letGo()
	require.Equal(t, member, p.state)
	assert.ElementsMatch(t, []wire.PlayerID{h.self, p.self}, p.list.AppendSystems(nil))
	assert.Nil(t, p.peerAt(p.stream()), "it is none of the others")
}

// aloof returns an engine that has the list of a host that does not list it, but a machine with a port, and no mark.
func aloof(t *testing.T, port uint16, after time.Duration) *bench {
	t.Helper()
	b, list := newBench(t, Config{Legacy: true}), superEnum(t)
	binary.BigEndian.PutUint16(list[bytes.Index(list, octets(t, "20 02 00 09 2d"))+3:], port)
	b.request(mockJoin(""))
	b.give(0x777)
	b.out = b.Step(after, Input{Kind: Stream, From: netip.AddrPortFrom(mockHost.Addr(), 50001), Data: list})
	return b
}

// A host that does not list the newcomer is joined all the same: at once if nobody in its list can be what we were, otherwise when it
// was asked as often as we ask, or has hung up, and it is no earlier if we stood still meanwhile.
func TestHostThatDoesNotListUs(t *testing.T) {
	const most = DefaultReply + DefaultPopulate
	for name, c := range map[string]struct {
		port          uint16
		after, member time.Duration
		hangsUp       bool
	}{
		"nobody with our port":       {2301, 0, 0, false},
		"somebody with our port":     {2300, 0, most, false},
		"and it hangs up":            {2300, 0, hungUpGrace, true},
		"and the list comes late":    {2300, most - 1, most, false},
		"and we stood still for one": {2300, most + 1, most + 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := aloof(t, c.port, c.after)
			for range laterRepeats + 1 {
				if c.hangsUp {
					b.out = b.Step(b.now, Input{Kind: StreamEnded, From: mockHost})
				}
			}
			for steps := 0; steps < 20 && b.state == joinState; steps++ {
				b.out = b.Step(b.out.Wake, Input{})
			}
			require.Equal(t, member, b.state)
			assert.Equal(t, c.member, b.now)
			assert.Len(t, eventsOf[SessionOpened](b.out.Events), 1)
			assert.ElementsMatch(t, []wire.PlayerID{0x777, 0x12345678, 0x51573}, b.list.AppendSystems(nil))
		})
	}
}

// Whoever has such a list can still be refused, and give up; then it is of no use any more.
func TestListWithoutUsIsForgotten(t *testing.T) {
	b := aloof(t, 2300, 0)
	b.Step(b.now, Input{Kind: Request, Command: Leave{}})
	assert.Equal(t, []any{idle, true}, []any{b.state, b.join.without == nil})
	b = aloof(t, 2300, 0)
	b.tcp(octets(t, hexRefused))
	assert.ErrorIs(t, eventsOf[Done](b.out.Events)[0].Err, wire.ErrInvalidPassword)
	assert.Nil(t, b.join.without)
}
