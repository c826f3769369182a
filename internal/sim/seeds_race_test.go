//go:build race

package sim

// raced reports whether the race detector is on. It slows everything down tenfold, and a run has but one goroutine.
const raced = true
