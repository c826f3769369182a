//go:build race

package captures_test

// The race detector slows everything down tenfold.
const (
	memoryOctets = 48 << 20 // how long the captures of the memory tests are
	manyFrames   = 100_000  // how many frames an unfinished message has
)
