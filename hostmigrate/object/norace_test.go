//go:build !race

package object_test

// raced reports whether the race detector is on.
const raced = false
