//go:build !race

package sim

const (
	fewSeeds    = 50 // seeds that run if nobody says how many
	everyFailed = 1  // of so many seeds that failed one runs
)
