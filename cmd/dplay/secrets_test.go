package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dplay4/internal/testkit"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecretsInFiles: each command that takes a password or a code takes it from a file as well, so that no command line has to show it.
func TestSecretsInFiles(t *testing.T) {
	t.Parallel()
	passwords, codes := 0, 0
	everyCommand(func(c *cobra.Command) {
		if c.Flags().Lookup("password") != nil {
			passwords++
			assert.NotNil(t, c.Flags().Lookup("password-file"), c.CommandPath())
		}
		if strings.Contains(c.Use, "CODE") {
			codes++
			assert.NotNil(t, c.Flags().Lookup("code-file"), c.CommandPath())
		}
	})
	assert.Equal(t, []int{5, 3}, []int{passwords, codes})
}

// TestPasswordFile hosts, finds and joins a private session; no command line has its password.
func TestPasswordFile(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	right, wrong := file("right", "sesame\n"), file("wrong", "barley\n")
	startHost(t, at, "--password-file", right, "--flags", "private")
	assert.NotEmpty(t, finds(t, at.sessions("--password-file", right)...))
	j := start(t, at.join("--password-file", right, "--events", "ndjson"))
	j.event("session_opened")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
	refused := once(t, at.sessions("--password-file", wrong)...)
	assert.NotContains(t, refused.out, "Test")
	both := once(t, at.join("--password", "x", "--password-file", right)...)
	assert.Equal(t, exitUsage, both.status)
	assert.Contains(t, both.err, "password-file")
	none := once(t, at.join("--password-file", right+".not")...)
	assert.Equal(t, exitUsage, none.status)
	assert.Contains(t, none.err, "--password-file "+right+".not: there is no such file")
}

// TestCodeFile: a code in a file is read as one of the command line, and never taken for the name of a host.
func TestCodeFile(t *testing.T) {
	testkit.User(t)
	file := filepath.Join(t.TempDir(), "code.txt")
	for _, text := range []string{wrongCode, "castle"} {
		require.NoError(t, os.WriteFile(file, []byte("Code: "+text+"\n"), 0o600))
		for _, command := range []string{"join", "bridge join", "bridge doctor"} {
			got := dplay(t, append(strings.Fields(command), "--code-file", file)...)
			assert.Equal(t, exitUsage, got.status, command)
			assert.Contains(t, got.err, "the code "+text+": ", command)
			got = dplay(t, append(strings.Fields(command), "--code-file", file, aCode)...)
			assert.Equal(t, exitUsage, got.status, command)
			assert.Contains(t, got.err, "--code-file has the CODE already", command)
		}
	}
}
