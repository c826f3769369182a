//go:build race

package captures_test

const raced = true // the race detector runs
