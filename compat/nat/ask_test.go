//go:build linux

package nat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/compat/nat"
)

// TestAsk shares with --ask, lets one in from another terminal, and leaves: the next one is asked. Who asks and goes away is asked
// about no more. Only the machine that is asked can send others away.
func TestAsk(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.FullCone, "ann")
	bob, _ := f.machine(ctx, t, nat.FullCone, "bob")
	cid, _ := f.machine(ctx, t, nat.FullCone, "cid")
	told := func(p *program, what, name string) {
		t.Helper()
		p.find(ctx, t, what+" "+name, 0, func(e *event) bool { return e.Event == what && e.Machine.Name == name })
	}
	order := func(m *nat.Machine, want string, status int, args ...string) {
		t.Helper()
		out, got := run(ctx, t, m, append([]string{"bridge"}, args...)...)
		assert.Contains(t, out, want)
		assert.Equal(t, status, got, out)
	}
	bridge := func(m *nat.Machine, name string, args ...string) *program {
		t.Helper()
		return start(ctx, t, m, append([]string{"bridge", args[0], "--name", name, "--commands", "ndjson"}, args[1:]...)...)
	}
	share := bridge(ann, "ann", "share", "--ask", "--relay", f.relay.Addr().String())
	code := share.named(ctx, t, "bridge_opened").Code

	gone := bridge(bob, "gone", "join", code)
	told(share, "machine_asks", "gone")
	gone.interrupt(t)
	told(share, "machine_asks_no_more", "gone")
	order(ann, "nobody asks", 1, "admit", "gone")

	guest := bridge(bob, "bob", "join", code)
	told(share, "machine_asks", "bob")
	order(ann, "bob may come in", 0, "admit", "bob")
	guest.named(ctx, t, "bridge_opened")
	last := bridge(cid, "cid", "join", code)
	told(share, "machine_asks", "cid")
	order(ann, "cid may come in", 0, "admit")
	told(guest, "machine_joined", "cid")
	order(bob, `ann lets newcomers in: only there can cid be sent away for all. "cut" instead of "kick"`, 1, "kick", "cid")
	share.leave(t)

	told(guest, "machine_left", "ann")
	late := bridge(ann, "late", "join", code)
	told(guest, "machine_asks", "late")
	order(bob, "late may not come in", 0, "refuse", "late")
	told(guest, "machine_asks_no_more", "late")
	late.wait()
	assert.Contains(t, late.stderr.String(), "this machine was not let in: somebody in the session said no")
	order(cid, "bob lets newcomers in", 1, "kick", "bob")
	order(bob, "cid was sent away", 0, "kick", "cid")
	assert.Contains(t, last.named(ctx, t, "bridge_closed").Reason, "this machine was sent away")
}
