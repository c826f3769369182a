//go:build race

package reliable

// raced reports whether the race detector is on, which slows everything down tenfold.
const raced = true
