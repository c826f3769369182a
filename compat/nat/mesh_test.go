//go:build linux

package nat_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// homesOf are the kinds of routers that the machines of a large session are behind.
var homesOf = []nat.Kind{nat.PortRestricted, nat.FullCone, nat.Symmetric, nat.PortRestricted, nat.UDPBlocked, nat.Symmetric,
	nat.FullCone, nat.PortRestricted}

// migrating are the flags of a session that outlives its host.
var migrating = []string{"--flags", "migratehost,keepalive", "--period", "20s", "--probes", "3"}

// newMesh makes a session of so many machines behind routers of all kinds. The first one hosts.
func newMesh(ctx context.Context, t *testing.T, f *field, n int) (all []*program, homes []*nat.Home, code string) {
	t.Helper()
	for i := range n {
		m, home := f.machine(ctx, t, homesOf[i%len(homesOf)], fmt.Sprintf("m%d", i))
		homes = append(homes, home)
		if i == 0 {
			var host *program
			host, code = f.host(ctx, t, m, migrating...)
			all = append(all, host)
			continue
		}
		all = append(all, f.join(ctx, t, m, code, migrating[2:]...))
	}
	acquainted(ctx, t, all)
	return all, homes, code
}

// acquainted waits until each knows the player of each.
func acquainted(ctx context.Context, t *testing.T, all []*program) {
	t.Helper()
	for _, p := range all {
		for _, other := range all {
			p.find(ctx, t, "player "+other.name, 0, func(e *event) bool { return e.Event == "player_created" && e.Name == other.name })
		}
	}
}

// everybody has each say something that all others hear.
func everybody(ctx context.Context, t *testing.T, all []*program, text string) {
	t.Helper()
	for i, p := range all {
		p.command(t, map[string]any{"command": "say", "text": fmt.Sprintf("%s %d", text, i)})
	}
	for i, p := range all {
		for j := range all {
			if i != j {
				want := fmt.Sprintf("%s %d", text, j)
				p.find(ctx, t, want, 0, func(e *event) bool { return e.Event == "chat" && e.Text == want })
			}
		}
	}
}

// TestMesh has eight machines behind routers of all kinds talk, each to each, and over a way of its own: directly wherever theory
// allows it.
func TestMesh(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	all, _, _ := newMesh(ctx, t, f, 8)
	everybody(ctx, t, all, "hello from")
	for i, p := range all {
		for j, other := range all {
			if i == j {
				continue
			}
			want := "relayed"
			if nat.Direct(homesOf[i], homesOf[j]) {
				want = "direct"
			}
			p.way(ctx, t, other.name, want)
		}
	}
}

// TestHostKilled kills the host of a session, which shared it as well: the others have a new one, and a newcomer joins by the
// old code.
func TestHostKilled(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	all, _, code := newMesh(ctx, t, f, 3)
	everybody(ctx, t, all, "hello from")
	all[0].kill()
	goesOn(ctx, t, f, all[1:], code)
}

// TestSharerCutOff cuts the machine off that hosts and shared the session.
func TestSharerCutOff(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	all, homes, code := newMesh(ctx, t, f, 3)
	everybody(ctx, t, all, "hello from")
	require.NoError(t, homes[0].Cut(ctx))
	goesOn(ctx, t, f, all[1:], code)
}

// goesOn has the machines that are left get a new host and a newcomer.
func goesOn(ctx context.Context, t *testing.T, f *field, left []*program, code string) {
	t.Helper()
	for _, p := range left {
		lost, _ := p.find(ctx, t, "host_lost", 0, oneOf("host_lost"))
		changed, _ := p.find(ctx, t, "host_changed", 0, oneOf("host_changed"))
		t.Logf("%s: %v from host_lost to host_changed", p.name, changed.Time.Sub(lost.Time))
	}
	everybody(ctx, t, left, "still here,")
	m, _ := f.machine(ctx, t, nat.PortRestricted, "late")
	late := f.join(ctx, t, m, code, migrating[2:]...)
	t.Logf("the newcomer is in after %v", late.named(ctx, t, "session_opened").at.Sub(late.began))
	acquainted(ctx, t, append(left, late))
	everybody(ctx, t, append(left, late), "welcome,")
}

// TestRelayKilled kills the relay: what goes directly does not notice. When it is back newcomers join by the same code.
func TestRelayKilled(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.FullCone, "bob")
	host, code := f.host(ctx, t, ann, migrating...)
	guest := f.join(ctx, t, bob, code, migrating[2:]...)
	guest.way(ctx, t, "ann", "direct")
	host.way(ctx, t, "bob", "direct")
	before := map[*program]int{host: host.count(), guest: guest.count()}
	f.program.kill()
	for _, p := range []*program{host, guest} {
		p.find(ctx, t, "relay_lost", 0, oneOf("relay_lost"))
	}
	for i := range 10 {
		says(ctx, t, guest, host, fmt.Sprintf("without a relay %d", i))
		says(ctx, t, host, guest, fmt.Sprintf("neither %d", i))
	}
	skip := host.count()
	f.startRelay(ctx, t)
	host.find(ctx, t, "relay_found", skip, oneOf("relay_found"))
	cid, _ := f.machine(ctx, t, nat.Symmetric, "cid")
	late := f.join(ctx, t, cid, code, migrating[2:]...)
	acquainted(ctx, t, []*program{host, guest, late})
	everybody(ctx, t, []*program{host, guest, late}, "all of us,")
	for _, p := range []*program{host, guest} {
		assert.Empty(t, p.seen(oneOf("host_lost", "host_changed", "peer_lost")))
		ways := p.seen(func(e *event) bool {
			return slices.Contains([]string{"machine_way", "machine_left", "machine_joined"}, e.Event) && e.Machine.Name != "cid"
		})
		assert.Equal(t, "direct", ways[len(ways)-1].Machine.Way)
		for _, e := range ways {
			assert.Less(t, e.index, before[p], "the direct way did not change: %s", e.raw)
		}
	}
}

// TestRelayBack kills the relay of two machines that reach each other by it alone. When it is back their game goes on: nothing of
// what was said meanwhile is lost.
func TestRelayBack(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.Symmetric, "ann")
	bob, _ := f.machine(ctx, t, nat.Symmetric, "bob")
	host, code := f.host(ctx, t, ann)
	guest := f.join(ctx, t, bob, code)
	says(ctx, t, guest, host, "hello")
	f.program.kill()
	for _, p := range []*program{host, guest} {
		p.find(ctx, t, "relay_lost", 0, oneOf("relay_lost"))
	}
	guest.command(t, map[string]any{"command": "say", "text": "can you hear me?"})
	host.command(t, map[string]any{"command": "say", "text": "hello?"})
	f.startRelay(ctx, t)
	back := time.Now()
	e, _ := host.find(ctx, t, "what was said", 0, func(e *event) bool { return e.Text == "can you hear me?" })
	t.Logf("heard %v after the relay was back", e.at.Sub(back))
	guest.find(ctx, t, "what was said", 0, func(e *event) bool { return e.Text == "hello?" })
	hundred(ctx, t, guest, host)
	for _, p := range []*program{host, guest} {
		assert.Empty(t, p.seen(oneOf("host_lost", "peer_lost", "player_deleted", "session_lost")))
	}
}

// TestChurn has one machine join a session of eight and another one leave it, 24 times: nothing leaks.
func TestChurn(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	all, _, code := newMesh(ctx, t, f, 8)
	const rounds = 24
	var guests [2]*nat.Machine
	guests[0], _ = f.machine(ctx, t, nat.PortRestricted, "guest0")
	guests[1], _ = f.machine(ctx, t, nat.Symmetric, "guest1")
	guest := f.join(ctx, t, guests[0], code, migrating[2:]...)
	var before []holdings
	var relayed int
	for i := range rounds {
		next := f.join(ctx, t, guests[(i+1)%2], code, migrating[2:]...)
		acquainted(ctx, t, append(all[:8:8], guest, next))
		everybody(ctx, t, append(all[:8:8], guest, next), fmt.Sprintf("round %d,", i))
		guest.leave(t)
		guest = next
		if i == 1 { // the same guest is there as at the end
			for _, p := range append(all[:8:8], f.program) {
				before = append(before, p.holds(t))
			}
			relayed = f.allocations(ctx, t)
		}
	}
	for i, p := range append(all[:8:8], f.program) {
		after := p.holds(t)
		t.Logf("%s: at first %+v, in the end %+v", p.name, before[i], after)
		assert.LessOrEqual(t, after.descriptors, before[i].descriptors+8, p.name)
		assert.LessOrEqual(t, after.threads, before[i].threads+8, p.name)
		assert.Less(t, after.memory, before[i].memory+16<<20, p.name)
	}
	assert.Equal(t, relayed, f.allocations(ctx, t))
}

// TestSameHome has two machines behind one router join a session elsewhere, and find each other within their home.
func TestSameHome(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.Symmetric, "ann")
	bob, home := f.machine(ctx, t, nat.Symmetric, "bob")
	cid, err := home.Machine(ctx, "cid")
	require.NoError(t, err)
	host, code := f.host(ctx, t, ann)
	first, second := f.join(ctx, t, bob, code), f.join(ctx, t, cid, code)
	e := second.way(ctx, t, "bob", "direct")
	t.Log(e.Machine.Over)
	acquainted(ctx, t, []*program{host, first, second})
	everybody(ctx, t, []*program{host, first, second}, "we are")
}

// TestReliable has a session with the reliable protocol, from behind routers that go directly and by the relay.
func TestReliable(t *testing.T) {
	t.Parallel()
	for _, kind := range []nat.Kind{nat.PortRestricted, nat.Symmetric} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			ctx, f := newField(t)
			ann, home := f.machine(ctx, t, kind, "ann")
			bob, _ := f.machine(ctx, t, kind, "bob")
			host, code := f.host(ctx, t, ann, "--flags", "directplayprotocol,keepalive")
			guest := f.join(ctx, t, bob, code)
			says(ctx, t, guest, host, "hello")
			hundred(ctx, t, guest, host)
			hundred(ctx, t, host, guest)
			require.NoError(t, home.Lose(ctx, 2))
			hundred(ctx, t, guest, host)
		})
	}
}

// TestPassword refuses who has the code and not the password of the session.
func TestPassword(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.Symmetric, "bob")
	_, code := f.host(ctx, t, ann, "--password", "sesame")
	wrong := start(ctx, t, bob, append([]string{"join", code, "--password", "wrong"}, gameArgs...)...)
	wrong.find(ctx, t, "join_failed", 0, oneOf("join_failed"))
	wrong.wait()
	assert.Contains(t, wrong.stderr.String(), "wrong password: the host answers DPERR_INVALIDPASSWORD (0x88770154)")
	f.join(ctx, t, bob, code, "--password", "sesame")
}

// TestDirectByIPv6 has two machines behind symmetric routers that have IPv6 as well find the direct way by that.
func TestDirectByIPv6(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	var at []*nat.Machine
	for _, name := range []string{"ann", "bob"} {
		home, err := f.Home(ctx, nat.Symmetric, true)
		require.NoError(t, err)
		m, err := home.Machine(ctx, name)
		require.NoError(t, err)
		at = append(at, m)
	}
	host, code := f.host(ctx, t, at[0])
	guest := f.join(ctx, t, at[1], code)
	e := guest.way(ctx, t, "ann", "direct")
	assert.Contains(t, e.Machine.Over, "2001:db8:")
	says(ctx, t, guest, host, "hello")
}

// TestMoves has a machine go from one home to another, as from Wi-Fi to mobile: the game does not notice.
func TestMoves(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.PortRestricted, "bob")
	mobile, err := f.Home(ctx, nat.Symmetric, false)
	require.NoError(t, err)
	host, code := f.host(ctx, t, ann)
	guest := f.join(ctx, t, bob, code)
	guest.way(ctx, t, "ann", "direct")
	says(ctx, t, guest, host, "at home")
	require.NoError(t, bob.Move(ctx, mobile))
	moved := time.Now()
	says(ctx, t, guest, host, "on the way")
	says(ctx, t, host, guest, "we hear you")
	t.Logf("heard again after %v", time.Since(moved))
	hundred(ctx, t, guest, host)
	assert.Empty(t, guest.seen(oneOf("host_lost", "session_lost")))
	assert.Empty(t, host.seen(oneOf("player_deleted")))
}
