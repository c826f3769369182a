package testkit

import (
	"os"
	"strconv"
	"testing"
)

// Number returns the number in an environment variable, or otherwise if that is empty. It ends the test if there is no number in it.
func Number(t testing.TB, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("the environment variable %s holds %q, which is no number", variable, text)
	}
	return n
}
