//go:build race

package sim

// The race detector slows everything down tenfold.
const (
	fewSeeds    = 10 // seeds that run if nobody says how many
	everyFailed = 4  // of so many seeds that failed one runs
)
