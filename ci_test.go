//go:build linux

package dplay4_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCIFailed has CI name what failed in a log, to run it again, only where all other tests ran to their end.
func TestCIFailed(t *testing.T) {
	const good = "=== RUN   TestA\n--- PASS: TestA (0.01s)\nPASS\nok  \tdplay4/compat/wine\t1.2s\n"
	const bad = "=== RUN   TestB\n--- FAIL: TestB (0.01s)\n    --- FAIL: TestB/c (0.00s)\n--- FAIL: TestD (0.01s)\nFAIL\n"
	const nat, end = "FAIL\tdplay4/compat/nat\t1.2s\n", "FAIL\nmake: *** [Makefile:127: bridge-nat] Error 1\n"
	for name, c := range map[string]struct {
		log, want string
		whole     bool
	}{
		"tests that failed":    {good + bad + nat + end, "TestB\nTestD\n", true},
		"in both runs":         {bad + nat + end + bad + nat + end, "TestB\nTestD\nTestB\nTestD\n", true},
		"cut off":              {bad + nat + end + "=== RUN   TestA\n", "TestB\nTestD\n", false},
		"the first one absent": {bad + nat + end, "TestB\nTestD\n", false},
		"time is up":           {good + "--- FAIL: TestB (9s)\npanic: test timed out after 14m0s\n" + nat + end, "TestB\n", false},
		"no test was named":    {good + "FAIL\tdplay4/compat/nat [build failed]\n" + end, "", false},
		"named by the other":   {bad + nat + end + "exit status 3\n" + nat + end, "TestB\nTestD\n", false},
		"nothing failed":       {good + good + "make: *** [Makefile:127: bridge-wine] Error 1\n", "", false},
		"empty":                {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			require.NoError(t, os.WriteFile(file, []byte(c.log), 0o600))
			out, err := exec.Command(filepath.Join(".ci", "failed"), file, "2").Output()
			assert.Equal(t, c.want, string(out))
			assert.Equal(t, c.whole, err == nil, "%v", err)
		})
	}
}
