//go:build race

package object_test

// raced reports whether the race detector is on: it slows everything down tenfold, and a table knows no goroutines.
const raced = true
