//go:build !race

package reliable

// raced reports whether the race detector is on.
const raced = false
