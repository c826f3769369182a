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
	l := newSessionList(&Options{}, nil, hosts)
	began := time.Now()
	f := answer{Found: sock.Found{Name: "One", Desc: wire.SessionDesc{Instance: wire.GUID{1}, NamePointer: 1}}, at: began,
		trip: 5, from: one}
	check := func(wantNew, wantChanged bool) {
		t.Helper()
		isNew, changed := l.add(f)
		assert.Equal(t, wantNew, isNew)
		assert.Equal(t, wantChanged, changed)
	}
	check(true, false)
	check(false, false)
	f.Desc.NamePointer = 2 // garbage that Windows sends
	check(false, false)
	f.at, f.trip = began.Add(time.Second), 6
	check(false, false)
	assert.Equal(t, time.Duration(6), l.found[f.Desc.Instance].trip)
	f.trip = noTrip
	check(false, false)
	assert.Equal(t, time.Duration(6), l.found[f.Desc.Instance].trip, "what is known stays")
	f.Desc.CurrentPlayers = 1
	check(false, true)
	assert.Equal(t, []string{"two"}, l.silent(hosts, time.Time{}))
	assert.Equal(t, []string{"two"}, l.silent(hosts, began))
	assert.Equal(t, []string{"one", "two"}, l.silent(hosts, f.at))
	f.from = netip.MustParseAddr("192.0.2.3")
	f.Desc.Instance[0] = 2
	check(true, false)
	assert.Empty(t, l.silent(hosts, time.Time{}), "it may be any of them, behind a router")
	for i := range cli.MaxFound {
		f.Desc.Instance = wire.GUID{3, byte(i), byte(i >> 8)}
		l.add(f)
	}
	assert.Len(t, l.found, cli.MaxFound)
	f.Desc.Instance = wire.GUID{4}
	check(false, false)
}
