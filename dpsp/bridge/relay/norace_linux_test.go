//go:build !race

package relay

// raced reports whether the race detector is on.
const raced = false
