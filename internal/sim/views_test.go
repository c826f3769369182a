package sim

import (
	"fmt"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allModern returns what a seed draws, in a session of modern members without frames.
func allModern(seed uint64) Options {
	o := Draw(seed)
	o.Rule, o.Legacy, o.Older = Modern, 0, 0
	o.Flags |= wire.SessionMigrateHost | wire.SessionKeepAlive
	o.Flags &^= wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer | wire.SessionDirectPlayProtocol
	o.Faults &^= Outdated
	o.Checks = expectations(&o)
	return o
}

// viewSeeds are runs that violated something once.
var viewSeeds = []struct {
	seed    uint64
	members int // 0: as drawn
	objects int
	faults  string // "": as drawn
}{
	{4, 4, 0, "power"}, {6, 4, 0, "power"}, {7, 4, 0, "break,breaks"}, {9, 4, 0, "break,breaks"}, {4, 4, 0, "partition"},
	{13, 4, 0, "partition"}, {43, 4, 0, "partition"}, {3, 4, 0, "pairs"}, {18, 4, 0, "pairs"}, {47, 4, 0, "pairs"}, {52, 4, 0, "pairs"},
	{6, 4, 0, "sleep"}, {6, 4, 0, "freeze"}, {1, 4, 0, "crashloop"}, {13, 4, 0, "crashloop"}, {3, 4, 0, "strike"}, {16, 4, 0, "strike"},
	{5, 4, 0, "notcp"}, {11, 4, 0, "timeout"}, {14, 4, 0, "timeout"}, {3, 4, 0, "threeway"}, {2, 4, 0, "lobby"}, {20, 4, 0, "lobby"},
	{58, 4, 0, "breaks,churn"}, {3, 4, 0, "breaks,churn"}, {16, 4, 0, "timeout,power"}, {7, 4, 0, "sleep,freeze"},
	{45, 4, 0, "sleep,freeze"}, {36, 4, 0, "partition,crash"}, {37, 0, 0, ""}, {93, 0, 0, ""}, {43, 0, 3, ""}, {59, 0, 3, ""},
	{40002, 6, 0, "lobby"}, {40003, 6, 0, "lobby"}, {40009, 6, 3, "lobby"}, {40023, 6, 4, "lobby"}, {40027, 6, 3, "lobby"},
	{40031, 6, 1, "lobby"}, {41000, 6, 0, "lobby"}, {41003, 4, 0, "lobby"}, {41042, 10, 0, "lobby"}, {41043, 9, 0, "lobby"},
	{41077, 8, 0, "lobby"}, {51023, 7, 0, "lobby"}, {51025, 10, 4, "lobby"}, {52013, 8, 1, "lobby,crash"}, {43052, 0, 0, ""},
	{53147, 0, 0, ""}, {53619, 0, 0, ""}, {20001, 0, 1, ""}, {20429, 0, 4, ""}, {40039, 6, 4, "threeway,crash"}, {40020, 6, 1, "notcp,crash"},
	{40004, 6, 3, "pairs,crash"}, {40015, 6, 1, "pairs,crash"}, {40020, 6, 1, "pairs,crash"},
}

// mostLost is of how many guaranteed messages one may be lost.
const mostLost = 300

// TestViews runs seeds of modern members. Nothing may be violated, nobody who lives and answers may be out of its session, for whatever
// reason, and nobody may lose it. It takes over 2 s because it computes whole sessions.
func TestViews(t *testing.T) {
	t.Parallel()
	var all []Options
	for i, s := range viewSeeds {
		if i%10 != 0 && !long() {
			continue
		}
		o := allModern(s.seed)
		o.Objects = s.objects
		if s.members > 0 {
			o.Members = s.members
		}
		if s.faults != "" {
			f, err := ParseFaults(s.faults)
			require.NoError(t, err)
			o.Faults = f
		}
		o.Checks = expectations(&o)
		all = append(all, o)
	}
	n := uint64(4)
	if long() {
		n = 60
	}
	for i := range n {
		framed := allModern(2000 + i)
		framed.Flags |= wire.SessionDirectPlayProtocol
		framed.Checks = expectations(&framed)
		all = append(all, allModern(1+i), framed)
	}
	never := 0
	var sum Stats
	runAll(t, all, func(r *Result) {
		sum.HostsLost += r.Stats.HostsLost
		sum.Joins += r.Stats.Joins
		sum.Guaranteed += r.Stats.Guaranteed
		for _, lost := range r.Stats.NeverCame {
			never += lost
		}
		for _, v := range r.Violations {
			t.Errorf("seed %d: %d violation(s), the first one: %.3fs %s %s: %s\n\t%s",
				r.Options.Seed, len(r.Violations), v.At.Seconds(), r.Name(v.Lane), v.Rule, v.Text, command(&r.Options))
			break
		}
		out := r.Stats.ThrownOut + r.Stats.SessionsLost
		for _, n := range r.Stats.Excused {
			out += n
		}
		assert.Zero(t, out, "seed %d: %s", r.Options.Seed, fmt.Sprint(r.Stats.ThrownOut, r.Stats.SessionsLost, r.Stats.Excused))
	})
	t.Logf("%d of %d guaranteed messages never came", never, sum.Guaranteed)
	assert.Less(t, never*mostLost, sum.Guaranteed, "guaranteed messages that never came, with frames and without")
	if len(all) >= 80 { // or the seeds found nothing because nothing happens
		assert.Greater(t, sum.HostsLost, len(all), "hosts are lost")
		assert.Greater(t, sum.Joins, 2*len(all), "machines join")
	}
}
