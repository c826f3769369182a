package flags

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecret reads files as editors write them, and leaves the value as it was where the file cannot be meant.
func TestSecret(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secret")
	for text, want := range map[string]string{
		"sesame": "", "sesame\n": "", "sesame\r\n": "", "\ufeffsesame": "",
		"":                                   "the file is empty",
		"\n":                                 "the file is empty",
		"\ufeff\r\n":                         "the file is empty",
		"a\nb\n":                             "a secret is one line",
		strings.Repeat("x", 4097):            "a secret has at most 4096 octets",
		"s\xfcsame":                          "the file is no text in UTF-8",
		"\xff\xfes\x00e\x00s\x00a\x00m\x00e": "the file is no text in UTF-8",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		got := "before"
		s := &Secret{text: &got}
		err := s.Set(name)
		if want != "" {
			assert.EqualError(t, err, want)
			assert.Equal(t, "before", got)
			assert.False(t, s.Given())
			continue
		}
		require.NoError(t, err, "%q", text)
		assert.Equal(t, "sesame", got, "%q", text)
		assert.Equal(t, name, s.String(), "it does not show the secret")
		assert.True(t, s.Given())
	}
	assert.EqualError(t, (&Secret{}).Set(name+".not"), "there is no such file")
	assert.Error(t, (&Secret{}).Set(filepath.Dir(name)))
}
