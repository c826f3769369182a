//go:build race

package captures_test

const manyFrames = 100_000 // how many frames an unfinished message has

// memoryOctets returns how long the captures of the memory tests are: the race detector slows everything down tenfold.
func memoryOctets() int64 { return 48 << 20 }
