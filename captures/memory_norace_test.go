//go:build !race

package captures_test

const raced = false // the race detector runs
