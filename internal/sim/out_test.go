package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
)

// TestThrownOut has a member lose its session, with each excuse and without one.
func TestThrownOut(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w *World, p []*process)
		want   Excuse
	}{
		"thrown out":      {func(*World, []*process) {}, ""},
		"the host, too":   {func(w *World, p []*process) { p[2].told.host = p[2].told.self }, ""},
		"the host left":   {func(w *World, p []*process) { w.end(p[0].l, exit) }, ""},
		"and no next one": {func(w *World, p []*process) { w.opt.Flags = 0; w.end(p[0].l, crash) }, HostGone},
		"the host is there, without the next one": {func(w *World, p []*process) { w.opt.Flags = 0 }, ""},
		"by the old rule":                         {func(w *World, p []*process) { w.opt.Rule = DPlay4 }, OldRules},
		"an old member":                           {func(w *World, p []*process) { p[2].l.legacy = true }, OldRules},
		"an old host":                             {func(w *World, p []*process) { p[0].l.legacy = true }, OldRules},
		"an older release":                        {func(w *World, p []*process) { p[2].l.older = true }, OldRules},
		"a host of an older release":              {func(w *World, p []*process) { p[0].l.older = true }, OldRules},
		"cut off": {func(w *World, p []*process) {
			w.cutting(&Cut{Senders: []int{0, 1}, Others: []int{2}}, 1)
			w.now += 10 * w.opt.Bounds.Converge
		}, Silent},
		"cut off lately": {func(w *World, p []*process) {
			w.cutting(&Cut{Senders: []int{0, 1}, Others: []int{2}}, 1)
			w.now += 10 * w.opt.Bounds.Converge
			w.cutting(&Cut{Senders: []int{0, 1}, Others: []int{2}}, -1)
			w.now += time.Second
		}, Silent},
		"cut off long ago": {func(w *World, p []*process) {
			w.cutting(&Cut{Senders: []int{0, 1}, Others: []int{2}}, 1)
			w.cutting(&Cut{Senders: []int{0, 1}, Others: []int{2}}, -1)
			w.now += w.opt.Bounds.Converge
		}, ""},
		"stood still lately": {func(w *World, p []*process) {
			p[2].l.frozen = true
			w.resume(p[2].l)
			w.now += time.Second
		}, Silent},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := bare(t, 3)
			w.opt.Rule = Modern
			w.now = time.Hour
			c.before(w, p)
			w.truth.before(p[2], dpsp.SessionLost{})
			assert.Equal(t, c.want == "", w.res.Stats.ThrownOut == 1)
			if c.want != "" {
				assert.Equal(t, map[Excuse]int{c.want: 1}, w.res.Stats.Excused)
			}
		})
	}
	w, p := bare(t, 2)
	w.truth.before(p[1], dpsp.SessionClosed{})
	assert.Zero(t, w.res.Stats.ThrownOut, "it left")
}
