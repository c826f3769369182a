//go:build !race

package captures_test

import "os"

const manyFrames = 1_000_000 // how many frames an unfinished message has

// memoryOctets returns how long the captures of the memory tests are. All that was read would be more than heapLimit
// in either.
func memoryOctets() int64 {
	if os.Getenv("DPLAY_LONG") != "" {
		return 1 << 30 // as "make long" has it
	}
	return 256 << 20
}
