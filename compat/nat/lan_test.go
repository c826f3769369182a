//go:build linux

package nat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// TestOneHome has two players in one home, of whom one hosts, and a friend elsewhere. The second one searches its own network, where
// the host hears it as well as over the bridge, or is told the host's address there, and is known to the host by its own there. The
// friend gets in, and everybody talks with everybody.
func TestOneHome(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"by broadcast", "by address"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			ctx, f := newField(t)
			ann, home := f.machine(ctx, t, nat.PortRestricted, "ann")
			bob, err := home.Machine(ctx, "bob")
			require.NoError(t, err)
			cid, _ := f.machine(ctx, t, nat.PortRestricted, "cid")
			share := start(ctx, t, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson")
			code := share.named(ctx, t, "bridge_opened").Code
			host := start(ctx, t, ann, append([]string{"host", "--app", "lotr2", "--name", "Castle", "--player", "ann"}, gameArgs...)...)
			host.named(ctx, t, "session_opened")
			bridge := start(ctx, t, bob, "bridge", "join", code, "--events", "ndjson")
			bridge.named(ctx, t, "bridge_opened")
			search := []string{"join", "--player", "bob"}
			if how == "by address" {
				search = []string{"join", ann.Addr().String(), "--player", "bob"}
			}
			second := start(ctx, t, bob, append(search, gameArgs...)...)
			second.named(ctx, t, "session_opened")
			friend := f.join(ctx, t, cid, code)
			acquainted(ctx, t, []*program{host, second, friend})
			everybody(ctx, t, []*program{host, second, friend}, "we are")
			for _, from := range []*program{second, friend} {
				for range 20 { // some may be lost
					from.command(t, map[string]any{"command": "send", "payload": "c0ffee", "guaranteed": false})
				}
			}
			friend.find(ctx, t, "a datagram", 0, func(e *event) bool { return e.Event == "message" && e.From == "bob" })
			second.find(ctx, t, "a datagram", 0, func(e *event) bool { return e.Event == "message" && e.From == "cid" })
			if how == "by address" {
				e := friend.named(ctx, t, "address_taken")
				assert.Contains(t, e.raw, bob.Addr().String())
			}
		})
	}
}
