package simulated

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/flags"
	"dplay4/internal/sim"
	"dplay4/wire"
)

// TestOptions checks that each flag changes what it says, and that the rest stays as the seed drew it.
func TestOptions(t *testing.T) {
	drawn := sim.Draw(18)
	for _, c := range []struct {
		args []string
		want func(o *sim.Options)
	}{
		{nil, func(*sim.Options) {}},
		{[]string{"--members", "12"}, func(o *sim.Options) { o.Members = 12 }},
		{[]string{"--legacy", "2"}, func(o *sim.Options) { o.Legacy = 2 }},
		{[]string{"--faults", "crash,oneway"}, func(o *sim.Options) { o.Faults = sim.Crash | sim.OneWay }},
		{[]string{"--faults", "none"}, func(o *sim.Options) { o.Faults = 0 }},
		{[]string{"--faults", "all"}, func(o *sim.Options) { o.Faults = sim.EveryFault }},
		{[]string{"--older", "2"}, func(o *sim.Options) { o.Older = 2; o.Faults |= sim.Outdated }},
		{[]string{"--older", "0"}, func(o *sim.Options) { o.Older = 0; o.Faults &^= sim.Outdated }},
		{[]string{"--loss", "20"}, func(o *sim.Options) { o.Loss = .2; o.Faults |= sim.Lose }},
		{[]string{"--loss", "0"}, func(o *sim.Options) { o.Loss = 0; o.Faults &^= sim.Lose }},
		{[]string{"--objects", "3"}, func(o *sim.Options) { o.Objects = 3 }},
		{[]string{"--minutes", "90"}, func(o *sim.Options) { o.Time = 90 * 60e9 }},
		{[]string{"--rule", "dplay4"}, func(o *sim.Options) { o.Rule = sim.DPlay4 }},
		{[]string{"--rule", "modern"}, func(o *sim.Options) { o.Rule = sim.Modern }},
		{[]string{"--flags", "keepalive"}, func(o *sim.Options) { o.Flags = 1 << 6 }},
		{[]string{"--trace"}, func(o *sim.Options) { o.Trace = true }},
		{[]string{"--frames"}, func(o *sim.Options) { o.Flags |= wire.SessionDirectPlayProtocol }},
	} {
		f, cmd := &Options{}, &cobra.Command{}
		f.changed = cmd.Flags().Changed
		flags.Register(cmd, f)
		require.NoError(t, cmd.ParseFlags(c.args))
		want := drawn
		c.want(&want)
		want.Complete()
		assert.Equal(t, want, f.options(18), "%v", c.args)
	}
}
