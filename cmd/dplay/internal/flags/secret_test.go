package flags

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecretOpen holds that a file which everybody can read is taken, and that a note names it.
func TestSecretOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of Unix")
	}
	name := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(name, []byte("sesame"), 0o600))
	for _, flag := range []string{"password-file", "code-file"} {
		for mode, want := range map[os.FileMode]string{
			0o600: "",
			0o640: "",
			0o644: "dplay: --" + flag + ": every user of this machine can read " + name + ": chmod 600 mends that\n",
		} {
			require.NoError(t, os.Chmod(name, mode))
			var told strings.Builder
			var o struct {
				Password string `flag:"password" secret:"password-file"`
				Code     Code   `flag:"code-file"`
			}
			cmd := &cobra.Command{}
			cmd.SetErr(&told)
			Register(cmd, &o)
			require.NoError(t, cmd.ParseFlags([]string{"--" + flag, name}))
			assert.Equal(t, "sesame", o.Password+o.Code.line)
			assert.Equal(t, want, told.String())
		}
	}
}

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
