package flags

import (
	"github.com/spf13/cobra"

	"dplay4/internal/sim"
)

// Faults are the faults of a simulated network: names with commas between.
type Faults struct{ sim.Faults }

// Set takes names with commas between.
func (f *Faults) Set(s string) (err error) {
	f.Faults, err = sim.ParseFaults(s)
	return err
}

func (f *Faults) offers() []cobra.Completion {
	return append([]string{"none", "all"}, sim.FaultNames()...)
}

// Type returns what help shows for the value.
func (f *Faults) Type() string { return "NAME,..." }
