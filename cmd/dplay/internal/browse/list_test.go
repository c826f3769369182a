package browse

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestSessionList checks what counts as a new session and what as a change.
func TestSessionList(t *testing.T) {
	one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	hosts := []asked{{"one", one}, {"two", two}}
	l := newSessionList(&Options{hosts: hosts}, nil)
	began := time.Now()
	f := answer{Found: sock.Found{Name: "One", From: one, Desc: wire.SessionDesc{Instance: wire.GUID{1}, NamePointer: 1}}, at: began,
		trip: 5}
	check := func(want news) {
		t.Helper()
		assert.Equal(t, want, l.add(f))
	}
	check(found)
	check(nothing)
	f.Desc.NamePointer = 2 // garbage that Windows sends
	check(nothing)
	f.at, f.trip = began.Add(time.Second), 6
	check(nothing)
	assert.Equal(t, time.Duration(6), l.found[f.Desc.Instance].trip)
	f.trip = 0
	check(nothing)
	assert.Equal(t, time.Duration(6), l.found[f.Desc.Instance].trip, "what is known stays")
	f.Desc.CurrentPlayers = 1
	check(changed)
	assert.Equal(t, []string{"two"}, l.silent(time.Time{}))
	assert.Equal(t, []string{"two"}, l.silent(began))
	assert.Equal(t, []string{"one", "two"}, l.silent(f.at))
	f.From = netip.MustParseAddr("192.0.2.3")
	f.Desc.Instance[0] = 2
	check(found)
	assert.Empty(t, l.silent(time.Time{}), "it may be any of them, behind a router")
	for i := range cli.MaxFound {
		f.Desc.Instance = wire.GUID{3, byte(i), byte(i >> 8)}
		l.add(f)
	}
	assert.Len(t, l.found, cli.MaxFound)
	f.Desc.Instance = wire.GUID{4}
	check(nothing)
}
