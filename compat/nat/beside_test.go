//go:build linux

package nat_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// A player is a machine with a bridge, beside which games run.
type player struct {
	*nat.Machine
	bridge *program
}

// newPlayers makes a session of so many machines with bridges. The first one shares it.
func newPlayers(t *testing.T, names ...string) (context.Context, []*player) {
	t.Helper()
	ctx, f := newField(t)
	var all []*player
	code := ""
	for i, name := range names {
		m, _ := f.machine(ctx, t, nat.Kinds[i%len(nat.Kinds)], name)
		args := []string{"bridge", "join", code, "--commands", "ndjson"}
		if i == 0 {
			args = []string{"bridge", "share", "--relay", f.relay.Addr().String(), "--commands", "ndjson"}
		}
		p := &player{m, start(ctx, t, m, args...)}
		opened := p.bridge.named(ctx, t, "bridge_opened")
		if i == 0 {
			code = opened.Code
		}
		all = append(all, p)
	}
	return ctx, all
}

// hosts starts a game that hosts, beside the bridge.
func (p *player) hosts(ctx context.Context, t *testing.T, more ...string) *program {
	t.Helper()
	g := start(ctx, t, p.Machine, append([]string{"host", "--name", p.Name(), "--player", p.Name(), "--commands", "ndjson", "--app"}, more...)...)
	g.named(ctx, t, "session_opened")
	return g
}

// joins starts one that joins what it finds, by broadcast unless more has an address.
func (p *player) joins(ctx context.Context, t *testing.T, more ...string) *program {
	t.Helper()
	g := start(ctx, t, p.Machine, append([]string{"join", "--player", p.Name(), "--commands", "ndjson", "--timeout", "10m"}, more...)...)
	g.named(ctx, t, "session_opened")
	return g
}

// tells waits for a line of the bridge with such a text, behind the first skip events.
func (p *player) tells(ctx context.Context, t *testing.T, skip int, texts ...string) int {
	t.Helper()
	_, at := p.bridge.find(ctx, t, strings.Join(texts, " "), skip, func(e *event) bool {
		for _, text := range texts {
			if !strings.Contains(e.raw, text) {
				return false
			}
		}
		return true
	})
	return at + 1
}

// talk has each game say something that the others hear, those first that came last.
func talk(ctx context.Context, t *testing.T, text string, all ...*program) {
	t.Helper()
	acquainted(ctx, t, all)
	slices.Reverse(all)
	for _, from := range all {
		for _, to := range all {
			if from != to {
				says(ctx, t, from, to, text+" "+from.name+" "+to.name)
			}
		}
	}
}

// TestOnePort has games with one number for TCP and UDP, as Lego Loco has, played beside bridges: with the reliable protocol, which it
// sets, and without.
func TestOnePort(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"plain": {}, "reliable": {"--flags", "directplayprotocol,keepalive"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, all := newPlayers(t, "ann", "bob", "cid")
			host := all[0].hosts(ctx, t, append([]string{"loco"}, flags...)...)
			all[0].tells(ctx, t, 0, "game_translated", `"game":{"tcp":31415,"udp":31415}`)
			bob := all[1].joins(ctx, t, "--app", "loco")
			cid := all[2].joins(ctx, t, "--app", "loco", "127.0.0.1")
			talk(ctx, t, "hello", host, bob, cid)
			hundred(ctx, t, bob, host)
			hundred(ctx, t, cid, bob)
		})
	}
}

// TestRestarts has games crash, begin again, join and host, as on an evening with games of 1999.
func TestRestarts(t *testing.T) {
	t.Parallel()
	ctx, all := newPlayers(t, "ann", "bob")
	ann, bob := all[0], all[1]
	host := ann.hosts(ctx, t, "lotr2")
	guest := bob.joins(ctx, t)
	talk(ctx, t, "first", host, guest)

	guest.kill()
	guest = bob.joins(ctx, t, "127.0.0.1")
	talk(ctx, t, "bob crashed", host, guest)

	host.kill()
	guest.leave(t)
	host = ann.hosts(ctx, t, "lotr2")
	guest = bob.joins(ctx, t)
	talk(ctx, t, "ann crashed", host, guest)

	bob.tells(ctx, t, 0, `"event":"host_elsewhere"`, `"on":true`, `"name":"ann"`)
	at := bob.bridge.count()
	guest.leave(t)
	at = bob.tells(ctx, t, at, `"event":"game_playing","on":false`)
	other := start(ctx, t, bob.Machine, "host", "--app", "lotr2", "--name", "other", "--player", "bob", "--commands", "ndjson")
	other.wait()
	require.Error(t, other.err)
	assert.Contains(t, other.stderr.String(), "47624 is taken by dplay")
	bob.bridge.command(t, map[string]any{"command": "host"})
	bob.tells(ctx, t, at, `"event":"host_elsewhere","on":false`)
	other = bob.hosts(ctx, t, "lotr2")
	at = bob.tells(ctx, t, at, `"event":"game_hosting","on":true`)
	host.kill()
	guest = ann.joins(ctx, t)
	talk(ctx, t, "bob hosts", other, guest)
	other.leave(t)
	bob.tells(ctx, t, at, `"event":"game_hosting","on":false`)
}

// TestSecondGame has two games run on a machine, for which there is one place.
func TestSecondGame(t *testing.T) {
	t.Parallel()
	ctx, all := newPlayers(t, "ann", "bob")
	host := all[0].hosts(ctx, t, "lotr2")
	guest := all[1].joins(ctx, t)
	talk(ctx, t, "hello", host, guest)
	second := start(ctx, t, all[1].Machine, "join", "--player", "second", "--commands", "ndjson")
	second.wait()
	require.Error(t, second.err)
	assert.Contains(t, second.stderr.String(), "all TCP ports of 2300-2349 are taken by dplay")
	talk(ctx, t, "still here", host, guest)
}
