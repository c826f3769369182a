package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// What comes before the list is held once we are admitted, from each address to a limit, and from the host to that of all.
func TestJoiningHold(t *testing.T) {
	from := func(s string) origin {
		at := netip.MustParseAddrPort(s)
		return origin{from: netip.AddrPortFrom(at.Addr(), 999), listener: at}
	}
	j := joining{want: Join{Host: netip.MustParseAddrPort("10.0.0.1:2300")}}
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

// A machine that greets us anew takes back what it said of the name table, and nothing else.
func TestJoiningOutdate(t *testing.T) {
	at := netip.MustParseAddrPort("10.0.0.2:2300")
	o, other := origin{from: at, listener: at}, origin{from: at, listener: netip.AddrPortFrom(at.Addr(), 2301)}
	table := wire.NewExtension(1, &wire.ExtensionTable{Message: []byte("octets")})
	for answer, want := range map[uint32]int{0: 4, 1: 3} {
		j := joining{admitted: true}
		j.hold(o, wire.DX9, table)
		j.hold(other, wire.DX9, table)
		j.hold(o, wire.DX9, &wire.DeletePlayer{Player: 5})
		assert.True(t, j.hold(o, wire.DX9, wire.NewExtension(1, &wire.ExtensionHello{Answer: answer})))
		assert.Len(t, j.held, want)
		octets := 0
		for _, h := range j.held {
			octets += len(h.octets)
		}
		assert.Equal(t, octets, j.octets)
	}
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
	assert.EqualValues(t, 10, (&joining{deadline: 30, again: 10}).next())
	assert.EqualValues(t, 30, (&joining{deadline: 30, again: Never}).next())
}
