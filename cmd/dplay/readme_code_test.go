package main

import (
	"bufio"
	"bytes"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// readmeProgram is the folder of the Go program that the README shows.
var readmeProgram = filepath.Join("examples", "castle")

// TestReadmeProgram builds the README's Go program and runs it as a process. A guest joins it, is welcomed and answers, and ends it.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)\n```go\n(.*?)```\n").FindAllStringSubmatch(fileText(t, "README.md"), -1)
	require.Len(t, blocks, 1)
	source, err := os.ReadFile(filepath.Join(readmeProgram, "main.go"))
	require.NoError(t, err)
	require.Equal(t, string(source), blocks[0][1], "the README shows cmd/dplay/examples/castle/main.go")

	// Without what debuggers read the linker takes half of the time.
	program := filepath.Join(t.TempDir(), "castle.exe")
	built, err := exec.Command("go", "build", "-ldflags=-w", "-o", program, "./"+filepath.ToSlash(readmeProgram)).CombinedOutput()
	require.NoError(t, err, "%s", built)
	address := testkit.Addr(t)
	ctx := testkit.Context(t)
	host := exec.CommandContext(ctx, program, address.String())
	var complaints bytes.Buffer
	host.Stderr = &complaints
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "%s", &complaints)
	require.Equal(t, "Ann is here", lines.Text())

	guest, err := sock.Open(sock.Options{Bind: address})
	require.NoError(t, err)
	defer guest.Close()
	game, err := wire.ParseGUID(regexp.MustCompile(`\{[0-9a-f-]{36}\}`).FindString(string(source)))
	require.NoError(t, err)
	found, err := guest.Find(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{address}})
	require.NoError(t, err)
	require.NoError(t, guest.Join(ctx, found, ""))
	bob, err := guest.CreatePlayer(ctx, "Bob", nil)
	require.NoError(t, err)
	for e := range guest.Events() {
		if m, ok := e.(dpsp.Message); ok {
			assert.Equal(t, "welcome", string(m.Payload))
			require.NoError(t, guest.Send(ctx, bob, m.From, []byte("thanks"), true))
			require.NoError(t, guest.Chat(ctx, bob, m.From, "bye", true))
			break
		}
	}
	var printed strings.Builder
	for lines.Scan() {
		printed.WriteString(lines.Text() + "\n")
	}
	assert.Equal(t, "Bob is here\n"+bob.String()+" sends \"thanks\"\n"+bob.String()+" says \"bye\"\n", printed.String())
	assert.NoError(t, host.Wait(), "%s", &complaints)
}
