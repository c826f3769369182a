//go:build linux

package nat_test

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/compat/nat"
)

// TestSignals: whatever ends who plays over a bridge of its own, the goodbye reaches the others before the bridge goes. None is said
// to be lost.
func TestSignals(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.PortRestricted, "bob")
	cid, _ := f.machine(ctx, t, nat.FullCone, "cid")
	host, with := f.host(ctx, t, ann)
	stays := f.join(ctx, t, bob, with)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) { // SIGHUP under nohup, which the programs rightly leave ignored
			continue
		}
		skip := []int{host.count(), stays.count()}
		goes := f.join(ctx, t, cid, with)
		for i, p := range []*program{host, stays} {
			p.find(ctx, t, "player of cid", skip[i], func(e *event) bool { return e.Event == "player_created" && e.Name == "cid" })
		}
		goes.signal(t, s)
		out, status := goes.end(t)
		assert.Zero(t, status, out)
		assert.Contains(t, out, `"event":"session_closed"`)
		for i, p := range []*program{host, stays} {
			p.find(ctx, t, "player of cid that goes", skip[i], func(e *event) bool { return e.Event == "player_deleted" && e.Name == "cid" })
		}
	}
	host.signal(t, syscall.SIGTERM)
	assert.Equal(t, "it left", stays.named(ctx, t, "host_lost").Reason)
	assert.True(t, stays.named(ctx, t, "host_changed").Hosting)
	out, status := host.end(t)
	assert.Zero(t, status, out)
	stays.find(ctx, t, "ann that leaves", 0, func(e *event) bool { return e.Event == "machine_left" && e.Machine.Name == "ann" })
	for _, p := range []*program{host, stays} {
		assert.Empty(t, p.seen(oneOf("peer_lost", "session_lost")))
	}
}
