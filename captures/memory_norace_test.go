//go:build !race

package captures_test

const (
	memoryOctets = 1 << 30   // how long the captures of the memory tests are
	manyFrames   = 1_000_000 // how many frames an unfinished message has
)
