package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// The table of facts 5.3 (Wine's tests of Windows hosts), every row.
func TestEnumerationFilter(t *testing.T) {
	w := newWorld(t)
	sessions := []struct {
		name, password Text
		max            uint32
		flags          wire.SessionFlags
	}{
		{name: "normal"}, {name: "full", max: 1}, {name: "nonew", flags: wire.SessionNewPlayersDisabled},
		{name: "nojoin", flags: wire.SessionJoinDisabled}, {name: "private", password: "sesame", flags: wire.SessionPrivate},
		{name: "protected", password: "sesame"},
	}
	for _, s := range sessions {
		h := w.add(string(s.name), Config{})
		w.must(h, Host{Application: gameGUID, Name: s.name, Password: s.password, MaxPlayers: s.max, Flags: s.flags})
		if s.max == 1 {
			w.must(h, CreatePlayer{})
		}
	}
	p := w.add("asker", Config{})
	const all, pr = wire.EnumAll, wire.EnumPasswordRequired
	for _, row := range []struct {
		app      wire.GUID
		flags    wire.EnumFlags
		password Text
		want     []string
	}{
		{gameGUID, 0, "", []string{"normal"}},
		{gameGUID, wire.EnumAvailable, "", []string{"normal"}},
		{gameGUID, wire.EnumAvailable | wire.EnumAsync, "", []string{"normal"}}, // unknown bits mean nothing (facts, 3.1)
		{gameGUID, all, "", []string{"normal", "full", "nonew", "nojoin"}},
		{gameGUID, pr, "", []string{"normal", "protected"}},
		{gameGUID, all | pr, "", []string{"normal", "full", "nonew", "nojoin", "protected"}},
		{gameGUID, 0, "wrong", []string{"normal"}},
		{gameGUID, pr, "wrong", []string{"normal", "protected"}},
		{gameGUID, pr, "sesame", []string{"normal", "private", "protected"}},
		{gameGUID, 0, "sesame", []string{"normal", "private", "protected"}}, // 3.2.5.3
		{wire.GUID{}, 0, "", []string{"normal"}},
		{wire.GUID{9}, all | pr, "sesame", nil},
	} {
		w.must(p, Enumerate{Application: row.app, Flags: row.flags, Password: row.password})
		var got []string
		for _, f := range take[SessionFound](p) {
			got = append(got, f.Name)
		}
		assert.Equal(t, row.want, got, "%v %v %q", row.app, row.flags, row.password)
	}
}

// PRIVATE (3.1.1, facts 5.3): found and joined with its password alone; the address does not help without it, and the
// wrong one is refused at the door (3.2.5.5), also where only PASSWORDREQUIRED is set.
func TestPrivateSession(t *testing.T) {
	for flags, seen := range map[wire.SessionFlags]int{wire.SessionPrivate: 0, wire.SessionPasswordRequired: 1} {
		w := newWorld(t)
		h := w.add("host", Config{})
		w.must(h, Host{Application: gameGUID, Name: "Secret", Password: "sesame", Flags: flags})
		p := w.add("peer", Config{})
		w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumAll | wire.EnumPasswordRequired})
		assert.Len(t, take[SessionFound](p), seen, "%v", flags)
		for _, wrong := range []Text{"", "wrong", "Sesame"} {
			assert.Equal(t, wire.ErrInvalidPassword, w.do(p, Join{Host: h.stream(), Password: wrong}).Err, "%v %q", flags, wrong)
		}
		assert.Empty(t, h.peers.all)
		w.must(p, Enumerate{Application: gameGUID, Password: "sesame"})
		found := take[SessionFound](p)
		require.Len(t, found, 1, "%v", flags)
		assert.Equal(t, flags|wire.SessionPasswordRequired, found[0].Desc.Flags)
		w.must(p, Join{Host: found[0].Host, Desc: found[0].Desc, Password: "sesame"})
		w.must(h, SetDesc{Name: "Secret", Password: "changed", Flags: flags})
		q := w.add("late", Config{})
		assert.Equal(t, wire.ErrInvalidPassword, w.do(q, Join{Host: h.stream(), Password: "sesame"}).Err, "%v", flags)
		w.must(q, Join{Host: h.stream(), Password: "changed"})
	}
}

// Facts 5.3 and spec example 4.2: the flag comes with the password, and means nothing without one.
func TestPasswordFlags(t *testing.T) {
	assert.Equal(t, wire.SessionPasswordRequired|wire.SessionMigrateHost, sessionFlags(wire.SessionMigrateHost, "x"))
	assert.Equal(t, wire.SessionKeepAlive, sessionFlags(wire.SessionKeepAlive|wire.SessionPrivate|wire.SessionPasswordRequired, ""))
}

// Facts 3.1: an empty password at offset 32 means none.
func TestEmptyPasswordAsked(t *testing.T) {
	d := wire.SessionDesc{Flags: wire.SessionPrivate | wire.SessionPasswordRequired}
	assert.Equal(t, PrivateSession, silence(&d, wire.NewText("x"), &wire.EnumSessions{Password: wire.NewText("")}))
	assert.Equal(t, PrivateSession, silence(&d, wire.NewText("x"), &wire.EnumSessions{Password: wire.NewText(""), Flags: wire.EnumPasswordRequired}))
	d.Flags = 0
	assert.Empty(t, silence(&d, nil, &wire.EnumSessions{Password: wire.NewText("")}))
}

// A host tells its program why somebody who looks for sessions gets no answer, once for each address and reason, and
// remembers no more than so many.
func TestEnumerationIgnored(t *testing.T) {
	for _, c := range []struct {
		host Host
		ask  Enumerate
		want EnumerationIgnored
	}{
		{Host{}, Enumerate{Application: wire.GUID{9}, Flags: wire.EnumAll}, EnumerationIgnored{Application: wire.GUID{9}, Flags: wire.EnumAll, Reason: OtherGame}},
		{Host{Password: "sesame"}, Enumerate{Flags: wire.EnumAvailable}, EnumerationIgnored{Flags: wire.EnumAvailable, Reason: PasswordUnknown}},
		{Host{Password: "sesame"}, Enumerate{Password: "sesam"}, EnumerationIgnored{Password: true, Reason: PasswordUnknown}},
		{Host{Password: "sesame", Flags: wire.SessionPrivate}, Enumerate{Flags: wire.EnumPasswordRequired},
			EnumerationIgnored{Flags: wire.EnumPasswordRequired, Reason: PrivateSession}},
		{Host{MaxPlayers: 1}, Enumerate{}, EnumerationIgnored{Reason: SessionFull}},
		{Host{Flags: wire.SessionJoinDisabled}, Enumerate{}, EnumerationIgnored{Reason: JoinDisabled}},
		{Host{Flags: wire.SessionNewPlayersDisabled}, Enumerate{}, EnumerationIgnored{Reason: NewPlayersDisabled}},
	} {
		w := newWorld(t)
		h := w.add("host", Config{})
		c.host.Application = gameGUID
		w.must(h, c.host)
		if c.host.MaxPlayers == 1 {
			w.must(h, CreatePlayer{})
		}
		h.events = nil
		p := w.add("asker", Config{})
		for range 3 {
			w.must(p, c.ask)
		}
		c.want.From = p.datagram()
		assert.Equal(t, []EnumerationIgnored{c.want}, take[EnumerationIgnored](h))
	}

	w := newWorld(t)
	h := w.add("host", Config{})
	w.must(h, Host{Application: gameGUID})
	ask, err := (&wire.Envelope{HasSP: true, Version: wire.DX9, Message: &wire.EnumSessions{Application: wire.GUID{9}}}).Append(nil)
	require.NoError(t, err)
	told := 0
	for i := range 4 * maxSilent {
		from := netip.AddrFrom4([4]byte{10, 1, byte(i / 256), byte(i)})
		told += len(eventsOf[EnumerationIgnored](h.Step(0, Input{Kind: Datagram, From: netip.AddrPortFrom(from, 5000), Data: ask}).Events))
	}
	assert.Equal(t, 4*maxSilent, told)
	assert.Len(t, h.search.silent, maxSilent)
}
