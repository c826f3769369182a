package sock

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// meshFlags are the flags that change how a session works and that a host may choose (2.2.5). Those that decide who
// may come in, JOINDISABLED and NEWPLAYERSDISABLED, are set in every session once all are in it.
var meshFlags = []wire.SessionFlags{
	wire.SessionMigrateHost, wire.SessionNoMessageID, wire.SessionKeepAlive, wire.SessionNoDataMessages, wire.SessionMulticastServer,
	wire.SessionClientServer, wire.SessionNoPreserveOrder, wire.SessionOptimizeLatency, wire.SessionNoSessionDescMessages,
	wire.SessionAllowVoiceRetro, wire.SessionPasswordRequired, wire.SessionPrivate, wire.SessionDirectPlayProtocol,
}

// subsets gives all combinations of flags.
func subsets(of []wire.SessionFlags) []wire.SessionFlags {
	all := []wire.SessionFlags{0}
	for _, f := range of {
		for _, s := range all[:len(all):len(all)] {
			all = append(all, s|f)
		}
	}
	return all
}

// excluded says whether MIGRATEHOST contradicts other flags (facts, 5.4).
func excluded(f wire.SessionFlags) bool {
	return f&wire.SessionMigrateHost != 0 && f&(wire.SessionClientServer|wire.SessionMulticastServer|wire.SessionSecureServer) != 0
}

// meeting picks combinations such that any three flags are set and not set together as they are in all.
func meeting(all []wire.SessionFlags) (some []wire.SessionFlags) {
	type meet struct{ three, set wire.SessionFlags }
	had := map[meet]bool{}
	for n := range all {
		f, before := all[n*89%len(all)], len(had) // a prime: neighbours in the list are much alike
		for i, a := range meshFlags {
			for j, b := range meshFlags[:i] {
				for _, c := range meshFlags[:j] {
					had[meet{a | b | c, f & (a | b | c)}] = true
				}
			}
		}
		if len(had) > before {
			some = append(some, f)
		}
	}
	return some
}

// TestMeshFlags has a host and two joiners go through all that players do with each other under
// every combination of session flags that the specification allows with DPLAY_LONG, as "make race-long" has it; else under
// so many that any three flags meet.
func TestMeshFlags(t *testing.T) {
	const lanes = 8
	var allowed []wire.SessionFlags
	for _, f := range subsets(meshFlags) {
		if !excluded(f) && (f&wire.SessionPrivate == 0 || f&wire.SessionPasswordRequired != 0) {
			allowed = append(allowed, f)
		}
	}
	// MIGRATEHOST goes with neither CLIENTSERVER nor MULTICASTSERVER: 5 of 8 combinations of the three remain. PRIVATE
	// means nothing without a password (facts, 5.3): 3 of 4. The other eight are free.
	require.Len(t, allowed, 5*3<<8)
	// Of those with DIRECTPLAYPROTOCOL, which changes how everything travels, some do: they are as many again.
	framed := slices.DeleteFunc(slices.Clone(allowed), func(f wire.SessionFlags) bool { return f&wire.SessionDirectPlayProtocol == 0 })
	if os.Getenv("DPLAY_LONG") == "" {
		allowed = meeting(allowed)
	} else {
		allowed = slices.DeleteFunc(allowed, func(f wire.SessionFlags) bool { return f&wire.SessionDirectPlayProtocol != 0 })
		allowed = append(allowed, meeting(framed)...)
	}
	t.Run("all", func(t *testing.T) {
		for lane := range lanes {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				for i := lane; i < len(allowed); i += lanes {
					t.Run(allowed[i].String(), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { newTrio(t, socktest.New(), allowed[i], loopback, outsider).play() })
					})
				}
			})
		}
	})
}

// A trio is a host and two joiners, each with a player, and a group.
type trio struct {
	t         *testing.T
	n         Network
	ctx       context.Context
	flags     wire.SessionFlags
	password  dpsp.Text
	found     Found
	at        netip.Addr
	host      *part
	ann, bob  *part
	everybody []*part
	group     wire.PlayerID
}

func (x *trio) is(f wire.SessionFlags) bool { return x.flags&f != 0 }

// newTrio opens a session at an address; seeker is where it is looked for from.
func newTrio(t *testing.T, n Network, flags wire.SessionFlags, at, seeker netip.Addr) *trio {
	t.Helper()
	ctx := soon(t)
	x := &trio{t: t, n: n, ctx: ctx, flags: flags, at: at}
	if x.is(wire.SessionPasswordRequired) {
		x.password = "sesame"
	}
	name := flags.String()
	s, err := hosted(ctx, bound(n, at), dpsp.Host{Application: testGame, Name: dpsp.Text(name), Password: x.password, Flags: flags})
	x.host, err = enter("host", s, err)
	require.NoError(t, err)
	t.Cleanup(func() { x.host.Close() })
	x.found, err = seek(ctx, bound(n, seeker), at, x.password, func(f *Found) bool { return f.Name == name })
	require.NoError(t, err)
	if x.password != "" {
		_, err = joined(ctx, bound(n, at), x.found, "simsalabim")
		require.ErrorIs(t, err, wire.ErrInvalidPassword)
	}
	x.ann, x.bob = x.join("Ann"), x.join("Bob")
	x.everybody = []*part{x.host, x.ann, x.bob}
	return x
}

func (x *trio) join(name string) *part {
	x.t.Helper()
	s, err := joined(x.ctx, bound(x.n, x.at), x.found, x.password)
	p, err := enter(name, s, err)
	require.NoError(x.t, err)
	x.t.Cleanup(func() { p.Close() })
	return p
}

// do has a machine do something.
func (x *trio) do(p *part, c dpsp.Command) wire.PlayerID {
	x.t.Helper()
	id, err := p.Do(x.ctx, c)
	require.NoError(x.t, err, "%s: %T", p.name, c)
	return id
}

// play goes through everything. Each step waits for what everybody is to see of it.
func (x *trio) play() {
	x.t.Helper()
	x.players()
	x.messages()
	x.changes()
	x.closes()
	x.goodbye()
}

// know gives whom of the others a machine knows: in a client/server session, clients know the server alone (facts, 5.4).
func (x *trio) know(p *part) (all []*part) {
	for _, o := range x.everybody {
		if o != p && (!x.is(wire.SessionClientServer) || o == x.host || p == x.host) {
			all = append(all, o)
		}
	}
	return all
}

// players has everybody make a player, and Ann a group for all.
func (x *trio) players() {
	x.t.Helper()
	for _, p := range x.everybody {
		var kind wire.PlayerFlags
		if p == x.host && x.is(wire.SessionClientServer) {
			kind = wire.PlayerServerPlayer
		}
		p.id = x.do(p, dpsp.CreatePlayer{ShortName: dpsp.Text(p.name), Flags: kind})
		for _, o := range append(x.know(p), p) {
			e := got(x.t, x.ctx, o, func(e dpsp.PlayerCreated) bool { return e.ID == p.id })
			assert.Equal(x.t, p.name, e.ShortName)
			assert.Equal(x.t, o == p, e.Local)
		}
	}
	for _, p := range x.everybody {
		assert.Len(x.t, p.Players(), len(x.know(p))+1, p.name)
	}
	x.group = x.do(x.ann, dpsp.CreateGroup{ShortName: "all"})
	x.do(x.ann, dpsp.AddToGroup{Player: x.ann.id, Group: x.group})
	if x.is(wire.SessionClientServer) {
		return // the group is Ann's alone
	}
	// Both know the group before one of them says that it is in it: nothing keeps that from overtaking Ann's word.
	for _, p := range []*part{x.host, x.bob} {
		got(x.t, x.ctx, p, func(e dpsp.GroupCreated) bool { return e.ID == x.group })
	}
	for _, p := range []*part{x.host, x.bob} {
		x.do(p, dpsp.AddToGroup{Player: p.id, Group: x.group})
	}
	for _, p := range x.everybody {
		for _, o := range x.everybody {
			got(x.t, x.ctx, p, func(e dpsp.MemberAdded) bool { return e == dpsp.MemberAdded{Player: o.id, Group: x.group} })
		}
	}
}

// messages has everybody send to everybody that it knows: to each player, to the group, to all, with guarantee and
// without. Who is not meant gets nothing.
func (x *trio) messages() {
	x.t.Helper()
	for _, p := range x.everybody {
		for _, guaranteed := range []bool{true, false} {
			for _, o := range x.know(p) {
				x.send(p, o.id, guaranteed, o)
			}
			x.send(p, wire.IDAll, guaranteed, x.know(p)...)
			if !x.is(wire.SessionClientServer) {
				x.send(p, x.group, guaranteed, x.know(p)...)
			}
		}
	}
	if x.is(wire.SessionClientServer) {
		x.send(x.ann, x.group, true) // nobody else is in it, and nobody must drop anything
	}
	for _, p := range x.everybody {
		assert.Zero(x.t, count[dpsp.Message](p), "%s got what was not for it: %v", p.name, p.seen)
		assert.Zero(x.t, count[dpsp.ChatMessage](p), "%s got what was not for it: %v", p.name, p.seen)
	}
}

// send sends a message and chat, and waits until those who are meant have both.
func (x *trio) send(from *part, to wire.PlayerID, guaranteed bool, meant ...*part) {
	x.t.Helper()
	payload := []byte(fmt.Sprint(from.name, to, guaranteed))
	require.NoError(x.t, from.Send(x.ctx, from.id, to, payload, guaranteed))
	x.do(from, dpsp.Chat{From: from.id, To: to, Guaranteed: guaranteed, Text: dpsp.Text(payload)})
	for _, p := range meant {
		m := got(x.t, x.ctx, p, func(dpsp.Message) bool { return true })
		want := dpsp.Message{From: from.id, To: p.id, Sent: to, Guaranteed: guaranteed, Payload: payload}
		if x.is(wire.SessionDirectPlayProtocol) && x.is(wire.SessionClientServer|wire.SessionMulticastServer) {
			want.Guaranteed = m.Guaranteed // without the extension everything goes out reliable (facts, reliable 8: D1)
		}
		if x.is(wire.SessionNoMessageID) {
			want.From, want.Sent = m.From, m.Sent // see below
			x.anonymous(from, to, &m)
		} else if x.framed(from, to) && to == x.group {
			want.Sent = p.id // frames name players; a copy went to each
		}
		assert.Equal(x.t, want, m, p.name)
		c := got(x.t, x.ctx, p, func(dpsp.ChatMessage) bool { return true })
		assert.Equal(x.t, dpsp.ChatMessage{From: from.id, FromName: from.name, To: p.id, Sent: to, Guaranteed: guaranteed,
			Text: string(payload)}, c, p.name)
	}
}

// framed says whether a game message goes in frames, and not by way of the host.
func (x *trio) framed(from *part, to wire.PlayerID) bool {
	several := to == wire.IDAll || to == x.group
	return x.is(wire.SessionDirectPlayProtocol) && !(x.is(wire.SessionMulticastServer) && from != x.host && several)
}

// anonymous checks a message without ids: it names nobody, unless it says so because the host had to be told whom to
// pass it on to.
func (x *trio) anonymous(from *part, to wire.PlayerID, m *dpsp.Message) {
	x.t.Helper()
	if x.framed(from, to) {
		assert.Equal(x.t, from.id, m.From, "frames say whom they are from")
		return
	}
	assert.Zero(x.t, m.From)
	if m.Sent != wire.IDAll {
		assert.True(x.t, x.is(wire.SessionMulticastServer) && from != x.host && to == m.Sent, "sent to %s, from %s", m.Sent, from.name)
	}
}

// changes has Ann change her data and name, and the host the session. With NODATAMESSAGES nobody is told of data,
// with NOSESSIONDESCMESSAGES nobody of the session (3.1.1).
func (x *trio) changes() {
	x.t.Helper()
	x.do(x.ann, dpsp.SetData{ID: x.ann.id, Data: []byte("data")})
	x.do(x.ann, dpsp.SetName{ID: x.ann.id, ShortName: "Anna"})
	for _, p := range x.know(x.ann) {
		e := got(x.t, x.ctx, p, func(dpsp.PlayerChanged) bool { return true })
		if !x.is(wire.SessionNoDataMessages) {
			assert.False(x.t, e.Renamed)
			assert.Equal(x.t, "data", string(e.Data))
			e = got(x.t, x.ctx, p, func(dpsp.PlayerChanged) bool { return true })
		}
		assert.True(x.t, e.Renamed, "%s was told of data", p.name)
		assert.Equal(x.t, "Anna", e.ShortName)
	}
	x.do(x.host, dpsp.SetDesc{Name: "Renamed", Password: x.password, Flags: x.flags, User: [4]uint32{1, 2, 3, 4}})
	x.send(x.host, wire.IDAll, true, x.ann, x.bob) // comes after it
	for _, p := range []*part{x.ann, x.bob} {
		if x.is(wire.SessionNoSessionDescMessages) {
			assert.Zero(x.t, count[dpsp.SessionChanged](p), "%s was told of the session", p.name)
			continue
		}
		e := got(x.t, x.ctx, p, func(dpsp.SessionChanged) bool { return true })
		assert.Equal(x.t, "Renamed", e.Name)
		assert.Equal(x.t, [4]uint32{1, 2, 3, 4}, e.Desc.User)
	}
}

// closes has the host let nobody else in, then no other players.
func (x *trio) closes() {
	x.t.Helper()
	x.do(x.host, dpsp.SetDesc{Name: "Closed", Password: x.password, Flags: x.flags | wire.SessionJoinDisabled})
	_, err := joined(x.ctx, bound(x.n, x.at), x.found, x.password)
	require.ErrorIs(x.t, err, wire.ErrNoNewPlayers)
	x.do(x.host, dpsp.SetDesc{Name: "Closed", Password: x.password, Flags: x.flags | wire.SessionNewPlayersDisabled})
	_, err = x.host.CreatePlayer(x.ctx, "late", nil)
	require.ErrorIs(x.t, err, wire.ErrCantCreatePlayer) // facts, 5.4
	_, err = x.bob.CreatePlayer(x.ctx, "late", nil)
	var refusal wire.HResult // Bob's own, or the host's if it had not heard of the change
	require.ErrorAs(x.t, err, &refusal)
}

// goodbye has the joiners leave, then the host.
func (x *trio) goodbye() {
	x.t.Helper()
	require.NoError(x.t, x.bob.Close())
	gone := func(e dpsp.PlayerDeleted) bool { return e.ID == x.bob.id }
	for _, p := range x.know(x.bob) {
		got(x.t, x.ctx, p, gone)
	}
	require.NoError(x.t, x.host.Close())
}

// TestMeshFlagsRefused has sessions refused, with a clear error, whose flags exclude each other or which want what is
// not supported: under every combination of the other flags, by the host and by who would join. Without DPLAY_LONG it tries
// one of seventeen.
func TestMeshFlagsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx, opt := soon(t), on(n)
		refused := 0
		for _, f := range subsets(append(meshFlags, wire.SessionSecureServer)) {
			var want error
			switch {
			case excluded(f):
				want = dpsp.ErrFlags
			case f&wire.SessionSecureServer != 0:
				want = dpsp.ErrSecure
			default:
				continue
			}
			if refused++; refused%17 != 0 && os.Getenv("DPLAY_LONG") == "" {
				continue
			}
			_, err := hosted(ctx, opt, dpsp.Host{Application: testGame, Name: "Refused", Flags: f})
			require.ErrorIs(t, err, want, "%s", f)
			if want == dpsp.ErrFlags {
				continue // nobody can host it, so nobody finds it
			}
			at := Found{Host: netip.AddrPortFrom(opt.Bind, wire.StreamPorts.First), Desc: wire.SessionDesc{Application: testGame, Flags: f}}
			_, err = joined(ctx, opt, at, "")
			require.ErrorIs(t, err, want, "%s", f)
		}
		assert.Equal(t, 1<<14-5<<10, refused, "all that are not allowed")
	})
}
