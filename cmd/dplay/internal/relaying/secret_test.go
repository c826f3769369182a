package relaying

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// TestReadSecret takes what comes in pieces, as from a pipe, and says what is wrong.
func TestReadSecret(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0123456789abcdef\n":        "",
		"01234567":                  "",
		"0123456\r\n":               "a secret has 8 octets or more, not 7",
		"01234567\n89abcdef\n":      "a secret is one line",
		strings.Repeat("x", 5000):   "a secret has at most 4096 octets",
		strings.Repeat("x", 4095):   "",
		"":                          "a secret has 8 octets or more, not 0",
		strings.Repeat("\n", 10000): "a secret has at most 4096 octets",
	} {
		got, err := readSecret(iotest.OneByteReader(strings.NewReader(text)))
		if want != "" {
			assert.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSuffix(text, "\n"), got)
	}
	_, err := readSecret(iotest.ErrReader(os.ErrClosed))
	assert.ErrorIs(t, err, os.ErrClosed)
}

// TestSecretFile: a folder is no secret, and a file that all can read is told of.
func TestSecretFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := secret(dir)
	require.ErrorContains(t, err, "--auth-secret-file: ")
	assert.ErrorContains(t, err, dir)
	assert.NotContains(t, err.Error(), "octets")

	name := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(name, []byte("short"), 0o600))
	_, _, err = secret(name)
	require.ErrorContains(t, err, "--auth-secret-file: "+name+": a secret has 8 octets or more")
	require.NoError(t, os.WriteFile(name, []byte("0123456789abcdef\n"), 0o600))
	for mode, notes := range map[os.FileMode]int{0o600: 0, 0o640: 0, 0o604: 1} {
		require.NoError(t, os.Chmod(name, mode))
		text, all, err := secret(name)
		require.NoError(t, err)
		assert.Equal(t, "0123456789abcdef", text)
		if runtime.GOOS != "windows" {
			assert.Len(t, all, notes, "%o", mode)
		}
	}
	text, all, err := secret("")
	require.NoError(t, err)
	assert.Equal(t, code.OpenSecret, text)
	assert.Empty(t, all)
}
